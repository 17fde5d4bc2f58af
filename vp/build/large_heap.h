// Memory for a large network in large pages.
#pragma once

#include <cstddef>

namespace dcc::vp {

/// Has the C library take its next `bytes` from a stretch that the system is asked to back with
/// large pages. A large network touches memory all over, and with pages of 4 KB every miss of a
/// cache is two of the address translation as well. Memory that is never touched costs nothing.
/// Where the system has no such pages, or the library is another, nothing happens.
void prefer_large_pages(std::size_t bytes);

}  // namespace dcc::vp
