#include "controller/dcc.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "controller/controller_setup.h"
#include "controller/formats.h"
#include "describe/visitor.h"
#include "driver/dcc_regs.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "nic/nic_parameters.h"
#include "registers/generated/dcc_map.h"

namespace dcc {

namespace {
/// So many products of a rate and a time, in bytes; up to any network's.
Bytes bytes_of(const Ratio& products, Rate rate, PicoSeconds time) {
  const long double product = bytes_at(to_mbps(rate), time);
  return static_cast<Bytes>(std::min(to_real(products) * product, 1e15L));
}

std::map<DccParameters::Policy, PolicyMaker>& policy_makers() {
  static std::map<DccParameters::Policy, PolicyMaker> makers;
  return makers;
}

const RegisteredAlgorithm<DccParameters> kDcc{
    "dcc", "the hardware controller",
    [](const DccParameters& parameters,
       const AlgorithmContext& context) -> std::unique_ptr<Algorithm> {
      const auto other = policy_makers().find(parameters.policy);
      if (other != policy_makers().end()) return other->second(parameters, context);
      const ControllerSetup least = ControllerSetup::one_slot();
      const ControllerSetup& setup = context.controller ? *context.controller : least;
      return std::make_unique<Dcc>(
          context.scheduler, context.host, setup.config, context.rank,
          setup.timers ? setup.timers() : nullptr, setup.rates ? setup.rates() : nullptr,
          bytes_of(parameters.free_window, context.host.line_rate(), context.longest_base_rtt),
          setup.engine);
    }};
}  // namespace

RegisteredPolicy::RegisteredPolicy(DccParameters::Policy policy, PolicyMaker make) {
  policy_makers()[policy] = make;
}

void DccParameters::describe(ParameterVisitor& v) {
  v.choice("policy", policy,
           {"contents of the look-up tables; proportional: bandwidth follows the weights; "
            "proportional_int: the same by in-band telemetry, which no hardware here does",
            ""});
  v.choice("preset", preset_name, {"a set of parameters; single ones come on top", ""});
  if (v.reading()) {
    apply_preset();
    if (policy == Policy::kProportional) apply_proportional();
    if (policy == Policy::kProportionalInt) apply_proportional_int();
  }
  // G and MI are fractions without a place for 1.
  static_assert(regs::dcc_map::kGValueMask == regs::dcc_map::kMiValueMask);
  describe_rules(v, Ratio(regs::dcc_map::kGValueMask, kOne16), kRuntime);
  describe_settings(v);
  v.field("free_window", free_window, {"0", "1000"},
          {"unacknowledged bytes of a flow without a slot, in products of line rate and longest "
           "base RTT; 0: no limit (proportional: 11/10)",
           ""});
  v.field("reference_rate", reference_rate, "none", {"1Mbps", "10Tbps"},
          {"r_ai and r_hai are for slowest links of this rate: by its square for faster, by its "
           "cube for slower ones",
           ""});
}

// The proportional policy works on marks, on a free-running timer and without stages.
void DccParameters::apply_proportional() {
  f = 0;
  byte_counter = 0;
  timer_restart = false;
  r_ai = BitRate(13'700'000);
  r_hai = 550_Mbps;  // of 0.9 packets of 1000 B an interval; `registers` has it for others
  r_min = 5_Mbps;
  mi = Ratio(0);
  g = Ratio(4, 5);
  increase_timer = kMicroSecond * 14;
  first_cut = Ratio(1, 28);
  brisk = 95;
  free_window = Ratio(11, 10);
  decrease_period = kMicroSecond * 5;
}

// A slower link has fewer packets to learn from, and marks more of them: r_ai goes with its rate to
// the power of 2/3, and 1 - g inversely, so that the greatest sum of weights goes with its rate.
void DccParameters::follow_rate(BitRate slowest) {
  const double of_100 = static_cast<double>(slowest.bits_per_second) / 100e9;
  if (of_100 >= 1) return;  // faster ones: the driver's MARK_SHIFT
  const double part = std::cbrt(of_100 * of_100);
  const auto in = [](double value, double unit) {
    return static_cast<std::uint64_t>(std::llround(value / unit));
  };
  r_ai = BitRate(std::max<std::uint64_t>(1, in(13.7e6 * part, 1e3)) * 1000);
  g = Ratio(part <= 0.2 ? 0 : in(1 - 0.2 / part, 1e-3), 1000);
}

// Steps four times as great need a round trip that is shorter than an interval: beyond it two flows
// may swing for good, and there starts are told slowly anyway.
void DccParameters::follow_distance(PicoSeconds longest_base_rtt) {
  if (longest_base_rtt <= increase_timer) return;
  increase_timer = kMicroSecond * 16;
  first_cut = Ratio(1, 24);
  brisk = 0;
  free_window = Ratio(3, 2);
}

// Of HPCC's rules only the step and the least rate are the policy's: a step of 1/1000 of the line a
// unit of weight is lost to the target for sums of weights up to 50, and a queue of one
// bandwidth-delay product for 480.
void DccParameters::apply_proportional_int() {
  r_ai = 100_Mbps;
  r_min = 5_Mbps;
}

void DccParameters::preset(CnpParameters& cnp) const {
  DcqcnParameters::preset(cnp);
  if (policy != Policy::kProportional) return;
  cnp.interval = kMicroSecond * 2;
  cnp.carry_marks = true;
}

namespace {
/// An additive step for this network: one for all hosts, since flows that meet must add alike.
BitRate step(const std::optional<BitRate>& reference, BitRate slowest, BitRate configured) {
  if (!reference) return configured;
  const Uint128 there = slowest.bits_per_second;
  const Uint128 wanted = reference->bits_per_second;
  Uint128 scaled = Uint128(configured.bits_per_second) * there * there / (wanted * wanted);
  if (there < wanted) scaled = scaled * there / wanted;
  constexpr Uint128 kMax = 10'000'000'000'000;  // beyond any link
  return BitRate(static_cast<std::uint64_t>(std::min(scaled, kMax)));
}
}  // namespace

dcc_parameters DccParameters::registers(const ControllerConfig& controller, BitRate line_rate,
                                        BitRate slowest, std::uint32_t mtu) const {
  const auto ticks = [&](PicoSeconds t) { return static_cast<std::uint32_t>(t / controller.tick); };
  const auto fixed16 = [](const Ratio& r) { return static_cast<std::uint32_t>(r.to_fixed(16)); };
  const std::uint32_t line = Rate::from(line_rate).raw;
  dcc_parameters p{};
  p.tick_div = static_cast<std::uint32_t>(controller.tick / controller.clock.cycles(1));
  p.timer_interval = ticks(increase_timer);
  p.byte_threshold =
      byte_counter != 0 ? static_cast<std::uint32_t>(byte_counter) : DCC_BYTE_THRESHOLD_VALUE_MAX;
  p.decrease_period = ticks(decrease_period);
  p.alpha_recip = alpha_reciprocal(ticks(alpha_timer));
  p.f = f;
  p.g = fixed16(g);
  p.mi = fixed16(mi);
  p.r_ai = Rate::from(step(reference_rate, slowest, r_ai)).raw;
  p.r_hai = Rate::from(step(reference_rate, slowest, r_hai)).raw;
  // Here it is the rate of one packet an interval, whatever a packet is.
  if (policy == Policy::kProportional) {
    p.r_hai = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(DCC_R_HAI_VALUE_MASK, std::uint64_t{p.r_hai} * mtu / 1000));
  }
  p.r_min = Rate::from(r_min).raw;
  // A flow at its maximum gives its slot back, and its next CNP is a first one. Under the
  // proportional policy that cut is deep, and a heavy flow's fair share may be all of the link but
  // a percent: there the maximum lies above what the link carries.
  p.r_max = r_max                             ? Rate::from(*r_max).raw
            : policy == Policy::kProportional ? line + line / 4
                                              : line;
  p.initial_rate = initial_rate ? Rate::from(*initial_rate).raw : std::min(p.r_max, line);
  p.initial_alpha = fixed16(initial_alpha);
  programme(p);
  return p;
}

