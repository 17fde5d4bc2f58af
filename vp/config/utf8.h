// Checks that a file is text before a parser reads it.
#pragma once

#include <string>
#include <string_view>

namespace dcc::vp {

/// The first byte of a file that text must not contain; the message is empty if all bytes are
/// allowed.
struct TextDefect {
  int line = 0;
  int column = 0;  // column of the byte in bytes, counted from 1
  std::string message;
};

/// Finds the first defect of a text, which must be valid UTF-8 (RFC 3629) without control
/// characters other than tab and line ends.
TextDefect find_text_defect(std::string_view text);

}  // namespace dcc::vp
