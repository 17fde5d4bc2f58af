#include "schemes/fast/fast.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/real_rate.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<FastParameters> kFast{
    "fast", "a window by delay that keeps a fixed number of bytes in queues",
    kMakesAlgorithm<Fast, &AlgorithmContext::mtu>};
}  // namespace

void FastParameters::describe(ParameterVisitor& v) {
  const char* const paper = "FAST TCP, INFOCOM'04";
  v.field("alpha", alpha, {"1B", "1GB"},
          {"payload bytes of each flow that wait in queues in equilibrium", paper});
  v.follows(true,
            "1/5 of the product of slowest link and base RTT, at least a packet: 20 flows queue 4 "
            "products",
            [this](const NetworkScale& network) { alpha = network.products(Ratio(1, 5), 1); });
  v.field("gamma", gamma, {"1/1000", "1"},
          {"share of the way to the new window that one update takes", paper});
  describe_limits(v, "upper limit of a window; auto: four times line rate x base RTT, and alpha");
}

Fast::Fast(AlgorithmHost& host, const FastParameters& parameters, std::uint32_t mtu)
    : DelayWindow(host, parameters, mtu, static_cast<long double>(parameters.alpha)),
      alpha_(static_cast<long double>(parameters.alpha)),
      gamma_(to_real(parameters.gamma)) {}

long double Fast::next_window(FlowNumber, const Flow& flow) {
  const long double aim =
      flow.rtt <= 0 ? flow.window : flow.least_rtt / flow.rtt * flow.window + alpha_;
  return std::min(2 * flow.window, (1 - gamma_) * flow.window + gamma_ * aim);
}

}  // namespace dcc
