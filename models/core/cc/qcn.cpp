#include "cc/qcn.h"

#include <algorithm>

#include "cc/real_rate.h"

namespace dcc {

Qcn::Qcn(AlgorithmHost& host, const QcnParameters& parameters)
    : host_(host), parameters_(parameters), line_(to_mbps(host.line_rate())) {}

AlgorithmNeeds Qcn::needs() const {
  AlgorithmNeeds needs;
  needs.on_sent = true;
  return needs;
}

void Qcn::on_flow_start(FlowNumber number, const FlowStart& start) {
  if (flows_.size() <= number) flows_.resize(number + 1);
  Flow& flow = flows_[number];
  flow = Flow{};
  flow.current = flow.target = start.initial_rate.raw == 0 ? line_ : to_mbps(start.initial_rate);
  apply(number, flow);
}

void Qcn::apply(FlowNumber number, const Flow& flow) {
  host_.set_rate(number, from_mbps(flow.current));
}

void Qcn::on_cnm(FlowNumber number, std::uint32_t feedback) {
  Flow& flow = flows_[number];
  if (!flow.limited || flow.byte_cycles + flow.timer_cycles > 0) flow.target = flow.current;
  flow.limited = true;
  const long double factor =
      std::max(parameters_.min_decrease_factor, 1 - parameters_.gd * feedback);
  flow.current = std::max(to_mbps(parameters_.r_min), flow.current * factor);
  flow.byte_cycles = flow.timer_cycles = 0;
  flow.bytes = 0;
  ++counters_.rate_decreases;
  host_.start_timer(number, 0, parameters_.timer);
  apply(number, flow);
}

void Qcn::on_sent(FlowNumber number, const SentInfo& info) {
  Flow& flow = flows_[number];
  if (!flow.limited) return;
  flow.bytes += info.wire_bytes;
  const bool past = flow.byte_cycles >= parameters_.threshold;
  const Bytes length = past ? parameters_.byte_counter / 2 : parameters_.byte_counter;
  if (flow.bytes < length) return;
  flow.bytes -= length;
  ++flow.byte_cycles;
  cycle(number, flow);
}

void Qcn::on_timer(FlowNumber number, int) {
  Flow& flow = flows_[number];
  ++flow.timer_cycles;
  cycle(number, flow);
  if (!flow.limited) return;
  const bool past = flow.timer_cycles >= parameters_.threshold;
  host_.start_timer(number, 0, past ? PicoSeconds(parameters_.timer.count / 2) : parameters_.timer);
}

void Qcn::cycle(FlowNumber number, Flow& flow) {
  const unsigned threshold = parameters_.threshold;
  const unsigned least = std::min(flow.byte_cycles, flow.timer_cycles);
  const unsigned most = std::max(flow.byte_cycles, flow.timer_cycles);
  if (least > threshold) {
    flow.target += (least - threshold) * to_mbps(parameters_.r_hai);
  } else if (most > threshold) {
    flow.target += to_mbps(parameters_.r_ai);
  }
  flow.target = std::min(flow.target, line_);
  flow.current = (flow.current + flow.target) / 2;
  // Halving the distance never arrives: within one step of a rate's resolution is there.
  if (line_ - flow.current < 1.0L / (1 << Rate::kFractionBits)) {
    flow.current = line_;
    flow.limited = false;
    host_.stop_timer(number, 0);
  }
  ++counters_.rate_increases;
  apply(number, flow);
}

Algorithm::View Qcn::view(FlowNumber number) const {
  const Flow& flow = flows_[number];
  return {from_mbps(flow.current), from_mbps(flow.target), 0.0};
}

}  // namespace dcc
