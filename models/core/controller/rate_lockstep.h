// Rate engines in lock-step: the results of the model are compared with those of a hardware unit.
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
  /// Compares every table entry that the hardware can read; throws LockstepMismatch at a
  /// difference.
  virtual void finish() = 0;
  virtual std::uint64_t comparisons() const = 0;
};

/// Function that stores the calls before a difference and returns a line for the report.
using RateRecorder = std::function<std::string(const std::vector<RateCall>&)>;

/// Makes a rate engine that returns the model's results and compares each of them with the
/// hardware's result. A call whose results differ throws LockstepMismatch. Without a recorder the
/// calls are listed only in the report.
std::unique_ptr<LockstepRateEngine> make_rate_lockstep(LockstepReport report,
                                                       std::unique_ptr<RateEngine> hardware,
                                                       RateRecorder recorder);

}  // namespace dcc
