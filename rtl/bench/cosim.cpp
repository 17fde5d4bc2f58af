// Runs the timing wheel's bench over its profiles and prints the results.
#include "cosim.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "injected_fault.h"
#include "timing_wheel_bench.h"

namespace dcc {
namespace {

std::unique_ptr<WheelDut> make_dut(const CosimOptions& options) {
  const std::uint32_t random_seed =
      options.random_init ? static_cast<std::uint32_t>(options.seed * 2654435761u | 1u) : 0;
  if (options.fault > 3) {
    throw std::invalid_argument("unknown fault " + std::to_string(options.fault) + ": 0 … 3");
  }
  if (options.fault != 0 && options.dut != "rtl") {
    throw std::invalid_argument("faults can be injected into the dut rtl only");
  }
  if (options.dut == "rtl") {
    return make_checked_wheel(static_cast<WheelFault>(options.fault), random_seed);
  }
  if (options.dut == "model") return make_model_wheel();
  if (options.dut == "netlist") {
    std::unique_ptr<WheelDut> dut = make_netlist_wheel(random_seed);
    if (dut == nullptr) {
      throw std::invalid_argument(
          "this build has no dut 'netlist': configure with -DDCCVP_NETLIST=ON (needs yosys)");
    }
    return dut;
  }
  throw std::invalid_argument("unknown dut '" + options.dut + "': rtl, netlist or model");
}

void print(const CosimOptions& options, const CosimResult& result, double seconds) {
  std::printf("%-12s %12s %13s %11s %11s %10s %9s %7s %7s\n", "profile", "operations", "cycles",
              "commands", "expiries", "moves", "busy/op", "stall", "slip");
  for (const CosimProfileResult& p : result.profiles) {
    std::printf(
        "%-12s %12llu %13llu %11llu %11llu %10llu %9.2f %7u %7u\n", p.profile.c_str(),
        static_cast<unsigned long long>(p.operations), static_cast<unsigned long long>(p.cycles),
        static_cast<unsigned long long>(p.commands), static_cast<unsigned long long>(p.expiries),
        static_cast<unsigned long long>(p.moves), p.busy_per_operation(), p.longest_command_stall,
        p.longest_first_expiry);
  }
  std::printf("dut %s, seed %llu: %llu operations, %llu cycles, %llu mismatches, %.1f s\n",
              options.dut.c_str(), static_cast<unsigned long long>(options.seed),
              static_cast<unsigned long long>(result.operations),
              static_cast<unsigned long long>(result.cycles),
              static_cast<unsigned long long>(result.mismatches), seconds);
  std::printf("functional coverage: %llu of %zu bins\n",
              static_cast<unsigned long long>(result.bins_hit()), result.coverage.size());
  for (const CosimBin& bin : result.coverage) {
    if (bin.hits == 0) std::printf("  not hit: %s\n", bin.name.c_str());
  }
  if (result.mismatches != 0) std::printf("MISMATCH: %s\n", result.first_mismatch.c_str());
}

}  // namespace

std::vector<std::string> cosim_profiles() {
  return {"uniform", "burst", "wrap", "full", "cancel-race", "corner"};
}

std::vector<std::string> cosim_duts() {
  std::vector<std::string> duts = {"rtl"};
  if (make_netlist_wheel() != nullptr) duts.push_back("netlist");
  duts.push_back("model");
  return duts;
}

CosimResult run_cosim(const CosimOptions& options) {
  std::vector<std::string> profiles = cosim_profiles();
  if (options.profile != "all") {
    // throws std::invalid_argument for an unknown profile
    make_wheel_stimulus(options.profile, kVerilatedTimers, 1);
    profiles = {options.profile};
  }
  const std::unique_ptr<WheelDut> dut = make_dut(options);
  WheelCoverage coverage;
  WheelBench bench(*dut, coverage, options.dut != "model");
  CosimResult result;
  // The profiles run in several rounds, so that progress is visible and every profile starts from
  // the state that the other profiles left.
  const std::uint64_t parts = profiles.size();
  const std::uint64_t rounds = std::max<std::uint64_t>(1, options.ops / (1'000'000 * parts));
  std::vector<CosimProfileResult> sums(parts);
  try {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (std::uint64_t i = 0; i < parts; ++i) {
        const CosimProfileResult part = bench.run(profiles[i], options.ops / (rounds * parts) + 1,
                                                  options.seed * 1'000'003 + round * parts + i);
        CosimProfileResult& sum = sums[i];
        sum.profile = part.profile;
        sum.operations += part.operations;
        sum.cycles += part.cycles;
        sum.busy_cycles += part.busy_cycles;
        sum.commands += part.commands;
        sum.expiries += part.expiries;
        sum.moves += part.moves;
        sum.longest_command_stall = std::max(sum.longest_command_stall, part.longest_command_stall);
        sum.longest_first_expiry = std::max(sum.longest_first_expiry, part.longest_first_expiry);
        sum.largest_lateness = std::max(sum.largest_lateness, part.largest_lateness);
        result.operations += part.operations;
        result.cycles += part.cycles;
        if (options.progress) options.progress(result.operations, options.ops);
      }
    }
  } catch (const std::runtime_error& error) {
    result.mismatches = 1;
    result.first_mismatch = error.what();
  }
  for (const CosimProfileResult& sum : sums) {
    if (sum.operations != 0) result.profiles.push_back(sum);
  }
  result.coverage = coverage.bins();
  return result;
}

namespace {
/// Returns the wheel fault that the environment variable selects, as in a run of the platform.
/// Refuses faults that this bench would not detect.
std::uint32_t fault_asked_for() {
  if (std::getenv("DCCVP_RATE_FAULT") != nullptr) {
    throw std::invalid_argument("DCCVP_RATE_FAULT: this bench drives the timing wheel only");
  }
  try {
    return static_cast<std::uint32_t>(injected_fault<WheelFault>("DCCVP_WHEEL_FAULT"));
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
}
}  // namespace

int cosim_main(const CosimOptions& options) {
  CosimOptions with_progress = options;
  const bool terminal = isatty(fileno(stderr)) != 0;
  if (terminal && !with_progress.progress) {
    with_progress.progress = [](std::uint64_t done, std::uint64_t of) {
      std::fprintf(stderr, "\r%5.1f %%  %llu operations",
                   100.0 * static_cast<double>(done) / static_cast<double>(of),
                   static_cast<unsigned long long>(done));
      if (done >= of) std::fprintf(stderr, "\n");
    };
  }
  try {
    if (options.fault == 0) with_progress.fault = fault_asked_for();
    const auto begin = std::chrono::steady_clock::now();
    const CosimResult result = run_cosim(with_progress);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    print(options, result, wall.count());
    const bool covered = !options.full_coverage || result.bins_hit() == result.coverage.size();
    return result.mismatches == 0 && covered ? 0 : 1;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "cosim: %s\n", error.what());
    return 2;
  }
}

}  // namespace dcc
