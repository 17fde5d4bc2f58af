// The whole controller in lock-step: model and verilated RTL, every answer compared with its cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "controller_engine_rtl.h"

namespace dcc {

struct ControllerLockstepOptions {
  RtlControllerOptions rtl;
  std::uint64_t seed = 0;           // of the run; only told in the report
  std::string name = "controller";  // whose it is, for the report: "host 3 controller"
  std::string log_path = "controller_lockstep.log";  // written at a difference, read by the replay
  std::string told_path;  // how the report calls that file; empty: log_path
  std::string replay_program = "controller_replay";  // as it is to be called
  std::size_t last_calls = 20;                       // listed in the report
};

/// What the two said differently: cycle, the last calls and answers, both states, seed, and the
/// command that replays it into a waveform. what() is the whole report.
class ControllerMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LockstepControllerEngine : public ControllerEngine {
 public:
  virtual std::uint64_t comparisons() const = 0;
};

/// The model governs; the RTL gets the same inputs at the same edges. Every answer and cause is
/// compared with its cycle, every register that software reads, every figure that is looked at, and
/// at the end every slot; any difference throws ControllerMismatch from the call that saw it.
std::unique_ptr<LockstepControllerEngine> make_lockstep_controller(
    Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank, RateSink& sink,
    const ControllerLockstepOptions& options = {});

using MakeRtlControllerFor = std::function<std::unique_ptr<RtlControllerEngine>(RateSink& sink)>;

/// The same on RTL the caller made.
std::unique_ptr<LockstepControllerEngine> make_lockstep_controller(
    Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank, RateSink& sink,
    const ControllerLockstepOptions& options, const MakeRtlControllerFor& make_rtl);

}  // namespace dcc
