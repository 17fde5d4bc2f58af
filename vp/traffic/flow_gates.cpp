#include "traffic/flow_gates.h"

#include <algorithm>

#include "build/platform.h"
#include "build/ranks.h"
#include "parallel/all_reduce.h"
#include "traffic/direct_traffic.h"

namespace dcc::vp {

// ---------------------------------------------------------------- computations

void FlowGates::Computing::ready_at(PicoSeconds when) { scheduler_.schedule_at(event_, when); }

void FlowGates::Computing::ready() {
  began_ = scheduler_.now();
  if (about_.time.count > 0) {  // what takes no time does not wait for the processor
    began_ = std::max(began_, processor_.busy_until);
    processor_.busy_until = began_ + about_.time;
  }
  scheduler_.schedule_at(event_, began_ + about_.time);
}

void FlowGates::Computing::due() {
  if (!begun()) return ready();
  ended_ = true;
  for (Gate* const gate : opens_) gate->flow_arrived();
}

// ---------------------------------------------------------------- gates

void FlowGates::Gate::describe(const Dependencies::Gate& about) {
  any_ = about.any;
  delay_ = about.delay;
  not_before_ = about.not_before;
  origin_ = about.origin;
  missing_ = about.awaited;
}

void FlowGates::Gate::sort_flows() {
  std::stable_sort(flows_.begin(), flows_.end(), [](const PlannedFlow* a, const PlannedFlow* b) {
    return a->spec.start < b->spec.start;
  });
  if (flows_.empty()) return;
  delay_ = flows_.front()->spec.think;
  origin_ = flows_.front()->spec.start;
}

void FlowGates::Gate::flow_arrived() {
  if (told_ || (!any_ && --missing_ != 0)) return;
  told_ = true;
  if (flows_.empty() && computations_.empty() && gates_.empty()) return;
  place_.scheduler.schedule_at(opening_, std::max(place_.scheduler.now() + delay_, not_before_));
}

void FlowGates::Gate::open() {
  const PicoSeconds now = place_.scheduler.now();
  if (opened_ == PicoSeconds::max()) {
    opened_ = now;
    for (Gate* const gate : gates_) gate->flow_arrived();
    for (Computing* const computation : computations_) computation->ready();
  }
  for (; next_ < flows_.size(); ++next_) {
    const PicoSeconds begins = opened_ + (flows_[next_]->spec.start - origin_);
    if (begins > now) {
      place_.scheduler.schedule_at(opening_, begins);
      return;
    }
    begin(*flows_[next_]);
  }
}

/// The queue pairs of a flow exist from its `start` on; they are made after all events of NICs.
void FlowGates::Gate::begin(const PlannedFlow& flow) {
  if (place_.scheduler.now() == flow.spec.start && plan_.dependencies().any()) {
    plan_.release(flow.spec.id);
  } else {
    post_flow(place_.nic, flow);
  }
}

// ---------------------------------------------------------------- all of them

FlowGates::FlowGates(FlowPlan& plan, FlowLedger& ledger,
                     const std::function<Place(HostId)>& place_of,
                     const std::function<bool(HostId)>& is_here, ProcessGroup* group)
    : plan_(plan), ledger_(ledger), place_of_(place_of), is_here_(is_here), group_(group) {
  if (!plan.is_held()) return;  // then no flow waits
  add_computations();
  for (const PlannedFlow& flow : plan.flows()) {
    const FlowSpec& spec = flow.spec;
    if (spec.opens != FlowSpec::kNone && is_here(spec.to)) {
      Gate& opened = gate(spec.opens, spec.to);
      opened.add_opener();
      add_arrival(ledger[spec.id], opened);
    }
    if (spec.is_gated() && is_here(spec.from)) {
      gate(spec.waits_at, spec.from).add_flow(flow);
    }
  }
  for (Gate& one : gates_) one.sort_flows();
  add_named();
}

FlowGates::Gate& FlowGates::gate(std::uint32_t number, HostId host) {
  Gate*& found = by_number_[number];
  if (found == nullptr) found = &gates_.emplace_back(plan_, place_of_(host));
  return *found;
}

/// A record tells one; a fan tells several.
void FlowGates::add_arrival(FlowRecord& record, Gate& gate) {
  if (record.awaited_by == nullptr) {
    record.awaited_by = &gate;
    return;
  }
  Fan*& fan = fan_of_[&record];
  if (fan == nullptr) {
    fan = &fans_.emplace_back();
    fan->add(*record.awaited_by);
    record.awaited_by = fan;
  }
  fan->add(gate);
}

void FlowGates::add_computations() {
  const std::vector<Computation>& all = plan_.dependencies().computations;
  by_computation_.assign(all.size(), nullptr);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Computation& one = all[i];
    if (!is_here_(one.host)) continue;
    Computing& made =
        computings_.emplace_back(one, place_of_(one.host), processors_[{one.host, one.processor}]);
    by_computation_[i] = &made;
    if (one.waits_at != FlowSpec::kNone) gate(one.waits_at, one.host).add_computation(made);
  }
}

