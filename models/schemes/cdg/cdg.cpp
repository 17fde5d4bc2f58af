#include "schemes/cdg/cdg.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<CdgParameters> kCdg{
    "cdg", "a window that backs off by chance when round-trip times grow",
    kMakesAlgorithm<Cdg, &AlgorithmContext::mtu, &AlgorithmContext::seed, &AlgorithmContext::rank>};
}  // namespace

void CdgParameters::describe(ParameterVisitor& v) {
  const char* const paper = "CDG, Networking'11";
  v.field("beta", beta, {"1/1000", "1"}, {"factor of a window at a backoff", paper});
  v.field("scale", scale, "auto", {"1ns", "10s"},
          {"growth of the RTT in a round trip at which a backoff has the probability 63 %; auto: a "
           "sixteenth of the base RTT",
           paper});
  // With backoffs in at most every second round trip, a window has on average at least 20/3 of its
  // growth. Where a round trip holds few packets, windows of that many packets make a long queue.
  // Where a round trip holds many packets, a window that grows by one packet needs milliseconds to
  // recover from a backoff, and the shares of flows would depend by chance on whose backoff was the
  // last. The paper's networks hold 33 to 80 packets.
  v.field("growth", growth, "packet", {"1B", "100MB"},
          {"payload bytes by which a window grows in a round trip; packet: a full packet", paper});
  v.follows(
      true,
      "a full packet, at least 1/100 and at most 1/48 of the product of slowest link and base "
      "RTT",
      [this](const NetworkScale& network) {
        const Bytes most = std::max<Bytes>(1, network.products(Ratio(1, 48), 0));
        const Bytes least = network.products(Ratio(1, 100), 0);
        growth.reset();
        if (most < network.packet) growth = most;
        if (least > network.packet) growth = least;
      });
  describe_limits(v, "upper limit of a window; auto: four times line rate x base RTT");
}

Cdg::Cdg(AlgorithmHost& host, const CdgParameters& parameters, std::uint32_t mtu,
         std::uint64_t seed, std::uint64_t index)
    : DelayWindow(host, parameters, mtu, 0),
      parameters_(parameters),
      beta_(to_real(parameters.beta)),
      growth_(static_cast<long double>(parameters.growth.value_or(mtu))),
      random_(seed, "cdg", index) {}

void Cdg::release(FlowNumber flow) {
  DelayWindow::release(flow);
  states_.drop(flow);
}

void Cdg::begin(FlowNumber number, const Flow& flow) {
  State& state = states_.keep(number);
  state = State{};
  state.scale =
      parameters_.scale ? static_cast<long double>(parameters_.scale->count) : flow.least_rtt / 16;
}

// The sum of eight changes of the RTT is the difference of two RTTs. A flow with fewer past round
// trips averages over the round trips it has had.
long double Cdg::Gradient::add(std::uint64_t round, long double rtt) {
  long double& oldest = past[round % kSamples];
  const std::uint64_t distance = round < kSamples ? round : kSamples;
  const long double before = round < kSamples ? past[0] : oldest;
  oldest = rtt;
  return distance == 0 ? 0 : (rtt - before) / static_cast<long double>(distance);
}

long double Cdg::next_window(FlowNumber number, const Flow& flow) {
  State& state = states_[number];
  const long double least = state.least.add(state.rounds, flow.round_least);
  const long double most = state.most.add(state.rounds, flow.round_most);
  ++state.rounds;
  const long double gradient = least > 0 ? least : most;
  // An exponentially distributed number with mean 1 is below x with the probability 1 − exp(−x).
  state.backed_off =
      !state.backed_off && gradient > 0 && state.scale > 0 &&
      static_cast<long double>(random_.exponential_q32()) < gradient / state.scale * 4294967296.0L;
  return state.backed_off ? beta_ * flow.window : flow.window + growth_;
}

}  // namespace dcc
