// The bench of the whole controller on a variant of its RTL that rtl/controller/bench.py made:
// bench_runner CYCLES SEED [MUTANT …]
//
// Every profile for CYCLES, counters and slots compared. Without mutants prints "clean" or the
// first difference; with them a line for each: "killed N: reason" or "survived N".
// Compiled with VARIANT_HEADER and VARIANT, the verilated class; VARIANT_MUTANTS: it has a pin
// mutant_i; VARIANT_COVERAGE: it counts, into coverage.dat.
#include VARIANT_HEADER

#ifdef VARIANT_COVERAGE
#include <verilated_cov.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "controller_dut_verilated.h"
#include "page_profiles.h"

namespace dcc::page {
namespace {

constexpr Shape kSmall{64, 40, 16, 4, 16};

/// The first difference; empty if there is none.
std::string first_difference(std::uint64_t cycles, std::uint64_t seed, std::uint32_t mutant) {
  for (const Case& one : kCases) {
    auto dut =
        std::make_unique<VerilatedController<VARIANT>>(kSmall, static_cast<std::uint32_t>(seed));
#ifdef VARIANT_MUTANTS
    dut->pins().mutant_i = mutant;
#else
    static_cast<void>(mutant);
#endif
#ifdef VARIANT_COVERAGE
    VerilatedContext& context = dut->context();
#endif
    Bench bench(std::move(dut), seed);
    bench.program(one.averaging);
    bench.run(cycles, one.profile);
    bench.compare_counters();
    bench.compare_slots();
#ifdef VARIANT_COVERAGE
    context.coveragep()->write(("coverage_" + one.name + ".dat").c_str());
#endif
    if (!bench.difference().empty()) {
      const std::string& text = bench.difference();
      return one.name + ", " + text.substr(0, text.find('\n'));
    }
  }
  return {};
}

}  // namespace
}  // namespace dcc::page

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_runner CYCLES SEED [MUTANT ...]\n");
    return 2;
  }
  const std::uint64_t cycles = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t seed = std::strtoull(argv[2], nullptr, 10);
  if (argc == 3) {
    const std::string difference = dcc::page::first_difference(cycles, seed, 0);
    std::printf("%s\n", difference.empty() ? "clean" : difference.c_str());
    return difference.empty() ? 0 : 1;
  }
  for (int i = 3; i < argc; ++i) {
    const auto mutant = static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
    const std::string reason = dcc::page::first_difference(cycles, seed, mutant);
    if (reason.empty()) {
      std::printf("survived %u\n", mutant);
    } else {
      std::printf("killed %u: %s\n", mutant, reason.c_str());
    }
    std::fflush(stdout);
  }
  return 0;
}
