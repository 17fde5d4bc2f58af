// The whole controller as verilated RTL, for a platform.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller_rtl_dut.h"

namespace dcc {

/// Numbers of slots for which the RTL was verilated.
std::vector<std::uint32_t> verilated_controllers();

/// Interface to additional state of the RTL that a comparison needs.
class RtlControllerEngine : public ControllerEngine {
 public:
  virtual std::uint64_t cycles() const = 0;  // number of clock cycles that have passed
  // number of simulated cycles; other cycles were skipped
  virtual std::uint64_t cycles_made() const = 0;
  /// Returns the state at the present edge. While events are under way, part of this state comes
  /// from simulating ahead on a copy.
  virtual ControllerFigures figures() = 0;
  /// False during a register access, when events may be issued between the access and an
  /// inspection.
  virtual bool sees_all() = 0;
  /// False while a register access is under way or waits, so that a further read takes place later.
  virtual bool port_free() = 0;
  /// Sets a function that receives an error found outside a call, before the error is thrown.
  virtual void on_error(std::function<void(const std::string&)> told) = 0;
  virtual std::string describe() = 0;
};

struct RtlControllerOptions {
  // number of the injected fault, one of kControllerFaults; a fault makes the RTL slower
  unsigned fault = 0;
  bool skip_idle = true;  // false: every clock cycle is simulated
  // true: the RTL as shipped, with one clock and assertions; slower
  bool as_shipped = false;
};

/// Drives dcc_top at the edges of its clock (docs/controller-contract.md). The configuration must
/// be one of verilated_controllers(), with kRtlLatency and the split 5, 5, 6; throws
/// std::invalid_argument otherwise.
std::unique_ptr<RtlControllerEngine> make_rtl_controller(Scheduler& scheduler,
                                                         const ControllerConfig& config,
                                                         std::uint32_t rank, RateSink& sink,
                                                         const RtlControllerOptions& options = {});

}  // namespace dcc
