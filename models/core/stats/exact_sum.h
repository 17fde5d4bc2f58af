// A sum of numbers that does not depend on their order.
#pragma once

#include <cmath>
#include <cstdint>

#include "units.h"

namespace dcc {

/// Sums numbers that are not negative as multiples of 2^-kFractionBits; each is rounded down. So
/// flows may be added in the order in which threads end them. Sums must stay below
/// 2^(128 - kFractionBits).
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
