#include "platform/translate.h"

#include <algorithm>
#include <optional>

#include "cc/dcc.h"
#include "driver/dcc_tables.h"
#include "net/wire_size.h"

namespace dcc::vp {

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

}  // namespace dcc::vp
