// The clock of a host as delay-based algorithms read it: noisy and drifting.
#pragma once

#include "describe/quantities.h"
#include "sim/random.h"
#include "units.h"

namespace dcc {

class ParameterVisitor;

struct ClockParameters {
  PicoSeconds noise{};   // greatest delay of a reading, uniformly distributed
  Ratio drift{0};        // greatest relative frequency error, drawn once for each host
  bool controls = true;  // algorithms use these readings, not exact times

  bool exact() const { return noise.count == 0 && drift.value() == 0; }
  void describe(ParameterVisitor& v);
};

/// Clock of one host. The same seed and host give the same readings.
class HostClock {
 public:
  /// `host` selects the random stream.
  HostClock(const ClockParameters& parameters, std::uint64_t seed, std::uint64_t host);

  /// Returns the difference of two readings that are `elapsed` apart; at least zero.
  PicoSeconds between(PicoSeconds elapsed);
  /// Relative frequency error times 2^32; positive: the clock is fast.
  std::int64_t drift_q32() const { return drift_q32_; }

 private:
  RandomStream random_;
  std::uint64_t readings_;  // number of possible delays of a reading, in picoseconds
  std::int64_t drift_q32_ = 0;
};

}  // namespace dcc
