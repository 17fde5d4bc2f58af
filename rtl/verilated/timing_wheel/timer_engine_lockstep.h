// The platform's timing engine in lock-step: model and verilated hardware, every answer compared.
#pragma once

#include <cstdint>
#include <memory>

#include "controller/lockstep_report.h"
#include "timer_engine_rtl.h"

namespace dcc {

struct LockstepOptions : LockstepReport {
  LockstepOptions() : LockstepReport("timer", "wheel_lockstep.log", "wheel_replay") {}
  RtlWheelOptions rtl;
};

class LockstepTimerEngine : public TimerEngine {
 public:
  /// Compares the state at the end of a run: pending events of every slot, due times, lag. Throws
  /// LockstepMismatch.
  virtual void finish(Tick now) = 0;
  virtual std::uint64_t comparisons() const = 0;
};

/// Makes an engine that returns the model's answers and compares them with the hardware's. A
/// difference throws LockstepMismatch from the call that found it.
std::unique_ptr<LockstepTimerEngine> make_lockstep_timer_engine(
    const LockstepOptions& options = {});

/// Makes the same lock-step engine from a hardware engine that the caller made.
std::unique_ptr<LockstepTimerEngine> make_lockstep_timer_engine(
    const LockstepOptions& options, std::unique_ptr<RtlTimerEngine> hardware);

}  // namespace dcc
