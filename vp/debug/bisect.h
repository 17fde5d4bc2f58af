// Where two runs part: the first instant and the devices, by the digests of their states.
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
      equal_at;                      // the last instant looked at that was equal; none was: empty
  PicoSeconds at{};                  // the first that is not
  std::vector<std::string> devices;  // that differ then, in the order of StateDigests
  std::string ended;                 // which run had ended by then, while the other went on
};

/// A run whose digests of that window go to a sink. Called in a process of its own.
using DigestedRun =
    std::function<void(const DigestConfig& window, const DigestSampler::Sink& sink)>;

/// Runs both side by side, again and again in narrower windows, down to a picosecond. Empty: they
/// never part in `duration`. Throws std::runtime_error with what a run has to say of its input, or
/// when the two are not of the same devices. `tell` hears of each window before it is looked at.
/// Precondition: this process has one thread and has elaborated nothing.
std::optional<Parting> find_parting(const DigestedRun& a, const DigestedRun& b,
                                    PicoSeconds duration,
                                    const std::function<void(const DigestConfig&)>& tell);

/// The same of two digest.csv, as finely as they are written. Throws std::runtime_error when one
/// cannot be read, or they are not of the same devices at the same instants.
std::optional<Parting> compare_digests(const std::filesystem::path& a,
                                       const std::filesystem::path& b);

}  // namespace dcc::vp
