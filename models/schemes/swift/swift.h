// Swift: a window that follows the difference between delay and target, and a pace if the window is
// below one packet.
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
  PicoSeconds scaling_range = kMicroSecond * 100;  // greatest addition by flow scaling
  Ratio scaling_min{1, 10};                        // window in packets with the full addition …
  Ratio scaling_max{100};                          // … and window in packets without an addition
  bool whole_packets = false;                      // windows are rounded to full packets
  Ratio additive_increase{1};                      // growth of the window in packets per round trip
  Ratio beta{4, 5};
  Ratio max_decrease{1, 2};
  std::optional<Bytes> initial_window;  // first window in bytes; empty: line rate × base RTT
  Bytes min_window = 10;
  std::optional<Bytes> max_window;  // empty: four times line rate × base RTT, and a packet

  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
};

/// Delay is the whole round trip, of fabric and receiver together. The part of the paper's target
/// that grows with the number of hops is left out, because an algorithm does not know that number.
/// Where not even a small window's target reaches the delay of an empty network (base RTT and the
/// time of a packet), that delay is the base target: the window would fall to its least value.
class Swift final : public Algorithm {
 public:
  Swift(AlgorithmHost& host, const SwiftParameters& parameters, std::uint32_t mtu);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  bool is_quiescent(FlowNumber) const override { return true; }  // only ACKs change a flow's state
  void release(FlowNumber flow) override { flows_.drop(flow); }

  /// Delay at which a window (in bytes) neither grows nor shrinks, for a flow whose base RTT is
  /// below the base target.
  PicoSeconds target(long double window) const { return target(window, parameters_.base_target); }
  long double window(FlowNumber flow) const { return flows_[flow].window; }

 private:
  struct Flow {
    long double window = 0;  // bytes
    long double rtt = 0;     // smoothed RTT, ps
    long double most = 0;    // greatest window
    PicoSeconds base_target{};
    PicoSeconds last_decrease{};
    bool decreased = false;  // true if last_decrease holds a time
  };
  PicoSeconds target(long double window, PicoSeconds base) const;
  void apply(FlowNumber number, const Flow& flow);
  long double pace(const Flow& flow) const;  // Rate in Mb/s that sends one window per round trip.

  AlgorithmHost& host_;
  SwiftParameters parameters_;
  long double mtu_, line_, increase_, beta_, least_left_;
  long double scale_, offset_;  // flow scaling: scale / sqrt(packets) + offset, ps
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
