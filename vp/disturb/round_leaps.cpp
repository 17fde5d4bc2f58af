#include "disturb/round_leaps.h"

#include <utility>

namespace dcc::vp {

void RoundLeaps::begins(const PlannedFlow& flow) {
  RepeatedRounds& rounds = *plan_.rounds();
  const std::size_t last = (rounds.held() - 1) * rounds.flows_each();
  if (flow.spec.id < last || rounds.left() == 0) return;
  const std::size_t first = plan_.flows().size();
  plan_.add_round();
  for (std::size_t id = first; id < plan_.flows().size(); ++id) {
    ledger_.open(id).target_bytes = plan_.flows()[id].spec.bytes;
  }
  gates_.add_flows(first);
}

std::optional<RoundState> RoundLeaps::state(std::uint64_t begun) const {
  const std::size_t each = plan_.rounds()->flows_each();
  if (begun % each != 0) return std::nullopt;
  RoundState state;
  state.gates = gates_.due();
  if (state.gates.empty()) return std::nullopt;
  state.at = state.gates.front().at;
  state.first = static_cast<std::uint32_t>(begun);
  for (FlowGates::Due& gate : state.gates) {
    if (gate.flow < begun || gate.flow >= begun + each) return std::nullopt;
    gate.at = gate.at - state.at;
    gate.flow -= state.first;
  }
  return state;
}

bool RoundLeaps::is_round(const RememberedBurst& burst, std::uint64_t begun) const {
  const std::size_t each = plan_.rounds()->flows_each();
  if (burst.flows.size() != each) return false;
  for (const RememberedBurst::Flow& flow : burst.flows) {
    if (flow.id < begun || flow.id >= begun + each) return false;
  }
  return true;
}

std::uint64_t RoundLeaps::possible(const RoundState& state) const {
  const RepeatedRounds& rounds = *plan_.rounds();
  const bool is_last_held = state.first == (rounds.held() - 1) * rounds.flows_each();
  return is_last_held ? rounds.left() : 0;
}

void RoundLeaps::leap(const RememberedBurst& burst, const RoundState& state, std::uint64_t times) {
  RepeatedRounds& rounds = *plan_.rounds();
  const PicoSeconds period = *burst.period;
  const PicoSeconds at = state.at + period * static_cast<std::int64_t>(times - 1);
  std::vector<Measurement::LeftOut> last;
  last.reserve(burst.flows.size());
  for (const RememberedBurst::Flow& then : burst.flows) {
    const PlannedFlow& flow =
        plan_.flow(state.first + then.id % static_cast<std::uint32_t>(rounds.flows_each()));
    last.push_back({&flow, then.record_at(at, flow.spec.bytes)});
  }
  measurement_.add_left_out(rounds.place(rounds.held() - 1), times, period, std::move(last));
  rounds.leave_out(times);
  gates_.postpone(period * static_cast<std::int64_t>(times));
}

}  // namespace dcc::vp
