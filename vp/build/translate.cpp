#include "build/translate.h"

#include <algorithm>

#include "controller/dcc.h"
#include "driver/dcc_tables.h"
#include "wire/wire_size.h"

namespace dcc::vp {

std::optional<Framing> framing_of(const PlatformConfig& config) {
  const TransportParameters* const transport = config.nic.transport.chosen();
  if (transport == nullptr || transport->on_roce()) return std::nullopt;
  return transport->framing;
}

PacketSizes packet_sizes(const PlatformConfig& config) {
  const std::optional<Framing> framing = framing_of(config);
  if (framing) return {framing->data(config.nic.mtu), framing->control};
  return {roce::data_wire_bytes(config.nic.mtu, false, false), roce::ack_wire_bytes()};
}

SwitchParameters switch_parameters(const PlatformConfig& config) {
  SwitchParameters to = config.switch_;
  to.largest_packet = roce::data_wire_bytes(config.nic.mtu, true, true);
  to.mtu = config.nic.mtu;
  for (const AlgorithmChoice* const choice : config.congestion_controls()) {
    const AlgorithmParameters* const algorithm = choice->chosen();
    if (algorithm != nullptr) algorithm->ask_switch(to);
  }
  const TransportParameters* const transport = config.nic.transport.chosen();
  if (to.discipline.name() == "auto" && transport != nullptr) {
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
  to.host = host;
  to.seed = config.seed;
  to.line_rate = link.rate;
  to.link_overhead = link.overhead;
  to.link_delay = with_jitter(config, link).delay;
  to.pfc_priorities = config.switch_.pauses() ? config.switch_.pfc.priorities : 0;
  const TransportParameters* const transport = config.nic.transport.chosen();
  if (transport != nullptr) transport->ask_nic(to);
  if (config.switch_.has_credits()) {
    const SwitchParameters of_switch = switch_parameters(config);
    to.credit_buffer = of_switch.credit_buffer(with_jitter(config, link));
    to.largest_packet = of_switch.largest_packet;
  }
  return to;
}

namespace {
/// The closed loop's manager starts from one flow for each tenant, and so do the tables.
const Ratio& initial_weight(const PlatformConfig& config, const DscpConfig& entitled) {
  if (config.qos.manager && !entitled.tenant.empty()) {
    for (const TenantConfig& tenant : config.tenants) {
      if (tenant.name == entitled.tenant) return tenant.weight;
    }
  }
  return entitled.weight;
}
}  // namespace

dcc_config controller_program(const PlatformConfig& config, BitRate line_rate) {
  const auto& from = config.nic.congestion_control.of<DccParameters>("dcc");
  const Law* const law = from.rules().law();
  dcc_config to{};
  if (law != nullptr)
    dcc_select_law(&to, law->number(), law->cuts_by_marks(), law->decrease_step());
  to.timer_restart = from.timer_restart ? 1 : 0;
  to.keep_target = from.clamp_target == DcqcnParameters::Clamp::kAfterTimer ? 1 : 0;
  to.byte_counter = from.byte_counter != 0 ? 1 : 0;
  to.parameters = from.registers(config.nic.controller, line_rate, config.topology.slowest_link(),
                                 config.nic.mtu);
  for (unsigned dscp = 0; dscp < DCC_DSCPS; ++dscp) {
    const DscpConfig& entitled = config.dscp_of(dscp);
    dcc_class& out = to.classes[dscp];
    out.weight_q8_8 = static_cast<std::uint16_t>(initial_weight(config, entitled).to_fixed(8));
    out.floor_q24_8 = entitled.min_rate ? Rate::from(*entitled.min_rate).raw : 0;
    out.ceiling_q24_8 = entitled.max_rate ? Rate::from(*entitled.max_rate).raw : 0xFFFFFFFFu;
  }
  return to;
}

nic_config nic_program(const PlatformConfig& config) {
  const NicConfig& from = config.nic;
  nic_config to{};
  to.parameters.mtu = from.mtu;
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
