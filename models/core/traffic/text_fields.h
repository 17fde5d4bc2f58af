// Reads numbers within limits from a line of text without rounding errors.
#pragma once

#include <cstdint>
#include <string_view>

namespace dcc {

/// Reads a line field by field; fields are separated by blanks and tabs. A failed read returns
/// false and leaves `value` unchanged; the caller reports the error.
class TextFields {
 public:
  explicit TextFields(std::string_view line) : rest_(line) { skip(); }

  bool at_end() const { return rest_.empty(); }

  /// Reads an integer in least … greatest, which must consist of digits only.
  bool number(std::int64_t least, std::int64_t greatest, std::int64_t& value) {
    std::int64_t n = 0;
    std::size_t digits = 0;
    while (digits < rest_.size() && is_digit(rest_[digits])) {
      if (!append(rest_[digits++], greatest, n)) return false;
    }
    if (digits == 0 || !ends_at(digits) || n < least) return false;
    take(digits);
    value = n;
    return true;
  }

  /// The next field of the line as text; empty at the end of the line.
  std::string_view field() const {
    std::size_t length = 0;
    while (length < rest_.size() && !is_blank(rest_[length])) ++length;
    return rest_.substr(0, length);
  }

  /// Skips the next field of the line. Precondition: that field is `text`.
  void word(std::string_view text) { take(text.size()); }

  /// A unit of a quantity and the number of smallest units in it.
  struct Unit {
    std::string_view name;
    std::int64_t size;
  };

  /// Reads a decimal number 0 … greatest with an optional exponent and an optional unit, as "2e-6",
  /// "1.5us" and "4KiB", and returns its value in smallest units. A number without a unit has the
  /// first unit. A value between two smallest units is rounded if `round`, else refused. Digits
  /// after the eighteenth are ignored.
  template <std::size_t kUnits>
  bool quantity(const Unit (&units)[kUnits], bool round, std::int64_t greatest,
                std::int64_t& value) {
    const std::string_view text = field();
    std::size_t i = 0;
    std::int64_t digits = 0;
    int exponent = 0;
    bool any = false;
    bool rest = false;  // true if a digit beyond the eighteenth is not 0
    for (bool point = false; i < text.size(); ++i) {
      if (text[i] == '.' && !point) {
        point = true;
        continue;
      }
      if (!is_digit(text[i])) break;
      any = true;
      const bool counts = digits < 100'000'000'000'000'000;
      if (counts) digits = digits * 10 + (text[i] - '0');
      if (!counts && text[i] != '0') rest = true;
      exponent += (counts ? 0 : 1) - (point ? 1 : 0);
    }
    if (!any || !read_exponent(text, i, exponent)) return false;
    for (const Unit& unit : units) {
      if (text.substr(i) != (i == text.size() ? "" : unit.name)) continue;
      if (!scale(digits, exponent, unit.size, rest, round, greatest, value)) return false;
      take(text.size());
      return true;
    }
    return false;
  }

  /// Reads a decimal fraction 0 … greatest / 10^decimals in units of 10^-decimals. Digits beyond
  /// these decimals must be zero.
  bool decimal(int decimals, std::int64_t greatest, std::int64_t& value) {
    std::int64_t n = 0;
    std::size_t i = 0;
    bool any = false;
    int places = 0;
    for (; i < rest_.size() && is_digit(rest_[i]); ++i, any = true) {
      if (!append(rest_[i], greatest, n)) return false;
    }
    if (i < rest_.size() && rest_[i] == '.') {
      for (++i; i < rest_.size() && is_digit(rest_[i]); ++i, any = true) {
        if (places == decimals) {
          if (rest_[i] != '0') return false;
          continue;
        }
        ++places;
        if (!append(rest_[i], greatest, n)) return false;
      }
    }
    if (!any || !ends_at(i)) return false;
    for (; places < decimals; ++places) {
      if (!append('0', greatest, n)) return false;
    }
    take(i);
    value = n;
    return true;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static bool append(char digit, std::int64_t greatest, std::int64_t& n) {
    const std::int64_t d = digit - '0';
    if (n > (greatest - d) / 10 || d > greatest) return false;
    n = n * 10 + d;
    return true;
  }
  /// Adds an exponent such as "e-6" at text[i], if there is one, and moves `i` behind it.
  static bool read_exponent(std::string_view text, std::size_t& i, int& exponent) {
    if (i + 1 >= text.size() || (text[i] != 'e' && text[i] != 'E')) return true;
    std::size_t at = i + 1;
    const bool negative = text[at] == '-';
    if (text[at] == '-' || text[at] == '+') ++at;
    if (at == text.size() || !is_digit(text[at])) return false;
    int number = 0;
    for (; at < text.size() && is_digit(text[at]); ++at) {
      if (number > 1000) return false;
      number = number * 10 + (text[at] - '0');
    }
    exponent += negative ? -number : number;
    i = at;
    return true;
  }
  /// Computes value = digits · 10^exponent · unit. Returns false if the value is above `greatest`,
  /// or between two smallest units and not to be rounded.
  static bool scale(std::int64_t digits, int exponent, std::int64_t unit, bool rest, bool round,
                    std::int64_t greatest, std::int64_t& value) {
    __extension__ using Wide = unsigned __int128;
    const auto most = static_cast<Wide>(greatest);
    Wide n = static_cast<Wide>(digits) * static_cast<Wide>(unit);
    for (; exponent > 0 && n != 0; --exponent) {
      if (n > most) return false;
      n *= 10;
    }
    unsigned last = 0;
    for (; exponent < 0 && (n != 0 || last != 0); ++exponent) {
      rest = rest || last != 0;
      last = static_cast<unsigned>(n % 10);
      n /= 10;
    }
    if ((rest || last != 0) && !round) return false;
    if (last >= 5) ++n;
    if (n > most) return false;
    value = static_cast<std::int64_t>(n);
    return true;
  }
  bool ends_at(std::size_t i) const { return i == rest_.size() || is_blank(rest_[i]); }
  void take(std::size_t n) {
    rest_.remove_prefix(n);
    skip();
  }
  void skip() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

}  // namespace dcc
