// The platform's rate engine in lock-step: the model and the verilated rate unit.
#pragma once

#include <memory>

#include "controller/rate_lockstep.h"
#include "rate_engine_rtl.h"

namespace dcc {

struct RateLockstepOptions : LockstepReport {
  RateLockstepOptions() : LockstepReport("rate unit", "rate_lockstep.log", "rate_replay") {}
  RtlRateOptions rtl;
};

/// Makes a lock-step engine, which writes a recording for rate_replay when a difference occurs.
std::unique_ptr<LockstepRateEngine> make_lockstep_rate_engine(
    const RateLockstepOptions& options = {});

/// Makes the same lock-step engine from a hardware engine that the caller made.
std::unique_ptr<LockstepRateEngine> make_lockstep_rate_engine(
    const RateLockstepOptions& options, std::unique_ptr<RtlRateEngine> hardware);

}  // namespace dcc
