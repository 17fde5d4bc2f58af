#include "schemes/dcc/proportional_int.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "controller/controller_setup.h"
#include "describe/network_scale.h"
#include "nic/algorithm/registry.h"

namespace dcc {

namespace {
/// HPCC's default parameters, except those that the policy shares with other policies.
HpccParameters telemetry_parameters(const DccParameters& parameters) {
  HpccParameters hpcc;
  hpcc.w_ai_rate = parameters.r_ai;
  hpcc.r_min = parameters.r_min;
  return hpcc;
}

class ProportionalIntPolicy final : public Policy {
 public:
  ProportionalIntPolicy()
      : Policy("proportional_int",
               "bandwidth follows the weights by in-band telemetry, which no hardware here "
               "supports") {}

  // The policy takes the step and the least rate from its own preset, and the other rules from
  // HPCC.
  void set_defaults(DccParameters& parameters) const override {
    parameters.r_ai = 100_Mbps;
    parameters.r_min = 5_Mbps;
  }
  using Policy::set_defaults;

  // At rest the flows of a port add W·r_ai in a round trip T and take as much off. With the target
  // utilisation eta and a queue q the port's load is eta + W·r_ai / C = 1 + q / (C·T). The step
  // makes q half a packet. With a longer queue the loads of the ports of a path vary more. Without
  // one a port does not notice that it is overloaded, loads of different ports are too close
  // together for a flow to tell which is the greater, and shares settle late.
  bool follows_weights() const override { return true; }
  void follow_weights(DccParameters& parameters, const NetworkScale& network,
                      std::uint64_t weight) const override {
    if (weight == 0) return;
    const Ratio eta = HpccParameters().eta;
    const BitRate spare = network.share(Ratio(eta.denominator - eta.numerator, eta.denominator));
    const BitRate half_a_packet = network.packet_rate(2);
    const std::uint64_t all = spare.bits_per_second + half_a_packet.bits_per_second;
    constexpr std::uint64_t kUnit = 1000;  // the step is a multiple of 1 kb/s
    parameters.r_ai = BitRate(std::max<std::uint64_t>(1, (all << 16) / weight / kUnit) * kUnit);
  }

  std::unique_ptr<Algorithm> make(const DccParameters& parameters,
                                  const AlgorithmContext& context) const override {
    const ControllerSetup least = ControllerSetup::one_slot();
    return std::make_unique<ProportionalInt>(
        context.scheduler, context.host, (context.controller ? *context.controller : least).config,
        context.rank, telemetry_parameters(parameters), context.longest_base_rtt);
  }
};
const ProportionalIntPolicy kProportionalInt;
}  // namespace

ProportionalInt::ProportionalInt(Scheduler& scheduler, AlgorithmHost& host,
                                 const ControllerConfig& config, std::uint32_t rank,
                                 const HpccParameters& parameters, PicoSeconds longest_base_rtt)
    : Dcc(scheduler, host, config, rank), hpcc_(host, parameters, longest_base_rtt) {}

void ProportionalInt::on_flow_start(FlowNumber flow, const FlowStart& start) {
  if (dscps_.size() <= flow) dscps_.resize(flow + 1);
  dscps_[flow] = start.dscp;
  hpcc_.on_flow_start(flow, start);
}

bool ProportionalInt::change_class(FlowNumber flow, std::uint8_t dscp) {
  dscps_[flow] = dscp;
  return true;
}

// Handles an ACK: reads the controller's factor table again, because software may have changed the
// table since the last ACK.
void ProportionalInt::on_ack(FlowNumber flow, const AckInfo& info) {
  constexpr long double kOne = 256;  // the number 1.0 in the format 8.8 of f_inc
  hpcc_.weigh(flow, device().tables().increase_factor(dscps_[flow]) / kOne);
  hpcc_.on_ack(flow, info);
}

}  // namespace dcc
