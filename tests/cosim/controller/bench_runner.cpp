// Runs the whole controller's bench on a variant of the RTL that rtl/controller/bench.py made:
// [BENCH_PROFILE=NAME] bench_runner CYCLES SEED [MUTANT …]
//
// The program runs every profile for CYCLES cycles and compares counters and slots. Further runs
// flip bits in memories and, if CYCLES is 40 000 or more, starve timers and drive error counts and
// counters to their maxima. NAME selects the profiles whose names contain NAME. Losing, Counting,
// Extremes and Starving select these four further runs. Without mutants the program prints "clean"
// or the first difference. With mutants it prints "killed N: reason" or "survived N" for each.
// The macros VARIANT_HEADER and VARIANT name the verilated class. With VARIANT_MUTANTS the class
// has a pin mutant_i. With VARIANT_COVERAGE the class counts coverage and writes coverage.dat. With
// VARIANT_NETLIST yosys has flattened the design. The bench sets the state of such a design
// directly, to give counters large values and to flip bits of memories.
#include VARIANT_HEADER

#ifdef VARIANT_COVERAGE
#include <verilated_cov.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#ifdef VARIANT_NETLIST  // the variant is a netlist that yosys has flattened
#include VARIANT_ROOT
#define DCC_JOIN(a, b) DCC_JOIN_(a, b)
#define DCC_JOIN_(a, b) a##__02e##b
#include "guarded_memories.h"
#endif
#include "controller_dut_verilated.h"
#include "page_faults.h"
#include "page_profiles.h"

namespace dcc::page {
namespace {

// least number of cycles per profile for the runs with starved timers
constexpr std::uint64_t kLong = 40'000;
constexpr Shape kSmall{64, 40, 16, 4, 16};

std::unique_ptr<ControllerDut> make(std::uint64_t seed, std::uint32_t mutant) {
  auto dut =
      std::make_unique<VerilatedController<VARIANT>>(kSmall, static_cast<std::uint32_t>(seed));
#ifdef VARIANT_NETLIST
  dut->wide_counters = wide_counters_of<VARIANT>();
  dut->add_time = add_time_of<VARIANT>;
  dut->set_slot = set_slot_of<VARIANT>;
#endif
#ifdef VARIANT_MUTANTS
  dut->pins().mutant_i = mutant;
#else
  static_cast<void>(mutant);
#endif
  return dut;
}

/// Name of the only profile to run; empty: all profiles.
const char* const kOnly = std::getenv("BENCH_PROFILE");

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Runs every profile under random load. Returns the first difference between RTL and oracle, or an
/// empty text.
std::string under_load(std::uint64_t cycles, std::uint64_t seed, std::uint32_t mutant) {
  std::uint64_t own = 100 * seed;  // seed of the random registers, different for each profile
  for (const Case& one : kCases) {
    ++own;
    if (kOnly != nullptr && one.name.find(kOnly) == std::string::npos) continue;
    Bench bench(make(own, mutant), own);
    bench.program(one.dcqcn);
    bench.run(cycles, one.profile);
    bench.compare_counters();
    bench.compare_slots();
#ifdef VARIANT_COVERAGE
    VerilatedCovContext& covered =
        *static_cast<VerilatedController<VARIANT>&>(bench.dut()).context().coveragep();
    covered.forcePerInstance(true);
    covered.write(("coverage_" + one.name + ".dat").c_str());
#endif
    if (!bench.difference().empty()) return one.name + ", " + first_line(bench.difference());
  }
  return {};
}

/// Flips bits in each memory of the controller in turn. Returns the first violation, or an empty
/// text.
std::string losing_bits(std::uint64_t seed, std::uint32_t mutant) {
#ifdef VARIANT_NETLIST
  const std::vector<GuardedMemory>& memories = guarded_memories_of<VARIANT>();
  for (std::size_t i = 0; i < memories.size(); ++i) {
    Bench bench(make(seed + i, mutant), seed + i);
    Loss loss;
    const unsigned bit = static_cast<unsigned>(37 * (seed + i)) % memories[i].bits;
    const std::string wrong = lose_a_bit(bench, memories[i], bit, loss);
    if (!wrong.empty()) return std::string(memories[i].name) + ", " + first_line(wrong);
  }
#else
  static_cast<void>(seed);
  static_cast<void>(mutant);
#endif
  return {};
}

/// Counts memory errors up to the maximum of the error counter. Returns the first violation, or an
/// empty text.
std::string counting(std::uint64_t seed, std::uint32_t mutant) {
#ifdef VARIANT_NETLIST
  for (const GuardedMemory& memory : guarded_memories_of<VARIANT>()) {
    if (std::string(memory.name) != "cnps") continue;
    Bench bench(make(seed, mutant), seed);
    const std::string wrong = count_errors(bench, memory);
    if (!wrong.empty()) return "counting errors, " + wrong;
  }
#else
  static_cast<void>(seed);
  static_cast<void>(mutant);
#endif
  return {};
}

/// Delays timer expiries for two million cycles by a CNP in every cycle. Returns the violation, or
/// an empty text.
std::string starving(std::uint64_t seed, std::uint32_t mutant) {
  Bench bench(make(seed, mutant), seed);
  const std::string wrong = starve(bench);
  return wrong.empty() ? wrong : "starving, " + first_line(wrong);
}

/// Drives counters to large values, for a few hundred thousand cycles. Returns the violation, or an
/// empty text.
std::string extremes(std::uint64_t seed, std::uint32_t mutant) {
  for (const auto end : {join_and_be_late,
                         // Each verilated model ends before the next one begins, because the
                         // destructor uses the thread's last context.
                         long_ticks}) {
    Bench bench(make(seed, mutant), seed);
    const std::string wrong = end(bench);
    if (!wrong.empty()) return "extremes, " + first_line(wrong);
  }
  return {};
}

/// Runs all checks. Returns the first difference, or an empty text.
std::string first_difference(std::uint64_t cycles, std::uint64_t seed, std::uint32_t mutant) {
  const auto wanted = [cycles](const char* name, std::uint64_t from) {
    return kOnly == nullptr ? cycles >= from : std::strstr(name, kOnly) != nullptr;
  };
  std::string wrong = under_load(cycles, seed, mutant);
  if (wrong.empty() && wanted("Losing", 0)) wrong = losing_bits(seed, mutant);
  if (wrong.empty() && wanted("Counting", kLong)) wrong = counting(seed, mutant);
  if (wrong.empty() && wanted("Extremes", kLong)) wrong = extremes(seed, mutant);
  if (wrong.empty() && wanted("Starving", kLong)) wrong = starving(seed, mutant);
  return wrong;
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
