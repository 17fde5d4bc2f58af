#include "schemes/fimd/fimd.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "switch/switch_parameters.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<FimdParameters> kFimd{
    "fimd", "rates that recover from a mark within one constant time",
    kMakesAlgorithm<Fimd, &AlgorithmContext::mtu>};
}  // namespace

void FimdParameters::describe(ParameterVisitor& v) {
  const char* const paper = "INFOCOM'03";
  v.choice("law", law,
           {"fimd, lipd: a constant time of recovery, of a rate that a mark divides or of a delay "
            "between packets that it raises by one; aimd: a time in proportion to the rate",
            paper});
  v.choice(
      "marks", marks,
      {"inputs: switches mark at full inputs (mark_at: input_full); queues: by switch.ecn", paper});
  v.field("factor", factor, {"17/16", "16"}, {"a mark divides the rate by it, unless lipd", paper});
  v.field("r_min", r_min, {"1Mbps", "1Tbps"},
          {"least rate; the time of a packet at this rate is the time of recovery", paper});
  v.follows(true, "1/256 of the slowest link's rate",
            [this](const NetworkScale& network) { r_min = network.share(Ratio(1, 256)); });
  v.field("window", window, "auto", {"1B", "1GiB"},
          {"most bytes in flight; auto: line rate x base RTT and a packet", paper});
}

void FimdParameters::ask_switch(SwitchParameters& parameters) const {
  if (marks == Marks::kInputs) parameters.ecn.mark_at = EcnParameters::MarkAt::kInputFull;
}

Fimd::Fimd(AlgorithmHost& host, const FimdParameters& parameters, std::uint32_t mtu)
    : host_(host),
      parameters_(parameters),
      mtu_(mtu),
      line_(to_mbps(host.line_rate())),
      r_min_(std::min(line_, to_mbps(parameters.r_min))),
      factor_(to_real(parameters.factor)) {}

AlgorithmNeeds Fimd::needs() const {
  AlgorithmNeeds needs;
  needs.acks = needs.ack_each = needs.marks = true;
  return needs;
}

void Fimd::on_flow_start(FlowNumber number, const FlowStart& start) {
  if (flows_.size() <= number) flows_.resize(number + 1);
  flows_[number] = {};
  const auto product = static_cast<Bytes>(bytes_at(line_, start.base_rtt));
  host_.set_window(number, parameters_.window.value_or(product + mtu_));
  set_rate(number, start.initial_rate.raw != 0 ? to_mbps(start.initial_rate) : line_);
}

void Fimd::on_ack(FlowNumber number, const AckInfo& info) {
  Flow& flow = flows_[number];
  if (info.psn < flow.cut_before) return;
  if (info.ce) {
    flow.cut_before = info.next_psn;
    ++counters_.rate_decreases;
    set_rate(number, lowered(flow.mbps));
    return;
  }
  if (flow.mbps >= line_) return;
  ++counters_.rate_increases;
  set_rate(number, raised(flow.mbps, static_cast<long double>(info.newly_acked) / mtu_));
}

long double Fimd::lowered(long double mbps) const {
  return parameters_.law == FimdParameters::Law::kLipd ? line_ / (line_ / mbps + 1)
                                                       : mbps / factor_;
}

long double Fimd::raised(long double mbps, long double packets) const {
  // share of the recovery time that the acknowledged packets stand for
  const long double share = packets * r_min_ / mbps;
  switch (parameters_.law) {
    case FimdParameters::Law::kFimd:
      return mbps * repeatable_power(factor_, share);
    case FimdParameters::Law::kLipd:
      return line_ / std::max(1.0L, line_ / mbps - share);
    case FimdParameters::Law::kAimd:
      break;
  }
  return mbps + (factor_ - 1) * r_min_ * share;
}

void Fimd::set_rate(FlowNumber number, long double mbps) {
  flows_[number].mbps = std::min(line_, std::max(r_min_, mbps));
  host_.set_rate(number, from_mbps(flows_[number].mbps));
}

Algorithm::View Fimd::view(FlowNumber number) const {
  const Rate rate = from_mbps(flows_[number].mbps);
  return {rate, rate, 0.0};
}

}  // namespace dcc
