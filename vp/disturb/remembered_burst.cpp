#include "disturb/remembered_burst.h"

#include <algorithm>

#include "sim/random.h"

namespace dcc::vp {

bool RoundState::is_like(const RoundState& other) const {
  return std::equal(gates.begin(), gates.end(), other.gates.begin(), other.gates.end(),
                    [](const FlowGates::Due& a, const FlowGates::Due& b) {
                      return a.at == b.at && a.flow == b.flow;
                    });
}

FlowRecord RememberedBurst::Flow::record_at(PicoSeconds from, Bytes bytes) const {
  FlowRecord record;
  record.posted = from + begin;
  record.last_received = from + received;
  record.last_ack = from + sent;
  record.target_bytes = record.posted_bytes = record.acked_bytes = record.received_bytes = bytes;
  record.sent_wire_bits = wire_bits;
  record.packets = packets;
  record.ce_received = ce;
  record.cnps_sent = cnps;
  return record;
}

std::optional<RememberedBurst> RememberedBurst::of(const std::vector<std::uint32_t>& flows,
                                                   const FlowLedger& ledger, PicoSeconds from) {
  RememberedBurst burst;
  for (const std::uint32_t id : flows) {
    const FlowRecord& record = ledger[id];
    if (record.retransmits != 0) return std::nullopt;
    Flow flow;
    flow.id = id;
    flow.begin = record.posted - from;
    flow.received = record.last_received - from;
    flow.sent = record.last_ack - from;
    flow.wire_bits = record.sent_wire_bits;
    flow.packets = record.packets;
    flow.ce = record.ce_received;
    flow.cnps = record.cnps_sent;
    const auto index = static_cast<std::uint32_t>(burst.flows.size());
    burst.ends.push_back({flow.received, index, false});
    burst.ends.push_back({flow.sent, index, true});
    burst.flows.push_back(flow);
  }
  std::stable_sort(burst.ends.begin(), burst.ends.end(),
                   [](const End& a, const End& b) { return a.at < b.at; });
  for (std::uint32_t i = 0; i < burst.ends.size(); ++i) {
    Flow& flow = burst.flows[burst.ends[i].flow];
    (burst.ends[i].sent ? flow.sent_order : flow.received_order) = i;
  }
  return burst;
}

bool RememberedBurst::has_same_flows(const RememberedBurst& other, const FlowPlan& plan) const {
  return std::equal(flows.begin(), flows.end(), other.flows.begin(), other.flows.end(),
                    [&](const Flow& a, const Flow& b) {
                      return are_alike(plan.flow(a.id).spec, plan.flow(b.id).spec);
                    });
}

bool RememberedBurst::has_same_counts(const RememberedBurst& other) const {
  return std::equal(flows.begin(), flows.end(), other.flows.begin(),
                    [](const Flow& a, const Flow& b) {
                      return a.wire_bits == b.wire_bits && a.packets == b.packets && a.ce == b.ce &&
                             a.cnps == b.cnps;
                    });
}

bool are_alike(const FlowSpec& a, const FlowSpec& b) {
  return a.from == b.from && a.to == b.to && a.dscp == b.dscp && a.priority == b.priority &&
         a.background == b.background && a.bytes == b.bytes && a.message == b.message &&
         a.operation == b.operation && a.service == b.service &&
         a.rate.bits_per_second == b.rate.bits_per_second &&
         a.initial_rate.bits_per_second == b.initial_rate.bits_per_second;
}

std::uint64_t hash_of(const FlowSpec& flow) {
  std::uint64_t hash = mix64(std::uint64_t{flow.from} << 32 | flow.to);
  for (const std::int64_t part :
       {static_cast<std::int64_t>(flow.dscp << 8 | flow.priority), flow.bytes, flow.message,
        static_cast<std::int64_t>(flow.rate.bits_per_second),
        static_cast<std::int64_t>(flow.initial_rate.bits_per_second)}) {
    hash = mix64(hash ^ static_cast<std::uint64_t>(part));
  }
  return hash;
}

BurstMatch::BurstMatch(const RememberedBurst& burst, const FlowPlan& plan, const FlowGates& gates,
                       PicoSeconds now)
    : burst_(burst), plan_(plan), from_(now), preview_(gates, now, *this) {
  flows_.reserve(burst.flows.size());
}

bool BurstMatch::matches() {
  return preview_.run(from_ + burst_.length) && flows_.size() == burst_.flows.size();
}

bool BurstMatch::begins(const PlannedFlow& flow, PicoSeconds at) {
  if (flows_.size() == burst_.flows.size()) return false;
  // The gates behind the last held round are not complete.
  const RepeatedRounds* const rounds = plan_.rounds();
  if (rounds != nullptr && rounds->left() != 0 &&
      flow.spec.id >= (rounds->held() - 1) * rounds->flows_each()) {
    return false;
  }
  const RememberedBurst::Flow& then = burst_.flows[flows_.size()];
  const PlannedFlow& like = plan_.flow(then.id);
  if (at - from_ != then.begin || !are_alike(flow.spec, like.spec)) return false;
  if (!same_places(flow.from_qpn, flow.spec.from, like.from_qpn) ||
      !same_places(flow.to_qpn, flow.spec.to, like.to_qpn)) {
    return false;
  }
  flows_.push_back(flow.spec.id);
  preview_.ends(flow.spec.id, from_ + then.received, then.received_order, from_ + then.sent,
                then.sent_order);
  return true;
}

/// Queue pairs of a host that are ready at the same time send in the order of their numbers.
bool BurstMatch::same_places(Qpn now, HostId host, Qpn then) {
  const auto [at, added] = further_.try_emplace(host, now - then);
  return added || at->second == now - then;
}

}  // namespace dcc::vp
