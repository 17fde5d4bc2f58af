#include "traffic/gate_preview.h"

#include <algorithm>

namespace dcc::vp {

namespace {
PicoSeconds sum_or_never(PicoSeconds time, PicoSeconds by) {
  return by >= PicoSeconds::max() - time ? PicoSeconds::max() : time + by;
}
}  // namespace

GatePreview::GatePreview(const FlowGates& gates, PicoSeconds now, Course& course)
    : gates_(gates), course_(course), now_(now) {
  struct Scheduled {
    std::uint64_t ticket;
    const Gate* gate;
    const Computing* computing;
  };
  std::vector<Scheduled> all;
  for (const auto& [scheduler, counts] : gates.counts_) {
    for (const Gate* const one : counts.gates.all()) all.push_back({one->ticket_, one, nullptr});
    for (const Computing* const one : counts.computations.all()) {
      all.push_back({one->ticket_, nullptr, one});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Scheduled& a, const Scheduled& b) { return a.ticket < b.ticket; });
  for (const Scheduled& one : all) {
    // Copies the event of a gate or computation. The event of the gate that is opening now is not
    // scheduled; it was the first of all.
    const Event& event = one.gate != nullptr ? one.gate->event_ : one.computing->event_;
    const std::uint32_t rank = one.gate != nullptr ? one.gate->place_.rank : one.computing->rank_;
    const bool runs = !event.is_scheduled();
    push(runs ? now : event.due(), runs ? 0 : rank, one.gate, one.computing);
  }
}

void GatePreview::push(PicoSeconds at, std::uint32_t rank, const Gate* gate,
                       const Computing* computing) {
  if (at == PicoSeconds::max()) return;
  Item item;
  item.at = at;
  item.rank = rank;
  item.order = ++pushed_;
  item.gate = gate;
  item.computing = computing;
  agenda_.push(item);
}

void GatePreview::ends(std::uint32_t flow, PicoSeconds received, std::uint64_t order,
                       PicoSeconds sent, std::uint64_t sent_order) {
  const FlowRecord& record = gates_.ledger_[flow];
  Item item;
  if (record.awaited_by != nullptr) {
    item.at = received;
    item.order = order;
    item.told = record.awaited_by;
    agenda_.push(item);
  }
  const auto sender = gates_.sent_.find(gates_.plan_.flow(flow).spec.from);
  if (sender == gates_.sent_.end()) return;
  const auto found = sender->second.gates_.find(&record);
  if (found == sender->second.gates_.end()) return;
  for (ArrivalSink* const sink : found->second.sinks_) {
    item.at = sent;
    item.order = sent_order;
    item.told = sink;
    agenda_.push(item);
  }
}

bool GatePreview::run(PicoSeconds until) {
  while (!agenda_.empty() && agenda_.top().at < until) {
    const Item item = agenda_.top();
    agenda_.pop();
    now_ = item.at;
    if (item.told != nullptr) {
      tell(*item.told);
    } else if (item.computing != nullptr) {
      due(*item.computing);
    } else if (!open(*item.gate)) {
      return false;
    }
  }
  return true;
}

GatePreview::GateState& GatePreview::state_of(const Gate& gate) {
  const auto [at, added] = states_.try_emplace(&gate);
  if (added) {
    at->second = {gate.missing_, gate.opening_.is_told(), gate.opened_, gate.opening_.at,
                  gate.next_};
  }
  return at->second;
}

void GatePreview::tell(ArrivalSink& sink) {
  if (const auto* const opener = dynamic_cast<const Opener*>(&sink)) return told(opener->gate_);
  if (const auto* const fan = dynamic_cast<const Fan*>(&sink)) {
    for (ArrivalSink* const one : fan->sinks_) tell(*one);
  }
}

void GatePreview::told(const Gate& gate) {
  GateState& state = state_of(gate);
  if (state.told || (!gate.any_ && --state.missing != 0)) return;
  state.told = true;
  state.at = std::max(sum_or_never(now_, gate.delay_), gate.not_before_);
  if (gate.flows_.empty() && gate.computations_.empty() && gate.gates_.empty()) return;
  push(state.at, gate.place_.rank, &gate, nullptr);
}

bool GatePreview::open(const Gate& gate) {
  // references stay valid, since map nodes do not move
  GateState& state = state_of(gate);
  if (!state.opened) {
    state.opened = true;
    for (Opener* const opener : gate.gates_) tell(*opener);
    for (const Computing* const computing : gate.computations_) ready(*computing);
  }
  for (; state.next < gate.flows_.size(); ++state.next) {
    const PlannedFlow& flow = *gate.flows_[state.next];
    const PicoSeconds begins = sum_or_never(state.at, flow.spec.start - gate.origin_);
    if (begins > now_) {
      push(begins, gate.place_.rank, &gate, nullptr);
      return true;
    }
    if (now_ == flow.spec.start && gates_.plan_.dependencies().any()) return false;
    if (!course_.begins(flow, now_)) return false;
  }
  return true;
}

void GatePreview::ready(const Computing& computing) {
  PicoSeconds begins = now_;
  if (computing.about_.time.count > 0) {
    const auto [busy, added] =
        busy_until_.try_emplace(&computing.processor_, computing.processor_.busy_until);
    begins = std::max(begins, busy->second);
    busy->second = sum_or_never(begins, computing.about_.time);
  }
  begun_[&computing] = true;
  push(sum_or_never(begins, computing.about_.time), computing.rank_, nullptr, &computing);
}

void GatePreview::due(const Computing& computing) {
  const bool begun = computing.begun() || begun_.count(&computing) != 0;
  if (!begun) return ready(computing);
  for (Opener* const opener : computing.opens_) tell(*opener);
}

}  // namespace dcc::vp
