// Changes the parameters of a running controller over the bus of a host's software.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <systemc>

#include "software/apb_programmer.h"

namespace dcc::vp {

/// A second user of the driver on a host, beside the host's software: a process that makes one
/// change of the controller's parameters after the other. Each register access takes the bus's
/// time.
class Reconfigurer final : public sc_core::sc_module {
 public:
  /// Creates the process. `notify` fires an event at the devices' present time.
  Reconfigurer(const sc_core::sc_module_name& name, std::uint64_t base,
               std::function<void(sc_core::sc_event&)> notify, std::function<void()> on_failure);

  ApbProgrammer programmer;

  /// Requests a change of the controller's parameters. Call from a device's event.
  void reconfigure(const dcc_config& from, const dcc_config& to);
  /// The sentence with which the driver refused a change; empty if the driver refused no change.
  const std::string& failure() const { return failure_; }

 private:
  struct Order {
    dcc_config from;
    dcc_config to;
  };
  void run();

  std::function<void(sc_core::sc_event&)> notify_;
  std::function<void()> on_failure_;
  std::deque<Order> orders_;
  sc_core::sc_event ordered_;
  std::string failure_;
};

}  // namespace dcc::vp