Dcc::Dcc(Scheduler& scheduler, AlgorithmHost& host, const ControllerConfig& config,
         std::uint32_t rank, std::unique_ptr<TimerEngine> timers, std::unique_ptr<RateEngine> rates,
         Bytes free_window, const ControllerEngineFactory& make_engine)
    : host_(host),
      free_window_(free_window),
      device_(scheduler, config, rank, *this, std::move(timers), std::move(rates), make_engine) {}

AlgorithmNeeds Dcc::needs() const {
  AlgorithmNeeds needs;
  needs.cnp = true;
  needs.on_sent = true;
  return needs;
}

void Dcc::on_flow_start(FlowNumber flow, const FlowStart& start) {
  flows_.keep(flow) = {host_.line_rate(), start.dscp, true, false, false};
  if (free_window_ != 0) host_.set_window(flow, free_window_);
  if (start.initial_rate.raw != 0) rate_calculated(flow, start.initial_rate);
  device_.query(flow);
}

void Dcc::on_flow_end(FlowNumber flow) {
  flows_[flow].alive = false;
  device_.release(flow);
}

void Dcc::on_sent(FlowNumber flow, const SentInfo& info) {
  device_.bytes(flow, flows_[flow].dscp, info.wire_bytes);
}

void Dcc::on_cnp(FlowNumber flow, const CnpInfo& info) {
  // An all clear is for the law of marks alone.
  if (info.marks == 0 && device_.parameters().rate.averaging) return;
  flows_[flow].notified = true;
  device_.cnp(flow, flows_[flow].dscp, info.marks, info.packets);
}

void Dcc::rate_calculated(std::uint32_t flow, Rate rate) {
  const Flow* const known = flows_.find(flow);
  if (known == nullptr || !known->alive) return;
  set_paced(flow, rate.raw < device_.parameters().rate.r_max);
  flows_[flow].rate = rate;
  host_.set_rate(flow, rate);
}

void Dcc::set_paced(std::uint32_t flow, bool paced) {
  if (free_window_ == 0 || flows_[flow].paced == paced) return;
  flows_[flow].paced = paced;
  host_.set_window(flow, paced ? std::numeric_limits<Bytes>::max() : free_window_);
}

void Dcc::query_answered(std::uint32_t flow, std::optional<Rate> rate) {
  if (rate) rate_calculated(flow, *rate);
}

Algorithm::View Dcc::view(FlowNumber flow) const {
  if (const auto slot = device_.slot_of(flow)) {
    const SlotParameters p = device_.slot(*slot).parameters;
    return {Rate(p.rc), Rate(p.rt), static_cast<double>(p.alpha) / kOne16};
  }
  const Rate rate = flows_.has(flow) ? flows_[flow].rate : host_.line_rate();
  return {rate, rate, 0.0};
}

AlgorithmCounters Dcc::counters() const {
  const ControllerStatistics& s = device_.statistics();
  return {s.rate_decreases, s.rate_increases, s.cnps_dropped_no_slot};
}

}  // namespace dcc
