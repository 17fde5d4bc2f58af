// Runs the wheel's bench on RTL with coverage counters: cover_runner OPS FILE.
#include <Vwheel_cover.h>
#include <verilated_cov.h>

#include <cstdio>
#include <cstdlib>

#include "timing_wheel_bench.h"
#include "timing_wheel_dut_verilated.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: cover_runner OPS FILE\n");
    return 2;
  }
  dcc::VerilatedWheel<Vwheel_cover> wheel("covered", dcc::WheelFault::kNone, 0);
  dcc::WheelCoverage coverage;
  dcc::WheelBench bench(wheel, coverage, true);
  try {
    for (const char* profile : {"uniform", "burst", "wrap", "full", "cancel-race"}) {
      bench.run(profile, std::strtoull(argv[1], nullptr, 10), 1);
    }
  } catch (const std::runtime_error& mismatch) {
    std::fprintf(stderr, "%s\n", mismatch.what());
    return 1;
  }
  wheel.context().coveragep()->write(argv[2]);
  return 0;
}
