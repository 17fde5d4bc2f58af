#include "schemes/pias/long_flow_agent.h"

#include <algorithm>

#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

void LongFlowTuning::describe(ParameterVisitor& v) {
  const char* const paper = "AuTO, SIGCOMM'18";
  v.field("long_every", every, "never", {"1us", "1000s"},
          {"time between two orders of a central agent for single long messages", paper});
  v.when(every.has_value(), "long_every: a time", [&] {
    v.field("long_from", from, {"1KB", "1GiB"}, {"bytes sent from which a message is long", paper});
    v.numbers("long_policy", policy, kLevels * kCrowds, kLevels * kCrowds, {"0", "11"},
              {"action by state, 3 x (level of bytes sent) + (level of long messages to the same "
               "host): priority + 2 x (halvings of the rate + 3 x (1: the least used way))"});
    v.field("long_ways", ways, {"1", "64"},
            {"ways of the first switch among which these actions choose (routing: source)"});
  });
}

std::size_t LongFlowTuning::state_of(Bytes sent, std::size_t crowd) const {
  const std::size_t level = sent < 4 * from ? 0 : sent < 16 * from ? 1 : 2;
  const std::size_t beside = crowd <= 1 ? 0 : crowd <= 3 ? 1 : 2;
  return level * kCrowds + beside;
}

LongFlowTuning::Action LongFlowTuning::action(unsigned number) {
  const unsigned rest = number / kPriorityChoices;
  return {static_cast<std::uint8_t>(number % kPriorityChoices), 1u << rest % kRateChoices,
          rest / kRateChoices % kWayChoices != 0};
}

bool LongFlowTuning::spreads() const {
  return std::any_of(policy.begin(), policy.end(),
                     [](unsigned number) { return action(number).spreads; });
}

LongFlowAgent::LongFlowAgent(Scheduler& scheduler, std::uint32_t rank, const LongFlowTuning& tuning)
    : scheduler_(scheduler),
      tuning_(tuning),
      period_(Event::calling<&LongFlowAgent::decide>(*this, rank)) {}

void LongFlowAgent::add_host(Transmitter& host, BitRate) { hosts_.push_back(&host); }

void LongFlowAgent::begin() { scheduler_.schedule_in(period_, *tuning_.every); }

void LongFlowAgent::decide() {
  std::vector<std::pair<std::size_t, Transmitter::LongFlow>> flows;
  std::map<HostId, std::size_t> crowds;
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    for (const Transmitter::LongFlow& flow : hosts_[host]->long_flows(tuning_.from)) {
      flows.emplace_back(host, flow);
      ++crowds[flow.receiver];
    }
  }
  std::map<Name, std::uint8_t> before;
  before.swap(ways_);
  std::vector<unsigned> on_way(tuning_.ways + 1, 0);
  for (const auto& [host, flow] : flows) {
    const auto known = before.find({host, flow.qpn});
    if (known != before.end()) ++on_way[known->second];
  }
  for (const auto& [host, flow] : flows) {
    const std::size_t state = tuning_.state_of(flow.sent, crowds[flow.receiver]);
    const LongFlowTuning::Action action = LongFlowTuning::action(tuning_.policy[state]);
    const auto known = before.find({host, flow.qpn});
    std::uint8_t way = known != before.end() ? known->second : std::uint8_t{0};
    if (way == 0 && action.spreads) {
      const auto least = std::min_element(on_way.begin() + 1, on_way.end());
      ++*least;
      way = static_cast<std::uint8_t>(least - on_way.begin());
    }
    Transmitter& transmitter = *hosts_[host];
    const Rate line = transmitter.line_rate();
    transmitter.set_order(flow.qpn,
                          {tuning_.from, action.priority, way, Rate(line.raw / action.divisor)});
    ways_[{host, flow.qpn}] = way;
  }
  for (const auto& [name, way] : before) {
    if (ways_.count(name) != 0) continue;
    Transmitter& host = *hosts_[name.first];
    // Keeps the path of a message that waits for ACKs, because its packets may have to be
    // retransmitted.
    const bool waits_for_acks =
        host.exists(name.second) && host.has_work(name.second) && host.unsent(name.second) == 0;
    if (waits_for_acks) {
      ways_[name] = way;
    } else {
      host.withdraw_order(name.second);
    }
  }
  begin();
}

void LongFlowAgent::add_state(StateDigest& d) const {
  for (const auto& [name, way] : ways_) d(name.first, name.second, way);
  d(period_);
}

}  // namespace dcc
