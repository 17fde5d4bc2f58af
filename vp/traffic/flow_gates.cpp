#include "traffic/flow_gates.h"

#include <algorithm>

#include "build/platform.h"
#include "build/ranks.h"
#include "parallel/all_reduce.h"
#include "traffic/direct_traffic.h"

namespace dcc::vp {

namespace {
/// Adds two times; returns max(), which means never, on overflow.
PicoSeconds later(PicoSeconds time, PicoSeconds by) {
  return by >= PicoSeconds::max() - time ? PicoSeconds::max() : time + by;
}
}  // namespace

void FlowGates::Opener::flow_arrived() { gate_.told(event_, source_); }

// ---------------------------------------------------------------- computations

void FlowGates::Computing::ready_at(PicoSeconds when) { schedule(when); }

void FlowGates::Computing::schedule(PicoSeconds when) {
  scheduler_.schedule_at(event_, when);
  counts_.computations.add(*this, ++counts_.tickets);
}

void FlowGates::Computing::ready() {
  PicoSeconds begins = scheduler_.now();
  if (about_.time.count > 0) {  // a computation that takes no time does not wait for its processor
    begins = std::max(begins, processor_.busy_until);
    processor_.busy_until = later(begins, about_.time);
  }
  began_ = begins;
  const PicoSeconds ends = later(begins, about_.time);
  if (ends != PicoSeconds::max()) schedule(ends);
}

void FlowGates::Computing::due() {
  counts_.computations.remove(*this);
  if (!begun()) return ready();
  --counts_.computations_left;
  for (Opener* const opener : opens_) opener->flow_arrived();
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

void FlowGates::Gate::told(GateOpening::Event event, std::uint32_t source) {
  if (opening_.is_told() || (!any_ && --missing_ != 0)) return;
  opening_ = {event, source, std::max(later(place_.scheduler.now(), delay_), not_before_)};
  if (flows_.empty() && computations_.empty() && gates_.empty()) return;
  if (opening_.at != PicoSeconds::max()) schedule(opening_.at);
}

void FlowGates::Gate::schedule(PicoSeconds when) {
  place_.scheduler.schedule_at(event_, when);
  counts_.gates.add(*this, ++counts_.tickets);
}

void FlowGates::Gate::postpone(PicoSeconds by) {
  opening_.at = opening_.at + by;
  schedule(event_.due() + by);
}

void FlowGates::Gate::open() {
  const PicoSeconds now = place_.scheduler.now();
  if (!opened_) {
    opened_ = true;
    for (Opener* const opener : gates_) opener->flow_arrived();
    for (Computing* const computation : computations_) computation->ready();
  }
  for (; next_ < flows_.size(); ++next_) {
    const PicoSeconds begins = later(opening_.at, flows_[next_]->spec.start - origin_);
    if (begins > now) {
      if (begins == PicoSeconds::max()) break;
      schedule(begins);
      return;
    }
    begin(*flows_[next_]);
  }
  counts_.gates.remove(*this);
}

/// Begins a flow of the gate. The queue pairs of a flow exist from its `start` on; they are made
/// after all events of NICs.
void FlowGates::Gate::begin(const PlannedFlow& flow) {
  counts_.begun.push_back(flow.spec.id);
  if (place_.scheduler.now() == flow.spec.start && plan_.dependencies().any()) {
    plan_.release(flow.spec.id);
  } else if (counts_.memory == nullptr || !counts_.memory->begins(flow, true)) {
    // The flow may use another port of the gate's host.
    const bool here = place_.nic.parameters().host == flow.spec.from;
    post_flow(here ? place_.nic : (*counts_.place_of)(flow.spec.from).nic, flow);
  }
}

// ---------------------------------------------------------------- all gates and computations

FlowGates::FlowGates(Platform& p)
    : plan_(p.plan),
      ledger_(p.ledger),
      place_of_([&p](HostId host) -> Place {
        return {p.partitions.scheduler_of(p.topology.node_of(host)), p.nic_of(host),
                kNicRank + host};
      }),
      is_here_([&p](HostId host) { return p.is_here(host); }),
      host_ports_(p.topology.host_ports()),
      group_(p.partitions.group()) {
  if (!plan_.is_held()) return;  // a plan that does not hold flows has no flow that waits
  add_computations();
  for (const PlannedFlow& flow : plan_.flows()) add_flow(flow);
  for (Gate& one : gates_) one.sort_flows();
  add_named();
}

void FlowGates::add_flow(const PlannedFlow& flow) {
  const FlowSpec& spec = flow.spec;
  if (spec.opens != FlowSpec::kNone && is_here_(spec.to)) {
    Gate& opened = gate(spec.opens, spec.to);
    opened.add_opener();
    add_arrival(ledger_[spec.id], opener(opened, GateOpening::Event::kReceived, spec.id));
  }
  if (spec.is_gated() && is_here_(spec.from)) gate(spec.waits_at, spec.from).add_flow(flow);
}

void FlowGates::add_flows(std::size_t first) {
  const std::deque<PlannedFlow>& flows = plan_.flows();
  for (std::size_t i = first; i < flows.size(); ++i) add_flow(flows[i]);
  for (std::size_t i = first; i < flows.size(); ++i) {
    const FlowSpec& spec = flows[i].spec;
    if (spec.is_gated() && is_here_(spec.from)) gate(spec.waits_at, spec.from).sort_flows();
  }
}

std::vector<FlowGates::Gate*> FlowGates::scheduled() const {
  std::vector<Gate*> all;
  for (const auto& [scheduler, counts] : counts_) {
    all.insert(all.end(), counts.gates.all().begin(), counts.gates.all().end());
  }
  std::sort(all.begin(), all.end(),
            [](const Gate* a, const Gate* b) { return a->ticket_ < b->ticket_; });
  return all;
}

std::vector<FlowGates::Due> FlowGates::due() const {
  struct Turn {
    Due due;
    bool opens_now;
    std::uint32_t rank;
  };
  std::vector<Turn> turns;
  for (const auto& [scheduler, counts] : counts_) {
    if (!counts.computations.all().empty()) return {};
  }
  for (const Gate* const gate : scheduled()) {
    if (gate->next_ == gate->flows_.size()) return {};
    const bool opens_now = !gate->event_.is_scheduled();
    const PicoSeconds at = opens_now ? gate->place_.scheduler.now() : gate->event_.due();
    turns.push_back({{at, gate->flows_[gate->next_]->spec.id}, opens_now, gate->place_.rank});
  }
  std::stable_sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
    if (a.opens_now != b.opens_now) return a.opens_now;
    return a.due.at != b.due.at ? a.due.at < b.due.at : a.rank < b.rank;
  });
  std::vector<Due> all;
  all.reserve(turns.size());
  for (const Turn& turn : turns) all.push_back(turn.due);
  return all;
}

