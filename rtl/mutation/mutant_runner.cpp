// Runs the wheel's bench on mutants of one build: mutant_runner OPS SEED MUTANT …
// A line for each: "killed N: reason" or "survived N".
#include <Vwheel_mutants.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "timing_wheel_bench.h"
#include "timing_wheel_dut_verilated.h"

namespace dcc {
namespace {

/// The sentence of the first promise that was broken; empty if none was.
std::string first_mismatch(std::uint32_t mutant, std::uint64_t ops, std::uint64_t seed) {
  VerilatedWheel<Vwheel_mutants> wheel("mutant", WheelFault::kNone, 0);
  wheel.pins().mutant_i = mutant;
  wheel.reset();
  WheelCoverage coverage;
  WheelBench bench(wheel, coverage, true);
  try {
    // The profiles that kill most come first, so that most mutants die early.
    for (const char* profile : {"cancel-race", "uniform", "burst", "wrap", "full"}) {
      bench.run(profile, ops, seed);
    }
  } catch (const std::runtime_error& mismatch) {
    const std::string text = mismatch.what();
    return text.substr(0, text.find('\n'));
  }
  return {};
}

}  // namespace
}  // namespace dcc

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: mutant_runner OPS SEED MUTANT ...\n");
    return 2;
  }
  const std::uint64_t ops = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t seed = std::strtoull(argv[2], nullptr, 10);
  for (int i = 3; i < argc; ++i) {
    const auto mutant = static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
    const std::string reason = dcc::first_mismatch(mutant, ops, seed);
    if (reason.empty()) {
      std::printf("survived %u\n", mutant);
    } else {
      std::printf("killed %u: %s\n", mutant, reason.c_str());
    }
    std::fflush(stdout);
  }
  return 0;
}
