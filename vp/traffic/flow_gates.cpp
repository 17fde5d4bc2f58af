#include "traffic/flow_gates.h"

#include <map>

#include "build/platform.h"
#include "build/ranks.h"
#include "traffic/direct_traffic.h"

namespace dcc::vp {

FlowGates::FlowGates(const FlowPlan& plan, FlowLedger& ledger,
                     const std::function<Place(HostId)>& place_of,
                     const std::function<bool(HostId)>& is_here) {
  std::map<std::uint32_t, Gate*> by_number;
  const auto gate = [&](std::uint32_t number, HostId host) -> Gate& {
    Gate*& found = by_number[number];
    if (found == nullptr) found = &gates_.emplace_back(place_of(host));
    return *found;
  };
  for (const PlannedFlow& flow : plan.flows()) {
    const FlowSpec& spec = flow.spec;
    if (spec.opens != FlowSpec::kNone && is_here(spec.to)) {
      Gate& opened = gate(spec.opens, spec.to);
      opened.add_opener();
      ledger[spec.id].awaited_by = &opened;
    }
    if (spec.is_gated() && is_here(spec.from)) gate(spec.waits_at, spec.from).add_flow(flow);
  }
}

void FlowGates::Gate::flow_arrived() {
  if (--missing_ == 0 && !flows_.empty()) {
    place_.scheduler.schedule_in(opening_, flows_.front()->spec.think);
  }
}

void FlowGates::Gate::open() {
  for (const PlannedFlow* const flow : flows_) post_flow(place_.nic, *flow);
}

namespace {
const PartKind kFlowGatesKind(PartKind::kFlowGates,
                              [](Platform& p) -> std::unique_ptr<PlatformPart> {
                                return std::make_unique<FlowGates>(
                                    p.plan, p.ledger,
                                    [&p](HostId host) -> FlowGates::Place {
                                      return {p.partitions.scheduler_of(p.topology.node_of(host)),
                                              p.nic_of(host), kNicRank + host};
                                    },
                                    [&p](HostId host) { return p.is_here(host); });
                              });
}  // namespace

}  // namespace dcc::vp
