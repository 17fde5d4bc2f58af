// Checks of single responses of the pacer, called by pacer_bench.
#pragma once

#include <cstdint>

namespace dcc {

/// Runs the checks on two sizes of the pacer: 64 flows in 8 rows, and 4 flows in 2 rows. Throws
/// std::runtime_error at the first violation.
void run_points(std::uint32_t seed);

}  // namespace dcc
