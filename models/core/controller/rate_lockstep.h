// Rate engines in lock-step: the model and somebody's hardware, every result compared.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/lockstep_report.h"
#include "controller/rate_calls.h"
#include "controller/rate_engine.h"

namespace dcc {

class LockstepRateEngine : public RateEngine {
 public:
  /// Compares every table entry that the hardware can tell. Throws LockstepMismatch.
  virtual void finish() = 0;
  virtual std::uint64_t comparisons() const = 0;
};

/// Keeps the calls that led to a difference and returns the report's line about them.
using RateRecorder = std::function<std::string(const std::vector<RateCall>&)>;

/// The model governs; the hardware follows, and every result of both is compared. Any difference
/// throws LockstepMismatch from the call that saw it. Without a recorder the report's calls are all
/// there is.
std::unique_ptr<LockstepRateEngine> make_rate_lockstep(LockstepReport report,
                                                       std::unique_ptr<RateEngine> hardware,
                                                       RateRecorder recorder);

}  // namespace dcc
