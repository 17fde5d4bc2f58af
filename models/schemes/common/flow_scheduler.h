// A central scheduler of flows: reads all switches' counters once a period, and sets their entries.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fabric/topology.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"
#include "switch/flow_entries.h"
#include "units.h"

namespace dcc {

class FlowScheduler {
 public:
  virtual ~FlowScheduler() = default;
  FlowScheduler(const FlowScheduler&) = delete;
  FlowScheduler& operator=(const FlowScheduler&) = delete;

  /// Every switch of the network.
  void add_switch(NodeId node, FlowEntries& entries) { switches_.emplace_back(node, &entries); }
  /// The first round is a period from now.
  void begin() { scheduler_.schedule_in(round_, period_); }
  /// One round: reads the counters of all switches and sets their entries.
  virtual void run_round() = 0;
  void add_state(StateDigest& d) const {
    d(round_);
    add_own_state(d);
  }

 protected:
  /// `rank` is that of its events.
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
