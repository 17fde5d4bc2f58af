#include "platform/translate.h"

#include <algorithm>
#include <map>
#include <string>

#include "cc/dcc.h"
#include "driver/dcc_tables.h"
#include "net/wire_size.h"

namespace dcc::vp {

Topology make_topology(const TopologyConfig& config) {
  switch (config.kind) {
    case TopologyKind::kStar:
      return Topology::star(static_cast<int>(config.hosts), config.link);
    case TopologyKind::kParkingLot: {
      std::vector<int> hosts(config.hosts_per_switch.begin(), config.hosts_per_switch.end());
      return Topology::parking_lot(hosts, config.link, config.fabric_link);
    }
    case TopologyKind::kFatTree:
      return Topology::fat_tree(config.fat_tree());
    case TopologyKind::kLeafSpine:
      return Topology::leaf_spine(config.leaf_spine);
    case TopologyKind::kRail:
      return Topology::rail(config.rail);
    case TopologyKind::kTorus:
      return Topology::torus(config.torus);
    case TopologyKind::kDragonfly:
      return Topology::dragonfly(config.dragonfly);
    case TopologyKind::kCustom:
      break;
  }
  Topology topology;
  std::map<std::string, NodeId> node_of;
  for (const NodeConfig& node : config.nodes) {
    node_of[node.name] = node.kind == NodeKind::kHost ? topology.add_host(node.name)
                                                      : topology.add_switch(node.name);
  }
  for (const CableConfig& cable : config.links) {
    topology.connect(node_of.at(cable.from), node_of.at(cable.to), cable.link);
  }
  topology.check_connected();
  return topology;
}

SwitchParameters switch_parameters(const PlatformConfig& config) {
  SwitchParameters to = config.switch_;
  to.largest_packet = roce::data_wire_bytes(config.nic.mtu, true, true);
  to.routing.presto.mtu = config.nic.mtu;
  const AlgorithmParameters* const algorithm = config.nic.congestion_control.chosen();
  if (algorithm != nullptr) algorithm->ask_switch(to);
  return to;
}

NicParameters nic_parameters(const PlatformConfig& config, HostId host,
                             const LinkParameters& link) {
  NicParameters to = config.nic;
  to.host = host;
  to.line_rate = link.rate;
  to.link_overhead = link.overhead;
  return to;
}

namespace {
/// An additive step for this network: one for all hosts, since flows that meet must add alike.
BitRate step(const PlatformConfig& config, const std::optional<BitRate>& reference,
             BitRate configured) {
  if (!reference) return configured;
  const Uint128 slowest = config.topology.slowest_link().bits_per_second;
  const Uint128 wanted = reference->bits_per_second;
  Uint128 scaled = Uint128(configured.bits_per_second) * slowest * slowest / (wanted * wanted);
  if (slowest < wanted) scaled = scaled * slowest / wanted;
  constexpr Uint128 kMost = 10'000'000'000'000;  // beyond any link
  return BitRate(static_cast<std::uint64_t>(std::min(scaled, kMost)));
}

/// The closed loop's manager starts from one flow a tenant, and so do the tables.
const Ratio& initial_weight(const PlatformConfig& config, const DscpConfig& entitled) {
  if (config.qos.manager && !entitled.tenant.empty()) {
    for (const TenantConfig& tenant : config.tenants) {
      if (tenant.name == entitled.tenant) return tenant.weight;
    }
  }
  return entitled.weight;
}
}  // namespace

dcc_config controller_programme(const PlatformConfig& config, BitRate line_rate) {
  const auto& from = config.nic.congestion_control.of<DccParameters>("dcc");
  const PicoSeconds tick = config.nic.controller.tick;
  const auto ticks = [&](PicoSeconds t) { return static_cast<std::uint32_t>(t / tick); };
  const std::uint32_t line = Rate::from(line_rate).raw;
  dcc_config to{};
  dcc_parameters& p = to.parameters;
  to.policy =
      from.policy == DccParameters::Policy::kDcqcn ? DCC_POLICY_DCQCN : DCC_POLICY_PROPORTIONAL;
  p.tick_div = static_cast<std::uint32_t>(tick / config.nic.controller.clock.cycles(1));
  p.timer_interval = ticks(from.increase_timer);
  to.byte_counter = from.byte_counter != 0 ? 1 : 0;
  p.byte_threshold = from.byte_counter != 0 ? static_cast<std::uint32_t>(from.byte_counter)
                                            : DCC_BYTE_THRESHOLD_VALUE_MAX;
  p.decrease_period = ticks(from.decrease_period);
  p.alpha_recip = dcc_alpha_recip(std::max(1u, ticks(from.alpha_timer)));
  p.f = from.f;
  p.g = static_cast<std::uint32_t>(from.g.to_fixed(16));
  p.mi = static_cast<std::uint32_t>(from.mi.to_fixed(16));
  p.r_ai = Rate::from(step(config, from.reference_rate, from.r_ai)).raw;
  p.r_hai = Rate::from(step(config, from.reference_rate, from.r_hai)).raw;
  p.r_min = Rate::from(from.r_min).raw;
  // A flow at its maximum gives its slot back, and its next CNP is a first one. Under the
  // proportional policy that cut is deep, and a heavy flow's fair share may be all of the link but
  // a percent: there the maximum lies above what the link carries.
  const bool headroom = from.policy == DccParameters::Policy::kProportional;
  p.r_max = from.r_max ? Rate::from(*from.r_max).raw : headroom ? line + line / 4 : line;
  p.initial_rate = from.initial_rate ? Rate::from(*from.initial_rate).raw : std::min(p.r_max, line);
  p.initial_alpha = static_cast<std::uint32_t>(from.initial_alpha.to_fixed(16));
  p.first_cut = static_cast<std::uint32_t>(from.first_cut.to_fixed(16));
  p.mark_shift =
      from.policy == DccParameters::Policy::kProportional ? DCC_PROPORTIONAL_MARK_SHIFT : 0;
  to.timer_restart = from.timer_restart ? 1 : 0;
  for (unsigned dscp = 0; dscp < DCC_DSCPS; ++dscp) {
    const DscpConfig& entitled = config.dscp_of(dscp);
    dcc_class& out = to.classes[dscp];
    out.weight_q8_8 = static_cast<std::uint16_t>(initial_weight(config, entitled).to_fixed(8));
    out.floor_q24_8 = entitled.min_rate ? Rate::from(*entitled.min_rate).raw : 0;
    out.ceiling_q24_8 = entitled.max_rate ? Rate::from(*entitled.max_rate).raw : 0xFFFFFFFFu;
  }
  return to;
}

namespace {
TrafficPattern pattern_of(TrafficKind kind) {
  switch (kind) {
    case TrafficKind::kFlow:
      return TrafficPattern::kFlow;
    case TrafficKind::kIncast:
      return TrafficPattern::kIncast;
    case TrafficKind::kOneToMany:
      return TrafficPattern::kOneToMany;
    case TrafficKind::kPermutation:
      return TrafficPattern::kPermutation;
    case TrafficKind::kAllToAll:
      return TrafficPattern::kAllToAll;
    case TrafficKind::kPartitionAggregate:
      return TrafficPattern::kPartitionAggregate;
    case TrafficKind::kPoisson:
      return TrafficPattern::kPoisson;
    case TrafficKind::kTrace:
      return TrafficPattern::kTrace;
    case TrafficKind::kBackground:
      break;
  }
  return TrafficPattern::kBackground;
}
}  // namespace

std::vector<TrafficSpec> traffic_specs(const PlatformConfig& config) {
  std::vector<TrafficSpec> specs;
  constexpr HostId kNobody = 0xFFFFFFFF;
  // An empty list stands for all hosts but the one at the other end.
  const auto named_or_all = [&](const HostList& named, HostId but) -> std::vector<HostId> {
    if (!named.empty()) return named;
    std::vector<HostId> all;
    for (HostId host = 0; host < config.topology.host_count(); ++host) {
      if (host != but) all.push_back(host);
    }
    return all;
  };
  for (std::size_t i = 0; i < config.traffic.size(); ++i) {
    const TrafficConfig& from = config.traffic[i];
    TrafficSpec to;
    to.where = "traffic." + std::to_string(i);
    to.pattern = pattern_of(from.kind);
    switch (from.kind) {
      case TrafficKind::kFlow:
      case TrafficKind::kBackground:
        to.from = {from.from};
        to.to = {from.to};
        break;
      case TrafficKind::kIncast:
      case TrafficKind::kPartitionAggregate:
        to.from = named_or_all(from.senders, from.receiver);
        to.to = {from.receiver};
        break;
      case TrafficKind::kOneToMany:
        to.from = {from.sender};
        to.to = named_or_all(from.receivers, from.sender);
        break;
      case TrafficKind::kPermutation:
      case TrafficKind::kAllToAll:
      case TrafficKind::kPoisson:
        to.from = named_or_all(from.hosts, kNobody);
        break;
      case TrafficKind::kTrace:
        break;
    }
    to.dscp = static_cast<std::uint8_t>(from.dscp);
    to.bytes = from.bytes.value_or(0);
    to.message = from.message;
    to.start = from.start;
    to.stop = from.stop.value_or(PicoSeconds::max());
    to.stagger = from.stagger;
    to.stop_stagger = from.stop_stagger;
    to.flows = from.flows;
    to.rate = from.rate.value_or(BitRate());
    to.initial_rate = from.initial_rate.value_or(BitRate());
    to.period = from.period;
    to.rounds = from.rounds;
    to.load_ppm =
        static_cast<std::uint32_t>(from.load.numerator * 1'000'000 / from.load.denominator);
    to.sizes = from.sizes;
    to.flows_per_host = from.flows_per_host;
    to.file = from.file;
    to.time_offset = from.time_offset;
    for (const auto& [priority, dscp] : from.dscp_map) {
      to.dscp_map[priority] = static_cast<std::uint8_t>(dscp);
    }
    specs.push_back(std::move(to));
  }
  return specs;
}

}  // namespace dcc::vp
