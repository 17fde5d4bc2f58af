#include "schemes/dcqcn/dcqcn.h"

#include <algorithm>
#include <memory>

#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "schemes/dcqcn/dcqcn_slotted.h"

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

DcqcnValues::DcqcnValues(const DcqcnParameters& parameters, Rate line)
    : r_min(to_mbps(parameters.r_min)),
      r_max(parameters.r_max ? to_mbps(*parameters.r_max) : to_mbps(line)),
      initial(parameters.initial_rate ? to_mbps(*parameters.initial_rate) : to_mbps(line)),
      r_ai(to_mbps(parameters.r_ai)),
      r_hai(to_mbps(parameters.r_hai)),
      first_rate(parameters.first_rate ? to_mbps(*parameters.first_rate) : 0),
      g(to_real(parameters.g)),
      initial_alpha(to_real(parameters.initial_alpha)),
      cut_floor(to_real(parameters.cut_floor)),
      cut_divisor(parameters.cut_divisor) {}

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

// Handles a CNP by the rate decrease of the DCQCN paper: Rt = Rc, Rc = Rc (1 - α/2), α = (1-g) α +
// g.
void Dcqcn::on_cnp(FlowNumber number, const CnpInfo& info) {
  if (info.marks == 0) return;  // ignores a clear notification, which reports 0 marks
  Flow& flow = flows_[number];
  const PicoSeconds now = host_.now();
  if (flow.controlled && now - flow.last_cut < parameters_.decrease_period) {
    flow.cnp_since_alpha = true;
    return;
  }
  const bool timed = flow.controlled;
  flow.controlled = true;
  flow.last_cut = now;
  const bool clamps = parameters_.clamp_target == DcqcnParameters::Clamp::kAlways || !timed ||
                      flow.timer_events != 0;
  if (clamps) flow.target = flow.current;
  if (!timed && values_.first_rate > 0) {
    flow.current = flow.target = values_.first(flow.current);
  } else {
    flow.current = values_.cut(flow.current, flow.alpha);
  }
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
    // α decays in an interval without a notification. If the interval's notification came too soon
    // for a cut, α grows as at a cut.
    flow.alpha *= 1 - values_.g;
    if (flow.cnp_since_alpha) flow.alpha += values_.g;
    flow.cnp_since_alpha = false;
    host_.start_timer(number, kAlpha, parameters_.alpha_timer);
    return;
  }
  ++flow.timer_events;
  increase(number, flow);
  if (flow.current >= values_.r_max) {
    // the flow's rate is at its maximum, so no timer runs until the next CNP
    flow.controlled = false;
    host_.stop_timer(number, kAlpha);
    flow.alpha = values_.initial_alpha;
    return;
  }
  host_.start_timer(number, kIncrease, parameters_.increase_timer);
}

// Increases the rate in the stage that figure 7 of the DCQCN paper chooses by the two counters:
// both are beyond F, neither is, or one is.
void Dcqcn::increase(FlowNumber number, Flow& flow) {
  const unsigned most = std::max(flow.timer_events, flow.byte_events);
  const unsigned least = std::min(flow.timer_events, flow.byte_events);
  if (most >= parameters_.f) {
    flow.target = std::min(values_.r_max,
                           flow.target + (least > parameters_.f ? values_.r_hai : values_.r_ai));
  }
  const long double before = flow.current;
  flow.current = std::min(values_.r_max, (flow.target + flow.current) / 2);
  // Halving the distance to the target never reaches the target, so a distance below the
  // controller's resolution counts as zero.
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
