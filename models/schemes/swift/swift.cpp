#include "schemes/swift/swift.h"

#include <algorithm>
#include <cmath>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
long double picoseconds(PicoSeconds t) { return static_cast<long double>(t.count); }

const RegisteredAlgorithm<SwiftParameters> kSwift{"swift",
                                                  "the window follows the delay against a target",
                                                  kMakesAlgorithm<Swift, &AlgorithmContext::mtu>};
}  // namespace

void SwiftParameters::describe(ParameterVisitor& v) {
  const char* const paper = "Swift, SIGCOMM'20";
  v.field("base_target", base_target, {"1us", "1s"}, {"delay that every flow may have", paper});
  v.follows(true, "2 base RTTs, from 1us: the queue of a long flow is one bandwidth-delay product",
            [this](const NetworkScale& network) {
              base_target = network.round_trips(Ratio(2), kMicroSecond);
            });
  v.field("scaling_range", scaling_range, {"0us", "1s"},
          {"greatest addition to the target of a small window", paper});
  v.follows(
      true, "10 base RTTs: five times base_target, as in csg-htsim",
      [this](const NetworkScale& network) { scaling_range = network.round_trips(Ratio(10)); });
  v.field("scaling_min", scaling_min, {"1/1000", "1000"},
          {"window in packets up to which the addition is scaling_range", paper});
  v.field("scaling_max", scaling_max, {"1/1000", "10000"},
          {"window in packets from which on nothing is added", paper});
  v.field("whole_packets", whole_packets, {},
          {"flow scaling counts whole packets of a window; a window below a packet gets all of "
           "scaling_range",
           "csg-htsim"});
  v.field("additive_increase", additive_increase, {"1/1000", "100"},
          {"growth of the window in packets per round trip", paper});
  v.field("beta", beta, {"0", "1"}, {"gain of a decrease", paper});
  v.field("max_decrease", max_decrease, {"0", "1"},
          {"greatest share of a window that one decrease takes", paper});
  v.field("initial_window", initial_window, "bdp", {"1KB", "1GB"},
          {"window of a new flow; bdp: rate x base RTT"});
  v.field("min_window", min_window, {"1B", "1GB"}, {"a window is never cut below this"});
  v.field("max_window", max_window, "4bdp", {"1KB", "1GB"}, {"a window never grows beyond this"});
}

void SwiftParameters::check(Bytes) const {
  if (!(to_real(scaling_min) < to_real(scaling_max))) {
    throw ParameterError({"scaling_min", "scaling_max"},
                         "scaling_min is not below scaling_max: no window lies between them");
  }
}

Swift::Swift(AlgorithmHost& host, const SwiftParameters& parameters, std::uint32_t mtu)
    : host_(host),
      parameters_(parameters),
      mtu_(mtu),
      line_(to_mbps(host.line_rate())),
      increase_(to_real(parameters.additive_increase)),
      beta_(to_real(parameters.beta)),
      least_left_(1 - to_real(parameters.max_decrease)) {
  const long double most = std::sqrt(to_real(parameters.scaling_max));
  const long double least = std::sqrt(to_real(parameters.scaling_min));
  scale_ = picoseconds(parameters.scaling_range) / (1 / least - 1 / most);
  offset_ = -scale_ / most;
}

AlgorithmNeeds Swift::needs() const {
  AlgorithmNeeds needs;
  needs.acks = true;
  return needs;
}

PicoSeconds Swift::target(long double window, PicoSeconds base) const {
  const long double exact = window / mtu_;
  const long double packets = parameters_.whole_packets ? std::floor(exact) : exact;
  const long double range = picoseconds(parameters_.scaling_range);
  const long double scaling = packets > 0 ? scale_ / std::sqrt(packets) + offset_ : range;
  return base +
         PicoSeconds{static_cast<std::int64_t>(std::min(range, std::max(0.0L, scaling)) + 0.5L)};
}

void Swift::on_flow_start(FlowNumber number, const FlowStart& start) {
  Flow& flow = flows_.keep(number);
  flow = Flow{};
  flow.rtt = picoseconds(start.base_rtt);
  const PicoSeconds packet(static_cast<std::int64_t>(mtu_ * 8e6L / line_));
  const PicoSeconds least = start.base_rtt + packet;
  const bool met = parameters_.base_target + parameters_.scaling_range >= least;
  flow.base_target = met ? parameters_.base_target : least;
  const long double full = bytes_at(line_, start.base_rtt);
  flow.most =
      parameters_.max_window ? static_cast<long double>(*parameters_.max_window) : 4 * full + mtu_;
  flow.window = std::min(flow.most, parameters_.initial_window
                                        ? static_cast<long double>(*parameters_.initial_window)
                                        : std::max(full, mtu_));
  apply(number, flow);
}

// Programs a flow's window into the NIC. A window below one packet becomes a pacing rate: one
// packet is in flight, and the next packet leaves a round-trip time divided by the window later.
void Swift::apply(FlowNumber number, const Flow& flow) {
  const bool paced = flow.window < mtu_;
  host_.set_rate(number, paced ? from_mbps(pace(flow)) : host_.line_rate());
  // The NIC sends a packet while fewer bytes than its window are in flight, so the NIC's window is
  // a packet smaller than the flow's.
  host_.set_window(number, paced ? 1 : static_cast<Bytes>(flow.window - mtu_) + 1);
}

long double Swift::pace(const Flow& flow) const {
  return flow.rtt <= 0 ? line_ : std::min(line_, flow.window * 8e6L / flow.rtt);
}

void Swift::on_ack(FlowNumber number, const AckInfo& info) {
  Flow& flow = flows_[number];
  const long double delay = picoseconds(info.rtt);
  flow.rtt += (delay - flow.rtt) / 8;

  const long double before = flow.window;
  const PicoSeconds aim = target(before, flow.base_target);
  if (info.rtt < aim) {
    const long double acked = static_cast<long double>(info.newly_acked);
    flow.window += increase_ * acked * (before < mtu_ ? 1 : mtu_ / before);
  } else if (!flow.decreased || picoseconds(host_.now() - flow.last_decrease) >= flow.rtt) {
    flow.window *= std::max(least_left_, 1 - beta_ * (delay - picoseconds(aim)) / delay);
  }
  flow.window =
      std::min(flow.most, std::max(static_cast<long double>(parameters_.min_window), flow.window));
  if (flow.window < before) {
    flow.last_decrease = host_.now();
    flow.decreased = true;
    ++counters_.rate_decreases;
  } else if (flow.window > before) {
    ++counters_.rate_increases;
  }
  // A window below one MTU is paced; the pacing rate depends on the round-trip time, so it changes
  // even if the window does not.
  if (flow.window != before || flow.window < mtu_) apply(number, flow);
}

Algorithm::View Swift::view(FlowNumber number) const {
  const Rate rate = from_mbps(pace(flows_[number]));
  return {rate, rate, 0};
}

}  // namespace dcc
