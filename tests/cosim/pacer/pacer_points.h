// Single answers of the pacer, for pacer_bench.
#pragma once

#include <cstdint>

namespace dcc {

/// Throws std::runtime_error at the first broken promise. Two sizes of the block: 64 flows in 8
/// rows, 4 in 2.
void run_points(std::uint32_t seed);

}  // namespace dcc
