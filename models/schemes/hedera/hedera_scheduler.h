// Hedera (Al-Fares et al., NSDI'10), the central half: which flows are large, what they would like
// to send, and which way each of them goes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fabric/fabric_map.h"
#include "fabric/flow_scheduler.h"
#include "schemes/hedera/demand_estimate.h"
#include "schemes/hedera/hedera.h"
#include "sim/random.h"
#include "units.h"

namespace dcc {

/// Ways are numbered: one digit a switch, the first the lowest, that says which of its equally good
/// ports is taken. In a fat tree that is a number for each core switch, which is how the paper has
/// it. What the scheduler knows of links is what the routes know (FabricMap).
class HederaScheduler final : public FlowScheduler {
 public:
  /// A large flow and where it was put.
  struct Elephant {
    FlowName name;
    std::uint64_t rate = 0;  // demand, bits a second
    int way = kByHash;
  };
  static constexpr int kByHash = -1;

  /// All must outlive it. `rank` is that of its events.
  HederaScheduler(Scheduler& scheduler, const FabricMap& fabric, const HederaParameters& parameters,
                  std::uint64_t seed, std::uint32_t rank);
  void run_round() override;

  // For diagnosis, of the last round.
  std::vector<Elephant> elephants() const;
  /// Bits a second that large flows want of wires beyond what these have, all wires together.
  std::uint64_t excess() const { return excess_; }

 private:
  void add_own_state(StateDigest& d) const override {
    d(random_, way_to_, elephants_.size());
    for (const auto& [key, elephant] : elephants_) d(key, elephant.rate, elephant.way);
  }
  /// A wire in a way, and the choice that leads there.
  struct Step {
    NodeId node = 0;
    std::uint32_t index = 0;  // among the ports that are equally good
    std::uint32_t choices = 0;
    std::size_t wire = 0;
  };

  void find_elephants();
  void estimate();
  bool leaves_its_edge(const FlowName& name) const;
  /// Of the ways between two hosts: how many choices there are at most at the first switch, the
  /// second and so on.
  std::vector<std::uint32_t> digits(const FlowName& name) const;
  std::vector<Step> steps(const FlowName& name, const std::vector<std::uint32_t>& digits,
                          std::uint64_t way) const;

  void first_fit();
  bool fits(const std::vector<Step>& steps, std::uint64_t rate) const;
  void add_load(const std::vector<Step>& steps, std::uint64_t rate);

  void anneal();
  void prepare_annealing();
  HostId partner_of(HostId host);
  bool accepts(std::uint64_t worse_by, std::uint64_t temperature);
  void exchange(HostId one, HostId other);
  void route_to(HostId host, bool there);
  void install();

  const FabricMap& fabric_;
  const Topology& topology_;
  const HederaParameters parameters_;
  RandomStream random_;
  std::vector<std::uint64_t> host_rate_;            // by HostId
  std::uint64_t unit_ = 1;                          // the fastest of them
  std::map<std::uint64_t, Elephant> elephants_;     // by flow_key()
  std::vector<std::vector<std::uint32_t>> digits_;  // of each, in their order
  std::vector<std::uint64_t> load_;                 // by wire, bits a second
  std::uint64_t excess_ = 0;

  // Annealing: a way for each host as a destination.
  std::vector<std::uint32_t> pod_of_edge_;
  std::vector<std::vector<HostId>> edge_hosts_;
  std::vector<std::vector<HostId>> pod_hosts_;
  std::vector<std::uint32_t> way_to_;  // by HostId; kept from round to round
  std::map<HostId, std::vector<std::pair<const Elephant*, std::size_t>>> elephants_to_;
};

}  // namespace dcc
