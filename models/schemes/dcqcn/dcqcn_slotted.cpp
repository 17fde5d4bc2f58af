#include "schemes/dcqcn/dcqcn_slotted.h"

#include <algorithm>
#include <stdexcept>

#include "nic/algorithm/real_rate.h"

namespace dcc {

DcqcnSlotted::DcqcnSlotted(AlgorithmHost& host, const DcqcnParameters& parameters)
    : host_(host), parameters_(parameters), values_(parameters, host.line_rate()) {
  if (parameters.alpha_timer.count <= 0 || parameters.decrease_period.count <= 0) {
    throw std::invalid_argument("dcqcn: the slotted rules need alpha and decrease slots");
  }
}

AlgorithmNeeds DcqcnSlotted::needs() const {
  AlgorithmNeeds needs;
  needs.cnp = true;
  needs.on_sent = parameters_.byte_counter > 0;
  return needs;
}

void DcqcnSlotted::on_flow_start(FlowNumber number, const FlowStart& start) {
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  flow.current = flow.target =
      start.initial_rate.raw == 0 ? values_.initial : to_mbps(start.initial_rate);
  flow.alpha = values_.initial_alpha;
  apply(number, flow);
}

void DcqcnSlotted::apply(FlowNumber number, const Flow& flow) {
  host_.set_rate(number, from_mbps(flow.current));
}

// Updates α for the time slots that ended since the last call (section 7.1). Only the first of
// these slots can have had a CNP, because a CNP calls this function first.
void DcqcnSlotted::settle_alpha(Flow& flow, PicoSeconds now) const {
  const std::int64_t slot = (now - flow.origin) / parameters_.alpha_timer;
  if (slot == flow.settled) return;
  const long double keep = 1 - values_.g;
  flow.alpha *= keep;
  if (flow.cnp_in_slot) flow.alpha += values_.g;
  flow.cnp_in_slot = false;
  flow.alpha *= whole_power(keep, static_cast<std::uint64_t>(slot - flow.settled - 1));
  flow.settled = slot;
}

void DcqcnSlotted::on_cnp(FlowNumber number, const CnpInfo& info) {
  if (info.marks == 0) return;  // ignores a clear notification, which reports 0 marks
  Flow& flow = flows_[number];
  const PicoSeconds now = host_.now();
  if (!flow.controlled) {
    flow.controlled = true;
    flow.alpha = values_.initial_alpha;
    flow.origin = now;
    flow.settled = 0;
    flow.cnp_in_slot = true;
    flow.increased = true;
    const bool sets = values_.first_rate > 0;
    if (sets) flow.current = values_.first(flow.current);
    cut(number, flow, sets ? flow.current : values_.cut(flow.current, flow.alpha));
    return;
  }
  settle_alpha(flow, now);
  flow.cnp_in_slot = true;
  if (flow.cut_due) return;
  flow.cut_due = true;
  const PicoSeconds into_slot((now - flow.origin).count % parameters_.decrease_period.count);
  host_.start_timer(number, kCut, parameters_.decrease_period - into_slot);
}

// Cuts the flow's rate to `rate` by the rule of section 7.2 of the RoCE article.
void DcqcnSlotted::cut(FlowNumber number, Flow& flow, long double rate) {
  flow.cut_due = false;
  const bool always = parameters_.clamp_target == DcqcnParameters::Clamp::kAlways;
  if (always || flow.increased) flow.target = flow.current;
  flow.current = rate;
  flow.events = 0;
  flow.bytes = 0;
  flow.increased = false;
  ++counters_.rate_decreases;
  host_.start_timer(number, kIncrease, parameters_.increase_timer);
  apply(number, flow);
}

void DcqcnSlotted::on_sent(FlowNumber number, const SentInfo& info) {
  Flow& flow = flows_[number];
  if (!flow.controlled) return;
  flow.bytes += info.wire_bytes;
  if (flow.bytes <= parameters_.byte_counter) return;
  flow.bytes -= parameters_.byte_counter;
  increase(number, flow);
}

void DcqcnSlotted::on_timer(FlowNumber number, int id) {
  Flow& flow = flows_[number];
  if (id == kCut) {
    settle_alpha(flow, host_.now());
    cut(number, flow, values_.cut(flow.current, flow.alpha));
    return;
  }
  increase(number, flow);
  host_.start_timer(number, kIncrease, parameters_.increase_timer);
}

// Increases the flow's rate by the rule of section 7.3 of the RoCE article.
void DcqcnSlotted::increase(FlowNumber number, Flow& flow) {
  const unsigned event = flow.events++;
  flow.increased = true;
  const unsigned f = parameters_.f;
  if (event >= f)
    flow.target =
        std::min(values_.r_max, flow.target + (event < 2 * f ? values_.r_ai : values_.r_hai));
  const long double before = flow.current;
  flow.current = (flow.target + flow.current) / 2;
  if (flow.current == before) return;
  ++counters_.rate_increases;
  apply(number, flow);
}

Algorithm::View DcqcnSlotted::view(FlowNumber number) const {
  Flow flow = flows_[number];
  if (flow.controlled) settle_alpha(flow, host_.now());
  return {from_mbps(flow.current), from_mbps(flow.target), static_cast<double>(flow.alpha)};
}

}  // namespace dcc
