// DCC policy that gives flows rates in proportion to their weights from in-band telemetry (INT)
// instead of marks.
#pragma once

#include <vector>

#include "controller/dcc.h"
#include "schemes/hpcc/hpcc.h"

namespace dcc {

/// `policy: proportional_int`. Rates are HPCC's, with an additive step in proportion to the weight
/// that the controller's factor table holds for the flow's DSCP now. At one bottleneck all flows
/// multiply by the same factor and add by weight, so their rates end in proportion to the weights.
/// The controller keeps its registers and tables but calculates nothing, because its hardware does
/// not support this policy.
class ProportionalInt final : public Dcc {
 public:
  /// `host` and `setup` have the same meaning as in Dcc. `longest_base_rtt` must be positive.
  ProportionalInt(Scheduler& scheduler, AlgorithmHost& host, const ControllerConfig& config,
                  std::uint32_t rank, const HpccParameters& parameters,
                  PicoSeconds longest_base_rtt);

  AlgorithmNeeds needs() const override { return hpcc_.needs(); }
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_flow_end(FlowNumber) override {}
  void on_sent(FlowNumber, const SentInfo&) override {}
  void on_cnp(FlowNumber, const CnpInfo&) override {}
  bool change_class(FlowNumber flow, std::uint8_t dscp) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  View view(FlowNumber flow) const override { return hpcc_.view(flow); }
  AlgorithmCounters counters() const override { return hpcc_.counters(); }
  bool is_quiescent(FlowNumber flow) const override { return hpcc_.is_quiescent(flow); }
  void release(FlowNumber flow) override { hpcc_.release(flow); }

 private:
  Hpcc hpcc_;
  std::vector<std::uint8_t> dscps_;  // DSCP of each flow
};

}  // namespace dcc
