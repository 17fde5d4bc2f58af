// Base of the algorithms that set a window once per round trip from the delays of that round trip.
#pragma once

#include <optional>

#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Limits of a congestion window. `describe_limits` adds these limits to the parameters of an
/// algorithm.
struct DelayWindowParameters : AlgorithmParameters {
  // first window of a flow in payload bytes; empty: line rate × base RTT
  std::optional<Bytes> initial_window;
  Bytes min_window = 64;
  // upper limit of the window in payload bytes; empty: four times line rate × base RTT, plus a few
  // packets
  std::optional<Bytes> max_window;

  /// Throws ParameterError if max_window is below min_window, or initial_window is outside these
  /// two limits.
  void check(Bytes largest_packet) const override;

 protected:
  void describe_limits(ParameterVisitor& v, const char* max_meaning);
};

/// Base of a congestion-control algorithm with one window per flow. The base counts round trips by
/// ACKs, measures their RTTs and gives windows to the NIC; a derived class computes the window of
/// the next round trip. A flow starts with a full window, without slow start, as an RDMA NIC does.
/// The least RTT of a flow begins with the base RTT of the empty network, so a flow that starts at
/// a standing queue does not count the queue as propagation delay.
class DelayWindow : public Algorithm {
 public:
  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) final;
  void on_ack(FlowNumber flow, const AckInfo& info) final;
  View view(FlowNumber flow) const final;
  AlgorithmCounters counters() const final { return counters_; }
  // A flow is always quiescent, because only ACKs change its rate and window.
  bool is_quiescent(FlowNumber) const final { return true; }
  void release(FlowNumber flow) override { flows_.drop(flow); }

  /// Window of a flow in payload bytes.
  long double window(FlowNumber flow) const { return flows_[flow].window; }

 protected:
  struct Flow {
    long double window = 0;       // window of the flow in payload bytes
    long double max = 0;          // greatest window of the flow in payload bytes
    long double least_rtt = 0;    // least RTT of the flow in ps
    long double rtt = 0;          // smoothed RTT of the flow in ps; 0: no sample yet
    long double round_least = 0;  // least RTT of the present round trip in ps; 0: no sample yet
    long double round_most = 0;   // greatest RTT of the present round trip in ps
    long double round_sum = 0;    // sum of the RTTs of the present round trip in ps
    // number of RTTs in round_sum; next_window() is called only after the round trip's first ACK
    std::uint32_t round_acks = 0;
    bool marked = false;  // true if an ACK of the present round trip reported a mark
    // number of a packet whose ACK, or the ACK of a later packet, ends the round trip
    Psn round_end = 0;
  };

  /// `room`: payload bytes that the default upper limit allows beyond four bandwidth-delay
  /// products.
  DelayWindow(AlgorithmHost& host, const DelayWindowParameters& limits, std::uint32_t mtu,
              long double room);

  /// Called when a flow starts; `flow` holds the flow's first window.
  virtual void begin(FlowNumber, const Flow& /*flow*/) {}
  /// Returns the share of a packet, from 0 to below 1, that is added to the flow's window before it
  /// is programmed into the NIC for the next round trip. The NIC sends whole packets only: with a
  /// share of 0 it rounds a window of 1.6 packets down to one packet, with 0.4 or more it sends
  /// two.
  virtual long double rounding(FlowNumber) { return 0; }
  /// Returns the window for the next round trip, in payload bytes. The caller limits the value.
  virtual long double next_window(FlowNumber number, const Flow& flow) = 0;

  /// Number of payload bytes of the flow that waited in queues, derived from an RTT of the round
  /// trip.
  static long double queued(const Flow& flow, long double rtt) {
    return rtt <= 0 ? 0 : flow.window * (1 - flow.least_rtt / rtt);
  }
  long double mtu() const { return mtu_; }
  long double line() const { return line_; }  // rate of the NIC's link in Mb/s
  long double least() const { return min_; }

 private:
  void apply(FlowNumber number, const Flow& flow);
  long double pace(const Flow& flow) const;

  AlgorithmHost& host_;
  const std::optional<Bytes> initial_, max_;
  const long double min_, mtu_, line_, room_;
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