void FlowGates::add_named() {
  const Dependencies& named = plan_.dependencies();
  for (std::size_t i = 0; i < named.gates.size(); ++i) {
    const Dependencies::Gate& about = named.gates[i];
    if (is_here_(about.host)) {
      gate(named.first + static_cast<std::uint32_t>(i), about.host).describe(about);
    }
  }
  // Where a gate is elsewhere, what opens the gate is there, too.
  const auto find = [this](std::uint32_t number) {
    const auto found = by_number_.find(number);
    return found == by_number_.end() ? nullptr : found->second;
  };
  for (const Dependencies::Edge& edge : named.received) {
    if (Gate* const opened = find(edge.gate)) add_arrival(ledger_[edge.source], *opened);
  }
  for (const Dependencies::Edge& edge : named.sent) {
    Gate* const opened = find(edge.gate);
    if (opened == nullptr) continue;
    const HostId from = plan_.flow(edge.source).spec.from;
    Sent& sent = sent_[from];
    sent.add(ledger_[edge.source], *opened);
    place_of_(from).nic.transmitter().tell_finished(&sent);
  }
  for (const Dependencies::Edge& edge : named.computed) {
    Computing* const computation = by_computation_[edge.source];
    Gate* const opened = find(edge.gate);
    if (computation != nullptr && opened != nullptr) computation->add_gate(*opened);
  }
  for (const Dependencies::Edge& edge : named.joined) {
    Gate* const first = find(edge.source);
    Gate* const then = find(edge.gate);
    if (first == nullptr || then == nullptr) continue;
    first->add_gate(*then);
    if (edge.gate < named.first) then->add_opener();  // others know how many they await
  }
}

void FlowGates::begin() {
  for (Computing& one : computings_) {
    if (one.about().waits_at == FlowSpec::kNone) one.ready_at(one.about().start);
  }
}

std::int64_t FlowGates::computations_left() const {
  return std::count_if(computings_.begin(), computings_.end(),
                       [](const Computing& one) { return !one.ended(); });
}

void FlowGates::finish(RunResults& results) {
  const std::vector<Computation>& all = plan_.dependencies().computations;
  // One more than the begin in ps; 0: did not begin, or is in another process.
  std::vector<std::int64_t> begun(all.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Computing* const one = by_computation_[i];
    if (one != nullptr && one->begun()) begun[i] = one->began().count + 1;
  }
  AllReduce reduce(group_);
  reduce.add(begun);
  reduce.finish();
  for (std::size_t i = 0; i < all.size(); ++i) {
    ComputationResult out;
    out.id = static_cast<std::uint32_t>(i);
    out.host = all[i].host;
    out.entry = all[i].entry;
    const PicoSeconds start(begun[i] - 1);
    if (begun[i] != 0 && start <= results.sim_time) {
      out.start = start;
      if (start + all[i].time <= results.sim_time) out.end = start + all[i].time;
    }
    results.computations.push_back(out);
  }
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
                                    [&p](HostId host) { return p.is_here(host); },
                                    p.partitions.group());
                              });
}  // namespace

}  // namespace dcc::vp
