#include "platform/algorithm_parameters.h"

namespace dcc::vp {

namespace {
long double real(const Ratio& ratio) {
  return static_cast<long double>(ratio.numerator) / static_cast<long double>(ratio.denominator);
}
}  // namespace

DctcpParameters dctcp_parameters(const NicConfig& nic, PicoSeconds longest_base_rtt) {
  const DctcpConfig& from = nic.congestion_control.dctcp;
  DctcpParameters to;
  to.form = from.form == DctcpForm::kWindow ? DctcpParameters::Form::kWindow
                                            : DctcpParameters::Form::kRate;
  to.g = real(from.g);
  to.r_ai = Rate::from(from.r_ai);
  to.r_min = Rate::from(from.r_min);
  to.initial_window = from.initial_window.value_or(0);
  to.base_rtt = longest_base_rtt;
  to.exponent = real(from.d2tcp_exponent);
  to.mtu = static_cast<std::uint32_t>(nic.mtu);
  return to;
}

HpccParameters hpcc_parameters(const HpccConfig& from, PicoSeconds longest_base_rtt) {
  HpccParameters to;
  to.eta = real(from.eta);
  to.max_stage = from.max_stage;
  to.w_ai = Rate::from(from.w_ai_rate);
  to.base_rtt = from.base_rtt.value_or(longest_base_rtt);
  to.r_min = Rate::from(from.r_min);
  return to;
}

TimelyParameters timely_parameters(const TimelyConfig& from) {
  TimelyParameters to;
  to.variant = from.variant == TimelyVariant::kOriginal ? TimelyParameters::Variant::kOriginal
                                                        : TimelyParameters::Variant::kPatched;
  to.update = from.update == TimelyUpdate::kSegment ? TimelyParameters::Update::kSegment
                                                    : TimelyParameters::Update::kRoundTrip;
  to.ewma = real(from.ewma);
  to.beta = real(from.beta);
  to.step = Rate::from(from.additive_step);
  to.t_low = from.t_low;
  to.t_high = from.t_high;
  to.min_rtt = from.min_rtt;
  to.hai_after = from.hai_after;
  to.hai_factor = from.hai_factor;
  to.hai_below_low = from.hai_below_low;
  to.segment = from.segment;
  to.bursts = from.bursts;
  to.app_limit = real(from.app_limit);
  if (from.outstanding) to.outstanding = *from.outstanding;
  to.r_min = Rate::from(from.r_min);
  if (from.initial_rate) to.initial_rate = Rate::from(*from.initial_rate);
  return to;
}

}  // namespace dcc::vp
