// Finds where two runs begin to differ: the first instant and the devices, by digests of their
// states.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/platform_config.h"
#include "debug/state_digests.h"

namespace dcc::vp {

struct Parting {
  std::optional<PicoSeconds>
      equal_at;      // last compared instant at which the runs were equal; empty: none
  PicoSeconds at{};  // first compared instant at which the runs differ
  std::vector<std::string> devices;  // devices that differ at `at`, in the order of StateDigests
  // name of the run that had ended by then while the other run continued; empty: no run had ended
  std::string ended;
};

/// Runs a simulation and passes the state digests within a time window to a sink. Called in a
/// separate process.
using DigestedRun =
    std::function<void(const DigestConfig& window, const DigestSampler::Sink& sink)>;

/// Runs two simulations side by side, repeatedly and in narrower windows, down to one picosecond.
/// Returns no value if the runs do not differ within `duration`. Throws std::runtime_error if a run
/// refuses its input or if the runs have different devices. Calls `tell` for each window before the
/// comparison. Precondition: this process has one thread and has elaborated no SystemC.
std::optional<Parting> find_parting(const DigestedRun& a, const DigestedRun& b,
                                    PicoSeconds duration,
                                    const std::function<void(const DigestConfig&)>& tell);

/// Compares two files digest.csv, at the resolution of their digests. Throws std::runtime_error if
/// a file cannot be read, or if the files have different devices or instants.
std::optional<Parting> compare_digests(const std::filesystem::path& a,
                                       const std::filesystem::path& b);

}  // namespace dcc::vp
