// The platform's rate engine in lock-step: model and verilated hardware, every result compared.
#pragma once

#include <cstdint>
#include <memory>

#include "lockstep_report.h"
#include "rate_engine_rtl.h"

namespace dcc {

struct RateLockstepOptions : LockstepReport {
  RateLockstepOptions() : LockstepReport("rate unit", "rate_lockstep.log", "rate_replay") {}
  RtlRateOptions rtl;
};

class LockstepRateEngine : public RateEngine {
 public:
  /// Compares every table entry, read back through the hardware. Throws LockstepMismatch.
  virtual void finish() = 0;
  virtual std::uint64_t comparisons() const = 0;
};

/// The model governs; the hardware follows, and every result of both is compared. Any difference
/// throws LockstepMismatch from the call that saw it.
std::unique_ptr<LockstepRateEngine> make_lockstep_rate_engine(
    const RateLockstepOptions& options = {});

/// The same on a hardware engine the caller made.
std::unique_ptr<LockstepRateEngine> make_lockstep_rate_engine(
    const RateLockstepOptions& options, std::unique_ptr<RtlRateEngine> hardware);

}  // namespace dcc
