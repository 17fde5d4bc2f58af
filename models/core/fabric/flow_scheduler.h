// The interface of a central flow scheduler, which reads the flow counters of all switches once a
// period and sets their flow entries.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fabric/flow_entries.h"
#include "fabric/topology.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

class FlowScheduler {
 public:
  virtual ~FlowScheduler() = default;
  FlowScheduler(const FlowScheduler&) = delete;
  FlowScheduler& operator=(const FlowScheduler&) = delete;

  /// Adds a switch; every switch of the network must be added before begin().
  void add_switch(NodeId node, FlowEntries& entries) { switches_.emplace_back(node, &entries); }
  /// Schedules the first round of the flow scheduler one period from now.
  void begin() { scheduler_.schedule_in(round_, period_); }
  /// Runs one round: reads the flow counters of all switches and sets their flow entries.
  virtual void run_round() = 0;
  /// Number of the path that a flow takes, if the scheduler numbers paths; otherwise 0.
  virtual unsigned path_of(const FlowName&) const { return 0; }
  /// Moves a flow to a path from now on. Returns false if the scheduler does not number paths.
  virtual bool move(const FlowName&, unsigned /*path*/) { return false; }
  void add_state(StateDigest& d) const {
    d(round_);
    add_own_state(d);
  }

 protected:
  /// Makes a scheduler that runs a round every `period`. `rank`: order of the rounds among the
  /// events of one instant.
  FlowScheduler(Scheduler& scheduler, PicoSeconds period, std::uint32_t rank)
      : period_(period),
        scheduler_(scheduler),
        round_(Event::calling<&FlowScheduler::next_round>(*this, rank)) {}

  virtual void add_own_state(StateDigest& d) const = 0;

  const PicoSeconds period_;
  std::vector<std::pair<NodeId, FlowEntries*>> switches_;

 private:
  void next_round() {
    run_round();
    begin();
  }

  Scheduler& scheduler_;
  Event round_;
};

}  // namespace dcc
