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

/// True if the product of slowest link and base RTT holds a dozen full packets.
bool has_many(const NetworkScale& network) { return network.packets_in_flight(0, 12) == 12; }
}  // namespace

void DxParameters::describe(ParameterVisitor& v) {
  v.field("noise", noise, {"0us", "1s"},
          {"mean queueing delay up to which the queue counts as empty",
           "DX, ATC'15: the error of measurement"});
  v.follows(true,
            "an eighth of the base RTT, at least the time of 9/4 full packets: a packet waits as "
            "long for packets of other flows on a link that is not full; 3/2 where a round trip "
            "holds less than 12",
            [this](const NetworkScale& network) {
              noise = std::max(network.round_trips(Ratio(1, 8)),
                               network.packets_time(has_many(network) ? Ratio(9, 4) : Ratio(3, 2)));
            });
  v.field("growth", growth, "packet", {"1B", "1MB"},
          {"payload bytes by which a window grows in a round trip; packet: a full packet",
           "DX, ATC'15"});
  // In a round trip every window grows by a step, and the steps of all flows together become a
  // queue. Then every flow takes the whole queueing delay off its own window, which empties the
  // link where windows hold few packets. Where a round trip holds less than a dozen packets,
  // windows that grow slowly stay below a packet.
  v.follows(true, "a quarter of a full packet; a full packet where a round trip holds less than 12",
            [this](const NetworkScale& network) {
              growth.reset();
              if (has_many(network)) growth = std::max<Bytes>(1, network.packet / 4);
            });
  describe_limits(v,
                  "upper limit of a window; auto: four times line rate x base RTT, and a packet");
}

Dx::Dx(AlgorithmHost& host, const DxParameters& parameters, std::uint32_t mtu)
    : DelayWindow(host, parameters, mtu, 0),
      noise_(static_cast<long double>(parameters.noise.count)),
      growth_(static_cast<long double>(parameters.growth.value_or(mtu))) {}

long double Dx::next_window(FlowNumber, const Flow& flow) {
  const long double mean = flow.round_sum / flow.round_acks;
  const long double waited = mean - flow.least_rtt;
  if (waited <= noise_) return flow.window + growth_;
  return flow.window * (1 - waited / mean);
}

}  // namespace dcc
