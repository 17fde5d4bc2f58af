// Rate engines in lock-step: the model and a hardware unit, every result compared.
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
  /// Compares every table entry that the hardware can read. Throws LockstepMismatch.
  virtual void finish() = 0;
  virtual std::uint64_t comparisons() const = 0;
};

/// Stores the calls before a difference and returns a line for the report.
using RateRecorder = std::function<std::string(const std::vector<RateCall>&)>;

/// Makes an engine that returns the model's results and compares every result with the hardware's.
/// A difference throws LockstepMismatch from the call. Without a recorder only the report lists
/// calls.
std::unique_ptr<LockstepRateEngine> make_rate_lockstep(LockstepReport report,
                                                       std::unique_ptr<RateEngine> hardware,
                                                       RateRecorder recorder);

}  // namespace dcc
