// Compares the timing wheel with a sorted set under random operations, with delays of the whole
// range.
//   wheel_fuzz [--ops N] [--seed S] [--profile uniform|burst|wrap|full|cancel-race|all]
//              [--coverage report|require]
// The exit status is 0 without a difference, 1 after a difference, which is printed with the
// operations before it, and 2 for bad arguments. If coverage is required, the exit status is also 1
// if a situation did not occur.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include "controller/timing_wheel.h"
#include "wheel_stimulus.h"

namespace {

using dcc::test::WheelChecker;
using dcc::test::WheelCoverage;
using dcc::test::WheelProfile;
using dcc::test::WheelStimulus;

struct Arguments {
  std::uint64_t ops = 3'000'000;
  std::uint64_t seed = 1;
  std::string profile = "all";
  bool coverage_required = false;
};

// number of operations before the fuzzer makes a new wheel with a new split
constexpr std::uint64_t kOpsPerWheel = 2'000'000;

std::optional<std::uint64_t> parse_number(const char* text) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) return std::nullopt;
  return value;
}

std::optional<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) {
      std::fprintf(stderr, "wheel_fuzz: %s needs a value\n", name.c_str());
      return std::nullopt;
    }
    const std::string value = argv[i + 1];
    const std::optional<std::uint64_t> number = parse_number(argv[i + 1]);
    if (name == "--ops" && number) {
      arguments.ops = *number;
    } else if (name == "--seed" && number) {
      arguments.seed = *number;
    } else if (name == "--profile") {
      arguments.profile = value;
    } else if (name == "--coverage" && (value == "report" || value == "require")) {
      arguments.coverage_required = value == "require";
    } else {
      std::fprintf(stderr, "wheel_fuzz: cannot use '%s %s'\n", name.c_str(), value.c_str());
      return std::nullopt;
    }
  }
  const auto& names = dcc::test::wheel_profile_names();
  if (arguments.profile != "all" &&
      std::find(names.begin(), names.end(), arguments.profile) == names.end()) {
    std::fprintf(stderr, "wheel_fuzz: no profile '%s'\n", arguments.profile.c_str());
    return std::nullopt;
  }
  return arguments;
}

/// Draws how the wheel's 16 digits are split between its levels. The default split is the most
/// frequent.
dcc::WheelSplit split_of(std::uint64_t n) {
  static constexpr dcc::WheelSplit kSplits[] = {{5, 5, 6}, {6, 5, 5},  {5, 5, 6}, {4, 4, 8},
                                                {5, 5, 6}, {3, 1, 12}, {8, 7, 1}, {1, 8, 7}};
  return kSplits[n % (sizeof kSplits / sizeof kSplits[0])];
}

void show_progress(std::uint64_t done, std::uint64_t all, const std::string& profile) {
  static const bool on_terminal = isatty(STDERR_FILENO) != 0;
  if (!on_terminal) return;
  std::fprintf(stderr, "\r%3" PRIu64 " %%  %-12s", done * 100 / std::max<std::uint64_t>(all, 1),
               profile.c_str());
  if (done >= all) std::fprintf(stderr, "\n");
}

/// Runs `ops` operations of one profile and adds them to the coverage.
void run(WheelProfile profile, std::uint64_t ops, std::uint64_t seed, WheelCoverage& coverage,
         std::uint64_t& done, std::uint64_t all) {
  const std::string& name = dcc::test::wheel_profile_names()[static_cast<std::size_t>(profile)];
  for (std::uint64_t first = 0, n = 0; first < ops; first += kOpsPerWheel, ++n) {
    const std::uint32_t slots = dcc::test::wheel_profile_slots(profile);
    dcc::TimingWheel wheel(slots, split_of(n));
    const std::uint64_t start = n % 2 == 0 ? 0 : (std::uint64_t{n} << 17) - 1000;
    wheel.reset(start);
    WheelChecker checker(wheel, slots, start);
    checker.coverage() = coverage;
    WheelStimulus stimulus(checker, slots, profile, seed * 1'000'003 + n);
    const std::uint64_t limit = std::min(kOpsPerWheel, ops - first);
    try {
      for (std::uint64_t shown = 0; checker.operations() < limit;) {
        stimulus.round();
        if (checker.operations() < shown) continue;
        show_progress(done + checker.operations(), all, name);
        shown += 500'000;
      }
      stimulus.drain();
    } catch (const std::exception& error) {
      const dcc::WheelSplit split = split_of(n);
      throw std::runtime_error("profile " + name + ", seed " + std::to_string(seed) + ", wheel " +
                               std::to_string(n) + ", split " + std::to_string(split.top) + "/" +
                               std::to_string(split.middle) + "/" + std::to_string(split.last) +
                               ": " + error.what());
    }
    done += checker.operations();
    coverage = checker.coverage();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = parse(argc, argv);
  if (!arguments) return 2;
  const auto& names = dcc::test::wheel_profile_names();
  std::uint64_t done = 0;
  WheelCoverage coverage;
  try {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (arguments->profile == names[i]) {
        run(static_cast<WheelProfile>(i), arguments->ops, arguments->seed, coverage, done,
            arguments->ops);
      } else if (arguments->profile == "all") {
        run(static_cast<WheelProfile>(i), arguments->ops / names.size(), arguments->seed, coverage,
            done, arguments->ops);
      }
    }
  } catch (const std::exception& error) {
    std::printf("wheel_fuzz: %s\n", error.what());
    return 1;
  }
  std::printf("wheel_fuzz: %" PRIu64 " operations, no difference\n", done);
  const std::string holes = coverage.holes();
  if (arguments->profile == "all" && !holes.empty()) {
    std::printf("never met:\n%s", holes.c_str());
    return arguments->coverage_required ? 1 : 0;
  }
  return 0;
}
