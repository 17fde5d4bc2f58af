// The one interface between a NIC and any congestion-control algorithm.
#pragma once

#include <cstdint>

#include "describe/quantities.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Index of a sending flow within its NIC; equal to its queue pair number there.
using FlowNumber = Qpn;

/// What an algorithm may do to its NIC. The NIC implements it.
class AlgorithmHost {
 public:
  virtual PicoSeconds now() const = 0;
  /// New pacing rate; takes effect from the flow's last packet on.
  virtual void set_rate(FlowNumber flow, Rate rate) = 0;
  /// A packet may leave while fewer payload bytes than this are unacknowledged, so up to one packet
  /// more can be out (as in TCP with a window in whole segments); Bytes max = no window.
  virtual void set_window(FlowNumber flow, Bytes bytes) = 0;
  /// (Re)starts timer `id` (0 … kTimersPerFlow-1) of a flow: Algorithm::on_timer after `delay`.
  virtual void start_timer(FlowNumber flow, int id, PicoSeconds delay) = 0;
  virtual void stop_timer(FlowNumber flow, int id) = 0;
  /// Line rate of the NIC's port.
  virtual Rate line_rate() const = 0;

 protected:
  ~AlgorithmHost() = default;
};
constexpr int kTimersPerFlow = 3;

struct FlowStart {
  std::uint8_t dscp = 0;
  HostId destination = 0;
  PicoSeconds base_rtt{};  // of the empty network, one full packet there and its ACK back
  Rate initial_rate;       // zero: the algorithm's own
  Bytes bytes = 0;         // that it has to send in all; 0: not known
  PicoSeconds deadline = PicoSeconds::max();  // when they should have come; max: no deadline
};

struct SentInfo {
  std::uint32_t payload_bytes = 0;
  std::uint32_t wire_bytes = 0;  // link overhead included
  Psn psn = 0;
  bool last_of_message = false;
  bool more_waiting = false;  // the flow has more to send: the network, not the application, limits
};

struct AckInfo {
  PicoSeconds rtt{};      // data packet's first bit out (or due: needs) to its ACK in
  Bytes newly_acked = 0;  // payload bytes this ACK covers for the first time
  Psn psn = 0;            // of the packet that is acknowledged
  Psn next_psn = 0;       // next packet the flow will send
  bool ce = false;        // the acknowledged packet carried CE
  bool last_of_message = false;
  const IntStack* telemetry = nullptr;  // null unless needs().telemetry
  int telemetry_hops = 0;               // of the stack that are filled
};

struct CnpInfo {
  std::uint8_t marks = 1;    // CE marks since the last one (1 where the receiver does not count)
  std::uint8_t packets = 0;  // data packets that came since the last one, saturating; 0: not told
};

/// What the algorithm wants from NIC and network: the NIC only does what is asked for.
struct AlgorithmNeeds {
  bool cnp = false;        // the receiver sends CNPs on CE
  bool acks = false;       // on_ack is called for every ACK
  bool ack_each = false;   // … and every packet gets one
  bool marks = false;      // … and goes by the marks that they report
  bool telemetry = false;  // data packets collect an IntStack, ACKs bring it back
  bool on_sent = false;    // on_sent is called for every data packet
  /// Payload bytes of a flow that leave back to back before its pace takes one gap for all of them
  /// (a message's end ends it too); 0: every packet is paced.
  Bytes burst = 0;
  Rate burst_rate;            // what a burst's packets leave at; zero: the line's
  bool rtt_from_due = false;  // RTT begins when a packet was due: waiting in the NIC belongs to it
};

struct AlgorithmCounters {
  std::uint64_t rate_decreases = 0;
  std::uint64_t rate_increases = 0;
  std::uint64_t cnps_dropped_no_slot = 0;

  template <class Visitor>
  static void describe(Visitor&& v) {  // stats/metric.h
    v(&AlgorithmCounters::cnps_dropped_no_slot, "cnps_dropped_no_slot",
      {"CNPs without a slot", "", "notifications of flows for which no slot was free"});
    v(&AlgorithmCounters::rate_decreases, "rate_decreases",
      {"rate decreases", "", "by all senders' algorithms"});
    v(&AlgorithmCounters::rate_increases, "rate_increases",
      {"rate increases", "", "by all senders' algorithms"});
  }
};

/// One instance governs all flows of one NIC (the hardware controller is one block; per-flow
/// algorithms keep an array). Flow numbers are small and dense. Calls come in time order.
/// A flow that was never given a rate sends at line rate, without a window.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual AlgorithmNeeds needs() const = 0;
  virtual void on_flow_start(FlowNumber flow, const FlowStart& start) = 0;
  virtual void on_flow_end(FlowNumber) {}
  virtual void on_sent(FlowNumber, const SentInfo&) {}
  virtual void on_ack(FlowNumber, const AckInfo&) {}
  virtual void on_cnp(FlowNumber, const CnpInfo&) {}
  /// 802.1Qau quantised feedback from a switch, 1 … 63.
  virtual void on_cnm(FlowNumber, std::uint32_t /*feedback*/) {}
  virtual void on_timer(FlowNumber, int /*id*/) {}
  /// From now on a flow of this class is to get so much, in proportion to the weights of others;
  /// not zero. For algorithms that software tells so (CC_CLASS of the NIC).
  virtual void on_weight(std::uint8_t /*dscp*/, const Ratio& /*weight*/) {}
  /// For series and debugging: what the algorithm holds of a flow now.
  struct View {
    Rate rate, target;
    double alpha = 0.0;
  };
  virtual View view(FlowNumber flow) const = 0;
  virtual AlgorithmCounters counters() const = 0;
  /// Whether a flow that has sent all, and of which no packet is in the network, is over for the
  /// algorithm, too: it times nothing for it and has nothing in work.
  virtual bool is_quiescent(FlowNumber) const { return false; }
  /// Of such a flow: its memory may go. There is no other call for it before on_flow_start.
  virtual void release(FlowNumber) {}
};

}  // namespace dcc
