#include "report/numbers.h"

#include <array>
#include <charconv>
#include <cmath>

namespace dcc::vp {

std::string number_text(double value) {
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                 value == 0 ? 0 : value, std::chars_format::general, 9)
                       .ptr;
  return std::string(buffer.data(), end);
}

double rounded(double value) {
  const std::string text = number_text(value);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

std::string seconds_text(PicoSeconds time) {
  constexpr std::int64_t kPerSecond = kSecond.count;
  const std::int64_t magnitude = time.count < 0 ? -time.count : time.count;
  std::array<char, 40> buffer;
  char* at = buffer.data();
  if (time.count < 0) *at++ = '-';
  at = std::to_chars(at, buffer.data() + buffer.size(), magnitude / kPerSecond).ptr;
  std::int64_t rest = magnitude % kPerSecond;
  if (rest != 0) {
    constexpr int kDigits = 12;  // decimals of a time in seconds: down to a picosecond
    *at++ = '.';
    for (int i = kDigits - 1; i >= 0; --i, rest /= 10) at[i] = static_cast<char>('0' + rest % 10);
    at += kDigits;
    while (at[-1] == '0') --at;
  }
  return std::string(buffer.data(), at);
}

double exact_seconds(PicoSeconds time) { return static_cast<double>(time.count) / 1e12; }

}  // namespace dcc::vp
