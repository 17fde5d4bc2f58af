// FAST: a window that keeps a fixed number of a flow's bytes in the queues of its path.
#pragma once

#include <optional>

#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Jin, Wei and Low, "FAST TCP: Motivation, Architecture, Algorithms, Performance", INFOCOM 2004,
/// section IV: equation (6) for the window.
struct FastParameters final : AlgorithmParameters {
  Bytes alpha = 20'000;  // payload bytes of each flow that wait in queues in equilibrium
  Ratio gamma{1, 2};     // share of the way to the new window that one update takes
  std::optional<Bytes> initial_window;  // empty: line rate × base RTT
  Bytes min_window = 64;
  std::optional<Bytes> max_window;  // empty: four times line rate × base RTT, and alpha

  void describe(ParameterVisitor& v) override;
};

/// Once a round trip, with the smoothed RTT and the least RTT of the flow,
///   window ← min(2 window, (1 − γ) window + γ (least RTT / RTT · window + α)).
/// In equilibrium a flow has α bytes in the queues of its path. So N flows at one bottleneck get
/// equal rates whatever their round trips are, and keep N α bytes in its queue. The least RTT
/// begins with the base RTT of the empty network, so a flow that starts at a standing queue does
/// not take the queue for distance.
class Fast final : public Algorithm {
 public:
  Fast(AlgorithmHost& host, const FastParameters& parameters, std::uint32_t mtu);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  bool is_quiescent(FlowNumber) const override { return true; }  // ACKs are its only events
  void release(FlowNumber flow) override { flows_.drop(flow); }

  /// Payload bytes.
  long double window(FlowNumber flow) const { return flows_[flow].window; }

 private:
  struct Flow {
    long double window = 0;     // payload bytes
    long double max = 0;        // of `window`
    long double least_rtt = 0;  // ps
    long double rtt = 0;        // ps, smoothed; 0: no sample yet
    Psn round_end = 0;          // an ACK of this packet or a later one ends the round trip
  };
  void update(Flow& flow);
  void apply(FlowNumber number, const Flow& flow);
  long double pace(const Flow& flow) const;

  AlgorithmHost& host_;
  FastParameters parameters_;
  long double mtu_, line_, alpha_, gamma_;
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
