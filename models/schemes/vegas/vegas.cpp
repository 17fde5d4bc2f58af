#include "schemes/vegas/vegas.h"

#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<VegasParameters> kVegas{
    "vegas", "a window by delay that keeps two to four packets in queues",
    kMakesAlgorithm<Vegas, &AlgorithmContext::mtu>};
}  // namespace

void VegasParameters::describe(ParameterVisitor& v) {
  const char* const paper = "TCP Vegas, JSAC'95";
  v.field("alpha", alpha, {"1", "1000"}, {"packets in queues below which a window grows", paper});
  v.field("beta", beta, {"1", "1000"}, {"packets in queues above which a window shrinks", paper});
  describe_limits(
      v, "upper limit of a window; auto: four times line rate x base RTT, and beta packets");
}

void VegasParameters::check(Bytes largest_packet) const {
  DelayWindowParameters::check(largest_packet);
  if (beta < alpha) throw ParameterError({"beta", "alpha"}, "beta is below alpha");
}

Vegas::Vegas(AlgorithmHost& host, const VegasParameters& parameters, std::uint32_t mtu)
    : DelayWindow(host, parameters, mtu, static_cast<long double>(parameters.beta) * mtu),
      alpha_(static_cast<long double>(parameters.alpha) * mtu),
      beta_(static_cast<long double>(parameters.beta) * mtu) {}

long double Vegas::next_window(FlowNumber, const Flow& flow) {
  const long double waiting = queued(flow, flow.round_least);
  if (waiting < alpha_) return flow.window + mtu();
  return waiting > beta_ ? flow.window - mtu() : flow.window;
}

}  // namespace dcc
