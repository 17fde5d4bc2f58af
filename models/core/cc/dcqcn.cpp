#include "cc/dcqcn.h"

#include <algorithm>
#include <memory>

#include "cc/dcqcn_slotted.h"
#include "cc/real_rate.h"
#include "cc/registry.h"
#include "describe/visitor.h"
#include "nic/nic_parameters.h"

namespace dcc {

namespace {
constexpr long double kScale = 1 << Rate::kFractionBits;
Rate to_rate(long double mbps) {
  return Rate(static_cast<std::uint32_t>(std::max(mbps, 0.0L) * kScale + 0.5L));
}

const RegisteredAlgorithm<DcqcnParameters> kDcqcn{
    "dcqcn", "DCQCN per flow and in real numbers, in the NIC",
    [](const DcqcnParameters& parameters,
       const AlgorithmContext& context) -> std::unique_ptr<Algorithm> {
      if (parameters.variant == DcqcnParameters::Variant::kSlotted) {
        return std::make_unique<DcqcnSlotted>(context.host, parameters);
      }
      return std::make_unique<Dcqcn>(context.host, parameters);
    }};
}  // namespace

void DcqcnParameters::apply_preset() {
  if (preset_name == Preset::kSig15) return;  // the members' own initialisers
  f = 1;
  alpha_timer = kMicroSecond;
  decrease_period = kMicroSecond * 4;
  increase_timer = kMicroSecond * 300;
  r_ai = 5_Mbps;
  r_hai = 50_Mbps;
  byte_counter = 0;
  if (preset_name == Preset::kAdapter) {
    g = Ratio(5, 1024);
    byte_counter = 32'767;
  }
}

void DcqcnParameters::preset(CnpParameters& cnp) const {
  if (preset_name == Preset::kAdapter) cnp.interval = kMicroSecond * 4;
  if (preset_name == Preset::kReference) cnp.interval = PicoSeconds(0);
}

void DcqcnParameters::describe(ParameterVisitor& v) {
  v.choice("variant", variant, {"the published rules, or the slotted ones", ""});
  v.choice("preset", preset_name, {"a set of parameters; single ones come on top", ""});
  if (v.reading()) apply_preset();
  describe_rules(v, Ratio(1), false);
}

void DcqcnParameters::describe_rules(ParameterVisitor& v, const Ratio& most, bool runtime) {
  const char* const sig15 = "SIGCOMM'15, section 5";
  v.field("g", g, {"1/65536", most}, {"weight of news in alpha", sig15, runtime});
  v.field("f", f, {"0", "255"}, {"events of fast recovery", sig15, runtime});
  v.field("alpha_timer", alpha_timer, {"1us", "10ms"},
          {"K: alpha decays after this", sig15, runtime});
  v.field("increase_timer", increase_timer, {"1us", "60ms"},
          {"T: time between increases", sig15, runtime});
  v.field("decrease_period", decrease_period, {"0us", "10ms"},
          {"least time between two cuts; 0us: every CNP cuts", "", runtime});
  v.field("byte_counter", byte_counter, {"0B", "1GB"},
          {"B: bytes between increases; 0B: off", sig15, runtime});
  v.field("r_ai", r_ai, {"0bps", "1Tbps"}, {"additive increase", sig15, runtime});
  v.field("r_hai", r_hai, {"0bps", "1Tbps"}, {"hyper increase", sig15, runtime});
  v.field("r_min", r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this", "", runtime});
  v.field(
      "r_max", r_max, "link", {"1Mbps", "10Tbps"},
      {"a rate never rises above this (link: 5/4 of it with policy: proportional)", "", runtime});
  v.field("initial_rate", initial_rate, "link", {"1Mbps", "10Tbps"},
          {"rate at which a flow starts", "SIGCOMM'15: line rate", runtime});
  v.field("initial_alpha", initial_alpha, {"0", "1"}, {"alpha of a new flow", sig15, runtime});
  v.field("timer_restart", timer_restart, {}, {"a cut restarts the increase timer", "", runtime});
  v.field("mi", mi, {"0", most},
          {"multiplicative increase on top, share of the rate", "", runtime});
}

void DcqcnParameters::check(Bytes largest_packet) const {
  if (byte_counter != 0 && byte_counter < largest_packet) {
    throw ParameterError({"byte_counter", "preset"},
                         "a byte threshold of " + text_of(byte_counter) + " is under one packet (" +
                             text_of(largest_packet) + ")");
  }
  if (r_max && *r_max < r_min) throw ParameterError({"r_min", "r_max"}, "r_min is above r_max");
  if (initial_rate && *initial_rate < r_min) {
    throw ParameterError({"initial_rate", "r_min"}, "initial_rate is below r_min");
  }
  if (variant == Variant::kSlotted && decrease_period.count == 0) {
    throw ParameterError({"decrease_period", "variant"},
                         "variant: slotted cuts at the ends of slots of this length: 0us is none "
                         "(preset: adapter and reference have 4us)");
  }
}

DcqcnValues::DcqcnValues(const DcqcnParameters& parameters, Rate line)
    : r_min(to_mbps(parameters.r_min)),
      r_max(parameters.r_max ? to_mbps(*parameters.r_max) : to_mbps(line)),
      initial(parameters.initial_rate ? to_mbps(*parameters.initial_rate) : to_mbps(line)),
      r_ai(to_mbps(parameters.r_ai)),
      r_hai(to_mbps(parameters.r_hai)),
      g(to_real(parameters.g)),
      initial_alpha(to_real(parameters.initial_alpha)) {}

Dcqcn::Dcqcn(AlgorithmHost& host, const DcqcnParameters& parameters)
    : host_(host), parameters_(parameters), values_(parameters, host.line_rate()) {}

AlgorithmNeeds Dcqcn::needs() const {
  AlgorithmNeeds needs;
  needs.cnp = true;
  needs.on_sent = parameters_.byte_counter > 0;
  return needs;
}

void Dcqcn::on_flow_start(FlowNumber number, const FlowStart& start) {
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  flow.current = flow.target =
      start.initial_rate.raw == 0 ? values_.initial : to_mbps(start.initial_rate);
  flow.alpha = values_.initial_alpha;
  apply(number, flow);
}

void Dcqcn::apply(FlowNumber number, const Flow& flow) {
  host_.set_rate(number, to_rate(flow.current));
}

// "Rate decrease": Rt = Rc, Rc = Rc (1 - α/2), α = (1-g) α + g.
void Dcqcn::on_cnp(FlowNumber number, const CnpInfo& info) {
  if (info.marks == 0) return;  // an all clear
  Flow& flow = flows_[number];
  const PicoSeconds now = host_.now();
  if (flow.controlled && now - flow.last_cut < parameters_.decrease_period) {
    flow.cnp_since_alpha = true;
    return;
  }
  const bool timed = flow.controlled;
  flow.controlled = true;
  flow.last_cut = now;
  flow.target = flow.current;
  flow.current = std::max(values_.r_min, flow.current * (1 - flow.alpha / 2));
  flow.alpha = (1 - values_.g) * flow.alpha + values_.g;
  flow.timer_events = flow.byte_events = 0;
  flow.bytes = 0;
  flow.cnp_since_alpha = false;
  ++counters_.rate_decreases;
  host_.start_timer(number, kAlpha, parameters_.alpha_timer);
  if (!timed || parameters_.timer_restart) {
    host_.start_timer(number, kIncrease, parameters_.increase_timer);
  }
  apply(number, flow);
}

void Dcqcn::on_sent(FlowNumber number, const SentInfo& info) {
  Flow& flow = flows_[number];
  if (!flow.controlled) return;
  flow.bytes += info.wire_bytes;
  if (flow.bytes <= parameters_.byte_counter) return;
  flow.bytes -= parameters_.byte_counter;
  ++flow.byte_events;
  increase(number, flow);
}

void Dcqcn::on_timer(FlowNumber number, int id) {
  Flow& flow = flows_[number];
  if (id == kAlpha) {
    // Without a notification in the interval α decays; with one (that came too soon to cut) it
    // grows as at a cut.
    flow.alpha *= 1 - values_.g;
    if (flow.cnp_since_alpha) flow.alpha += values_.g;
    flow.cnp_since_alpha = false;
    host_.start_timer(number, kAlpha, parameters_.alpha_timer);
    return;
  }
  ++flow.timer_events;
  increase(number, flow);
  if (flow.current >= values_.r_max) {
    flow.controlled = false;  // back at the maximum: nothing to time until the next CNP
    host_.stop_timer(number, kAlpha);
    flow.alpha = values_.initial_alpha;
    return;
  }
  host_.start_timer(number, kIncrease, parameters_.increase_timer);
}

// Stages by figure 7 of the paper: both counters beyond F, neither, or one.
void Dcqcn::increase(FlowNumber number, Flow& flow) {
  const unsigned most = std::max(flow.timer_events, flow.byte_events);
  const unsigned least = std::min(flow.timer_events, flow.byte_events);
  if (most >= parameters_.f) {
    flow.target = std::min(values_.r_max,
                           flow.target + (least > parameters_.f ? values_.r_hai : values_.r_ai));
  }
  const long double before = flow.current;
  flow.current = std::min(values_.r_max, (flow.target + flow.current) / 2);
  // Halving the distance never arrives: within one step of the controller's resolution is there.
  if (flow.target - flow.current < 1 / kScale) flow.current = flow.target;
  if (flow.current == before) return;
  ++counters_.rate_increases;
  apply(number, flow);
}

Algorithm::View Dcqcn::view(FlowNumber number) const {
  const Flow& flow = flows_[number];
  return {to_rate(flow.current), to_rate(flow.target), static_cast<double>(flow.alpha)};
}

}  // namespace dcc
