// The timing wheel's test bench as a separate program: wheel_cosim [--ops N] [--seed S] [--profile
// P] [--dut D] [--fault F] [--random-init] [--full-coverage].
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cosim.h"

namespace {

std::uint64_t number(const std::string& option, const char* text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0' || text[0] == '-') {
    std::fprintf(stderr, "wheel_cosim: %s needs a number, not '%s'\n", option.c_str(), text);
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  dcc::CosimOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--random-init") {
      options.random_init = true;
      continue;
    }
    if (option == "--full-coverage") {
      options.full_coverage = true;
      continue;
    }
    if (i + 1 == argc) {
      std::fprintf(stderr,
                   "usage: wheel_cosim [--ops N] [--seed S] [--profile P] [--dut D] [--fault F] "
                   "[--random-init] [--full-coverage]\n");
      return 2;
    }
    const char* value = argv[++i];
    if (option == "--ops") {
      options.ops = number(option, value);
    } else if (option == "--seed") {
      options.seed = number(option, value);
    } else if (option == "--profile") {
      options.profile = value;
    } else if (option == "--dut") {
      options.dut = value;
    } else if (option == "--fault") {
      options.fault = static_cast<std::uint32_t>(number(option, value));
    } else {
      std::fprintf(stderr, "wheel_cosim: unknown option %s\n", option.c_str());
      return 2;
    }
  }
  return dcc::cosim_main(options);
}
