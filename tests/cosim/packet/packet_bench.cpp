// packet_bench [--frames N] [--packets N] [--seed N]: checks dc_parser, dc_sent and dc_notifier
// against oracles that share no code with them. At the first wrong answer the program prints a line
// and ends with status 1.
#include "packet_bench.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

/// Returns the number of the mutant under test in a build with mutants (mutants.py); 0: the
/// unchanged block.
extern "C" int dcc_mutant() {
  static const char* const chosen = std::getenv("DCC_MUTANT");
  return chosen == nullptr ? 0 : std::atoi(chosen);
}

int main(int argc, char** argv) {
  std::uint64_t frames = 20000;
  std::uint64_t packets = 60000;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::uint64_t* const option = std::strcmp(argv[i], "--frames") == 0    ? &frames
                                  : std::strcmp(argv[i], "--packets") == 0 ? &packets
                                                                           : &seed;
    *option = std::strtoull(argv[i + 1], nullptr, 10);
  }
  try {
    dcc::run_parser(frames, static_cast<std::uint32_t>(seed));
    dcc::run_sent(packets, static_cast<std::uint32_t>(seed));
    dcc::run_notifier(packets, static_cast<std::uint32_t>(seed));
  } catch (const std::exception& error) {
    std::printf("packet_bench: %s\n", error.what());
    return 1;
  }
  std::puts("packet_bench: all answers are right");
  return 0;
}
