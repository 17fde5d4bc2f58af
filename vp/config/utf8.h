// Tells text from what is not: the check before any parser sees the bytes.
#pragma once

#include <string>
#include <string_view>

namespace dcc::vp {

/// The first byte that does not belong into a text file; an empty message when there is none.
struct TextDefect {
  int line = 0;
  int column = 0;  // in bytes, from 1
  std::string message;
};

/// Text is valid UTF-8 (RFC 3629) without control characters other than tab and line ends.
TextDefect find_text_defect(std::string_view text);

}  // namespace dcc::vp
