// The path manager of the InfiniBand bandwidth-partition paper: moves a flow to another of its
// destination's addresses when the path of the present address is congested.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "describe/quantities.h"
#include "fabric/fabric_map.h"
#include "fabric/flow_scheduler.h"

namespace dcc {

class ParameterVisitor;

/// The manager reads the counters of the switches every `period`. From a wire that is used beyond
/// the share `above`, the manager moves a flow to another of its destination's addresses, if the
/// path of that address has room.
struct LidManagerParameters {
  // time between two rounds of the path manager; empty: no manager
  std::optional<PicoSeconds> period;
  Ratio above{9, 10};

  bool on() const { return period.has_value(); }
  void describe(ParameterVisitor& v);
};

/// Once a period the manager adds up the bytes that flows sent over each wire. For every wire above
/// the threshold, the fullest first, one flow moves: the largest flow that has another address
/// whose path, with the flow added, stays at least a tenth of a wire's rate below the present wire.
/// A flow on a full path sends less than it could, so the next round may move more flows. Then each
/// flow that had less than 19/20 of its goal, which is the rate promised to the flow, moves by the
/// same rule with its goal as its load. This step is needed because congestion control may keep a
/// path below the threshold while flows on the path miss their goals.
class LidManager final : public FlowScheduler {
 public:
  /// All references must outlive the manager. `rank`: order of its events among the events of one
  /// instant.
  LidManager(Scheduler& scheduler, const FabricMap& fabric, unsigned lmc,
             const LidManagerParameters& parameters, std::uint32_t rank,
             std::function<std::uint64_t(std::uint32_t flow)> goal = nullptr)
      : FlowScheduler(scheduler, *parameters.period, rank),
        fabric_(fabric),
        lmc_(lmc),
        goal_(std::move(goal)),
        above_ppm_(static_cast<std::uint64_t>(parameters.above.to_fixed(32)) * 1'000'000 >> 32) {}

  void run_round() override;
  unsigned path_of(const FlowName& name) const override;
  bool move(const FlowName& name, unsigned path) override;
  std::uint64_t moves() const { return moves_; }
  /// Number of moves of flows that missed their goals.
  std::uint64_t moves_for_goals() const { return moves_for_goals_; }

 private:
  struct Flow {
    FlowName name;
    std::uint64_t rate = 0;  // rate of the flow in the last period, in bits per second
    unsigned path = 0;
    std::vector<std::size_t> wires;
  };
  /// One port choice on the path to a destination address, and the wire behind the port.
  struct Step {
    NodeId node = 0;
    std::uint32_t index = 0;
    std::uint32_t choices = 0;
    std::size_t wire = 0;
  };

  void add_own_state(StateDigest& d) const override {
    d(moves_, moves_for_goals_, moved_.size());
    for (const auto& [key, moved] : moved_) d(key, moved.second);
  }
  std::vector<Step> steps(const FlowName& name, unsigned path) const;
  std::vector<std::size_t> wires(const FlowName& name, unsigned path) const;
  std::vector<Flow> flows_of_period();
  std::uint64_t use_ppm(std::size_t wire, std::uint64_t load) const;
  void relieve(std::size_t wire, std::vector<Flow>& flows);
  bool move_to_room(Flow& flow, std::uint64_t use, std::uint64_t rate);
  void help_who_misses(std::vector<Flow>& flows);
  void install();
  void read_seeds();
  void note_move(const FlowName& name, unsigned path);

  const FabricMap& fabric_;
  const unsigned lmc_;
  const std::function<std::uint64_t(std::uint32_t flow)> goal_;
  const std::uint64_t above_ppm_;
  std::map<NodeId, std::uint64_t> hash_seeds_;
  // flows that the manager has moved, with the number of their path, by flow_key()
  std::map<std::uint64_t, std::pair<FlowName, unsigned>> moved_;
  std::vector<std::uint64_t> load_;  // load of each wire in the last period, in bits per second
  std::uint64_t moves_ = 0;
  std::uint64_t moves_for_goals_ = 0;
};

}  // namespace dcc
