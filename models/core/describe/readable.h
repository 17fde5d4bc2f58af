// Measured quantities in texts for people.
#pragma once

#include <string>

#include "describe/quantities.h"

namespace dcc {

/// The exact text, such as `32MiB` or `500us`, where the number in it has at most four digits;
/// otherwise the number in four significant digits, with the greatest decimal unit that leaves it
/// at least 1: `417.8us` for 417 798 056 ps.
std::string readable(PicoSeconds time);
std::string readable(Bytes size);
std::string readable(BitRate rate);

}  // namespace dcc
