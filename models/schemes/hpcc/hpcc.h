// HPCC: switches report their load in every packet, and senders limit their bytes in flight to the
// load that the path bears.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "schemes/common/link_records.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1.
struct HpccParameters final : AlgorithmParameters {
  Ratio eta{95, 100};
  unsigned max_stage = 5;
  BitRate w_ai_rate = 50_Mbps;          // additive step W_AI / T
  std::optional<PicoSeconds> base_rtt;  // T, one for all flows; empty: the longest of the topology
  BitRate r_min = 100_Mbps;

  void describe(ParameterVisitor& v) override;
};

/// Algorithm 1 in the paper's steps. The window is held as a rate W/T (Mb/s): the paper sets
/// R = W/T, so either is the other. A flow starts with line rate × T; its first ACK only fills the
/// link records L.
class Hpcc final : public Algorithm {
 public:
  /// `longest_base_rtt`: of the topology; positive unless the parameters have their own.
  Hpcc(AlgorithmHost& host, const HpccParameters& parameters, PicoSeconds longest_base_rtt);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  bool is_quiescent(FlowNumber) const override { return true; }  // only ACKs change it
  void release(FlowNumber flow) override { flows_.drop(flow); }

  /// Factor of a flow's additive step, constant from the flow's start. Flows at one bottleneck end
  /// at rates in proportion to their steps, because all of them use the same multiplicative factor.
  void weigh(FlowNumber flow, long double weight) { flows_[flow].weight = weight; }
  /// U, the smoothed utilisation of the busiest link.
  long double utilisation(FlowNumber flow) const { return flows_[flow].u; }

 private:
  struct Flow {
    long double current = 0;    // rate of the window, W / T
    long double reference = 0;  // rate of the reference window, Wc / T
    long double u = 1;          // U
    long double weight = 1;     // weight of the additive step
    unsigned stage = 0;         // incStage
    Psn last_update = 0;        // lastUpdateSeq
    LinkRecords links;          // L
  };
  /// Load of a link caused by one queued byte and by one byte per picosecond on the wire.
  struct Scale {
    BitRate rate;
    long double queued = 0;
    long double sent = 0;
  };
  const Scale& scale_of(BitRate rate);
  /// False if no earlier telemetry exists for a comparison.
  bool measure_inflight(Flow& flow, const AckInfo& info);
  void compute_window(Flow& flow, bool update);
  void apply(FlowNumber number, const Flow& flow);

  AlgorithmHost& host_;
  HpccParameters parameters_;
  PicoSeconds base_rtt_;                   // T
  long double line_, w_ai_, r_min_, eta_;  // rates in Mb/s
  NumberedTable<Flow> flows_;
  std::array<Scale, 4> scales_{};  // of the rates seen: there are few, and divisions are slow
  std::size_t oldest_scale_ = 0;
  AlgorithmCounters counters_;
};

}  // namespace dcc
