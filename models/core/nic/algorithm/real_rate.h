// Rates and ratios as real numbers, for algorithms that exist as models only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "describe/quantities.h"
#include "units.h"

namespace dcc {

/// Converts a rate to a real number of Mb/s.
constexpr long double to_mbps(Rate rate) {
  return static_cast<long double>(rate.raw) / (1 << Rate::kFractionBits);
}
/// Converts a bit rate to Mb/s, rounded to the controller's rate format.
constexpr long double to_mbps(BitRate rate) { return to_mbps(Rate::from(rate)); }
/// Converts Mb/s to the nearest representable rate; negative values give zero, and values beyond
/// the range saturate.
constexpr Rate from_mbps(long double mbps) {
  const long double raw = std::max(mbps, 0.0L) * (1 << Rate::kFractionBits) + 0.5L;
  return Rate(raw >= 4294967295.0L ? 0xFFFFFFFFu : static_cast<std::uint32_t>(raw));
}

/// Bytes that a rate transfers in a time (1 Mb/s = 1 byte in 8 µs).
constexpr long double bytes_at(long double mbps, PicoSeconds time) {
  return mbps * static_cast<long double>(time.count) / 8e6L;
}

constexpr long double to_real(const Ratio& ratio) {
  return static_cast<long double>(ratio.numerator) / static_cast<long double>(ratio.denominator);
}

/// `base` to an integer power, by squaring: the result is the same on every machine, unlike pow().
constexpr long double whole_power(long double base, std::uint64_t exponent) {
  long double result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

/// `base` to a power given with a resolution of 2^-40. Computes with products and square roots,
/// which IEEE 754 rounds correctly, instead of pow(), so the digits are the same with every
/// library.
inline long double repeatable_power(long double base, long double exponent) {
  const auto whole = static_cast<std::uint64_t>(exponent);
  long double rest = exponent - static_cast<long double>(whole);
  long double result = whole_power(base, whole);
  long double root = base;
  for (int bit = 0; bit < 40 && rest > 0; ++bit) {
    root = std::sqrt(root);
    rest *= 2;
    if (rest >= 1) {
      result *= root;
      rest -= 1;
    }
  }
  return result;
}

}  // namespace dcc
