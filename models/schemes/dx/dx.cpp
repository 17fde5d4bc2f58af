#include "schemes/dx/dx.h"

#include <algorithm>
#include <memory>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
const RegisteredAlgorithm<DxParameters> kDx{
    "dx", "a window that shrinks by the mean queueing delay and otherwise grows by a packet",
    [](const DxParameters& parameters, const AlgorithmContext& context) {
      return std::make_unique<Dx>(context.host, parameters, context.mtu);
    }};
}  // namespace

void DxParameters::describe(ParameterVisitor& v) {
  v.field("noise", noise, {"0us", "1s"},
          {"mean queueing delay up to which the queue counts as empty",
           "DX, ATC'15: the error of measurement"});
  v.follows(true,
            "an eighth of the base RTT, at least the time of one and a half full packets: a packet "
            "waits as long for "
            "packets of other flows on a link that is not full",
            [this](const NetworkScale& network) {
              noise = std::max(network.round_trips(Ratio(1, 8)), network.packets_time(Ratio(3, 2)));
            });
  describe_limits(v,
                  "upper limit of a window; auto: four times line rate x base RTT, and a packet");
}

Dx::Dx(AlgorithmHost& host, const DxParameters& parameters, std::uint32_t mtu)
    : DelayWindow(host, parameters, mtu, 0),
      noise_(static_cast<long double>(parameters.noise.count)) {}

long double Dx::next_window(FlowNumber, const Flow& flow) {
  const long double mean = flow.round_sum / flow.round_acks;
  const long double waited = mean - flow.least_rtt;
  if (waited <= noise_) return flow.window + mtu();
  return flow.window * (1 - waited / mean);
}

}  // namespace dcc
