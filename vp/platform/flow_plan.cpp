#include "platform/flow_plan.h"

#include "platform/qos_links.h"
#include "traffic/traffic_expander.h"

namespace dcc::vp {

FlowPlan::FlowPlan(const std::vector<FlowSpec>& flows, const std::vector<FlowSpec>& links,
                   const Routing& routing, unsigned hosts, const PacketSizes& sizes)
    : ends_(hosts) {
  flows_.reserve(flows.size());
  for (const FlowSpec& spec : flows) flows_.push_back(plan(spec, routing, sizes));
  for (const FlowSpec& spec : links) links_.push_back(plan(spec, routing, sizes));
}

PlannedFlow FlowPlan::plan(const FlowSpec& spec, const Routing& routing, const PacketSizes& sizes) {
  PlannedFlow flow;
  flow.spec = spec;
  flow.from_qpn = queue_pairs(spec.from);
  ends_[spec.from].push_back({spec.id, true, false});
  flow.to_qpn = queue_pairs(spec.to);
  ends_[spec.to].push_back({spec.id, false, false});
  flow.base_rtt = routing.base_rtt(spec.from, spec.to, sizes.full, sizes.ack);
  return flow;
}

std::vector<std::uint32_t> FlowPlan::ends_of(HostId host, bool sender) const {
  std::vector<std::uint32_t> ids;
  for (const End& end : ends_[host]) {
    if (end.sender == sender && end.flow < flows_.size()) ids.push_back(end.flow);
  }
  return ids;
}

std::vector<std::uint32_t> FlowPlan::sent_by(HostId host) const { return ends_of(host, true); }

std::vector<std::uint32_t> FlowPlan::received_by(HostId host) const { return ends_of(host, false); }

std::vector<std::uint32_t> FlowPlan::links_of(HostId host) const {
  std::vector<std::uint32_t> ids;
  for (const End& end : ends_[host]) {
    if (end.flow >= flows_.size()) ids.push_back(end.flow);
  }
  return ids;
}

/// Null: software made a queue pair that nobody planned.
const FlowPlan::End* FlowPlan::find(HostId host, Qpn qpn) const {
  if (qpn < kFirstQpn || qpn - kFirstQpn >= ends_[host].size()) return nullptr;
  return &ends_[host][qpn - kFirstQpn];
}

QueuePairConfig FlowPlan::queue_pair(HostId host, Qpn qpn) const {
  const End& end = *find(host, qpn);
  const PlannedFlow& flow = this->flow(end.flow);
  QueuePairConfig config;
  config.remote_host = end.sender ? flow.spec.to : flow.spec.from;
  config.remote_qpn = end.sender ? flow.to_qpn : flow.from_qpn;
  config.flow = end.flow;
  config.dscp = flow.spec.dscp;
  config.priority = flow.spec.priority;
  config.service = flow.spec.service;
  config.ecn_capable = !flow.spec.background;
  // Who is read from sends, too.
  config.governed = (end.sender || is_answered(flow.spec.operation)) && !flow.spec.background;
  if (flow.spec.rate.bits_per_second != 0) config.rate_cap = Rate::from(flow.spec.rate);
  if (flow.spec.initial_rate.bits_per_second != 0) {
    config.initial_rate = Rate::from(flow.spec.initial_rate);
  }
  config.base_rtt = flow.base_rtt;
  config.bytes = flow.spec.bytes;
  if (end.sender && flow.spec.deadline) config.deadline = flow.spec.start + *flow.spec.deadline;
  return config;
}

QueuePairIdentity FlowPlan::identify(HostId host, Qpn qpn) const {
  if (find(host, qpn) == nullptr) return {};
  const QueuePairConfig config = queue_pair(host, qpn);
  return {config.flow,         config.ecn_capable, config.governed, config.rate_cap,
          config.initial_rate, config.base_rtt,    config.bytes,    config.deadline};
}

void FlowPlan::created(HostId host, Qpn qpn, HostId, Qpn) {
  End* const end = find(host, qpn);
  if (end == nullptr) return;
  end->created = true;
  const PlannedFlow& flow = this->flow(end->flow);
  if (!find(flow.spec.from, flow.from_qpn)->created) return;
  if (!find(flow.spec.to, flow.to_qpn)->created) return;
  connect_(flow.spec.from, flow.from_qpn);
  connect_(flow.spec.to, flow.to_qpn);
}

void FlowPlan::destroyed(HostId host, Qpn qpn) {
  if (End* const end = find(host, qpn)) end->created = false;
}

FlowPlan plan_flows(const PlatformConfig& config, const Topology& topology,
                    const Routing& routing) {
  TrafficContext context;
  context.hosts = static_cast<unsigned>(topology.hosts());
  context.seed = config.seed;
  context.link_rate = [&topology](HostId host) {
    return topology.link(topology.node_of(host), 0).rate;
  };
  for (unsigned dscp = 0; dscp < 64; ++dscp) {
    context.priority_of_dscp[dscp] = static_cast<std::uint8_t>(config.dscp_of(dscp).priority);
  }
  const std::vector<FlowSpec> flows = expand_traffic(config.traffic, context);
  return FlowPlan(flows, qos_links(config, flows), routing, context.hosts, packet_sizes(config));
}

}  // namespace dcc::vp
