// Interface of a host's interrupt controller to devices and processor, on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <utility>
#include <vector>

#include "registers/machine_map.h"
#include "sim/state_digest.h"

namespace dcc::model {

class Bus;

/// Interface through which an interrupt controller reports the requests of its sources. A source
/// has at most one request at a time: it begins when the source becomes pending, enabled or not,
/// and ends when software claims the source.
class InterruptRequests {
 public:
  virtual ~InterruptRequests() = default;
  /// Called when a source becomes pending: its line rose, or was high when software completed the
  /// source.
  virtual void requested(unsigned source) = 0;
  /// Called when a source's line fell before a claim, so that the source is no longer pending.
  virtual void withdrawn(unsigned source) = 0;
  /// Called when software on the hart claimed the source.
  virtual void claimed(unsigned hart, unsigned source) = 0;
};

class InterruptInputs {
 public:
  using Output = std::function<void(bool high)>;

  virtual ~InterruptInputs() = default;
  /// Sets the level of a source's line. Source numbers that the controller does not have throw
  /// std::out_of_range. May be called from a device's event or from a SystemC process; the output
  /// callback is called within it, and within the register access that changed the output.
  virtual void set_level(unsigned source, bool high) = 0;
  /// Sets the function for the interrupt controller's output line. The function is called on
  /// changes, and at once if the output is high.
  virtual void connect_output(Output output) = 0;
  /// Sets the function for the output line to hart `hart`; hart 0 has the line of connect_output().
  /// A controller with one line ignores the call for other harts.
  virtual void connect_hart(unsigned hart, Output output) {
    if (hart == 0) connect_output(std::move(output));
  }
  virtual bool output() const = 0;
  /// Sets a function that is called before every register access, to bring the devices' clock to
  /// sc_time_stamp().
  virtual void set_synchronise(std::function<void()> synchronise) = 0;
  /// Reports the requests of all sources from now on; null ends the reports.
  void set_request_observer(InterruptRequests* observer) { requests_ = observer; }
  /// The complete state of the interrupt controller, for digests.
  virtual std::vector<std::uint64_t> state() const = 0;
  void add_state(StateDigest& d) const {
    for (const std::uint64_t word : state()) d(word);
  }

 protected:
  InterruptRequests* requests() const { return requests_; }

 private:
  InterruptRequests* requests_ = nullptr;
};

/// Makes the machine's interrupt controller, named "interrupts", and puts it at its address on
/// `bus`. On machine `dcc` only hart 0 has an interrupt line from the controller.
std::unique_ptr<InterruptInputs> make_interrupt_controller(MachineKind machine, Bus& bus,
                                                           const sc_core::sc_time& latency,
                                                           unsigned harts = 1);

}  // namespace dcc::model
