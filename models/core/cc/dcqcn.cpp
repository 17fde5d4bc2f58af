#include "cc/dcqcn.h"

#include <algorithm>

namespace dcc {

namespace {
constexpr long double kScale = 1 << Rate::kFractionBits;
long double mbps(Rate rate) { return rate.raw / kScale; }
Rate to_rate(long double mbps) {
  return Rate(static_cast<std::uint32_t>(std::max(mbps, 0.0L) * kScale + 0.5L));
}
}  // namespace

Dcqcn::Dcqcn(AlgorithmHost& host, const DcqcnParameters& parameters)
    : host_(host), parameters_(parameters) {
  const Rate line = host.line_rate();
  r_min_ = mbps(parameters.r_min);
  r_max_ = mbps(parameters.r_max.raw == 0 ? line : parameters.r_max);
  initial_ = mbps(parameters.initial_rate.raw == 0 ? line : parameters.initial_rate);
  r_ai_ = mbps(parameters.r_ai);
  r_hai_ = mbps(parameters.r_hai);
}

AlgorithmNeeds Dcqcn::needs() const {
  AlgorithmNeeds needs;
  needs.cnp = true;
  needs.on_sent = parameters_.byte_counter > 0;
  return needs;
}

void Dcqcn::on_flow_start(FlowNumber number, const FlowStart& start) {
  if (flows_.size() <= number) flows_.resize(number + 1);
  Flow& flow = flows_[number];
  flow = Flow{};
  flow.current = flow.target = start.initial_rate.raw == 0 ? initial_ : mbps(start.initial_rate);
  flow.alpha = parameters_.initial_alpha;
  apply(number, flow);
}

void Dcqcn::apply(FlowNumber number, const Flow& flow) {
  host_.set_rate(number, to_rate(flow.current));
}

// "Rate decrease": Rt = Rc, Rc = Rc (1 - α/2), α = (1-g) α + g.
void Dcqcn::on_cnp(FlowNumber number, const CnpInfo&) {
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
  flow.current = std::max(r_min_, flow.current * (1 - flow.alpha / 2));
  flow.alpha = (1 - parameters_.g) * flow.alpha + parameters_.g;
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
    flow.alpha *= 1 - parameters_.g;
    if (flow.cnp_since_alpha) flow.alpha += parameters_.g;
    flow.cnp_since_alpha = false;
    host_.start_timer(number, kAlpha, parameters_.alpha_timer);
    return;
  }
  ++flow.timer_events;
  increase(number, flow);
  if (flow.current >= r_max_) {
    flow.controlled = false;  // back at the maximum: nothing to time until the next CNP
    host_.stop_timer(number, kAlpha);
    flow.alpha = parameters_.initial_alpha;
    return;
  }
  host_.start_timer(number, kIncrease, parameters_.increase_timer);
}

// Stages by figure 7 of the paper: both counters beyond F, neither, or one.
void Dcqcn::increase(FlowNumber number, Flow& flow) {
  const unsigned most = std::max(flow.timer_events, flow.byte_events);
  const unsigned least = std::min(flow.timer_events, flow.byte_events);
  if (most >= parameters_.f) {
    flow.target = std::min(r_max_, flow.target + (least > parameters_.f ? r_hai_ : r_ai_));
  }
  const long double before = flow.current;
  flow.current = std::min(r_max_, (flow.target + flow.current) / 2);
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
