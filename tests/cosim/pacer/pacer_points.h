// Checks single answers of the pacer, for pacer_bench.
#pragma once

#include <cstdint>

namespace dcc {

/// Throws std::runtime_error at the first violation. Two sizes of the block are checked: 64 flows
/// in 8 rows, 4 flows in 2 rows.
void run_points(std::uint32_t seed);

}  // namespace dcc
