// The wheel's test bench as a function: random stimulus, oracle, comparison, coverage.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dcc {

struct CosimOptions {
  // number of operations: starts, cancels, restarts and expiries together
  std::uint64_t ops = 1'000'000;
  std::uint64_t seed = 1;
  // stimulus profile: uniform | burst | wrap | full | cancel-race | corner; all: one after the
  // other
  std::string profile = "all";
  std::string dut = "rtl";     // device under test: rtl | netlist | model
  std::uint32_t fault = 0;     // number of the WheelFault to inject, for rtl only
  bool full_coverage = false;  // true: a bin that is not hit makes cosim_main return 1
  bool random_init = false;    // true: random register and RAM contents after power-up
  // function that receives the progress; may be empty
  std::function<void(std::uint64_t done, std::uint64_t of)> progress;
};

struct CosimProfileResult {
  std::string profile;
  std::uint64_t operations = 0;
  std::uint64_t cycles = 0;
  std::uint64_t busy_cycles = 0;
  std::uint64_t commands = 0;  // number of commands: starts, restarts and cancels
  std::uint64_t expiries = 0;
  std::uint64_t moves = 0;
  // longest wait of a command in cycles, except in a deliberate overrun
  std::uint32_t longest_command_stall = 0;
  std::uint32_t longest_first_expiry = 0;  // cycles from tick to first expiry, while keeping up
  // greatest lateness in ticks of an expiry that the consumer was ready for
  std::uint32_t largest_lateness = 0;
  double busy_per_operation() const {
    return operations == 0 ? 0.0
                           : static_cast<double>(busy_cycles) / static_cast<double>(operations);
  }
};

struct CosimBin {
  std::string name;
  std::uint64_t hits = 0;
};

struct CosimResult {
  std::uint64_t operations = 0;
  std::uint64_t cycles = 0;
  std::uint64_t mismatches = 0;  // number of mismatches, 0 or 1, since the run stops at the first
  // sentence on the first mismatch with cycle, tick and the last transactions
  std::string first_mismatch;
  std::vector<CosimProfileResult> profiles;
  std::vector<CosimBin> coverage;
  std::uint64_t bins_hit() const {
    std::uint64_t n = 0;
    for (const CosimBin& bin : coverage) n += bin.hits > 0 ? 1 : 0;
    return n;
  }
};

/// Names that CosimOptions::profile accepts, except "all".
std::vector<std::string> cosim_profiles();
/// Names of the devices under test that this build has.
std::vector<std::string> cosim_duts();

/// Runs the bench. Throws std::invalid_argument with one sentence for an unknown profile or a
/// device under test that this build does not have.
CosimResult run_cosim(const CosimOptions& options);

/// Runs run_cosim() and prints the result. Returns 0 without a mismatch, 1 with one, 2 for unusable
/// options. On a terminal a progress line replaces the `progress` of the options.
int cosim_main(const CosimOptions& options);

}  // namespace dcc
