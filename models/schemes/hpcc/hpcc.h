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
  BitRate w_ai_rate = 50_Mbps;  // additive increase step W_AI as a rate, W_AI / T
  // base RTT T, equal for all flows; empty: the longest base RTT of the topology
  std::optional<PicoSeconds> base_rtt;
  BitRate r_min = 100_Mbps;

  void describe(ParameterVisitor& v) override;
};

/// HPCC's algorithm 1 in the steps of the HPCC paper. The window W is stored as the rate W/T in
/// Mb/s, because the paper sets the rate R = W/T, with the base RTT T. A flow starts with the
/// window line rate × T. The first ACK of a flow only fills the link records L.
class Hpcc final : public Algorithm {
 public:
  /// `longest_base_rtt`: longest base RTT of the topology; must be positive unless the parameters
  /// have their own base RTT.
  Hpcc(AlgorithmHost& host, const HpccParameters& parameters, PicoSeconds longest_base_rtt);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  // A flow is always quiescent, because only ACKs change its rate and window.
  bool is_quiescent(FlowNumber) const override { return true; }
  void release(FlowNumber flow) override { flows_.drop(flow); }

  /// Sets the weight of a flow's additive step, which stays constant from the flow's start. Flows
  /// at one bottleneck converge to rates in proportion to their weights, because all flows use the
  /// same multiplicative factor.
  void weigh(FlowNumber flow, long double weight) { flows_[flow].weight = weight; }
  /// U, the smoothed utilisation of the busiest link of a flow's path.
  long double utilisation(FlowNumber flow) const { return flows_[flow].u; }

 private:
  struct Flow {
    long double current = 0;    // window W of the flow as a rate, W / T in Mb/s
    long double reference = 0;  // reference window Wc of the flow as a rate, Wc / T in Mb/s
    long double u = 1;          // U, the smoothed utilisation of the busiest link
    long double weight = 1;     // weight of the flow, which multiplies the additive step W_AI
    unsigned stage = 0;         // incStage, the flow's number of additive increases in a row
    Psn last_update = 0;        // lastUpdateSeq, the packet whose ACK ends the round trip
    LinkRecords links;          // L, the telemetry of the flow's previous ACK
  };
  /// Contribution of one queued byte, and of one byte per picosecond on the wire, to a link's load.
  struct Scale {
    BitRate rate;
    long double queued = 0;
    long double sent = 0;
  };
  const Scale& scale_of(BitRate rate);
  /// Computes the utilisation. Returns false if there is no earlier telemetry to compare with.
  bool measure_inflight(Flow& flow, const AckInfo& info);
  void compute_window(Flow& flow, bool update);
  void apply(FlowNumber number, const Flow& flow);

  AlgorithmHost& host_;
  HpccParameters parameters_;
  PicoSeconds base_rtt_;  // base RTT T of all flows
  // line rate, additive step and minimum rate in Mb/s, and the target utilisation
  long double line_, w_ai_, r_min_, eta_;
  NumberedTable<Flow> flows_;
  // load scales of the link rates seen so far, cached because few rates occur and divisions are
  // slow
  std::array<Scale, 4> scales_{};
  std::size_t oldest_scale_ = 0;
  AlgorithmCounters counters_;
};

}  // namespace dcc
