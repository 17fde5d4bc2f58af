// Hedera (Al-Fares et al., NSDI'10), the central scheduler: finds large flows, estimates their
// demand, and chooses their paths.
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

/// The scheduler represents a path by a number with one digit for each switch, in which the first
/// switch has the lowest digit. The digit of a switch is the index of the port taken among the
/// switch's equally good ports. In a fat tree a path number stands for a core switch, as in the
/// paper. The scheduler knows the state of links that the routes know (FabricMap).
class HederaScheduler final : public FlowScheduler {
 public:
  /// A large flow with its demand and path.
  struct Elephant {
    FlowName name;
    std::uint64_t rate = 0;  // demand of the flow in bits per second
    int way = kByHash;
  };
  static constexpr int kByHash = -1;

  /// All references must outlive the scheduler. `rank`: order of its events among the events of one
  /// instant.
  HederaScheduler(Scheduler& scheduler, const FabricMap& fabric, const HederaParameters& parameters,
                  std::uint64_t seed, std::uint32_t rank);
  void run_round() override;

  // Large flows found in the last scheduling round, for diagnosis.
  std::vector<Elephant> elephants() const;
  /// Sum over all wires of the demand of large flows beyond the wire's rate, in bits per second.
  std::uint64_t excess() const { return excess_; }

 private:
  void add_own_state(StateDigest& d) const override {
    d(random_, way_to_, elephants_.size());
    for (const auto& [key, elephant] : elephants_) d(key, elephant.rate, elephant.way);
  }
  /// One wire of a path, and the port choice that leads to the wire.
  struct Step {
    NodeId node = 0;
    std::uint32_t index = 0;  // index of the chosen port among the equally good ports of a switch
    std::uint32_t choices = 0;
    std::size_t wire = 0;
  };

  void find_elephants();
  void estimate();
  bool leaves_its_edge(const FlowName& name) const;
  /// Maximum number of port choices at each switch of a path, from the first switch on, over all
  /// paths of a flow.
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
  std::vector<std::uint64_t> host_rate_;            // rate of each host's link, by HostId
  std::uint64_t unit_ = 1;                          // maximum of the rates of all hosts' links
  std::map<std::uint64_t, Elephant> elephants_;     // large flows by flow_key()
  std::vector<std::vector<std::uint32_t>> digits_;  // path of each large flow as digits
  std::vector<std::uint64_t> load_;                 // load of each wire in bits per second
  std::uint64_t excess_ = 0;

  // State of the simulated annealing: the path assigned to each destination host.
  std::vector<std::uint32_t> pod_of_edge_;
  std::vector<std::vector<HostId>> edge_hosts_;
  std::vector<std::vector<HostId>> pod_hosts_;
  // number of the path to each host, by HostId; kept between scheduling rounds
  std::vector<std::uint32_t> way_to_;
  std::map<HostId, std::vector<std::pair<const Elephant*, std::size_t>>> elephants_to_;
};

}  // namespace dcc
