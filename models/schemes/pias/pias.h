// PIAS: a message loses priority as its bytes are sent, so its size need not be known.
#pragma once

#include <memory>
#include <vector>

#include "nic/transport_registry.h"
#include "schemes/pias/long_flow_agent.h"
#include "schemes/pias/threshold_agent.h"

namespace dcc {

/// Bai et al., "Information-Agnostic Flow Scheduling for Commodity Data Centers", NSDI 2015,
/// section 4.1. RoCE's queue pairs carry the data, and an algorithm for marks (DCTCP) governs them.
/// Ports and the sender's NIC serve priorities strictly. The bytes of a message up to the first
/// demotion threshold have priority 7, the bytes behind it 6, and so on. A retransmitted packet
/// keeps its priority, so on one path no packet overtakes an earlier packet of its flow.
struct PiasParameters final : TransportParameters {
  /// Demotion thresholds in bytes of a message, ascending. The defaults are the authors' for web
  /// search at 80 % load, in packets of 1460 bytes: 909, 1329, 1648, 1960, 2143, 2337, 2484.
  std::vector<unsigned> thresholds{1'327'140, 1'940'340, 2'406'080, 2'861'600,
                                   3'128'780, 3'412'020, 3'626'640};
  /// Agent that changes the demotion thresholds during a run. A packet retransmitted after a change
  /// may have another priority than at first.
  ThresholdTuning tuning_by_agent;
  LongFlowTuning long_flows;

  void describe(ParameterVisitor& v) override;
  void check() const override;
  bool on_roce() const override { return true; }
  bool strict_ports() const override { return true; }
  bool needs_source_routing() const override {
    return long_flows.every.has_value() && long_flows.spreads();
  }
  bool has_agent() const override {
    return tuning_by_agent.every.has_value() || long_flows.every.has_value();
  }
  std::unique_ptr<TransportAgent> make_agent(Scheduler& scheduler,
                                             std::uint32_t rank) const override;
  void ask_nic(NicParameters& nic) const override;
};

}  // namespace dcc
