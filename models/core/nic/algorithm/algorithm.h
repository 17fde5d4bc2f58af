// The interface between a NIC and its congestion-control algorithm.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "describe/quantities.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Number of a sending flow within its NIC, equal to its queue pair number.
using FlowNumber = Qpn;

/// Actions that a congestion-control algorithm can request from its NIC; the NIC implements this
/// interface.
class AlgorithmHost {
 public:
  virtual PicoSeconds now() const = 0;
  /// Sets a flow's pacing rate. The gap behind the last sent packet already follows the new rate.
  virtual void set_rate(FlowNumber flow, Rate rate) = 0;
  /// Sets a flow's window in payload bytes; Bytes max: no window. A packet may leave while fewer
  /// bytes than the window are unacknowledged, so one packet more than the window can be in flight,
  /// as in TCP with a window in whole segments.
  virtual void set_window(FlowNumber flow, Bytes bytes) = 0;
  /// Starts or restarts timer `id` (0 … kTimersPerFlow − 1) of a flow: the NIC calls
  /// Algorithm::on_timer after `delay`.
  virtual void start_timer(FlowNumber flow, int id, PicoSeconds delay) = 0;
  virtual void stop_timer(FlowNumber flow, int id) = 0;
  /// Line rate of the NIC's port.
  virtual Rate line_rate() const = 0;
  /// What software has posted for a flow and the NIC has not finished.
  struct Backlog {
    // Payload bytes that the NIC has still to send, if they belong to one message; 0 if every
    // posted message is sent. The greatest value if several messages have unsent bytes, or if the
    // NIC cannot tell.
    Bytes left = std::numeric_limits<Bytes>::max();
    std::uint32_t packets_out = 0;  // packets sent and not acknowledged
  };
  /// Returns the backlog of a flow at this moment.
  virtual Backlog backlog(FlowNumber /*flow*/) const { return {}; }

 protected:
  ~AlgorithmHost() = default;
};
constexpr int kTimersPerFlow = 3;

/// Properties of a flow at its start.
struct FlowStart {
  std::uint8_t dscp = 0;
  HostId destination = 0;
  PicoSeconds base_rtt{};  // round trip of a packet and its ACK through empty queues
  Rate initial_rate;       // initial rate of the flow; zero: the algorithm chooses
  Bytes bytes = 0;         // total payload bytes that the flow will send; 0: unknown
  // time by which all bytes of the flow should have arrived; max: none
  PicoSeconds deadline = PicoSeconds::max();
};

struct SentInfo {
  std::uint32_t payload_bytes = 0;
  std::uint32_t wire_bytes = 0;  // bytes of the packet on the wire, link overhead included
  Psn psn = 0;
  bool last_of_message = false;
  bool more_waiting = false;  // true if the flow has more to send, so that the network limits it
  bool window_full = false;   // true if the flow's window admits no further packet
  // DSCP that a parser block read; empty: the DSCP of FlowStart
  std::optional<std::uint8_t> dscp = std::nullopt;
};

struct AckInfo {
  PicoSeconds rtt{};      // time from a data packet's first bit sent, or due, to its ACK
  Bytes newly_acked = 0;  // payload bytes that the ACK acknowledges for the first time
  Psn psn = 0;            // number of the acknowledged packet
  Psn next_psn = 0;       // number of the packet that the flow sends next
  bool ce = false;        // the acknowledged packet carried CE
  bool last_of_message = false;
  // telemetry that the ACK brought back; null unless needs().telemetry
  const IntStack* telemetry = nullptr;
  int telemetry_hops = 0;  // number of filled entries of the telemetry stack
};

struct CnpInfo {
  // number of CE marks since the last CNP; 1 if the receiver does not count marks
  std::uint8_t marks = 1;
  // number of data packets since the last CNP, saturating; 0: not counted
  std::uint8_t packets = 0;
  // DSCP that a parser block read; empty: the DSCP of FlowStart
  std::optional<std::uint8_t> dscp = std::nullopt;
};

/// Services that an algorithm needs from NIC and network. The NIC provides only requested services.
struct AlgorithmNeeds {
  bool cnp = false;        // the receiver sends CNPs for CE marks
  bool acks = false;       // on_ack() is called for every ACK
  bool ack_each = false;   // with `acks`: the receiver acknowledges every packet
  bool marks = false;      // with `acks`: ACKs report CE marks
  bool telemetry = false;  // data packets collect an IntStack, which ACKs bring back
  bool on_sent = false;    // on_sent() is called for every data packet
  /// Payload bytes of a flow that leave back to back before the pacer inserts one gap for all of
  /// them; the end of a message ends a burst too. 0: every packet is paced.
  Bytes burst = 0;
  Rate burst_rate;  // sending rate within a burst; zero: line rate
  // the RTT starts when the packet was due, so it includes waiting in the NIC
  bool rtt_from_due = false;
};

struct AlgorithmCounters {
  std::uint64_t rate_decreases = 0;
  std::uint64_t rate_increases = 0;
  std::uint64_t cnps_dropped_no_slot = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {  // Describes every counter to `v` (stats/metric.h).
    v(&AlgorithmCounters::cnps_dropped_no_slot, "cnps_dropped_no_slot",
      {"CNPs without a slot", "", "notifications of flows for which no slot was free"});
    v(&AlgorithmCounters::rate_decreases, "rate_decreases",
      {"rate decreases", "", "by all senders' algorithms"});
    v(&AlgorithmCounters::rate_increases, "rate_increases",
      {"rate increases", "", "by all senders' algorithms"});
  }
};

/// A congestion-control algorithm. One instance governs all flows of one NIC, as one hardware
/// controller does; an algorithm with state per flow keeps a table. Flow numbers are small and
/// dense. Calls come in time order. A flow that was never given a rate sends at line rate without a
/// window.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual AlgorithmNeeds needs() const = 0;
  virtual void on_flow_start(FlowNumber flow, const FlowStart& start) = 0;
  virtual void on_flow_end(FlowNumber) {}
  /// Gives a running flow another traffic class. Returns false, and changes nothing, if the
  /// algorithm cannot do this. An algorithm that does not distinguish classes returns true.
  virtual bool change_class(FlowNumber, std::uint8_t /*dscp*/) { return true; }
  virtual void on_sent(FlowNumber, const SentInfo&) {}
  virtual void on_ack(FlowNumber, const AckInfo&) {}
  virtual void on_cnp(FlowNumber, const CnpInfo&) {}
  /// A switch sent 802.1Qau quantised feedback, 1 … 63.
  virtual void on_cnm(FlowNumber, std::uint32_t /*feedback*/) {}
  virtual void on_timer(FlowNumber, int /*id*/) {}
  /// Sets the weight of a traffic class, whose flows get bandwidth in proportion to `weight`, which
  /// is not zero. For algorithms whose weights software sets at run time (register CC_CLASS of the
  /// NIC).
  virtual void on_weight(std::uint8_t /*dscp*/, const Ratio& /*weight*/) {}
  /// An algorithm's state of one flow, for series and debugging.
  struct View {
    Rate rate, target;
    double alpha = 0.0;
  };
  virtual View view(FlowNumber flow) const = 0;
  virtual AlgorithmCounters counters() const = 0;
  /// True if no timer or other work of the algorithm is pending for a flow that has sent everything
  /// and has no packet in the network.
  virtual bool is_quiescent(FlowNumber) const { return false; }
  /// Frees the state of a quiescent flow. The next call for the flow is on_flow_start.
  virtual void release(FlowNumber) {}
};

}  // namespace dcc
