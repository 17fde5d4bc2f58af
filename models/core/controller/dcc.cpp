#include "controller/dcc.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "controller/controller_setup.h"
#include "controller/formats.h"
#include "controller/law/proportional.h"
#include "describe/visitor.h"
#include "driver/dcc_regs.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "nic/nic_parameters.h"
#include "switch/ecn_marker.h"

namespace dcc {

namespace {
/// Greatest growth of a flow's window beyond the initial window: the whole buffer of a switch. ECN
/// thresholds above this are never reached, since PFC acts first.
constexpr Bytes kMaxGrowth = 32_MiB;

/// Number of bytes in `products` times the product of rate and time; at most 10^15.
Bytes bytes_of(const Ratio& products, Rate rate, PicoSeconds time) {
  const long double product = bytes_at(to_mbps(rate), time);
  return static_cast<Bytes>(std::min(to_real(products) * product, 1e15L));
}

/// The decrease factor f_dec (4.12 fixed point) of a class with this weight, rounded as in the
/// driver's tables.
std::uint32_t factor_of(const Ratio& weight) {
  const auto w = static_cast<std::uint32_t>(weight.to_fixed(8));
  return ((1U << 20) + w / 2) / w;
}

constexpr Bytes kAnySize = std::numeric_limits<Bytes>::max();

/// The flows that overtake. `heavy_factor`: greatest f_dec of the classes that do so by default.
Overtaking overtaking_of(const DccParameters& parameters, std::uint32_t heavy_factor) {
  if (parameters.hold_below == DccParameters::kAllHold || parameters.first_cut.to_fixed(16) == 0 ||
      !parameters.shares_by_weight()) {
    return {};
  }
  if (parameters.hold_below) return {factor_of(*parameters.hold_below), kAnySize, kAnySize};
  return {heavy_factor, DccParameters::kOvertakesAtOnce, DccParameters::kOvertakesLater};
}

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Policy* policy : Policy::all()) list.emplace_back(policy->name());
    return list;
  }();
  return names;
}

const char* meaning_of_policies() {
  static const std::string text = [] {
    std::string list = "what calculates the rates";
    for (const Policy* policy : Policy::all()) {
      list += std::string("; ") + policy->name() + ": " + policy->description();
    }
    return list;
  }();
  return text.c_str();
}

const RegisteredAlgorithm<DccParameters> kDcc{
    "dcc", "the hardware controller",
    [](const DccParameters& parameters,
       const AlgorithmContext& context) -> std::unique_ptr<Algorithm> {
      if (auto other = parameters.rules().make(parameters, context)) return other;
      const ControllerSetup least = ControllerSetup::one_slot();
      const ControllerSetup& setup = context.controller ? *context.controller : least;
      return std::make_unique<Dcc>(
          context.scheduler, context.host, setup.config, context.rank,
          setup.timers ? setup.timers() : nullptr, setup.rates ? setup.rates() : nullptr,
          bytes_of(parameters.initial_window, context.host.line_rate(), context.longest_base_rtt),
          setup.engine, overtaking_of(parameters, setup.heavy_factor));
    }};
}  // namespace

void DccParameters::describe(ParameterVisitor& v) {
  v.one_of("policy", policy, policy_names(), {meaning_of_policies()});
  v.choice("preset", preset_name, {kPresetMeaning});
  if (v.reading()) {
    apply_preset();
    rules().set_defaults(*this);
  }
  // The registers G and MI hold fractions below 1; they cannot represent 1.0.
  static_assert(DCC_G_VALUE_MASK == DCC_MI_VALUE_MASK);
  describe_rules(v, Ratio(DCC_G_VALUE_MASK, kOne16), kRuntime);
  describe_settings(v);
  v.field("free_window", initial_window, {"0", "1000"},
          {"unacknowledged bytes of a flow without a slot, in products of line rate and longest "
           "base RTT; 0: no limit (proportional: 11/10)"});
  v.field("hold_below", hold_below, "auto", "none", kAllHold, {"1/8", "128"},
          {"a flow of at least this weight goes on at half the greatest rate after its first mark, "
           "without the rate hold, so that its messages overtake; the least weight in use counts "
           "as 1 unless the driver scales weights down; auto: from twice the least weight in use "
           "on, a flow whose only unsent message has at most 512 KB left, or 2 MB once the packets "
           "sent before the mark have arrived; none: every flow holds. Only with policy: "
           "proportional"});
  v.field("finer_steps", finer_steps, {"0", "3"},
          {"how often the steps of packets and of marks are halved beyond what increase_timer asks "
           "for: queues swing less and shares settle later; by the thresholds if not given. Only "
           "with policy: proportional"});
  v.field("reference_rate", reference_rate, "none", {"1Mbps", "10Tbps"},
          {"r_ai and r_hai are for slowest links of this rate: by its square for faster, by its "
           "cube for slower ones"});
}

