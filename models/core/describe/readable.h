// Formats measured quantities in texts for people.
#pragma once

#include <string>

#include "describe/quantities.h"

namespace dcc {

/// Returns the exact text, such as `32MiB` or `500us`, if its number has at most four digits.
/// Otherwise rounds to four significant digits in the greatest decimal unit that gives at least 1:
/// `417.8us` for 417 798 056 ps.
std::string readable(PicoSeconds time);
std::string readable(Bytes size);
std::string readable(BitRate rate);

}  // namespace dcc
