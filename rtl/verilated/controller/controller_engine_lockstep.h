// The whole controller in lock-step: model and verilated RTL, every answer compared with its cycle.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "controller/lockstep_report.h"
#include "controller_engine_rtl.h"

namespace dcc {

struct ControllerLockstepOptions : LockstepReport {
  ControllerLockstepOptions()
      : LockstepReport("controller", "controller_lockstep.log", "controller_replay") {}
  RtlControllerOptions rtl;
};

class LockstepControllerEngine : public ControllerEngine {
 public:
  virtual std::uint64_t comparisons() const = 0;
};

/// Makes an engine that returns the model's answers; the RTL gets the same inputs at the same
/// edges. The engine compares every answer and interrupt cause with its cycle, every register that
/// software reads, every figure that is read, and at the end every slot. A difference throws
/// LockstepMismatch from the call that detected it.
std::unique_ptr<LockstepControllerEngine> make_lockstep_controller(
    Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank, RateSink& sink,
    const ControllerLockstepOptions& options = {});

using MakeRtlControllerFor = std::function<std::unique_ptr<RtlControllerEngine>(RateSink& sink)>;

/// Makes the same lock-step engine from an RTL engine that the caller made.
std::unique_ptr<LockstepControllerEngine> make_lockstep_controller(
    Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank, RateSink& sink,
    const ControllerLockstepOptions& options, const MakeRtlControllerFor& make_rtl);

}  // namespace dcc
