#include "describe/quantity_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "describe/quantity_units.h"
#include "describe/value_node.h"

namespace dcc {
namespace {

/// A decimal number with the value digits · 10^-decimals.
struct Decimal {
  Uint128 digits = 0;
  int decimals = 0;
  std::string_view rest;  // the text that follows the number, such as a unit
};

constexpr int kMaxDigits = 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Decimal read_decimal(std::string_view text) {
  if (!text.empty() && text[0] == '-') throw QuantityError("must not be negative");
  Decimal d;
  std::size_t i = 0;
  int count = 0;
  bool point = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !point && count > 0 && i + 1 < text.size() && is_digit(text[i + 1])) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    if (++count > kMaxDigits) throw QuantityError("too many digits");
    d.digits = d.digits * 10 + static_cast<unsigned>(c - '0');
    if (point) ++d.decimals;
  }
  if (count == 0) throw QuantityError("expected a number");
  d.rest = text.substr(i);
  return d;
}

template <std::size_t N>
std::string unit_list(const std::array<QuantityUnit, N>& units) {
  std::string out;
  for (std::size_t i = N; i-- > 0;) out += std::string(units[i].name) + (i == 0 ? "" : ", ");
  return out;
}

/// Converts number and unit to an integer number of base units, at most 2^63 - 1.
template <std::size_t N>
std::uint64_t read_with_unit(std::string_view text, const std::array<QuantityUnit, N>& units) {
  const Decimal d = read_decimal(text);
  if (d.rest.empty()) throw QuantityError("needs a unit (" + unit_list(units) + ")");
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const QuantityUnit& u) { return d.rest == u.name; });
  if (unit == units.end()) {
    std::array<const char*, N> names;
    std::transform(units.begin(), units.end(), names.begin(),
                   [](const QuantityUnit& u) { return u.name; });
    const std::string hint = nearest(d.rest, names);
    throw QuantityError("unknown unit " + in_quotes(d.rest) + " (" + unit_list(units) +
                        (hint.empty() ? ")" : "; did you mean '" + hint + "'?)"));
  }
  // The product fits 128 bits because digits < 10^20 and scale <= 10^12.
  Uint128 value = d.digits * unit->scale;
  for (int i = 0; i < d.decimals; ++i) {
    if (value % 10 != 0) {
      throw QuantityError("finer than one " + std::string(units.back().name));
    }
    value /= 10;
  }
  if (value > static_cast<Uint128>(std::numeric_limits<std::int64_t>::max())) {
    throw QuantityError("too large to be represented");
  }
  return static_cast<std::uint64_t>(value);
}

/// Formats a quantity as its shortest exact text; of two equally short texts, chooses the one with
/// the larger unit.
template <std::size_t N>
std::string write_with_unit(std::uint64_t value, const std::array<QuantityUnit, N>& units) {
  std::string best;
  for (const QuantityUnit& unit : units) {
    if (value % unit.scale != 0 || (value == 0 && unit.scale != 1)) continue;
    const std::string text = std::to_string(value / unit.scale) + unit.name;
    if (best.empty() || text.size() < best.size()) best = text;
  }
  return best;
}

template <class T>
T read_integer(std::string_view text) {
  if (!text.empty() && text[0] == '-') throw QuantityError("must not be negative");
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hexadecimal) text.remove_prefix(2);
  T value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error == std::errc::result_out_of_range) throw QuantityError("too large to be represented");
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw QuantityError("expected a whole number");
  }
  return value;
}

constexpr std::uint64_t kRatioLimit = std::uint64_t{1} << 40;

Ratio checked_ratio(Uint128 numerator, Uint128 denominator) {
  Uint128 a = numerator;
  Uint128 b = denominator;
  while (b != 0) {
    const Uint128 r = a % b;
    a = b;
    b = r;
  }
  if (numerator / a >= kRatioLimit || denominator / a >= kRatioLimit) {
    throw QuantityError("too large or too fine to be represented");
  }
  return Ratio(static_cast<std::uint64_t>(numerator / a),
               static_cast<std::uint64_t>(denominator / a));
}

}  // namespace

PicoSeconds QuantityText<PicoSeconds>::parse(std::string_view text) {
  return PicoSeconds(static_cast<std::int64_t>(read_with_unit(text, kTimeUnits)));
}
std::string QuantityText<PicoSeconds>::format(const PicoSeconds& value) {
  return value.count == 0 ? "0us"
                          : write_with_unit(static_cast<std::uint64_t>(value.count), kTimeUnits);
}

BitRate QuantityText<BitRate>::parse(std::string_view text) {
  return BitRate(read_with_unit(text, kRateUnits));
}
std::string QuantityText<BitRate>::format(const BitRate& value) {
  return write_with_unit(value.bits_per_second, kRateUnits);
}

Bytes QuantityText<Bytes>::parse(std::string_view text) {
  return static_cast<Bytes>(read_with_unit(text, kSizeUnits));
}
std::string QuantityText<Bytes>::format(const Bytes& value) {
  return write_with_unit(static_cast<std::uint64_t>(value), kSizeUnits);
}

