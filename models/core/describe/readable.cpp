#include "describe/readable.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "describe/quantity_text.h"
#include "describe/quantity_units.h"

namespace dcc {
namespace {

constexpr int kDigits = 4;

bool is_decimal(std::uint64_t scale) {
  while (scale % 10 == 0) scale /= 10;
  return scale == 1;
}

/// Formats a quantity for people. `exact`: the quantity's exact text; `value`: the quantity in base
/// units.
template <std::size_t N>
std::string shortened(const std::string& exact, double value,
                      const std::array<QuantityUnit, N>& units) {
  const auto digits = std::count_if(exact.begin(), exact.end(),
                                    [](unsigned char c) { return std::isdigit(c) != 0; });
  if (digits <= kDigits) return exact;
  // Rounding to four digits can reach the next unit: 999.96 us becomes 1 ms.
  const double rounding = 1 + 0.5 * std::pow(10.0, -kDigits);
  const QuantityUnit* unit = &units.back();
  for (const QuantityUnit& candidate : units) {
    if (!is_decimal(candidate.scale) || value * rounding < static_cast<double>(candidate.scale)) {
      continue;
    }
    unit = &candidate;
    break;
  }
  const double number = value / static_cast<double>(unit->scale);
  std::array<char, 40> text{};
  if (number * rounding < std::pow(10.0, kDigits)) {
    std::snprintf(text.data(), text.size(), "%.*g", kDigits, number);
  } else {
    // A value beyond the greatest unit is a multiple of that unit, written without an exponent.
    std::snprintf(text.data(), text.size(), "%.0f", number);
  }
  return text.data() + std::string(unit->name);
}

}  // namespace

std::string readable(PicoSeconds time) {
  return shortened(text_of(time), static_cast<double>(time.count), kTimeUnits);
}
std::string readable(Bytes size) {
  return shortened(text_of(size), static_cast<double>(size), kSizeUnits);
}
std::string readable(BitRate rate) {
  return shortened(text_of(rate), static_cast<double>(rate.bits_per_second), kRateUnits);
}

}  // namespace dcc
