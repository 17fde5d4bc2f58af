#include "traffic/repeated_rounds.h"

#include "traffic/traffic_expander.h"

namespace dcc::vp {

namespace {
// Number of rounds that are expanded to find the pattern. Round 0 waits for nothing, and nothing
// waits for the last round, so the two rounds between them are compared.
constexpr std::uint64_t kExpanded = 4;

bool may_repeat(const PlatformConfig& config, const TrafficContext& context) {
  if (!config.fast_forward.memo || config.output.flows == FlowOutput::kAll) return false;
  if (config.traffic.size() != 1 || !config.tenants.empty()) return false;
  const TrafficSpec& spec = config.traffic[0];
  return spec.pattern == TrafficPattern::kCollective && !spec.waits() && !spec.weight_at_end &&
         spec.rounds_until(context.end) > kExpanded;
}

/// Increases the numbers of flow, gates and query by those of `rounds` rounds.
FlowSpec moved(FlowSpec flow, std::size_t rounds, std::size_t flows_each,
               std::uint32_t gates_each) {
  flow.id += static_cast<std::uint32_t>(rounds * flows_each);
  const auto gates = static_cast<std::uint32_t>(rounds * gates_each);
  if (flow.opens != FlowSpec::kNone) flow.opens += gates;
  if (flow.waits_at != FlowSpec::kNone) flow.waits_at += gates;
  if (flow.query != FlowSpec::kNone) flow.query += static_cast<std::uint32_t>(rounds);
  return flow;
}

/// True if two flows of one entry are equal, including the numbers of flow, gates and query.
bool are_equal(const FlowSpec& a, const FlowSpec& b) {
  return a.id == b.id && a.from == b.from && a.to == b.to && a.bytes == b.bytes &&
         a.start == b.start && a.stop == b.stop && a.opens == b.opens && a.waits_at == b.waits_at &&
         a.think == b.think && a.query == b.query && a.begins_query == b.begins_query;
}
}  // namespace

std::optional<RepeatedRounds> RepeatedRounds::of(const PlatformConfig& config,
                                                 const TrafficContext& context) {
  if (!may_repeat(config, context)) return std::nullopt;
  std::vector<TrafficSpec> shortened = config.traffic;
  shortened[0].rounds = kExpanded;
  const std::vector<FlowSpec> flows = expand_traffic(shortened, context);
  const std::size_t each = flows.size() / kExpanded;
  if (each == 0 || flows.size() != each * kExpanded) return std::nullopt;
  const auto begin = flows.begin();
  const auto size = static_cast<std::ptrdiff_t>(each);
  RepeatedRounds rounds;
  rounds.rounds_ = config.traffic[0].rounds_until(context.end);
  rounds.first_.assign(begin, begin + size);
  rounds.pattern_.assign(begin + size, begin + 2 * size);
  rounds.gates_each_ = flows[2 * each].waits_at - flows[each].waits_at;
  for (std::size_t i = 0; i < each; ++i) {
    const FlowSpec& flow = rounds.pattern_[i];
    if (!flow.is_gated() || flow.query != 1 || flow.start != flows[0].start) return std::nullopt;
    if (!are_equal(flows[2 * each + i], moved(flow, 1, each, rounds.gates_each_))) {
      return std::nullopt;
    }
  }
  for (std::size_t held = 0; held < kHeldAtFirst; ++held) rounds.places_.push_back(held);
  return rounds;
}

std::vector<FlowSpec> RepeatedRounds::round(std::size_t held) const {
  if (held == 0) return first_;
  std::vector<FlowSpec> flows;
  flows.reserve(pattern_.size());
  for (const FlowSpec& flow : pattern_) {
    flows.push_back(moved(flow, held - 1, pattern_.size(), gates_each_));
  }
  return flows;
}

}  // namespace dcc::vp
