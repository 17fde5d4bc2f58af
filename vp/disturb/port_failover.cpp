#include "disturb/port_failover.h"

#include <memory>

#include "build/platform.h"
#include "build/ranks.h"
#include "traffic/direct_traffic.h"

namespace dcc::vp {

PortFailover::PortFailover(Platform& platform)
    : platform_(platform),
      outages_(platform.config, platform.topology),
      binding_(platform.config, platform.topology, platform.network.routing()),
      detection_(*platform.config.nic.port_failover.detection),
      comes_back_(platform.config.nic.port_failover.comes_back),
      due_(Event::calling<&PortFailover::check>(*this, kPortFailoverRank)) {}

void PortFailover::schedule(PicoSeconds after) {
  const PicoSeconds when = outages_.next_change(after, detection_);
  if (when < platform_.config.duration) platform_.scheduler.schedule_at(due_, when);
}

bool PortFailover::has_failed(HostId port) const {
  const PicoSeconds now = platform_.scheduler.now();
  return !(now < detection_) && outages_.is_down(port, now) &&
         outages_.is_down(port, now - detection_);
}

void PortFailover::check() {
  const PicoSeconds now = platform_.scheduler.now();
  const HostPorts& ports = platform_.topology.host_ports();
  for (const PlannedFlow& flow : platform_.plan.flows()) {
    const FlowSpec& spec = flow.spec;
    if (now < spec.start || !(now < spec.stop)) continue;
    if (FlowLedger::finished(platform_.ledger[spec.id])) continue;
    const bool failed = has_failed(spec.from) || has_failed(spec.to);
    if (!failed && !comes_back_) continue;
    FlowSpec other = spec;
    other.from = ports.host_of(spec.from);
    other.to = ports.host_of(spec.to);
    // If no port of the flow has failed, `other` keeps the time of the flow's start, and is
    // therefore bound to the ports that the flow had at its start.
    if (failed) other.start = now;
    binding_.bind(other);
    if (other.from == spec.from && other.to == spec.to) continue;
    // All other ports have failed as well, or the first ports have not been repaired.
    if (outages_.is_down(other.from, now) || outages_.is_down(other.to, now)) continue;
    move(flow, other);
  }
  schedule(now);
}

void PortFailover::move(const PlannedFlow& flow, const FlowSpec& to) {
  platform_.nic_of(flow.spec.from).destroy_queue_pair(flow.from_qpn);
  platform_.nic_of(flow.spec.to).destroy_queue_pair(flow.to_qpn);
  platform_.plan.move(flow.spec.id, to.from, to.to);  // `flow` has the new ends from here on
  for (const bool sender : {false, true}) {
    NicDevice& nic = platform_.nic_of(sender ? flow.spec.from : flow.spec.to);
    const Qpn qpn = sender ? flow.from_qpn : flow.to_qpn;
    nic.create_queue_pair(qpn, FlowPlan::queue_pair(flow, sender));
    nic.connect_queue_pair(qpn);
  }
  FlowRecord& record = platform_.ledger[flow.spec.id];
  if (record.posted == PicoSeconds::max()) return;  // the flow still waits for its gate
  NicDevice& nic = platform_.nic_of(flow.spec.from);
  // The receiver tells what has arrived, so those bytes count as acknowledged. Services without
  // acknowledgements repeat nothing.
  if (is_reliable(flow.spec.service) && record.received_bytes > record.acked_bytes) {
    nic.transmitter().acknowledged(flow.spec.id, record.received_bytes - record.acked_bytes);
  }
  if (FlowLedger::finished(record)) return;
  record.posted_bytes = record.acked_bytes;
  post_rest(nic, flow, record.acked_bytes);
}

namespace {
const PartKind kPortFailoverKind(PartKind::kPortFailover, [](Platform& p) {
  const bool wanted = p.config.nic.port_failover.detection.has_value() &&
                      p.topology.host_ports().several() &&
                      !PortOutages(p.config, p.topology).empty();
  return wanted ? std::make_unique<PortFailover>(p) : nullptr;
});
}  // namespace

}  // namespace dcc::vp
