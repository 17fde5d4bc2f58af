#include "schemes/hpcc/hpcc.h"

#include <algorithm>
#include <stdexcept>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<HpccParameters> kHpcc{
    "hpcc",
    "switches report their load in every packet, by which senders limit the bytes in "
    "flight",
    kMakesAlgorithm<Hpcc, &AlgorithmContext::longest_base_rtt>};
}  // namespace

void HpccParameters::describe(ParameterVisitor& v) {
  const char* const paper = "HPCC, SIGCOMM'19";
  v.field("eta", eta, {"1/2", "1"}, {"utilisation aimed at", paper});
  v.field("max_stage", max_stage, {"0", "255"}, {"additive stages before a full update", paper});
  v.field("w_ai_rate", w_ai_rate, {"1Mbps", "1Tbps"},
          {"additive increase, as a rate: W_AI = rate x base RTT", paper});
  v.follows(true, "1/200 of the slowest link's rate: W_AI = W (1 - eta) / N for N = 10 flows",
            [this](const NetworkScale& network) { w_ai_rate = network.share(Ratio(1, 200)); });
  v.field("base_rtt", base_rtt, "auto", {"100ns", "1s"},
          {"T; auto: the longest of the topology", paper});
  v.field("r_min", r_min, {"1Mbps", "1Tbps"}, {"a rate is never cut below this"});
  v.follows(true, "1/1000 of the slowest link's rate, as 100Mbps at 100Gbps",
            [this](const NetworkScale& network) { r_min = network.share(Ratio(1, 1000)); });
}

Hpcc::Hpcc(AlgorithmHost& host, const HpccParameters& parameters, PicoSeconds longest_base_rtt)
    : host_(host),
      parameters_(parameters),
      base_rtt_(parameters.base_rtt.value_or(longest_base_rtt)),
      line_(to_mbps(host.line_rate())),
      w_ai_(to_mbps(parameters.w_ai_rate)),
      r_min_(to_mbps(parameters.r_min)),
      eta_(to_real(parameters.eta)) {
  if (base_rtt_.count <= 0) throw std::invalid_argument("hpcc: base RTT must be positive");
}

AlgorithmNeeds Hpcc::needs() const {
  AlgorithmNeeds needs;
  needs.acks = true;
  needs.ack_each = true;
  needs.telemetry = true;
  return needs;
}

void Hpcc::on_flow_start(FlowNumber number, const FlowStart& start) {
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  flow.current = flow.reference = start.initial_rate.raw == 0 ? line_ : to_mbps(start.initial_rate);
  apply(number, flow);
}

void Hpcc::apply(FlowNumber number, const Flow& flow) {
  host_.set_rate(number, from_mbps(flow.current));
  host_.set_window(number, static_cast<Bytes>(bytes_at(flow.current, base_rtt_)));
}

// Handles an ACK: procedure NewAck of HPCC's algorithm 1.
void Hpcc::on_ack(FlowNumber number, const AckInfo& info) {
  if (info.telemetry == nullptr || info.telemetry_hops == 0) return;
  Flow& flow = flows_[number];
  const long double before = flow.current;
  const bool comparable = measure_inflight(flow, info);
  const bool update = info.psn >= flow.last_update;
  if (comparable) compute_window(flow, update);
  if (update || !comparable) flow.last_update = info.next_psn;
  if (flow.current == before) return;
  ++(flow.current < before ? counters_.rate_decreases : counters_.rate_increases);
  apply(number, flow);
}

const Hpcc::Scale& Hpcc::scale_of(BitRate rate) {
  for (const Scale& scale : scales_) {
    if (scale.rate.bits_per_second == rate.bits_per_second) return scale;
  }
  Scale& scale = scales_[oldest_scale_];
  oldest_scale_ = (oldest_scale_ + 1) % scales_.size();
  // link rate in bytes per picosecond
  const long double line = static_cast<long double>(rate.bits_per_second) / 8e12L;
  scale.rate = rate;
  scale.queued = 1 / (line * static_cast<long double>(base_rtt_.count));
  scale.sent = 1 / line;
  return scale;
}

// Computes the utilisation: function MeasureInflight of HPCC's algorithm 1.
bool Hpcc::measure_inflight(Flow& flow, const AckInfo& info) {
  long double u = 0;
  long double tau = 0;
  const auto measure = [&](const IntHop& hop, const IntHop& last, long double elapsed) {
    const Scale& scale = scale_of(hop.rate);
    const long double sent = static_cast<long double>(hop.tx_bytes - last.tx_bytes) / elapsed;
    const long double queue = static_cast<long double>(std::min(hop.queue, last.queue));
    const long double load = queue * scale.queued + sent * scale.sent;
    if (load > u) {
      u = load;
      tau = elapsed;
    }
  };
  if (!flow.links.update(info, measure)) return false;
  const long double period = static_cast<long double>(base_rtt_.count);
  tau = std::min(tau, period);
  flow.u = (1 - tau / period) * flow.u + tau / period * u;
  return true;
}

// Computes the window: function ComputeWind of HPCC's algorithm 1.
void Hpcc::compute_window(Flow& flow, bool update) {
  const bool multiplicative = flow.u >= eta_ || flow.stage >= parameters_.max_stage;
  long double window = flow.reference;
  if (multiplicative) window /= flow.u / eta_;
  window += w_ai_ * flow.weight;
  flow.current = std::min(line_, std::max(r_min_, window));
  if (!update) return;
  flow.stage = multiplicative ? 0 : flow.stage + 1;
  flow.reference = flow.current;
}

Algorithm::View Hpcc::view(FlowNumber number) const {
  const Flow& flow = flows_[number];
  return {from_mbps(flow.current), from_mbps(flow.reference), static_cast<double>(flow.u)};
}

}  // namespace dcc
