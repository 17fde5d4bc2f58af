#include "traffic/flow_plan.h"

#include <algorithm>
#include <utility>

#include "software/qos_links.h"
#include "traffic/waiting_for_acks.h"

namespace dcc::vp {

FlowPlan::FlowPlan(const std::vector<FlowSpec>& flows, const std::vector<FlowSpec>& links,
                   const Routing& routing, unsigned hosts, const PacketSizes& sizes,
                   Dependencies dependencies)
    : routing_(&routing), sizes_(sizes), dependencies_(std::move(dependencies)), ends_(hosts) {
  for (const FlowSpec& spec : flows) {
    totals_.add(spec);
    flows_.push_back(plan(spec));
  }
  for (const FlowSpec& spec : links) links_.push_back(plan(spec));
  if (dependencies_.any()) released_.assign(flows_.size(), 0);
}

FlowPlan::FlowPlan(FlowOrigin origin, FlowTotals totals, const Routing& routing, unsigned hosts,
                   const PacketSizes& sizes)
    : origin_(std::move(origin)),
      routing_(&routing),
      sizes_(sizes),
      totals_(std::move(totals)),
      ends_(hosts) {}

FlowPlan::FlowPlan(RepeatedRounds rounds, const Routing& routing, unsigned hosts,
                   const PacketSizes& sizes)
    : routing_(&routing), sizes_(sizes), rounds_(std::move(rounds)), ends_(hosts) {
  const std::uint64_t all = rounds_->rounds();
  for (const FlowSpec& spec : rounds_->round(1)) totals_.add(spec);
  totals_.flows = rounds_->flows();
  totals_.bytes *= static_cast<Bytes>(all);
  for (std::uint32_t& flows : totals_.received_by) {
    flows = static_cast<std::uint32_t>(std::min<std::uint64_t>(flows * all, ~std::uint32_t{0}));
  }
  for (std::size_t held = 0; held < rounds_->held(); ++held) {
    for (const FlowSpec& spec : rounds_->round(held)) flows_.push_back(plan(spec));
  }
}

void FlowPlan::add_round() {
  const std::size_t before = flows_.size();
  const std::size_t after = before + rounds_->flows_each();
  if (before / kFlowsBetweenChecks != after / kFlowsBetweenChecks) {
    EntryCounts entries;
    entries.add(flows_[0].spec.entry);
    check_held(after, entries);
    require_memory(kFlowsBetweenChecks, kHeldFlowBytes, "more flows of rounds that differ",
                   available_memory(), entries);
  }
  rounds_->hold();
  for (const FlowSpec& spec : rounds_->round(rounds_->held() - 1)) flows_.push_back(plan(spec));
}

FlowPlan::Walk::Walk(const FlowPlan& plan) : plan_(plan) {
  if (plan.is_held()) return;
  stream_ = std::make_unique<FlowStream>(plan.origin_->traffic, plan.origin_->context);
  queue_pairs_.assign(plan.ends_.size(), kFirstQpn);
}

bool FlowPlan::Walk::next(PlannedFlow& flow) {
  if (stream_ == nullptr) {
    if (next_ == plan_.flows_.size()) return false;
    flow = plan_.flows_[next_++];
    return true;
  }
  if (!stream_->next(flow.spec)) return false;
  plan_.origin_->ports.bind(flow.spec);
  flow.from_qpn = queue_pairs_[flow.spec.from]++;
  flow.to_qpn = queue_pairs_[flow.spec.to]++;
  flow.base_rtt = plan_.base_rtt(flow.spec);
  return true;
}

void FlowTotals::add(const FlowSpec& flow) {
  ++flows;
  bytes += flow.bytes;
  endless = endless || flow.bytes == 0;
  dscps.set(flow.dscp);
  if (flow.to >= received_by.size()) received_by.resize(flow.to + 1);
  ++received_by[flow.to];
}

PlannedFlow FlowPlan::plan(const FlowSpec& spec) {
  PlannedFlow flow;
  flow.spec = spec;
  flow.from_qpn = queue_pairs(spec.from);
  ends_[spec.from].push_back({spec.id, true});
  flow.to_qpn = queue_pairs(spec.to);
  ends_[spec.to].push_back({spec.id, false});
  flow.base_rtt = base_rtt(spec);
  return flow;
}

void FlowPlan::move(std::uint32_t flow, HostId from, HostId to) {
  FlowSpec spec = flows_[flow].spec;
  spec.from = from;
  spec.to = to;
  flows_[flow] = plan(spec);
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

/// The planned end of a queue pair; null if software created a queue pair that is not in the plan.
const FlowPlan::End* FlowPlan::find(HostId host, Qpn qpn) const {
  if (qpn < kFirstQpn || qpn - kFirstQpn >= ends_[host].size()) return nullptr;
  return &ends_[host][qpn - kFirstQpn];
}

QueuePairConfig FlowPlan::queue_pair(HostId host, Qpn qpn) const {
  const End& end = *find(host, qpn);
  return queue_pair(flow(end.flow), end.sender);
}

QueuePairConfig FlowPlan::queue_pair(const PlannedFlow& flow, bool sender) {
  QueuePairConfig config;
  config.remote_host = sender ? flow.spec.to : flow.spec.from;
  config.remote_qpn = sender ? flow.to_qpn : flow.from_qpn;
  config.flow = flow.spec.id;
  config.dscp = flow.spec.dscp;
  config.priority = flow.spec.priority;
  config.service = flow.spec.service;
  config.ee_context = flow.spec.ee_context;
  config.rd_domain = flow.spec.rd_domain;
  config.ecn_capable = !flow.spec.background;
  // A host that others read from sends data, too.
  config.governed = (sender || expects_response(flow.spec.operation)) && !flow.spec.background;
  if (flow.spec.rate.bits_per_second != 0) config.rate_cap = Rate::from(flow.spec.rate);
  if (flow.spec.initial_rate.bits_per_second != 0) {
    config.initial_rate = Rate::from(flow.spec.initial_rate);
  }
  config.base_rtt = flow.base_rtt;
  config.bytes = flow.spec.bytes;
  if (sender && flow.spec.deadline) config.deadline = flow.spec.start + *flow.spec.deadline;
  return config;
}

const FlowPlan::End* FlowPlan::find(HostId host, Qpn qpn, const QueuePairConfig& registers) const {
  const End* const end = find(host, qpn);
  if (end == nullptr) return nullptr;
  const QueuePairConfig planned = queue_pair(host, qpn);
  if (planned.service != registers.service) return nullptr;
  const bool same =
      planned.remote_host == registers.remote_host && planned.remote_qpn == registers.remote_qpn;
  // A datagram names its destination in the work request, so any destination fits.
  return same || planned.service == Service::kUd ? end : nullptr;
}

std::uint32_t FlowPlan::flow_of(HostId host, Qpn qpn) const {
  const End* const end = find(host, qpn);
  return end != nullptr ? end->flow : unplanned_flow(host);
}

QueuePairIdentity FlowPlan::identify(HostId host, Qpn qpn, const QueuePairConfig& registers) const {
  if (find(host, qpn, registers) == nullptr) {
    QueuePairIdentity identity;
    identity.flow = unplanned_flow(host);
    if (has_host(registers.remote_host)) {
      const HostId peer = registers.remote_host;
      identity.base_rtt =
          routing_->base_rtt(host, peer, sizes_.full_between(host, peer), sizes_.ack);
    }
    identity.waits_for_peer = false;
    return identity;
  }
  const QueuePairConfig config = queue_pair(host, qpn);
  return {config};
}

void FlowPlan::created(HostId host, Qpn qpn, const QueuePairConfig& config) {
  const End* const end = find(host, qpn, config);
  connections_.created(host, qpn, config, end != nullptr, end != nullptr && end->sender);
}

bool holds_flows(const PlatformConfig& config) {
  for (HostId host = 0; host < static_cast<HostId>(config.topology.host_count()); ++host) {
    if (config.host_of(host).driver != DriverKind::kNone) return true;
  }
  for (const TrafficSpec& spec : config.traffic) {
    // The plan must hold the flows of an entry with gates, because flows wait for each other, and
    // of an entry with new_dscp or guarantee, because the change of class or the subnet manager
    // looks its flows up.
    if (spec.has_gates() || spec.new_dscp || spec.guarantee) return true;
  }
  // If a port fails, PortFailover looks its flows up in the plan.
  if (config.nic.port_failover.detection && config.topology.host_ports().several()) return true;
  return config.fast_forward.enabled || config.qos.manager || config.output.trace.any() ||
         config.output.digest.every;
}

void check_waiting_traces(const PlatformConfig& config, const TrafficContext& context) {
  for (std::size_t i = 0; i < config.traffic.size(); ++i) {
    const TrafficSpec& spec = config.traffic[i];
    if (spec.pattern != TrafficPattern::kTrace || !context.traces->at(spec.file).waits) continue;
    const std::string waiting =
        "traffic." + std::to_string(i) + ".file: lines of " + spec.file + " wait for others: ";
    for (HostId host = 0; host < context.hosts; ++host) {
      if (config.host_of(host).driver == DriverKind::kNone) continue;
      throw TrafficError(waiting +
                         "the platform starts them, so every host has driver: none, and host " +
                         std::to_string(host) + " has another one");
    }
    if (config.fast_forward.enabled) {
      throw TrafficError(waiting +
                         "they begin at unknown times, which does not go with fast_forward");
    }
  }
}

void check_held(std::size_t flows, const EntryCounts& entries) {
  if (flows <= kMaxHeldFlows) return;
  throw TrafficError(
      entries.largest() + ": more than " + std::to_string(kMaxHeldFlows) +
      " flows in a run that must hold them all (software, queries down a tree, "
      "collectives, flows that wait, traces, digests, a prompt or debugger, several processes)");
}

TrafficContext traffic_context(const PlatformConfig& config, const Topology& topology) {
  TrafficContext context;
  context.hosts = static_cast<unsigned>(topology.user_hosts());
  context.seed = config.seed;
  context.end = config.duration;
  context.link_rate = [&topology](HostId host) {
    const HostPorts& ports = topology.host_ports();
    BitRate sum;
    for (HostId i = 0; i < ports.ports_of(host); ++i) {
      const NodeId node = topology.node_of(ports.first_port(host) + i);
      sum = BitRate(sum.bits_per_second + topology.link(node, 0).rate.bits_per_second);
    }
    return sum;
  };
  for (unsigned dscp = 0; dscp < 64; ++dscp) {
    context.priority_of_dscp[dscp] = static_cast<std::uint8_t>(config.dscp_of(dscp).priority);
  }
  return context;
}

void check_ends(const PlatformConfig& config, const FlowSpec& flow, const HostPorts& ports) {
  const auto name = [&ports](HostId end) { return "host " + std::to_string(ports.host_of(end)); };
  const TransportChoice& from = config.transport_of(flow.from);
  const TransportChoice& to = config.transport_of(flow.to);
  const auto refuse = [&flow](const std::string& why) {
    throw TrafficError("traffic." + std::to_string(flow.entry) + ": " + why);
  };
  if (&from != &to && from.name() != to.name()) {
    refuse(name(flow.from) + " has transport " + from.name() + ", " + name(flow.to) + " has " +
           to.name() + " (nics): both ends of a flow need the same");
  }
  const std::uint32_t mtu = config.path_mtu(flow.from, flow.to);
  if (flow.service == Service::kUd && flow.message > static_cast<Bytes>(mtu)) {
    refuse("a datagram is one packet: at most " + std::to_string(mtu) + "B between " +
           name(flow.from) + " and " + name(flow.to) + " (nics, mtu), not " +
           std::to_string(flow.message) + "B");
  }
  if (from.chosen() == nullptr || from.chosen()->on_roce()) {
    const RecoveryParameters& sender = config.recovery_of(flow.from);
    const RecoveryParameters& receiver = config.recovery_of(flow.to);
    const unsigned sent = sender.reorder_window;
    const unsigned kept = receiver.reorder_window;
    const bool in_order = flow.service == Service::kRc && !expects_response(flow.operation);
    if (in_order && sender.is_selective() && receiver.is_selective() && sent > kept) {
      refuse(name(flow.from) + " sends " + std::to_string(sent) +
             " packets ahead (recovery.reorder_window), " + name(flow.to) + " keeps only " +
             std::to_string(kept) +
             " early ones: write a reorder_window at the sender that is not larger");
    }
    return;
  }
  if (flow.rate.bits_per_second != 0 || flow.initial_rate.bits_per_second != 0) {
    refuse("transport " + from.name() + " controls rates itself: remove rate and initial_rate");
  }
  if (flow.operation != Operation::kWrite || flow.service != Service::kRc) {
    refuse("transport " + from.name() + " carries messages, not RDMA's operations and services");
  }
}

std::optional<RepeatedRounds> repeated_rounds(const PlatformConfig& config,
                                              const TrafficContext& context,
                                              const Topology& topology) {
  // Flows of hosts with several ports take their ports in turn.
  if (topology.host_ports().several() || config.has_unlike_ends()) return std::nullopt;
  std::optional<RepeatedRounds> rounds = RepeatedRounds::of(config, context);
  if (rounds) {
    constexpr std::uint64_t kRoundBytes = 40;  // bytes of a round's times in the results
    EntryCounts entries;
    entries.add(0);
    require_memory(rounds->rounds(), kRoundBytes, "rounds", available_memory(), entries);
  }
  return rounds;
}

FlowPlan plan_flows(const PlatformConfig& config, const Topology& topology, const Routing& routing,
                    bool hold) {
  FlowOrigin origin{config.traffic, traffic_context(config, topology),
                    PortBinding(config, topology, routing)};
  const auto hosts = static_cast<unsigned>(topology.hosts());
  if (auto rounds = repeated_rounds(config, origin.context, topology)) {
    return FlowPlan(std::move(*rounds), routing, hosts, packet_sizes(config));
  }
  FlowTotals totals;
  EntryCounts entries;
  std::vector<FlowSpec> flows;
  bool few = true;
  const bool unlike = config.has_unlike_ends();
  FlowStream stream(origin.traffic, origin.context);
  hold = hold || stream.waits();
  StartsAtOnce at_once;
  for (FlowSpec flow; stream.next(flow);) {
    FlowSpec bound = flow;
    origin.ports.bind(bound);
    if (unlike) check_ends(config, bound, topology.host_ports());
    totals.add(bound);
    entries.add(flow.entry);
    if (!hold) at_once.add(flow);
    few = few && totals.flows <= kFewFlows;
    if (hold || few) {
      flows.push_back(flow);
    } else if (!flows.empty()) {
      flows = {};
    }
    if (hold) check_held(totals.flows, entries);
  }
  if (hold || config.output.flows == FlowOutput::kAll) check_memory(totals.flows, hold, entries);
  const PacketSizes sizes = packet_sizes(config);
  if (!hold && !few) return FlowPlan(std::move(origin), std::move(totals), routing, hosts, sizes);
  Dependencies dependencies;
  if (stream.waits()) {
    check_waiting_traces(config, origin.context);
    dependencies = resolve_dependencies(origin.traffic, origin.context, flows);
    check_waiting_for_acks(config, dependencies);
    // From here on, members called hosts contain ports.
    for (Dependencies::Gate& gate : dependencies.gates) {
      gate.host = origin.ports.first_port(gate.host);
    }
    for (Computation& one : dependencies.computations) {
      one.host = origin.ports.first_port(one.host);
    }
  }
  for (FlowSpec& flow : flows) origin.ports.bind(flow);
  return FlowPlan(flows, qos_links(config, flows), routing, hosts, sizes, std::move(dependencies));
}

}  // namespace dcc::vp