Frequency QuantityText<Frequency>::parse(std::string_view text) {
  return Frequency(read_with_unit(text, kFrequencyUnits));
}
std::string QuantityText<Frequency>::format(const Frequency& value) {
  return write_with_unit(value.hertz, kFrequencyUnits);
}

Ratio QuantityText<Ratio>::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto numerator = read_integer<std::uint64_t>(text.substr(0, slash));
    const auto denominator = read_integer<std::uint64_t>(text.substr(slash + 1));
    if (denominator == 0) throw QuantityError("division by zero");
    return checked_ratio(numerator, denominator);
  }
  const Decimal d = read_decimal(text);
  Uint128 denominator = 1;
  for (int i = 0; i < d.decimals; ++i) denominator *= 10;
  if (d.rest == "%") {
    denominator *= 100;
  } else if (!d.rest.empty()) {
    throw QuantityError("expected a plain number, a fraction such as 1/256 or a percentage");
  }
  return checked_ratio(d.digits, denominator);
}
std::string QuantityText<Ratio>::format(const Ratio& value) {
  if (value.denominator == 1) return std::to_string(value.numerator);
  std::uint64_t power = 10;
  for (std::size_t decimals = 1; decimals <= 6; ++decimals, power *= 10) {
    if (power % value.denominator != 0) continue;
    const Uint128 scaled = static_cast<Uint128>(value.numerator) * (power / value.denominator);
    std::string fraction = std::to_string(static_cast<std::uint64_t>(scaled % power));
    fraction.insert(0, decimals - fraction.size(), '0');
    return std::to_string(static_cast<std::uint64_t>(scaled / power)) + "." + fraction;
  }
  return std::to_string(value.numerator) + "/" + std::to_string(value.denominator);
}

std::uint8_t QuantityText<std::uint8_t>::parse(std::string_view text) {
  return read_integer<std::uint8_t>(text);
}
std::string QuantityText<std::uint8_t>::format(const std::uint8_t& value) {
  return std::to_string(value);
}

unsigned QuantityText<unsigned>::parse(std::string_view text) {
  return read_integer<unsigned>(text);
}
std::string QuantityText<unsigned>::format(const unsigned& value) { return std::to_string(value); }

std::uint64_t QuantityText<std::uint64_t>::parse(std::string_view text) {
  return read_integer<std::uint64_t>(text);
}
std::string QuantityText<std::uint64_t>::format(const std::uint64_t& value) {
  return std::to_string(value);
}

Address QuantityText<Address>::parse(std::string_view text) {
  if (text.substr(0, 2) != "0x") return {read_integer<std::uint32_t>(text)};
  std::uint32_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + 2, last, value, 16);
  if (error == std::errc::result_out_of_range) throw QuantityError("addresses have 32 bits");
  if (error != std::errc{} || end != last) {
    throw QuantityError("expected an address such as 0x80001000");
  }
  return {value};
}
std::string QuantityText<Address>::format(const Address& address) {
  std::array<char, 8> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), address.value, 16);
  return "0x" + std::string(digits.data(), end);
}

bool QuantityText<bool>::parse(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw QuantityError("expected true or false");
}
std::string QuantityText<bool>::format(const bool& value) { return value ? "true" : "false"; }

double QuantityText<double>::parse(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    throw QuantityError("expected a number");
  }
  return value;
}
std::string QuantityText<double>::format(const double& value) {
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

void append_hosts(HostList& list, std::string_view text) {
  // upper limit of host numbers in a list, equal to RouteTable::kMaxHosts
  constexpr unsigned kMax = 1 << 20;
  const std::size_t dots = text.find("..");
  const unsigned first = read_integer<unsigned>(text.substr(0, dots));
  const unsigned last =
      dots == std::string_view::npos ? first : read_integer<unsigned>(text.substr(dots + 2));
  if (last < first) throw QuantityError("the range runs backwards");
  if (last >= kMax) throw QuantityError("numbers are below " + std::to_string(kMax));
  std::vector<bool> known(last + 1);
  for (const HostId host : list) {
    if (host <= last) known[host] = true;
  }
  for (unsigned host = first; host <= last; ++host) {
    if (known[host]) throw QuantityError(std::to_string(host) + " is listed twice");
    list.push_back(host);
  }
}

std::string format_hosts(const HostList& list) {
  std::string out;
  std::size_t parts = 0;
  for (std::size_t i = 0; i < list.size(); ++parts) {
    std::size_t run = 1;
    while (i + run < list.size() && list[i + run] == list[i] + run) ++run;
    out += (out.empty() ? "" : ", ") + std::to_string(list[i]);
    if (run > 2) out += ".." + std::to_string(list[i + run - 1]);
    i += run > 2 ? run : 1;
  }
  return parts == 1 ? out : "[" + out + "]";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  if (a.size() > 64 || b.size() > 64) return std::max(a.size(), b.size());
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::array<std::size_t, 65> row;
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      const std::size_t best = std::min({row[j] + 1, row[j - 1] + 1, diagonal + change});
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[b.size()];
}

}  // namespace dcc
