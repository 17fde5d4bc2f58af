// A sum that does not depend on the order of the summands.
#pragma once

#include <cmath>
#include <cstdint>

#include "units.h"

namespace dcc {

/// Sums non-negative numbers as multiples of 2^-kFractionBits, each rounded down. The result does
/// not depend on the order of the numbers, so threads may add flows in any order. Sums must stay
/// below 2^(128 - kFractionBits).
template <int kFractionBits>
class ExactSum {
 public:
  void add(double value, std::uint64_t times = 1) {
    sum_ += static_cast<Uint128>(std::ldexp(value, kFractionBits)) * times;
  }
  void merge(const ExactSum& other) { sum_ += other.sum_; }
  double value() const { return std::ldexp(static_cast<double>(sum_), -kFractionBits); }

 private:
  Uint128 sum_ = 0;
};

}  // namespace dcc