void FlowGates::postpone(PicoSeconds by) {
  quiet_until_ = PicoSeconds::max();
  for (Gate* const gate : scheduled()) {
    gate->postpone(by);
    quiet_until_ = std::min(quiet_until_, gate->event_.due());
  }
}

FlowGates::Gate& FlowGates::gate(std::uint32_t number, HostId host) {
  Gate*& found = by_number_[number];
  if (found == nullptr) {
    const Place place = place_of_(host);
    Counts& counts = counts_[&place.scheduler];
    counts.place_of = &place_of_;
    found = &gates_.emplace_back(plan_, place, counts);
  }
  return *found;
}

/// Adds a gate to a flow record, which tells one listener of the flow's end; a Fan passes the news
/// on to several gates.
void FlowGates::add_arrival(FlowRecord& record, ArrivalSink& gate) {
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
    const Place place = place_of_(one.host);
    Counts& counts = counts_[&place.scheduler];
    ++counts.computations_left;
    Computing& made =
        computings_.emplace_back(one, place, processors_[{one.host, one.processor}], counts);
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
  // Finds a gate by number. If the gate is in another process, its opener is in that process, too.
  const auto find = [this](std::uint32_t number) {
    const auto found = by_number_.find(number);
    return found == by_number_.end() ? nullptr : found->second;
  };
  for (const Dependencies::Edge& edge : named.received) {
    Gate* const opened = find(edge.gate);
    if (opened == nullptr) continue;
    add_arrival(ledger_[edge.source], opener(*opened, GateOpening::Event::kReceived, edge.source));
  }
  for (const Dependencies::Edge& edge : named.sent) {
    Gate* const opened = find(edge.gate);
    if (opened == nullptr) continue;
    const HostId from = plan_.flow(edge.source).spec.from;
    Sent& sent = sent_[from];
    sent.add(ledger_[edge.source], opener(*opened, GateOpening::Event::kSent, edge.source));
    place_of_(from).nic.transmitter().requester().tell_finished(&sent);
  }
  for (const Dependencies::Edge& edge : named.computed) {
    Computing* const computation = by_computation_[edge.source];
    Gate* const opened = find(edge.gate);
    if (computation == nullptr || opened == nullptr) continue;
    computation->add_opener(opener(*opened, GateOpening::Event::kComputed, edge.source));
  }
  for (const Dependencies::Edge& edge : named.joined) {
    Gate* const first = find(edge.source);
    Gate* const then = find(edge.gate);
    if (first == nullptr || then == nullptr) continue;
    first->add_gate(opener(*then, GateOpening::Event::kGate, edge.source));
    // gates of flows that wait by name know their number of openers already
    if (edge.gate < named.first) then->add_opener();
  }
}

