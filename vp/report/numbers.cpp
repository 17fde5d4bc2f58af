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
  std::string text = (time.count < 0 ? "-" : "") + std::to_string(magnitude / kPerSecond);
  const std::int64_t rest = magnitude % kPerSecond;
  if (rest == 0) return text;
  std::string digits = std::to_string(rest);
  digits.insert(0, 12 - digits.size(), '0');
  digits.erase(digits.find_last_not_of('0') + 1);
  return text + "." + digits;
}

double exact_seconds(PicoSeconds time) { return static_cast<double>(time.count) / 1e12; }

}  // namespace dcc::vp
