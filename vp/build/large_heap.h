// Requests large pages for the memory of a large network.
#pragma once

#include <cstddef>

namespace dcc::vp {

/// Makes the C library take its next `bytes` from a region that the system is asked to back with
/// large pages. A large network touches memory all over, and with 4 KiB pages each cache miss costs
/// up to two more misses in the address translation. Untouched memory costs nothing. Does nothing
/// where the system has no large pages or where the C library is not glibc.
void prefer_large_pages(std::size_t bytes);

}  // namespace dcc::vp
