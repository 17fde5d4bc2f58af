// A unit's bench on a variant of its RTL: unit_runner AMOUNT SEED [MUTANT …]
//
// Compiled with JUDGE, the header of the unit's bench, and VARIANT_HEADER and VARIANT, the
// verilated class. If the class has mutants (a pin mutant_i), prints a line for each: "killed N:
// reason" or "survived N". Else prints the first difference and exits with 1, or prints "clean";
// with VARIANT_COVERAGE the class writes its counts to coverage.dat.
#include VARIANT_HEADER
#include JUDGE

#ifdef VARIANT_COVERAGE
#include <verilated_cov.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <string>

namespace dcc {
namespace {

/// Returns a sentence on the first violation of the unit's contract; an empty string if there was
/// none.
template <class Unit>
std::string first_mismatch(Unit& unit, std::uint32_t amount, std::uint32_t seed) {
  try {
    judge(unit, amount, seed);
  } catch (const std::runtime_error& mismatch) {
    const std::string text = mismatch.what();
    return text.substr(0, text.find('\n'));
  }
  return {};
}

}  // namespace
}  // namespace dcc

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: unit_runner AMOUNT SEED [MUTANT ...]\n");
    return 2;
  }
  const auto amount = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
  const auto seed = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  if (argc == 3) {
    dcc::JudgedUnit<VARIANT> unit("unit", {}, seed);
    const std::string reason = dcc::first_mismatch(unit, amount, seed);
    std::printf("%s\n", reason.empty() ? "clean" : reason.c_str());
#ifdef VARIANT_COVERAGE
    unit.context().coveragep()->forcePerInstance(true);
    unit.context().coveragep()->write("coverage.dat");
#endif
    return reason.empty() ? 0 : 1;
  }
#ifdef VARIANT_MUTANTS
  for (int i = 3; i < argc; ++i) {
    const auto mutant = static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
    dcc::JudgedUnit<VARIANT> unit("mutant", {}, seed);
    unit.pins().mutant_i = mutant;
    unit.reset();
    const std::string reason = dcc::first_mismatch(unit, amount, seed);
    if (reason.empty()) {
      std::printf("survived %u\n", mutant);
    } else {
      std::printf("killed %u: %s\n", mutant, reason.c_str());
    }
    std::fflush(stdout);
  }
#endif
  return 0;
}
