// The platform's timing engine in lock-step: model and verilated hardware, every answer compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "timer_engine_rtl.h"

namespace dcc {

struct LockstepOptions {
  RtlWheelOptions rtl;
  std::uint64_t seed = 0;                       // of the run; only told in the report
  std::string name = "timer";                   // whose wheel it is, for the report: "host 3 timer"
  std::string log_path = "wheel_lockstep.log";  // written at a difference, read by the replay
  std::string told_path;                        // how the report calls that file; empty: log_path
  std::string replay_program = "wheel_replay";  // as it is to be called
  std::size_t last_transactions = 20;           // listed in the report
};

/// What the two said differently: tick, last transactions, both states, seed, and the command that
/// replays the run of the wheel with a waveform. what() is the whole report.
class LockstepMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LockstepTimerEngine : public TimerEngine {
 public:
  /// Compares what is left at the end of a run: pending events of every slot, due times, lag.
  /// Throws LockstepMismatch.
  virtual void finish(Tick now) = 0;
  virtual std::uint64_t comparisons() const = 0;
};

/// The model governs; the hardware follows, and every answer of both is compared. Any difference
/// throws LockstepMismatch from the call that saw it.
std::unique_ptr<LockstepTimerEngine> make_lockstep_timer_engine(
    const LockstepOptions& options = {});

/// The same on a hardware engine the caller made.
std::unique_ptr<LockstepTimerEngine> make_lockstep_timer_engine(
    const LockstepOptions& options, std::unique_ptr<RtlTimerEngine> hardware);

}  // namespace dcc
