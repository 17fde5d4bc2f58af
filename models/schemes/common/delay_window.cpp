#include "schemes/common/delay_window.h"

#include <algorithm>

#include "describe/quantity_text.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"

namespace dcc {

namespace {
long double in_picoseconds(PicoSeconds time) { return static_cast<long double>(time.count); }
}  // namespace

void DelayWindowParameters::describe_limits(ParameterVisitor& v, const char* max_meaning) {
  v.field("initial_window", initial_window, "bdp", {"1B", "1GB"},
          {"window of a new flow; bdp: line rate x base RTT"});
  v.field("min_window", min_window, {"1B", "1GB"}, {"lower limit of a window"});
  v.field("max_window", max_window, "auto", {"1KB", "1GB"}, {max_meaning});
}

void DelayWindowParameters::check(Bytes) const {
  if (max_window && *max_window < min_window) {
    throw ParameterError(
        {"max_window", "min_window"},
        "max_window " + text_of(*max_window) + " is below min_window " + text_of(min_window));
  }
  if (!initial_window) return;
  if (*initial_window < min_window || (max_window && *max_window < *initial_window)) {
    throw ParameterError({"initial_window"}, "initial_window " + text_of(*initial_window) +
                                                 " is not between min_window and max_window");
  }
}

DelayWindow::DelayWindow(AlgorithmHost& host, const DelayWindowParameters& limits,
                         std::uint32_t mtu, long double room)
    : host_(host),
      initial_(limits.initial_window),
      max_(limits.max_window),
      min_(static_cast<long double>(limits.min_window)),
      mtu_(mtu),
      line_(to_mbps(host.line_rate())),
      room_(room) {}

AlgorithmNeeds DelayWindow::needs() const {
  AlgorithmNeeds needs;
  needs.acks = true;
  return needs;
}

void DelayWindow::on_flow_start(FlowNumber number, const FlowStart& start) {
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  const long double product = bytes_at(line_, start.base_rtt);
  flow.least_rtt = in_picoseconds(start.base_rtt);
  flow.max = max_ ? static_cast<long double>(*max_) : 4 * product + room_ + mtu_;
  flow.window =
      std::min(flow.max, initial_ ? static_cast<long double>(*initial_) : std::max(product, mtu_));
  begin(number, flow);
  apply(number, flow);
}

// The RTT is smoothed as in FAST, section IV-B: a sample has the weight min(1/4, 3 / packets in the
// window).
void DelayWindow::on_ack(FlowNumber number, const AckInfo& info) {
  Flow& flow = flows_[number];
  const long double sample = in_picoseconds(info.rtt);
  if (flow.least_rtt <= 0 || sample < flow.least_rtt) flow.least_rtt = sample;
  const long double weight = std::min(0.25L, 3 * mtu_ / flow.window);
  flow.rtt += flow.rtt <= 0 ? sample : weight * (sample - flow.rtt);
  if (flow.round_least <= 0 || sample < flow.round_least) flow.round_least = sample;
  flow.round_most = std::max(flow.round_most, sample);
  flow.round_sum += sample;
  ++flow.round_acks;
  flow.marked = flow.marked || info.ce;
  if (info.psn < flow.round_end) return;
  flow.round_end = info.next_psn;
  const long double before = flow.window;
  flow.window = std::min(flow.max, std::max(min_, next_window(number, flow)));
  if (flow.window < before) ++counters_.rate_decreases;
  if (flow.window > before) ++counters_.rate_increases;
  flow.round_least = flow.round_most = flow.round_sum = 0;
  flow.round_acks = 0;
  flow.marked = false;
  apply(number, flow);
}

// Programs a flow's window into the NIC. A window below one packet becomes a pacing rate with one
// packet in flight.
void DelayWindow::apply(FlowNumber number, const Flow& flow) {
  const bool paced = flow.window < mtu_;
  host_.set_rate(number, paced ? from_mbps(pace(flow)) : host_.line_rate());
  // The NIC sends a packet while fewer bytes than its window are in flight, so the NIC's window is
  // about a packet smaller than the flow's.
  const long double more = rounding(number) * mtu_;
  host_.set_window(number, paced ? 1 : static_cast<Bytes>(flow.window - mtu_ + more) + 1);
}

/// Pacing rate in Mb/s that sends one window of the flow per round trip.
long double DelayWindow::pace(const Flow& flow) const {
  const long double rtt = flow.rtt > 0 ? flow.rtt : flow.least_rtt;
  return rtt <= 0 ? line_ : std::min(line_, flow.window * 8e6L / rtt);
}

Algorithm::View DelayWindow::view(FlowNumber number) const {
  const Rate rate = from_mbps(pace(flows_[number]));
  return {rate, rate, 0};
}

}  // namespace dcc