void FlowGates::begin() {
  for (Computing& one : computings_) {
    if (one.about().waits_at == FlowSpec::kNone) one.ready_at(one.about().start);
  }
}

std::int64_t FlowGates::computations_left() const {
  std::int64_t left = 0;
  for (const auto& [scheduler, counts] : counts_) left += counts.computations_left;
  return left;
}

void FlowGates::take_begun(std::vector<std::uint32_t>& flows) {
  for (auto& [scheduler, counts] : counts_) {
    flows.insert(flows.end(), counts.begun.begin(), counts.begun.end());
    counts.begun.clear();
  }
}

void FlowGates::finish(RunResults& results) {
  const Dependencies& named = plan_.dependencies();
  const std::vector<Computation>& all = named.computations;
  // Begin of each computation in ps plus one; 0: it did not begin, or is in another process.
  std::vector<std::int64_t> begun(all.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Computing* const one = by_computation_[i];
    if (one != nullptr && one->begun() && one->began() <= results.sim_time) {
      begun[i] = one->began().count + 1;
    }
  }
  // Event and source that opened each gate, both plus one; 0: none, or another process.
  const std::size_t gates = named.any() ? named.first + named.gates.size() : 0;
  std::vector<std::int64_t> opened_by(gates, 0), opened_at(gates, 0);
  for (const auto& [number, gate] : by_number_) {
    const GateOpening& opening = gate->opening();
    if (number >= gates || !opening.is_told()) continue;
    opened_by[number] = std::int64_t{opening.source} * 4 + static_cast<int>(opening.event) + 1;
    opened_at[number] = opening.at.count;
  }
  AllReduce reduce(group_);
  reduce.add(begun);
  reduce.add(opened_by);
  reduce.add(opened_at);
  reduce.finish();
  openings_.assign(gates, {});
  for (std::size_t i = 0; i < gates; ++i) {
    if (opened_by[i] == 0) continue;
    openings_[i] = {static_cast<GateOpening::Event>((opened_by[i] - 1) % 4),
                    static_cast<std::uint32_t>((opened_by[i] - 1) / 4), PicoSeconds(opened_at[i])};
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    ComputationResult out;
    out.id = static_cast<std::uint32_t>(i);
    out.host = host_ports_.host_of(all[i].host);
    out.entry = all[i].entry;
    const PicoSeconds start(begun[i] - 1);
    if (begun[i] != 0) {
      out.start = start;
      const PicoSeconds end = later(start, all[i].time);
      if (end <= results.sim_time) out.end = end;
    }
    results.computations.push_back(out);
  }
}

namespace {
const PartKind kFlowGatesKind(PartKind::kFlowGates,
                              [](Platform& p) { return std::make_unique<FlowGates>(p); });
}  // namespace

}  // namespace dcc::vp
