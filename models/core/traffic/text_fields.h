// Reads numbers with limits from a line of text, exactly.
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

  /// Reads an integer least … greatest; digits only.
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

  /// Reads a decimal fraction 0 … greatest / 10^decimals in units of 10^-decimals. Further digits
  /// must be zero.
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
