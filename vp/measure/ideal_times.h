// Completion times of flows that have the network to themselves.
#pragma once

#include <optional>
#include <unordered_map>

#include "build/network.h"
#include "config/platform_config.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Computes lower limits of completion times, so that a slowdown is at least 1. `config` and
/// `network` must outlive the object.
class IdealTimes {
 public:
  IdealTimes(const PlatformConfig& config, const Network& network)
      : config_(config), network_(network) {}

  /// The completion time of a finite flow, alone in the empty network, over all paths that its
  /// packets may take. `by_software`: the application in sw/app sends the flow. Empty beyond the
  /// range of PicoSeconds.
  std::optional<PicoSeconds> of(const FlowSpec& spec, AckMode ack, bool by_software) const;
  /// The completion time by the reference simulator's formula: base round-trip time of a full
  /// packet plus the flow's wire bytes at the slowest link's rate.
  PicoSeconds of_reference(const PlannedFlow& flow) const;

 private:
  // Number of host pairs whose results are kept, some 150 bytes each. Repeated traffic has few
  // pairs of hosts, and random traffic between many hosts rarely meets a pair again.
  static constexpr std::size_t kMaxKnown = std::size_t{1} << 16;
  /// The last completion time found for a pair of hosts, and its arguments.
  struct Known {
    FlowSpec spec;
    AckMode ack;
    bool by_software;
    std::optional<PicoSeconds> time;
  };
  std::optional<PicoSeconds> compute(const FlowSpec& spec, AckMode ack, bool by_software) const;
  bool has_one_path(HostId from, HostId to) const;

  const PlatformConfig& config_;
  const Network& network_;
  mutable std::unordered_map<std::uint64_t, Known> known_;  // completion times by pair of hosts
};

}  // namespace dcc::vp
