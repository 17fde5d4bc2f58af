// Rates and ratios as real numbers, for the algorithms that no hardware here holds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "describe/quantities.h"
#include "units.h"

namespace dcc {

/// Mb/s.
constexpr long double to_mbps(Rate rate) {
  return static_cast<long double>(rate.raw) / (1 << Rate::kFractionBits);
}
/// As the controller would hold it.
constexpr long double to_mbps(BitRate rate) { return to_mbps(Rate::from(rate)); }
/// Nearest representable; negative is zero, beyond the range saturates.
constexpr Rate from_mbps(long double mbps) {
  const long double raw = std::max(mbps, 0.0L) * (1 << Rate::kFractionBits) + 0.5L;
  return Rate(raw >= 4294967295.0L ? 0xFFFFFFFFu : static_cast<std::uint32_t>(raw));
}

/// Bytes that a rate moves in a time (1 Mb/s = 1 byte in 8 µs).
constexpr long double bytes_at(long double mbps, PicoSeconds time) {
  return mbps * static_cast<long double>(time.count) / 8e6L;
}

constexpr long double to_real(const Ratio& ratio) {
  return static_cast<long double>(ratio.numerator) / static_cast<long double>(ratio.denominator);
}

/// `base` to a whole power, by squaring: the same digits on every machine, unlike libm's.
constexpr long double whole_power(long double base, std::uint64_t exponent) {
  long double result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace dcc