void DccParameters::preset(CnpParameters& cnp) const {
  DcqcnParameters::preset(cnp);
  rules().set_defaults(cnp);
}

void DccParameters::ask_marking(EcnParameters& ecn) const {
  if (shares_by_weight()) {
    ecn.rule = EcnParameters::Rule::kLongFlows;
  } else {
    DcqcnParameters::ask_marking(ecn);
  }
}

namespace {
/// The additive increase step for this network. All hosts use the same step, since flows that share
/// a link must increase alike.
BitRate step(const std::optional<BitRate>& reference, BitRate slowest, BitRate configured) {
  if (!reference) return configured;
  const Uint128 there = slowest.bits_per_second;
  const Uint128 wanted = reference->bits_per_second;
  Uint128 scaled = Uint128(configured.bits_per_second) * there * there / (wanted * wanted);
  if (there < wanted) scaled = scaled * there / wanted;
  constexpr Uint128 kMax = 10'000'000'000'000;  // a rate above that of any link
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
  p.r_min = Rate::from(r_min).raw;
  p.r_max = r_max ? Rate::from(*r_max).raw : line;
  if (const Law* const law = rules().law()) {
    law->fit(p, {Rate(line), slowest, mtu, r_max.has_value()});
    // MARK_SHIFT loses a bit, so that a mark cuts half as much, for each time that the step rule
    // (vp/config/step_rule.cpp) has halved r_ai.
    if (shares_by_weight()) {
      p.mark_shift -= std::min(p.mark_shift, step_halvings(increase_timer) + finer_steps);
    }
  }
  p.initial_rate = initial_rate ? Rate::from(*initial_rate).raw : std::min(p.r_max, line);
  p.initial_alpha = fixed16(initial_alpha);
  p.cut_floor = fixed16(cut_floor);
  programme(p);
  return p;
}

Dcc::Dcc(Scheduler& scheduler, AlgorithmHost& host, const ControllerConfig& config,
         std::uint32_t rank, std::unique_ptr<TimerEngine> timers, std::unique_ptr<RateEngine> rates,
         Bytes initial_window, const ControllerEngineFactory& make_engine, Overtaking overtaking)
    : host_(host),
      initial_window_(initial_window),
      latency_(config.clock.cycles(config.latency_cycles)),
      device_(make_controller(scheduler, config, rank, *this, std::move(timers), std::move(rates),
                              make_engine)),
      overtaking_(overtaking) {}

AlgorithmNeeds Dcc::needs() const {
  AlgorithmNeeds needs;
  needs.cnp = true;
  needs.on_sent = true;
  return needs;
}

void Dcc::on_flow_start(FlowNumber flow, const FlowStart& start) {
  Flow& started = flows_.keep(flow);
  started = {};
  started.rate = host_.line_rate();
  started.dscp = start.dscp;
  started.alive = true;
  started.window = initial_window_;
  if (initial_window_ != 0) host_.set_window(flow, initial_window_);
  if (start.initial_rate.raw != 0) rate_calculated(flow, start.initial_rate);
  device_->query(flow);
}

void Dcc::on_flow_end(FlowNumber flow) {
  flows_[flow].alive = false;
  device_->release(flow);
}

bool Dcc::change_class(FlowNumber flow, std::uint8_t dscp) {
  flows_[flow].dscp = dscp;
  return true;
}

void Dcc::on_sent(FlowNumber flow, const SentInfo& info) {
  Flow& known = flows_[flow];
  device_->bytes(flow, info.dscp.value_or(known.dscp), info.wire_bytes);
  if (initial_window_ != 0 && !known.paced) grow_window(flow, known, info);
}

// When two windows have been sent, at least the first of them has been acknowledged, so a mark on
// any of its packets would have been reported.
[[gnu::noinline]] void Dcc::grow_window(FlowNumber number, Flow& flow, const SentInfo& info) {
  flow.sent += info.payload_bytes;
  flow.window_filled |= info.window_full;
  if (flow.sent < 2 * flow.window) return;
  flow.sent = 0;
  if (!flow.window_filled) return;
  flow.window_filled = false;
  if (flow.window >= initial_window_ + kMaxGrowth) return;
  flow.window = std::min(initial_window_ + kMaxGrowth, flow.window + flow.window / 2 + 1);
  host_.set_window(number, flow.window);
}

void Dcc::shrink_window(FlowNumber number, Flow& flow) {
  flow.sent = 0;
  flow.window_filled = false;
  if (flow.window == initial_window_) return;
  flow.window = std::max(initial_window_, flow.window / 2);
  host_.set_window(number, flow.window);
}

void Dcc::on_cnp(FlowNumber flow, const CnpInfo& info) {
  // A clear notification has no marks. Only laws by which bandwidth follows the weights use it.
  if (info.marks == 0 && !Law::of_number(device_->parameters().rate.law).shares_by_weight()) return;
  Flow& known = flows_[flow];
  known.notified = true;
  if (info.marks != 0) known.marked_at = host_.now();
  if (initial_window_ != 0 && !known.paced && info.marks != 0) shrink_window(flow, known);
  const std::uint8_t dscp = info.dscp.value_or(known.dscp);
  device_->cnp(flow, dscp, info.marks, info.packets);
  if (overtaking_.factor != 0) overtake(flow, known, dscp, info);
}

void Dcc::overtake(FlowNumber number, Flow& flow, std::uint8_t dscp, const CnpInfo& info) {
  const bool begins = !flow.paced && info.marks != 0;
  if (begins) {
    if (device_->tables().decrease_factor(dscp) > overtaking_.factor) return;
    const AlgorithmHost::Backlog backlog = host_.backlog(number);
    if (backlog.left > overtaking_.later) return;
    flow.awaited = 1 + (backlog.left > overtaking_.at_once ? backlog.packets_out : 0);
  }
  if (flow.awaited == 0) return;
  if (!begins && info.packets != info.marks) {  // the hold has ended
    flow.awaited = 0;
    return;
  }
  flow.awaited -= std::min<std::uint32_t>(flow.awaited - 1, info.packets);
  if (flow.awaited > 1) return;
  flow.awaited = 0;
  device_->cnp(number, dscp, 0, 0);
}

void Dcc::rate_calculated(std::uint32_t flow, Rate rate) {
  Flow* const known = flows_.find(flow);
  if (known == nullptr || !known->alive) return;
  // The controller answers a notification after `latency_` at the earliest, so the first rate after
  // that time is the answer. Only an answer below the flow's rate counts as a reaction; a later
  // decrease by a timer does not count.
  if (known->marked_at != PicoSeconds::max() && host_.now() - known->marked_at >= latency_) {
    const PicoSeconds since = std::exchange(known->marked_at, PicoSeconds::max());
    if (rate.raw < known->rate.raw) {
      reactions_.add(static_cast<std::uint64_t>((host_.now() - since).count));
    }
  }
  set_paced(flow, rate.raw < device_->parameters().rate.r_max);
  flows_[flow].rate = rate;
  host_.set_rate(flow, rate);
}

void Dcc::set_paced(std::uint32_t flow, bool paced) {
  if (flows_[flow].paced == paced) return;
  flows_[flow].paced = paced;
  if (initial_window_ == 0) return;
  flows_[flow].sent = 0;
  flows_[flow].window_filled = false;
  host_.set_window(flow, paced ? std::numeric_limits<Bytes>::max() : flows_[flow].window);
}

void Dcc::query_answered(std::uint32_t flow, std::optional<Rate> rate) {
  if (rate) rate_calculated(flow, *rate);
}

Algorithm::View Dcc::view(FlowNumber flow) const {
  if (const auto slot = device_->slot_of(flow)) {
    const SlotParameters p = device_->slot(*slot).parameters;
    return {Rate(p.rc), Rate(p.rt), static_cast<double>(p.alpha) / kOne16};
  }
  const Rate rate = flows_.has(flow) ? flows_[flow].rate : host_.line_rate();
  return {rate, rate, 0.0};
}

AlgorithmCounters Dcc::counters() const {
  const ControllerStatistics& s = device_->statistics();
  return {s.rate_decreases, s.rate_increases, s.cnps_dropped_no_slot};
}

}  // namespace dcc
