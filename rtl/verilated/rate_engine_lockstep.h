// The platform's rate engine in lock-step: model and verilated hardware, every result compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "rate_engine_rtl.h"

namespace dcc {

struct RateLockstepOptions {
  RtlRateOptions rtl;
  std::uint64_t seed = 0;                      // of the run; only told in the report
  std::string name = "rate unit";              // whose it is, for the report: "host 3 rate unit"
  std::string log_path = "rate_lockstep.log";  // written at a difference, read by the replay
  std::string told_path;                       // how the report calls that file; empty: log_path
  std::string replay_program = "rate_replay";  // as it is to be called
  std::size_t last_calls = 20;                 // listed in the report
};

/// What the two said differently: the request, both results, the last calls, seed, and the command
/// that replays the run of the unit with a waveform. what() is the whole report.
class RateMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LockstepRateEngine : public RateEngine {
 public:
  /// Compares every table entry, read back through the hardware. Throws RateMismatch.
  virtual void finish() = 0;
  virtual std::uint64_t comparisons() const = 0;
};

/// The model governs; the hardware follows, and every result of both is compared. Any difference
/// throws RateMismatch from the call that saw it.
std::unique_ptr<LockstepRateEngine> make_lockstep_rate_engine(
    const RateLockstepOptions& options = {});

/// The same on a hardware engine the caller made.
std::unique_ptr<LockstepRateEngine> make_lockstep_rate_engine(
    const RateLockstepOptions& options, std::unique_ptr<RtlRateEngine> hardware);

}  // namespace dcc
