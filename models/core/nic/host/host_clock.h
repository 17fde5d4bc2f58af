// The clock of a host as delay-based algorithms read it: noisy and drifting.
#pragma once

#include "describe/quantities.h"
#include "sim/random.h"
#include "units.h"

namespace dcc {

class ParameterVisitor;

struct ClockParameters {
  PicoSeconds noise{};   // greatest delay of a clock reading, uniformly distributed (noise)
  Ratio drift{0};        // greatest relative frequency error of a clock, drawn once for each host
  bool controls = true;  // algorithms use readings of this clock, not exact times

  bool exact() const { return noise.count == 0 && drift.value() == 0; }
  void describe(ParameterVisitor& v);
};

/// Clock of one host. The same seed and host give the same readings.
class HostClock {
 public:
  /// Makes the clock of host `host`, whose number selects the random stream.
  HostClock(const ClockParameters& parameters, std::uint64_t seed, std::uint64_t host);

  /// Returns the difference, at least zero, of two clock readings that are `elapsed` apart.
  PicoSeconds between(PicoSeconds elapsed);
  /// Relative frequency error of the clock times 2^32; positive: the clock is fast.
  std::int64_t drift_q32() const { return drift_q32_; }

 private:
  RandomStream random_;
  std::uint64_t readings_;  // number of possible delays of a clock reading, in picoseconds
  std::int64_t drift_q32_ = 0;
};

}  // namespace dcc
