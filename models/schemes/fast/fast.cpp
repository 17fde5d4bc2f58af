#include "schemes/fast/fast.h"

#include <algorithm>
#include <memory>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<FastParameters> kFast{
    "fast", "a window by delay that keeps a fixed number of bytes in queues",
    [](const FastParameters& parameters, const AlgorithmContext& context) {
      return std::make_unique<Fast>(context.host, parameters, context.mtu);
    }};

long double in_picoseconds(PicoSeconds time) { return static_cast<long double>(time.count); }
}  // namespace

void FastParameters::describe(ParameterVisitor& v) {
  const char* const paper = "FAST TCP, INFOCOM'04";
  v.field("alpha", alpha, {"1B", "1GB"},
          {"payload bytes of each flow that wait in queues in equilibrium", paper});
  v.follows(true, "1/4 of the product of slowest link and base RTT, at least a packet",
            [this](const NetworkScale& network) { alpha = network.products(Ratio(1, 4), 1); });
  v.field("gamma", gamma, {"1/1000", "1"},
          {"share of the way to the new window that one update takes", paper});
  v.field("initial_window", initial_window, "bdp", {"1B", "1GB"},
          {"window of a new flow; bdp: line rate x base RTT", ""});
  v.field("min_window", min_window, {"1B", "1GB"}, {"lower limit of a window", ""});
  v.field("max_window", max_window, "auto", {"1KB", "1GB"},
          {"upper limit of a window; auto: four times line rate x base RTT, and alpha", ""});
}

Fast::Fast(AlgorithmHost& host, const FastParameters& parameters, std::uint32_t mtu)
    : host_(host),
      parameters_(parameters),
      mtu_(mtu),
      line_(to_mbps(host.line_rate())),
      alpha_(static_cast<long double>(parameters.alpha)),
      gamma_(to_real(parameters.gamma)) {}

AlgorithmNeeds Fast::needs() const {
  AlgorithmNeeds needs;
  needs.acks = true;
  return needs;
}

void Fast::on_flow_start(FlowNumber number, const FlowStart& start) {
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  const long double product = bytes_at(line_, start.base_rtt);
  flow.least_rtt = in_picoseconds(start.base_rtt);
  flow.max = parameters_.max_window ? static_cast<long double>(*parameters_.max_window)
                                    : 4 * product + alpha_ + mtu_;
  flow.window = std::min(flow.max, parameters_.initial_window
                                       ? static_cast<long double>(*parameters_.initial_window)
                                       : std::max(product, mtu_));
  apply(number, flow);
}

// The RTT is smoothed as in section IV-B: a sample has the weight min(1/4, 3 / packets in the
// window).
void Fast::on_ack(FlowNumber number, const AckInfo& info) {
  Flow& flow = flows_[number];
  const long double sample = in_picoseconds(info.rtt);
  if (flow.least_rtt <= 0 || sample < flow.least_rtt) flow.least_rtt = sample;
  const long double weight = std::min(0.25L, 3 * mtu_ / flow.window);
  flow.rtt += flow.rtt <= 0 ? sample : weight * (sample - flow.rtt);
  if (info.psn < flow.round_end) return;
  flow.round_end = info.next_psn;
  update(flow);
  apply(number, flow);
}

void Fast::update(Flow& flow) {
  const long double before = flow.window;
  const long double aim = flow.rtt <= 0 ? before : flow.least_rtt / flow.rtt * before + alpha_;
  flow.window = std::min(2 * before, (1 - gamma_) * before + gamma_ * aim);
  flow.window =
      std::min(flow.max, std::max(static_cast<long double>(parameters_.min_window), flow.window));
  if (flow.window < before) ++counters_.rate_decreases;
  if (flow.window > before) ++counters_.rate_increases;
}

// A window below one packet becomes a pace with one packet in flight.
void Fast::apply(FlowNumber number, const Flow& flow) {
  const bool paced = flow.window < mtu_;
  host_.set_rate(number, paced ? from_mbps(pace(flow)) : host_.line_rate());
  // The NIC sends a packet while less than the window is in flight: leave room for that packet.
  host_.set_window(number, paced ? 1 : static_cast<Bytes>(flow.window - mtu_) + 1);
}

/// Mb/s: a window per round trip.
long double Fast::pace(const Flow& flow) const {
  const long double rtt = flow.rtt > 0 ? flow.rtt : flow.least_rtt;
  return rtt <= 0 ? line_ : std::min(line_, flow.window * 8e6L / rtt);
}

Algorithm::View Fast::view(FlowNumber number) const {
  const Rate rate = from_mbps(pace(flows_[number]));
  return {rate, rate, 0};
}

}  // namespace dcc
