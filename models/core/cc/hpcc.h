// HPCC: switches report their load in every packet, senders hold the bytes in flight to it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cc/algorithm.h"

namespace dcc {

/// Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, algorithm 1.
struct HpccParameters {
  long double eta = 0.95L;  // target utilisation
  unsigned max_stage = 5;
  Rate w_ai = Rate::from(BitRate(50'000'000));  // W_AI / T
  PicoSeconds base_rtt = kMicroSecond * 13;     // T, one for all flows; positive
  Rate r_min = Rate::from(BitRate(100'000'000));
};

/// Algorithm 1 in the paper's steps. The window is held as a rate W/T (Mb/s): the paper sets
/// R = W/T, so either is the other. A flow starts with line rate × T; its first ACK only fills the
/// link records L.
class Hpcc final : public Algorithm {
 public:
  Hpcc(AlgorithmHost& host, const HpccParameters& parameters);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }

  /// U, the smoothed utilisation of the busiest link.
  long double utilisation(FlowNumber flow) const { return flows_[flow].u; }

 private:
  struct Flow {
    long double current = 0;    // W / T
    long double reference = 0;  // Wc / T
    long double u = 1;          // U
    unsigned stage = 0;         // incStage
    int hops = 0;               // of L that hold records
    Psn last_update = 0;        // lastUpdateSeq
    IntStack links;             // L
  };
  /// What a byte in the queue and a byte a picosecond on the wire add to a link's load.
  struct Scale {
    BitRate rate;
    long double queued = 0;
    long double sent = 0;
  };
  const Scale& scale_of(BitRate rate);
  void measure_inflight(Flow& flow, const IntStack& now);
  void compute_window(Flow& flow, bool update);
  void apply(FlowNumber number, const Flow& flow);

  AlgorithmHost& host_;
  HpccParameters parameters_;
  long double line_;
  std::vector<Flow> flows_;
  std::array<Scale, 4> scales_{};  // of rates seen: a network has few, and divisions are slow
  std::size_t oldest_scale_ = 0;
  AlgorithmCounters counters_;
};

}  // namespace dcc
