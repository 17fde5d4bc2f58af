// Quantities as text: `100Gbps`, `1us`, `32MiB`, `1/256`, `1.5%`. The conversion is exact: it uses
// no floating point.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "describe/quantities.h"

namespace dcc {

/// Exception for a text that is not a quantity of the expected type. what() gives the reason,
/// without the place in the input.
class QuantityError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Text form of a type: names of the type and of its units, `parse` (throws QuantityError), and
/// `format`, whose result `parse` reads back to the same value.
template <class T>
struct QuantityText;

#define DCC_QUANTITY_TEXT(T, NAME, UNITS)          \
  template <>                                      \
  struct QuantityText<T> {                         \
    static constexpr const char* kTypeName = NAME; \
    static constexpr const char* kUnits = UNITS;   \
    static T parse(std::string_view text);         \
    static std::string format(const T& value);     \
  }
DCC_QUANTITY_TEXT(PicoSeconds, "time", "ps ns us ms s");
DCC_QUANTITY_TEXT(BitRate, "rate", "bps kbps Mbps Gbps Tbps");
// size units: KB is 1000 B, KiB is 1024 B
DCC_QUANTITY_TEXT(Bytes, "size", "B KB KiB MB MiB GB GiB");
DCC_QUANTITY_TEXT(Frequency, "frequency", "Hz kHz MHz GHz");
DCC_QUANTITY_TEXT(Ratio, "ratio", "");  // ratios are written as 0.01, 1/256 or 1.5%
DCC_QUANTITY_TEXT(std::uint8_t, "integer", "");
DCC_QUANTITY_TEXT(unsigned, "integer", "");
DCC_QUANTITY_TEXT(std::uint64_t, "integer", "");
DCC_QUANTITY_TEXT(Address, "address", "");
DCC_QUANTITY_TEXT(bool, "true or false", "");
// floating-point numbers: allowed in expectations only, not in model parameters
DCC_QUANTITY_TEXT(double, "number", "");
#undef DCC_QUANTITY_TEXT

template <class T>
std::string text_of(const T& value) {
  return QuantityText<T>::format(value);
}

/// Parses `1..8` or `3` and appends the hosts to `list`. Throws QuantityError for a host that is in
/// the list already, and from 1 048 576 on.
void append_hosts(HostList& list, std::string_view text);
/// Formats a list of hosts in the shortest form that append_hosts reads back: `3`, `1..8`, `[0,
/// 4..7]`.
std::string format_hosts(const HostList& list);

/// The candidate with the smallest edit distance to `word`; empty if that distance exceeds a third
/// of the length of `word`.
template <class Words>
std::string nearest(std::string_view word, const Words& candidates);
std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Words>
std::string nearest(std::string_view word, const Words& candidates) {
  std::string best;
  std::size_t best_distance = word.size() / 3 + 1;
  for (const auto& candidate : candidates) {
    const std::string_view text(candidate);
    const std::size_t distance = edit_distance(word, text);
    if (distance <= best_distance && (best.empty() || distance < best_distance)) {
      best = std::string(text);
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace dcc
