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

IbccParameters ibcc_parameters(const IbccConfig& from) {
  IbccParameters to;
  to.increase = from.ccti_increase;
  to.limit = from.ccti_limit;
  to.min = from.ccti_min;
  to.timer = from.ccti_timer;
  // Entry i of the table is scale × i² µs.
  to.table.resize(from.ccti_limit + std::size_t{1});
  for (std::size_t i = 0; i < to.table.size(); ++i) {
    to.table[i] = PicoSeconds(static_cast<std::int64_t>(
        static_cast<Uint128>(i) * i * static_cast<std::uint64_t>(from.cct_scale.numerator) *
        1'000'000u / static_cast<std::uint64_t>(from.cct_scale.denominator)));
  }
  to.aggregate = from.aggregate;
  to.timer_restart = from.ccti_timer_restart;
  to.by_service_level = !from.per_qp;
  to.literal_gate = from.gate == IbccGate::kLiteral;
  for (const IbccChange& change : from.schedule) {
    to.schedule.push_back(
        {change.at, change.dscp, change.ccti_increase, change.ccti_min, change.ccti_limit});
  }
  return to;
}

QcnParameters qcn_parameters(const QcnConfig& from) {
  QcnParameters to;
  to.gd = real(from.gd);
  to.min_decrease_factor = real(from.min_decrease_factor);
  to.byte_counter = from.byte_counter;
  to.timer = from.timer;
  to.threshold = from.threshold;
  to.r_ai = Rate::from(from.r_ai);
  to.r_hai = Rate::from(from.r_hai);
  to.r_min = Rate::from(from.r_min);
  return to;
}

void congestion_point(const CongestionControlConfig& from, SwitchParameters& to) {
  if (from.algorithm == AlgorithmKind::kIbcc) {
    // The specification leaves the sixteen thresholds to the switch: here steps of 16 KiB of the
    // egress queue, 15 the lowest.
    constexpr Bytes kStep = 16 * 1024;
    to.ecn.enabled = from.ibcc.threshold != 0;
    to.ecn.kmin = to.ecn.kmax = (16 - static_cast<Bytes>(from.ibcc.threshold)) * kStep;
    to.ecn.pmax_q32 = std::uint64_t{1} << 32;
    to.ecn.reference_rate = BitRate();
    to.ecn.unmarked_between = from.ibcc.marking_rate;
  }
  if (from.algorithm == AlgorithmKind::kQcn) {
    to.qcn.enabled = true;
    to.qcn.set_point = from.qcn.q_eq;
    to.qcn.w = static_cast<std::int64_t>(from.qcn.w.numerator / from.qcn.w.denominator);
    to.qcn.sample_base = from.qcn.sample_bytes;
  }
}

}  // namespace dcc::vp
