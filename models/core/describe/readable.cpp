#include "diagnose/readable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "describe/quantity_text.h"

namespace dcc::vp {
namespace {

struct Unit {
  const char* name;
  double scale;
};
constexpr std::array<Unit, 5> kTimes{
    {{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}}};
constexpr std::array<Unit, 5> kSizes{
    {{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}};
constexpr std::array<Unit, 5> kRates{
    {{"Tbps", 1e12}, {"Gbps", 1e9}, {"Mbps", 1e6}, {"kbps", 1e3}, {"bps", 1}}};

/// `exact`: the quantity's own text. `units`: from the greatest to the base unit.
std::string shortened(const std::string& exact, double value, const std::array<Unit, 5>& units) {
  constexpr int kDigits = 4;
  const auto digits = std::count_if(exact.begin(), exact.end(),
                                    [](unsigned char c) { return std::isdigit(c) != 0; });
  if (digits <= kDigits) return exact;
  // 999.96 us has four significant digits as 1 ms only.
  const double rounding = 1 + 0.5 * std::pow(10.0, -kDigits);
  const Unit* unit = &units.back();
  for (const Unit& candidate : units) {
    if (value * rounding < candidate.scale) continue;
    unit = &candidate;
    break;
  }
  return fmt::format("{:.{}g}{}", value / unit->scale, kDigits, unit->name);
}

}  // namespace

std::string readable(PicoSeconds time) {
  return shortened(text_of(time), static_cast<double>(time.count), kTimes);
}
std::string readable(Bytes size) {
  return shortened(text_of(size), static_cast<double>(size), kSizes);
}
std::string readable(BitRate rate) {
  return shortened(text_of(rate), static_cast<double>(rate.bits_per_second), kRates);
}

}  // namespace dcc::vp
