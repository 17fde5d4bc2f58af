#include "schemes/seawall/seawall.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "switch/ecn_marker.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<SeawallParameters> kSeawall{
    "seawall", "a rate for each class and destination by its weight, however many flows it has",
    kMakesAlgorithm<Seawall>};

template <class List>
void remove(List& list, FlowNumber number) {
  list.erase(std::remove(list.begin(), list.end(), number), list.end());
}
}  // namespace

void SeawallParameters::describe(ParameterVisitor& v) {
  const char* const paper = "Seawall, NSDI'11";
  v.field("period", period, {"1us", "1s"}, {"time between two changes of a tunnel's rate", paper});
  v.follows(true, "4 base RTTs, from 1us", [this](const NetworkScale& network) {
    period = network.round_trips(Ratio(4), kMicroSecond);
  });
  v.field("step", step, {"1Mbps", "1Tbps"},
          {"rate added in a period without a mark, times the weight of the class", paper});
  v.follows(
      true, "the slowest link's rate over the periods in 4 ms, from 1/200 to 1/50 of the rate",
      [this](const NetworkScale& network) {
        const PicoSeconds recovery = kMilliSecond * 4;
        step = network.share(Ratio(1, NetworkScale::recovery_steps(recovery, period, 50, 200)));
      });
  v.field("cut", cut, {"1/1000", "1"},
          {"share of the rate that a period in which all packets are marked takes", paper});
  v.field("gain", gain, {"1/1024", "1"},
          {"weight of a period in the average share of marks; 1: only the last period counts"});
  v.field("r_min", r_min, {"1Mbps", "1Tbps"}, {"a tunnel's rate is never cut below this"});
  v.follows(true, "1/1000 of the slowest link's rate",
            [this](const NetworkScale& network) { r_min = network.share(Ratio(1, 1000)); });
}

void SeawallParameters::ask_marking(EcnParameters& marking) const {
  marking.rule = EcnParameters::Rule::kDctcp;
}

Seawall::Seawall(AlgorithmHost& host, const SeawallParameters& parameters)
    : host_(host),
      period_(parameters.period),
      line_(to_mbps(host.line_rate())),
      step_(to_mbps(parameters.step)),
      cut_(to_real(parameters.cut)),
      gain_(to_real(parameters.gain)),
      r_min_(to_mbps(parameters.r_min)) {
  weights_.fill(1);
}

AlgorithmNeeds Seawall::needs() const {
  AlgorithmNeeds needs;
  needs.acks = needs.marks = needs.on_sent = true;
  return needs;
}

void Seawall::on_weight(std::uint8_t dscp, const Ratio& weight) {
  weights_[dscp] = to_real(weight);
}

void Seawall::on_flow_start(FlowNumber number, const FlowStart& start) {
  if (flows_.size() <= number) flows_.resize(number + 1);
  if (flows_[number].known) on_flow_end(number);
  const auto [place, is_new] =
      numbers_.try_emplace({start.dscp, start.destination}, tunnels_.size());
  if (is_new) {
    tunnels_.emplace_back();
    tunnels_.back().dscp = start.dscp;
    tunnels_.back().rate = line_;
  }
  Flow& flow = flows_[number];
  flow = Flow{};
  flow.known = true;
  flow.tunnel = place->second;
  activate(number, flow);
}

void Seawall::on_flow_end(FlowNumber number) {
  Flow& flow = flows_[number];
  Tunnel& tunnel = tunnels_[flow.tunnel];
  remove(tunnel.active, number);
  host_.stop_timer(number, 0);
  flow = Flow{};
  share(tunnel);
}

/// Gives the flow a share of its tunnel's rate for at least one period.
void Seawall::activate(FlowNumber number, Flow& flow) {
  Tunnel& tunnel = tunnels_[flow.tunnel];
  flow.active = true;
  tunnel.active.push_back(number);
  host_.start_timer(number, 0, period_);
  share(tunnel);
}

void Seawall::share(const Tunnel& tunnel) {
  if (tunnel.active.empty()) return;
  const Rate rate = from_mbps(tunnel.rate / static_cast<long double>(tunnel.active.size()));
  for (const FlowNumber number : tunnel.active) host_.set_rate(number, rate);
}

void Seawall::on_sent(FlowNumber number, const SentInfo&) {
  Flow& flow = flows_[number];
  flow.sent = true;
  if (!flow.active) activate(number, flow);
}

void Seawall::on_ack(FlowNumber number, const AckInfo& info) {
  Tunnel& tunnel = tunnels_[flows_[number].tunnel];
  ++tunnel.acks;
  if (info.ce) ++tunnel.marks;
}

// Handles the timer of the tunnel's first active flow, which serves the whole tunnel.
void Seawall::on_timer(FlowNumber number, int) {
  Flow& flow = flows_[number];
  Tunnel& tunnel = tunnels_[flow.tunnel];
  if (tunnel.active.front() == number && tunnel.acks > 0) {
    const long double share_of = static_cast<long double>(tunnel.marks) / tunnel.acks;
    tunnel.marked += gain_ * (share_of - tunnel.marked);
    if (tunnel.marks == 0) {
      if (tunnel.rate < line_) ++counters_.rate_increases;
      tunnel.rate = std::min(line_, tunnel.rate + weights_[tunnel.dscp] * step_);
    } else {
      ++counters_.rate_decreases;
      tunnel.rate = std::max(r_min_, tunnel.rate * (1 - cut_ * tunnel.marked));
    }
    tunnel.acks = tunnel.marks = 0;
  }
  if (flow.sent) {
    flow.sent = false;
    host_.start_timer(number, 0, period_);
  } else {
    flow.active = false;
    remove(tunnel.active, number);
  }
  share(tunnel);
}

Algorithm::View Seawall::view(FlowNumber number) const {
  const Tunnel& tunnel = tunnels_[flows_[number].tunnel];
  const auto active = std::max<std::size_t>(1, tunnel.active.size());
  const Rate rate = from_mbps(tunnel.rate / static_cast<long double>(active));
  return {rate, from_mbps(tunnel.rate), 0.0};
}

}  // namespace dcc
