#include "build/translate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "config/port_weights.h"
#include "controller/dcc.h"
#include "driver/dcc_tables.h"
#include "wire/wire_size.h"

namespace dcc::vp {

std::optional<Framing> framing_of(const TransportChoice& choice) {
  const TransportParameters* const transport = choice.chosen();
  if (transport == nullptr || transport->on_roce()) return std::nullopt;
  return transport->framing;
}

namespace {
Bytes full_packet(const std::optional<Framing>& framing, std::uint32_t mtu) {
  return framing ? framing->data(mtu) : Bytes{roce::data_wire_bytes(mtu, false, false)};
}
}  // namespace

PacketSizes packet_sizes(const PlatformConfig& config) {
  PacketSizes sizes;
  sizes.framing = framing_of(config.nic.transport);
  sizes.full = full_packet(sizes.framing, config.largest_mtu());
  sizes.ack = sizes.framing ? sizes.framing->control : Bytes{roce::ack_wire_bytes()};
  sizes.mtu_by_host = config.peer_nics().mtu;
  return sizes;
}

Bytes PacketSizes::full_between(HostId a, HostId b) const {
  if (mtu_by_host.empty()) return full;
  return full_packet(framing, std::min(mtu_by_host.at(a), mtu_by_host.at(b)));
}

SwitchParameters switch_parameters(const PlatformConfig& config) {
  SwitchParameters to = config.switch_;
  to.mtu = config.largest_mtu();
  to.largest_packet = roce::data_wire_bytes(to.mtu, true, true);
  for (const AlgorithmChoice* const choice : config.congestion_controls()) {
    const AlgorithmParameters* const algorithm = choice->chosen();
    if (algorithm != nullptr) algorithm->ask_switch(to);
  }
  if (to.qcn.enabled) {
    to.qcn.weights.assign(64, 1);
    for (const auto& [dscp, entry] : config.dscp) {
      to.qcn.weights.at(static_cast<std::size_t>(dscp)) = entry.weight.value();
    }
  }
  const TransportParameters* const transport = config.nic.transport.chosen();
  if (to.discipline.name() == "auto" && transport != nullptr && !config.mixes_transports()) {
    to.discipline.choose(transport->discipline());
  }
  return to;
}

LinkParameters with_jitter(const PlatformConfig& config, LinkParameters link) {
  link.delay += std::max(config.nic.jitter, config.switch_.jitter);
  return link;
}

NicParameters nic_parameters(const PlatformConfig& config, HostId host,
                             const LinkParameters& link) {
  NicParameters to = static_cast<const NicParameters&>(config.nic);
  if (const OtherNics* const group = config.other_nic(host)) {
    to.cnp = group->cnp;
    to.dma = group->dma;
    to.receive_buffer = group->receive_buffer;
    to.window = group->window;
    to.message_rate = group->message_rate;
    to.recovery = group->recovery;
    to.ack_every = group->ack_every;
    to.mtu = group->mtu;
  }
  to.host = host;
  to.seed = config.seed;
  to.line_rate = link.rate;
  to.link_overhead = link.overhead;
  to.link_delay = with_jitter(config, link).delay;
  to.pfc_priorities = config.switch_.lossless_priorities();
  to.pause_quanta = config.switch_.pauses() ? config.switch_.pfc.quanta.value_or(0) : 0;
  const TransportParameters* const transport = config.transport_of(host).chosen();
  if (transport != nullptr) transport->ask_nic(to);
  if (config.switch_.has_credits()) {
    const SwitchParameters of_switch = switch_parameters(config);
    to.credit_buffer = of_switch.credit_buffer(with_jitter(config, link));
    to.largest_packet = of_switch.largest_packet;
  }
  return to;
}

namespace {
/// Initial weight of a flow. The QoS manager starts from one flow for each tenant, and so do its
/// tables.
const Ratio& initial_weight(const PlatformConfig& config, const DscpConfig& entitled) {
  if (config.qos.manager && !entitled.tenant.empty()) {
    for (const TenantConfig& tenant : config.tenants) {
      if (tenant.name == entitled.tenant) return tenant.weight;
    }
  }
  return entitled.weight;
}

std::uint64_t weight_of(const PlatformConfig& config, unsigned dscp) {
  return initial_weight(config, config.dscp_of(dscp)).to_fixed(kWeightPlaces);
}

bool goes_by_weight(const AlgorithmChoice& choice) {
  const auto* const dcc = choice.chosen<DccParameters>();
  return dcc != nullptr && dcc->shares_by_weight();
}

/// By host in the numbering of `traffic`: true if the data that the host sends shares by weight.
std::vector<bool> hosts_by_weight(const PlatformConfig& config) {
  std::vector<bool> found(config.topology.host_count(),
                          goes_by_weight(config.nic.congestion_control));
  if (config.nics.empty()) return found;
  const HostPorts ports = config.topology.host_ports();
  for (const OtherNics& group : config.nics) {
    for (const HostId host : group.hosts) {
      found[ports.host_of(host)] = goes_by_weight(group.congestion_control);
    }
  }
  return found;
}

/// Number of flows that share by weight in an entry of `traffic` and whose data may use the last
/// link to one host; none if the configuration does not tell.
std::optional<std::uint64_t> flows_to_a_host(const TrafficSpec& spec,
                                             const std::vector<bool>& by_weight) {
  // Number of senders in `list`; an empty list stands for all hosts but one.
  const auto senders = [&](const HostList& list, std::optional<HostId> but) -> std::uint64_t {
    if (!list.empty()) {
      return static_cast<std::uint64_t>(
          std::count_if(list.begin(), list.end(), [&](HostId host) { return by_weight[host]; }));
    }
    const auto all =
        static_cast<std::uint64_t>(std::count(by_weight.begin(), by_weight.end(), true));
    if (but) return all - (by_weight[*but] ? 1 : 0);
    return std::min<std::uint64_t>(all, by_weight.size() - 1);
  };
  const auto one = [&](HostId sender) -> std::uint64_t {
    return by_weight[sender] ? spec.flows : 0;
  };
  const bool reads = expects_response(spec.operation);
  switch (spec.pattern) {
    case TrafficPattern::kFlow:
      return one(reads ? spec.to : spec.from);
    case TrafficPattern::kPermutation:
    case TrafficPattern::kStride:
      return senders(spec.hosts, std::nullopt) == 0 ? 0 : spec.flows;
    case TrafficPattern::kOneToMany:
      return reads ? spec.flows * senders(spec.receivers, spec.sender) : one(spec.sender);
    case TrafficPattern::kIncast:
      if (spec.has_random_incasts()) return std::nullopt;
      if (reads) return spec.receiver ? one(*spec.receiver) : spec.flows;
      return spec.flows * senders(spec.senders, spec.receiver);
    case TrafficPattern::kAllToAll:
      return spec.flows * senders(spec.hosts, std::nullopt);
    default:
      return std::nullopt;
  }
}

/// Returns the host that receives the data of all flows of an entry; none if several hosts receive.
std::optional<HostId> receiver_of(const TrafficSpec& spec) {
  // data of a READ goes to the requester of the READ
  const bool reads = expects_response(spec.operation);
  if (spec.pattern == TrafficPattern::kFlow) return reads ? spec.from : spec.to;
  if (spec.pattern == TrafficPattern::kIncast && !reads) return spec.receiver;
  if (spec.pattern == TrafficPattern::kOneToMany && reads) return spec.sender;
  return std::nullopt;
}

/// Returns the weights in use; none if the flows at a port are not known before the run, or if the
/// QoS manager chooses the flows' weights.
std::optional<dcc_weights> weights_in_use(const PlatformConfig& config) {
  if (config.qos.manager) return std::nullopt;
  dcc_weights found{};
  std::uint64_t to_all = 0;
  std::map<HostId, std::uint64_t> to;
  const std::vector<bool> by_weight = hosts_by_weight(config);
  for (const TrafficSpec& spec : config.traffic) {
    if (spec.pattern == TrafficPattern::kBackground) continue;
    const std::optional<std::uint64_t> flows = flows_to_a_host(spec, by_weight);
    if (!flows) return std::nullopt;
    if (*flows == 0) continue;
    const std::uint64_t first = weight_of(config, spec.dscp);
    const std::uint64_t second = spec.new_dscp ? weight_of(config, *spec.new_dscp) : first;
    const std::uint64_t weight = std::max(first, second);
    const std::uint64_t least = std::min(first, second);
    found.least = found.least == 0 ? least : std::min<std::uint64_t>(found.least, least);
    found.greatest = std::max<std::uint64_t>(found.greatest, weight);
    if (const auto receiver = receiver_of(spec)) {
      to[*receiver] += *flows * weight;
    } else {
      to_all += *flows * weight;
    }
  }
  if (found.least == 0) return std::nullopt;
  for (const auto& [host, sum] : to) found.sum = std::max<std::uint64_t>(found.sum, sum);
  found.sum = std::max(found.sum + to_all, config.port_weight);
  return found;
}

// With a marked packet, a flow with x = R/w (rate over weight) loses c·x and gains R_AI·(1 - G).
// When every packet is marked, rates must still fall with each packet, or the queue that builds up
// at the start never drains. With each packet, rates fall by kSpare, or by less if the steps of a
// long interval are smaller. The unit of kSpare is bit/s per packet: kSpare reduces the rate of a
// full link of full packets by 6 % within 1 ms.
constexpr double kSpare = 0.5e6;
constexpr PicoSeconds kSpareInterval = kMicroSecond * 32;
/// Greatest share of packets that a port needs to mark at rest, with `switch.ecn.draw: packet`.
/// With more marks, the account produces more of their effect, and the rate follows half an
/// interval later. The queues of two congested ports of a path then swing without end
/// (models/core/controller/law/README.md, "Several bottlenecks").
constexpr double kNestedMarks = 0.25;

/// Sets the gains so that the proportional policy's working range contains the weights in use
/// (docs/differentiation.md, "Scale"). `finer_steps`: of the host's controller.
void scale_weights(dcc_config& program, const PlatformConfig& config, unsigned finer_steps) {
  const std::optional<dcc_weights> weights = weights_in_use(config);
  if (!weights) return;
  dcc_parameters& p = program.parameters;
  const double step = p.r_ai / 256.0 * 1e6;
  const double g = p.g / 65536.0;
  // The lasting decrease that a mark causes in the summed rate of all flows of a full link, for a
  // sum of weights of 1.
  const double cut = std::ldexp(static_cast<double>(config.topology.slowest_link().bits_per_second),
                                static_cast<int>(p.mark_shift) - 16);
  const PicoSeconds interval = config.nic.controller.tick * p.timer_interval;
  const double spare = std::ldexp(kSpare * std::min(1.0, static_cast<double>(kSpareInterval.count) /
                                                             static_cast<double>(interval.count)),
                                  -static_cast<int>(finer_steps));
  const double limit = std::min(1e9, cut / (step * (1 - g) + spare));
  const bool nested = config.switch_.ecn.draw == EcnParameters::Draw::kPacket;
  const double wanted =
      nested ? std::min(limit, cut / step * kNestedMarks / (1 - g * kNestedMarks)) : limit;
  const std::uint32_t unit = dcc_weight_unit(&*weights, static_cast<std::uint64_t>(wanted * 256));
  for (unsigned dscp = 0; dscp < DCC_DSCPS; ++dscp) {
    program.classes[dscp].weight_q8_8 =
        static_cast<std::uint16_t>(dcc_scaled_weight(weight_of(config, dscp), &*weights, unit));
  }
  const double sum =
      static_cast<double>(weights->sum) / static_cast<double>(weights->least) * unit / 256;
  if (sum <= limit) return;
  // If the least possible weight scale is still too great, the parameter G is moved nearer to 1.
  const double needed = std::min(0.999, 1 - (cut / sum - spare) / step);
  p.g = std::max(p.g, static_cast<std::uint32_t>(std::ceil(needed * 65536)));
}
}  // namespace

dcc_config controller_program(const PlatformConfig& config, HostId host, BitRate line_rate) {
  const AlgorithmChoice& own = config.congestion_control_of(host);
  // A host without a controller gets the boot block of its neighbours, with flags that tell that
  // the host has no controller.
  const bool has_controller = own.chosen<DccParameters>() != nullptr;
  const auto& from =
      (has_controller ? own : config.nic.congestion_control).of<DccParameters>("dcc");
  const Law* const law = from.rules().law();
  dcc_config to{};
  if (law != nullptr)
    dcc_select_law(&to, law->number(), law->cuts_by_marks(), law->decrease_step());
  to.timer_restart = from.timer_restart ? 1 : 0;
  to.keep_target = from.clamp_target == DcqcnParameters::Clamp::kAfterTimer ? 1 : 0;
  to.byte_counter = from.byte_counter != 0 ? 1 : 0;
  to.parameters = from.registers(config.nic.controller, line_rate, config.topology.slowest_link(),
                                 config.mtu_of(host));
  for (unsigned dscp = 0; dscp < DCC_DSCPS; ++dscp) {
    const DscpConfig& entitled = config.dscp_of(dscp);
    dcc_class& out = to.classes[dscp];
    out.weight_q8_8 = static_cast<std::uint16_t>(initial_weight(config, entitled).to_fixed(8));
    out.floor_q24_8 = entitled.min_rate ? Rate::from(*entitled.min_rate).raw : 0;
    out.ceiling_q24_8 = entitled.max_rate ? Rate::from(*entitled.max_rate).raw : 0xFFFFFFFFu;
  }
  if (law != nullptr && law->shares_by_weight()) scale_weights(to, config, from.finer_steps);
  return to;
}

std::uint32_t heavy_factor(const PlatformConfig& config, HostId host, BitRate line_rate) {
  if (config.qos.manager || !goes_by_weight(config.congestion_control_of(host))) return 0;
  const dcc_config program = controller_program(config, host, line_rate);
  std::uint32_t least = UINT32_MAX;
  const auto use = [&](unsigned dscp) {
    least = std::min<std::uint32_t>(least, program.classes[dscp].weight_q8_8);
  };
  const std::vector<bool> by_weight = hosts_by_weight(config);
  for (const TrafficSpec& spec : config.traffic) {
    if (spec.pattern == TrafficPattern::kBackground) continue;
    if (flows_to_a_host(spec, by_weight).value_or(1) == 0) continue;
    if (spec.moves_weight()) return 0;
    for (const auto& [priority, dscp] : spec.dscp_map) use(dscp);
    if (spec.dscp_map.empty()) use(spec.dscp);
    if (spec.new_dscp) use(*spec.new_dscp);
  }
  if (least > DCC_WEIGHT_MAX_Q8_8 / 2) return 0;
  return dcc_factor_of_weight(2 * least).f_dec_q4_12;
}

nic_config nic_program(const PlatformConfig& config, HostId host) {
  const NicConfig& from = config.nic;
  nic_config to{};
  to.parameters.mtu = config.mtu_of(host);
  to.parameters.cnp_interval = static_cast<std::uint32_t>(from.cnp.interval / kNanoSecond);
  to.parameters.cnp_dscp = from.cnp.dscp;
  to.parameters.cnp_priority = from.cnp.priority;
  to.ack_mode = from.ack == AckMode::kNone        ? NIC_ACK_NONE
                : from.ack == AckMode::kPerPacket ? NIC_ACK_PER_PACKET
                                                  : NIC_ACK_PER_MESSAGE;
  to.cnp_enable = from.congestion_control.needs(from.mtu).cnp ? 1 : 0;
  to.cnp_carry_marks = from.cnp.carry_marks ? 1 : 0;
  to.irq_count = 1;
  return to;
}

}  // namespace dcc::vp
