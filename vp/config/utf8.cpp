#include "config/utf8.h"

namespace dcc::vp {
namespace {

/// Length in bytes of the UTF-8 sequence at the start of `s`; 0 if `s` starts with no valid
/// sequence.
std::size_t sequence_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || s.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second > 0x9f;
  const bool beyond = lead == 0xf4 && second > 0x8f;
  return overlong || surrogate || beyond ? 0 : length;
}

std::string hex_byte(char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("0x") + kHex[byte >> 4] + kHex[byte & 15];
}

}  // namespace

TextDefect find_text_defect(std::string_view text) {
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t length = sequence_length(text.substr(i, 4));
    const auto column = static_cast<int>(i - line_start + 1);
    if (length == 0) {
      return {line, column, "not a text file: byte " + hex_byte(c) + " is not UTF-8"};
    }
    const bool control =
        (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    if (control) return {line, column, "not a text file: control byte " + hex_byte(c)};
    i += length;
    if (c == '\n') {
      ++line;
      line_start = i;
    }
  }
  return {};
}

}  // namespace dcc::vp
