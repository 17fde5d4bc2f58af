// The timing wheel's bench in the form that unit_runner.cpp uses.
#pragma once

#include "timing_wheel_bench.h"
#include "timing_wheel_dut_verilated.h"

namespace dcc {

template <class Verilated>
using JudgedUnit = VerilatedWheel<Verilated>;

/// Runs `operations` operations of each profile, beginning with the profiles that kill most
/// mutants. Throws std::runtime_error.
inline void judge(WheelDut& wheel, std::uint32_t operations, std::uint32_t seed) {
  WheelCoverage coverage;
  WheelBench bench(wheel, coverage, true);
  for (const char* profile : {"cancel-race", "uniform", "burst", "wrap", "full", "corner"}) {
    bench.run(profile, operations, seed);
  }
}

}  // namespace dcc
