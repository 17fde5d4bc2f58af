#include "schemes/dctcp/dctcp.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"
#include "switch/ecn_marker.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<DctcpParameters> kDctcp{
    "dctcp", "the share of marked packets sets the size of the cut, once a window",
    kMakesAlgorithm<Dctcp, &AlgorithmContext::mtu, &AlgorithmContext::longest_base_rtt>};
}  // namespace

void DctcpParameters::describe(ParameterVisitor& v) {
  const char* const paper = "DCTCP, SIGCOMM'10; RFC 8257";
  v.choice("form", form, {"control the window or the rate"});
  v.field("g", g, {"1/65536", "1"}, {"weight of the newest sample in alpha", paper});
  v.field("r_ai", r_ai, {"1Mbps", "1Tbps"}, {"rate form: increase per RTT"});
  v.follows(form == Form::kRate, "a full packet a base RTT, as in window form",
            [this](const NetworkScale& network) { r_ai = network.packet_rate(); });
  v.field("r_min", r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this"});
  v.follows(form == Form::kRate, "1/1000 of the slowest link's rate, as 100Mbps at 100Gbps",
            [this](const NetworkScale& network) { r_min = network.share(Ratio(1, 1000)); });
  v.field("initial_window", initial_window, "bdp", {"1KB", "1GB"},
          {"window of a new flow; bdp: rate x base RTT"});
  v.field("d2tcp_exponent", d2tcp_exponent, {"1/4", "4"},
          {"cut by alpha to this power; 1: DCTCP", "D2TCP, SIGCOMM'12"});
  v.field("d2tcp_deadlines", d2tcp_deadlines, {},
          {"the power of a flow with a deadline is the factor by which it would miss it",
           "D2TCP, SIGCOMM'12"});
  v.field("d2tcp_least", d2tcp_least, {"1/4", "4"}, {"... but not smaller than this"});
  v.field("d2tcp_most", d2tcp_most, {"1/4", "4"}, {"... and not greater than this"});
}

void DctcpParameters::ask_marking(EcnParameters& ecn) const {
  ecn.rule = EcnParameters::Rule::kDctcp;
}

void DctcpParameters::check(Bytes) const {
  if (d2tcp_most < d2tcp_least) {
    throw ParameterError({"d2tcp_least", "d2tcp_most"}, "d2tcp_least is above d2tcp_most");
  }
}

Dctcp::Dctcp(AlgorithmHost& host, const DctcpParameters& parameters, std::uint32_t mtu,
             PicoSeconds base_rtt)
    : host_(host),
      parameters_(parameters),
      mtu_(mtu),
      base_rtt_(base_rtt),
      line_(to_mbps(host.line_rate())),
      r_ai_(to_mbps(parameters.r_ai)),
      r_min_(to_mbps(parameters.r_min)),
      g_(to_real(parameters.g)),
      exponent_(to_real(parameters.d2tcp_exponent)) {}

AlgorithmNeeds Dctcp::needs() const {
  AlgorithmNeeds needs;
  needs.acks = true;
  needs.ack_each = true;
  needs.marks = true;
  return needs;
}

void Dctcp::on_flow_start(FlowNumber number, const FlowStart& start) {
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  flow.rtt = base_rtt_ == PicoSeconds() ? start.base_rtt : base_rtt_;
  flow.left = start.bytes;
  if (start.bytes != 0) flow.deadline = start.deadline;
  if (parameters_.form == DctcpParameters::Form::kRate) {
    flow.level = start.initial_rate.raw == 0 ? line_ : to_mbps(start.initial_rate);
  } else {
    flow.level = parameters_.initial_window ? static_cast<long double>(*parameters_.initial_window)
                                            : bytes_at(line_, flow.rtt);
  }
  apply(number, flow);
}

void Dctcp::apply(FlowNumber number, const Flow& flow) {
  if (parameters_.form == DctcpParameters::Form::kWindow) {
    host_.set_window(number, static_cast<Bytes>(flow.level));
    return;
  }
  host_.set_rate(number, from_mbps(flow.level));
  const long double full = parameters_.initial_window
                               ? static_cast<long double>(*parameters_.initial_window)
                               : bytes_at(line_, flow.rtt);
  host_.set_window(number, static_cast<Bytes>(full * flow.level / line_));
}

long double Dctcp::exponent(const Flow& flow, PicoSeconds rtt) const {
  if (!parameters_.d2tcp_deadlines || flow.deadline == PicoSeconds::max()) return exponent_;
  const PicoSeconds ahead = flow.deadline - host_.now();
  if (ahead.count <= 0) return exponent_;
  const long double trip = static_cast<long double>(rtt.count);
  const long double window = parameters_.form == DctcpParameters::Form::kWindow
                                 ? flow.level
                                 : bytes_at(flow.level, flow.rtt);
  const long double needed = static_cast<long double>(flow.left) / (window * 3 / 4) * trip;
  return std::min(
      to_real(parameters_.d2tcp_most),
      std::max(to_real(parameters_.d2tcp_least), needed / static_cast<long double>(ahead.count)));
}

long double Dctcp::penalty(long double alpha, long double exponent) {
  return exponent == 1 ? alpha : repeatable_power(alpha, exponent);
}

void Dctcp::on_ack(FlowNumber number, const AckInfo& info) {
  Flow& flow = flows_[number];
  ++flow.acks;
  flow.left -= info.newly_acked;
  if (info.ce) ++flow.marked;
  const bool round_over = info.psn >= flow.round_end;
  if (round_over) {
    const long double share = static_cast<long double>(flow.marked) / flow.acks;
    if (flow.round_end != 0) flow.alpha += g_ * (share - flow.alpha);
    flow.round_end = info.next_psn;
    flow.acks = flow.marked = 0;
  }
  if (flow.reduced && info.psn >= flow.cut_end) flow.reduced = false;

  const bool by_rate = parameters_.form == DctcpParameters::Form::kRate;
  const long double before = flow.level;
  if (info.ce && !flow.reduced) {
    const long double least = by_rate ? r_min_ : mtu_;
    const long double depth = penalty(flow.alpha, exponent(flow, info.rtt));
    flow.level = std::max(least, flow.level * (1 - depth / 2));
    flow.reduced = true;
    flow.cut_end = info.next_psn;
    ++counters_.rate_decreases;
  } else if (!flow.reduced && by_rate && round_over) {
    flow.level = std::min(line_, flow.level + r_ai_);
    if (flow.level > before) ++counters_.rate_increases;
  } else if (!flow.reduced && !by_rate) {
    // Each ACK adds its share of a packet to the window. A window beyond four bandwidth-delay
    // products no longer reflects the network, so the window is limited.
    const long double most = 4 * bytes_at(line_, flow.rtt) + mtu_;
    flow.level =
        std::min(most, flow.level + mtu_ * static_cast<long double>(info.newly_acked) / flow.level);
    if (round_over) ++counters_.rate_increases;
  }
  if (flow.level != before) apply(number, flow);
}

Algorithm::View Dctcp::view(FlowNumber number) const {
  const Flow& flow = flows_[number];
  long double mbps = flow.level;
  if (parameters_.form == DctcpParameters::Form::kWindow) {
    mbps = flow.rtt.count == 0
               ? line_
               : std::min(line_, flow.level * 8e6L / static_cast<long double>(flow.rtt.count));
  }
  const Rate rate = from_mbps(mbps);
  return {rate, rate, static_cast<double>(flow.alpha)};
}

}  // namespace dcc
