#include "schemes/qcn/qcn.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "switch/switch_device.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<QcnParameters> kQcn{
    "qcn", "switches send quantised feedback, senders cut by it and recover (802.1Qau)",
    kMakesAlgorithm<Qcn>};
}  // namespace

void QcnParameters::describe(ParameterVisitor& v) {
  const char* const qau = "IEEE 802.1Qau-2010";
  v.field("q_eq", q_eq, {"1KB", "1GB"}, {"queue length the switch aims at", qau});
  v.follows(true, "the product of slowest link and base RTT, at least 3 packets",
            [this](const NetworkScale& network) { q_eq = network.products(Ratio(1), 3); });
  v.field("w", w, {"0", "16"}, {"weight of the queue's growth", qau});
  v.field("sample_bytes", sample_bytes, {"1KB", "100MB"},
          {"bytes between two samples of an idle queue", qau});
  v.follows(true, shares().sample_text, [this](const NetworkScale& network) {
    sample_bytes =
        std::max<Bytes>(1'000, network.products(shares().sample, shares().sample_packets));
  });
  v.field("gd", gd, {"1/65536", "1"}, {"gain of a decrease", qau});
  v.field("min_decrease_factor", min_decrease_factor, {"0", "1"},
          {"a cut leaves at least this share", qau});
  v.field("byte_counter", byte_counter, {"1KB", "1GB"}, {"rpgByteReset", qau});
  v.follows(true, "5 times the product of slowest link and base RTT",
            [this](const NetworkScale& network) { byte_counter = network.products(Ratio(5), 25); });
  v.field("timer", timer, {"1us", "1s"}, {"rpgTimeReset", qau});
  v.follows(true, "10 base RTTs, from 1us to 1s", [this](const NetworkScale& network) {
    timer = network.round_trips(Ratio(10), kMicroSecond);
  });
  v.field("threshold", threshold, {"1", "255"}, {"rpgThreshold: cycles of recovery", qau});
  v.field("r_ai", r_ai, {"0bps", "1Tbps"}, {"rpgAiRate", qau});
  v.follows(true, shares().step_text,
            [this](const NetworkScale& network) { r_ai = network.share(shares().step); });
  v.field("r_hai", r_hai, {"0bps", "1Tbps"}, {"rpgHaiRate", qau});
  v.follows(true, shares().step_text,
            [this](const NetworkScale& network) { r_hai = network.share(shares().step); });
  v.field("r_min", r_min, {"1Mbps", "1Tbps"}, {"rpgMinRate", qau});
  v.follows(true, "1/1000 of the slowest link's rate, as 10Mbps at 10Gbps",
            [this](const NetworkScale& network) { r_min = network.share(Ratio(1, 1000)); });
}

void QcnParameters::check(Bytes) const {
  if (w.numerator % w.denominator != 0) {
    throw ParameterError({"w"}, text_of(w) + " is no whole number");
  }
}

void QcnParameters::ask_switch(SwitchParameters& parameters) const {
  parameters.qcn.enabled = true;
  parameters.qcn.set_point = q_eq;
  parameters.qcn.w = static_cast<std::int64_t>(w.numerator / w.denominator);
  parameters.qcn.sample_base = sample_bytes;
}

Qcn::Qcn(AlgorithmHost& host, const QcnParameters& parameters)
    : host_(host),
      parameters_(parameters),
      line_(to_mbps(host.line_rate())),
      r_ai_(to_mbps(parameters.r_ai)),
      r_hai_(to_mbps(parameters.r_hai)),
      r_min_(to_mbps(parameters.r_min)),
      gd_(to_real(parameters.gd)),
      min_decrease_factor_(to_real(parameters.min_decrease_factor)) {}

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
  const long double factor = std::max(min_decrease_factor_, 1 - gd_ * feedback);
  flow.current = std::max(r_min_, flow.current * factor);
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
    flow.target += (least - threshold) * r_hai_;
  } else if (most > threshold) {
    flow.target += r_ai_;
  }
  flow.target = std::min(flow.target, line_);
  flow.current = (flow.current + flow.target) / 2;
  // Halving the distance to the line rate never reaches the line rate, so a distance below the
  // resolution of a rate counts as zero.
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
