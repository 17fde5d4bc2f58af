// Swift: a window that follows the difference between delay and target delay, and a pace if the
// window is below one packet.
#pragma once

#include <cstdint>
#include <optional>

#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter",
/// SIGCOMM 2020, section 3. The constants are those of the reference simulator (csg-htsim).
struct SwiftParameters final : AlgorithmParameters {
  PicoSeconds base_target = kMicroSecond * 20;
  // greatest addition to the target delay for flows with a small window (flow scaling)
  PicoSeconds scaling_range = kMicroSecond * 100;
  Ratio scaling_min{1, 10};    // window in packets at which the target delay has the full addition
  Ratio scaling_max{100};      // window in packets from which on the target delay has no addition
  bool whole_packets = false;  // true: the windows of flows are rounded to full packets
  Ratio additive_increase{1};  // growth of the window in packets per round trip
  Ratio beta{4, 5};
  Ratio max_decrease{1, 2};
  std::optional<Bytes> initial_window;  // first window in bytes; empty: line rate × base RTT
  Bytes min_window = 10;
  // upper limit of the window in bytes; empty: four times line rate × base RTT, and a packet
  std::optional<Bytes> max_window;

  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
};

/// Swift here uses the whole round-trip delay, of fabric and receiver together. The part of the
/// paper's target that grows with the number of hops is left out, because an algorithm does not
/// know that number. If even a small window's target is below the delay of an empty network (base
/// RTT and the time of a packet), that delay becomes the base target; otherwise the window would
/// fall to its least value.
class Swift final : public Algorithm {
 public:
  Swift(AlgorithmHost& host, const SwiftParameters& parameters, std::uint32_t mtu);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  // A flow is always quiescent, since only ACKs change its state.
  bool is_quiescent(FlowNumber) const override { return true; }
  void release(FlowNumber flow) override { flows_.drop(flow); }

  /// Delay at which a window (in bytes) neither grows nor shrinks, for a flow whose base RTT is
  /// below the base target.
  PicoSeconds target(long double window) const { return target(window, parameters_.base_target); }
  long double window(FlowNumber flow) const { return flows_[flow].window; }

 private:
  struct Flow {
    long double window = 0;  // window of the flow in bytes
    long double rtt = 0;     // smoothed RTT of the flow in ps
    long double most = 0;    // upper limit of the flow's window in bytes
    PicoSeconds base_target{};
    PicoSeconds last_decrease{};
    bool decreased = false;  // true if the time of the last decrease (last_decrease) is valid
  };
  PicoSeconds target(long double window, PicoSeconds base) const;
  void apply(FlowNumber number, const Flow& flow);
  // Pacing rate in Mb/s that sends one window of the flow per round trip.
  long double pace(const Flow& flow) const;

  AlgorithmHost& host_;
  SwiftParameters parameters_;
  long double mtu_, line_, increase_, beta_, least_left_;
  // coefficients of Swift's flow scaling in ps: target addition = scale / sqrt(packets) + offset
  long double scale_, offset_;
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
