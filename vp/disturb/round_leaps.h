// Skips rounds of a collective whose course is known from memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "disturb/remembered_burst.h"
#include "measure/measurement.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_gates.h"
#include "traffic/flow_plan.h"
#include "traffic/repeated_rounds.h"

namespace dcc::vp {

/// Skips rounds of a collective. Between two rounds, while the network is at rest, the only
/// relevant state of a collective is the opening times of the next round's gates (RoundState). If a
/// stored burst is a whole round that ends in the state in which it began, every later round that
/// begins in this state has the same course, one period later. Such rounds need no flows, gates or
/// records: their times and counts are added to the results, and the gates of the next simulated
/// round open later.
///
/// A round is added to the plan (RepeatedRounds) as soon as a flow of the previous round begins.
class RoundLeaps {
 public:
  /// Prepares the skips. Precondition: plan.rounds() is not null.
  RoundLeaps(FlowPlan& plan, FlowGates& gates, FlowLedger& ledger, Measurement& measurement)
      : plan_(plan), gates_(gates), ledger_(ledger), measurement_(measurement) {}

  /// Adds the next round to the plan if the flow that begins belongs to the last round in the plan.
  void begins(const PlannedFlow& flow);
  /// The state of the gates before a round; empty unless the next flow is the first flow of its
  /// round. `begun`: number of begun flows of the rounds in the plan. Precondition: all begun flows
  /// have ended.
  std::optional<RoundState> state(std::uint64_t begun) const;
  /// True if a burst consists of all flows of one round, where `begun` flows had begun before the
  /// burst.
  bool is_round(const RememberedBurst& burst, std::uint64_t begun) const;

  /// Number of rounds that may be skipped before the next round, which begins in this state.
  std::uint64_t possible(const RoundState& state) const;
  /// The first flow that begins in this state of the gates.
  const PlannedFlow& first(const RoundState& state) const {
    return plan_.flow(state.first + state.gates.front().flow);
  }
  /// Skips `times` rounds that have the course of the burst. Preconditions: the burst has a period
  /// and begins in this state; times <= possible(state).
  void leap(const RememberedBurst& burst, const RoundState& state, std::uint64_t times);

 private:
  FlowPlan& plan_;
  FlowGates& gates_;
  FlowLedger& ledger_;
  Measurement& measurement_;
};

}  // namespace dcc::vp
