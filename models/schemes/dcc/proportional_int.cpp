#include "schemes/dcc/proportional_int.h"

#include <memory>

#include "controller/controller_setup.h"
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
  // HPCC. A step of 1/1000 of the line for each unit of weight lowers the target rate noticeably
  // only for sums of weights above 50, and builds a queue of one bandwidth-delay product at 480.
  void set_defaults(DccParameters& parameters) const override {
    parameters.r_ai = 100_Mbps;
    parameters.r_min = 5_Mbps;
  }
  using Policy::set_defaults;

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
