// The whole controller as verilated RTL, for a platform.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller_rtl_dut.h"

namespace dcc {

/// Slots for which the RTL was verilated.
std::vector<std::uint32_t> verilated_controllers();

/// Additional state that a comparison needs.
class RtlControllerEngine : public ControllerEngine {
 public:
  virtual std::uint64_t cycles() const = 0;       // that have passed …
  virtual std::uint64_t cycles_made() const = 0;  // … those that were simulated
  /// State as the present edge will find it. While events are under way, part of it comes from
  /// simulating ahead on a copy.
  virtual ControllerFigures figures() = 0;
  /// False in the midst of an access: events may be issued between it and a look.
  virtual bool sees_all() = 0;
  /// False while an access is under way or waits: what a further one reads is then read later.
  virtual bool port_free() = 0;
  /// `told` is called with an error that is found outside a call, before the error is thrown.
  virtual void on_error(std::function<void(const std::string&)> told) = 0;
  virtual std::string describe() = 0;
};

struct RtlControllerOptions {
  unsigned fault = 0;     // kControllerFaults; others than 0 are slower RTL
  bool skip_idle = true;  // false: every cycle is simulated
};

/// Drives dcc_top at the edges of its clock; docs/controller-contract.md. The configuration is one
/// of verilated_controllers(), kRtlLatency and the split 5, 5, 6; else std::invalid_argument.
std::unique_ptr<RtlControllerEngine> make_rtl_controller(Scheduler& scheduler,
                                                         const ControllerConfig& config,
                                                         std::uint32_t rank, RateSink& sink,
                                                         const RtlControllerOptions& options = {});

}  // namespace dcc
