// Configuration and counters of a NIC, and the configuration of a queue pair.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "describe/enum_names.h"
#include "describe/quantities.h"
#include "nic/host/dma.h"
#include "nic/host/host_clock.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;
struct NetworkScale;

enum class AckMode : std::uint8_t { kNone, kPerPacket, kPerMessage };

struct CnpParameters {
  /// ECN field of a CNP as the receiver sends it.
  enum class Ecn : std::uint8_t { kEct0, kEct1 };
  /// ECN fields by which a sender recognises a CNP.
  enum class Accept : std::uint8_t { kAny, kEct0, kEct1 };
  /// The flows that share one CNP limiter of `interval` at the receiver.
  enum class Scope : std::uint8_t { kQueuePair, kAddress, kPort };
  PicoSeconds interval = kMicroSecond * 50;  // least time between two CNPs of the flows in `scope`
  Scope scope = Scope::kQueuePair;
  std::uint8_t dscp = 48;
  std::uint8_t priority = 6;
  bool carry_marks = false;  // a CNP carries the number of CE marks since the previous one
  // the CNP interval follows the network, as preset() of the algorithm decides
  bool follows_network = false;
  Ecn ecn = Ecn::kEct0;
  Accept accept = Accept::kAny;  // ECN fields of the CNPs that the sender accepts
  bool notify = true;            // the host sends CNPs (notification point)
  bool react = true;             // the host obeys CNPs (reaction point)
  bool with_nak = false;         // the receiver sends a CNP with each NAK for a gap
  PicoSeconds delay{};           // delay between the packet that causes a CNP and the CNP

  /// True if a sender obeys a CNP that arrives with this ECN field.
  bool accepts(dcc::Ecn field) const {
    if (!react) return false;
    if (accept == Accept::kAny || field == dcc::Ecn::kCe) return true;
    return field == (accept == Accept::kEct1 ? dcc::Ecn::kEct1 : dcc::Ecn::kEct0);
  }
  void describe(ParameterVisitor& v);
};

DCC_ENUM_NAMES(CnpParameters::Ecn, {CnpParameters::Ecn::kEct0, "ect0"},
               {CnpParameters::Ecn::kEct1, "ect1"});

DCC_ENUM_NAMES(CnpParameters::Accept, {CnpParameters::Accept::kAny, "any"},
               {CnpParameters::Accept::kEct0, "ect0"}, {CnpParameters::Accept::kEct1, "ect1"});

DCC_ENUM_NAMES(CnpParameters::Scope, {CnpParameters::Scope::kQueuePair, "queue_pair"},
               {CnpParameters::Scope::kAddress, "address"}, {CnpParameters::Scope::kPort, "port"});

/// CNP settings that a receiver uses for one sender, where senders run different algorithms.
struct CnpProfile {
  bool wanted = false;  // the sender's algorithm reacts to CNPs
  CnpParameters cnp;
};

struct RecoveryParameters {
  enum class Kind : std::uint8_t { kNone, kGoBackN, kSelectiveRepeat };
  Kind kind = Kind::kGoBackN;
  PicoSeconds timeout = kMicroSecond * 500;  // retransmission timeout; see timeout_for()
  bool adaptive = false;  // the retransmission timeout starts low; see first_timeout()
  // lowest timeout with `adaptive`; empty: a sixteenth of `timeout`
  std::optional<PicoSeconds> least_timeout;
  // Number of early packets that a receiver keeps until the missing one arrives; 0: it discards
  // early packets. With selective repeat a sender has no more unacknowledged packets than this, so
  // the receiver always has room.
  unsigned reorder_window = 0;
  // limit of consecutive retransmission timeouts; empty: unlimited
  std::optional<unsigned> retries;
  // limit of retransmissions after RNR NAKs; empty: unlimited
  std::optional<unsigned> not_ready_retries;
  PicoSeconds not_ready_delay = kMicroSecond * 10;

  bool is_selective() const { return kind == Kind::kSelectiveRepeat; }
  /// False if lost packets are not retransmitted.
  bool is_on() const { return kind != Kind::kNone; }
  /// Timeout of a packet before any consecutive timeout: `timeout`, or with `adaptive` the lowest
  /// timeout, which is never above `timeout`.
  PicoSeconds first_timeout() const;
  void describe(ParameterVisitor& v);
  /// Default retransmission timeout. If no packet can be lost, the timeout practically never
  /// expires; otherwise the timeout is longer than the time in which a full buffer on the path
  /// drains.
  static PicoSeconds timeout_for(const NetworkScale& network);
  /// Default size of the reorder window for selective repeat.
  static unsigned window_for(const NetworkScale& network);
};

/// Parameters of the NIC's buffer between port and host memory; see nic/receive_buffer.h.
struct ReceiveBufferParameters {
  enum class WhenFull : std::uint8_t { kPause, kNotReady, kDrop };
  Bytes size = 256 * 1024;
  WhenFull when_full = WhenFull::kPause;

  void describe(ParameterVisitor& v);
};

/// A limit of the unacknowledged bytes of each queue pair, in addition to the window of its
/// algorithm.
struct WindowParameters {
  enum class Limit : std::uint8_t { kNone, kBdp, kBytes };
  Limit limit = Limit::kNone;
  Bytes bytes = 64 * 1024;    // size of the window with kBytes
  bool follows_rate = false;  // the window shrinks in proportion to the flow's rate

  bool is_on() const { return limit != Limit::kNone; }
  /// The window in bytes, at least 1, for a queue pair with this rate and base RTT. Precondition:
  /// is_on().
  Bytes limit_at(Rate rate, BitRate line_rate, PicoSeconds base_rtt) const;
  void describe(ParameterVisitor& v);
};

DCC_ENUM_NAMES(WindowParameters::Limit, {WindowParameters::Limit::kNone, "none"},
               {WindowParameters::Limit::kBdp, "bdp"}, {WindowParameters::Limit::kBytes, "bytes"});

/// Limits of the number of messages that a NIC starts to send in a second; see nic/message_rate.h.
struct MessageRateParameters {
  std::optional<Frequency> queue_pair;  // message rate of each queue pair; empty: no limit
  std::optional<Frequency> nic;         // message rate of all queue pairs together; empty: no limit

  bool is_limited() const { return queue_pair || nic; }
  void describe(ParameterVisitor& v);
};

struct NicParameters {
  // kVirtual: packets carry payload lengths but no bytes
  enum class Payload : std::uint8_t { kVirtual, kReal };

  std::uint32_t mtu = 1000;  // payload bytes of a full packet
  Payload payload = Payload::kVirtual;
  AckMode ack = AckMode::kPerPacket;
  unsigned ack_every = 1;  // packets acknowledged by one ACK (with kPerPacket)
  // Parameters that every packet reads come first, so that they share one cache line.
  Bytes link_overhead = 20;
  RecoveryParameters recovery;
  WindowParameters window;
  MessageRateParameters message_rate;
  std::optional<unsigned> ack_priority;  // 802.1p priority of ACKs; empty: the priority of the data
  // Greatest number of READ and atomic requests of a queue pair whose response is not complete. The
  // responder keeps as many atomic results.
  unsigned outstanding_reads = 16;
  PicoSeconds jitter{};   // random delay that the link adds to each packet; see Link::set_jitter
  ClockParameters clock;  // clock that measures the RTTs for algorithms
  DmaParameters dma;
  ReceiveBufferParameters receive_buffer;
  CnpParameters cnp;
  /// Thresholds of PIAS in bytes sent of a work item. Packets start at the highest priority and
  /// move one priority down at each threshold; the queue pair's priority is ignored. Empty: no
  /// demotion. A transport sets the thresholds.
  std::vector<Bytes> demotion;
  // Position of the NIC in the network.
  HostId host = 0;
  std::uint64_t seed = 1;  // random seed of the run
  BitRate line_rate = 100_Gbps;
  PicoSeconds link_delay{};
  std::uint8_t pfc_priorities = 0;  // bit p: the NIC may pause priority p of the switch
  // duration of a PFC pause in quanta, 802.3 annex 31B; 0: until it is resumed
  unsigned pause_quanta = 0;
  // size of the credit buffer at both ends of the link; empty: no credits
  std::optional<Bytes> credit_buffer;
  Bytes largest_packet = 1'100;  // wire bytes of the largest packet; read where links use credits

  bool real_payload() const { return payload == Payload::kReal; }
  /// True if payload arrives faster than DMA can move it, so that payload waits in the receive
  /// buffer.
  bool has_slow_memory() const { return real_payload() && dma.rate < line_rate; }
  /// Bytes that may still arrive after the NIC decided to pause the switch.
  Bytes pause_headroom() const;
  /// Timeout after which unacknowledged packets are sent again; max() without recovery.
  PicoSeconds retransmit_timeout() const {
    return recovery.is_on() ? recovery.timeout : PicoSeconds::max();
  }
  /// Describes all NIC parameters except the position in the network.
  void describe(ParameterVisitor& v);
};

/// Describes NicParameters::mtu.
void describe_mtu(ParameterVisitor& v, std::uint32_t& mtu);
/// Describes NicParameters::ack_every.
void describe_ack_every(ParameterVisitor& v, unsigned& ack_every);

DCC_ENUM_NAMES(AckMode, {AckMode::kNone, "none"}, {AckMode::kPerPacket, "per_packet"},
               {AckMode::kPerMessage, "per_message"});
DCC_ENUM_NAMES(RecoveryParameters::Kind, {RecoveryParameters::Kind::kNone, "none"},
               {RecoveryParameters::Kind::kGoBackN, "go_back_n"},
               {RecoveryParameters::Kind::kSelectiveRepeat, "selective_repeat"});
DCC_ENUM_NAMES(ReceiveBufferParameters::WhenFull,
               {ReceiveBufferParameters::WhenFull::kPause, "pause"},
               {ReceiveBufferParameters::WhenFull::kNotReady, "not_ready"},
               {ReceiveBufferParameters::WhenFull::kDrop, "drop"});
DCC_ENUM_NAMES(NicParameters::Payload, {NicParameters::Payload::kVirtual, "virtual"},
               {NicParameters::Payload::kReal, "real"});

struct NicCounters {
  std::uint64_t packets_sent = 0;      // packets of all kinds that this NIC made and sent
  std::uint64_t packets_received = 0;  // packets of all kinds received, including PFC frames
  std::uint64_t data_sent = 0;
  std::uint64_t data_received = 0;
  std::uint64_t bytes_sent = 0;      // payload bytes sent
  std::uint64_t bytes_received = 0;  // payload bytes received in order
  std::uint64_t acks_sent = 0;
  std::uint64_t naks_sent = 0;
  std::uint64_t cnps_sent = 0;
  std::uint64_t cnps_received = 0;
  // CNPs received and refused by nic.cnp.accept, nic.cnp.react or the parser
  std::uint64_t cnps_refused = 0;
  std::uint64_t ce_received = 0;
  std::uint64_t out_of_order = 0;  // data packets that arrived before a missing one
  std::uint64_t duplicates = 0;
  std::uint64_t retransmits = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t icrc_errors = 0;
  std::uint64_t mr_violations = 0;  // accesses refused because they lie outside the memory region
  std::uint64_t unknown_qp = 0;     // packets received for a queue pair that does not exist
  std::uint64_t receives_missing = 0;  // SENDs received without a posted buffer
  std::uint64_t pauses_received = 0;
  std::uint64_t acks_received = 0;
  std::uint64_t not_enabled = 0;       // packets dropped because the NIC is disabled
  std::uint64_t dma_errors = 0;        // DMA accesses to addresses that are not memory
  std::uint64_t pauses_sent = 0;       // number of times the NIC paused a priority of the switch
  std::uint64_t receive_discards = 0;  // packets lost because the receive buffer was full
  std::uint64_t cnps_ignored = 0;      // CNPs received for a flow without an algorithm
  std::uint64_t sequence_naks_received = 0;
  std::uint64_t not_ready_naks_received = 0;  // RNR NAKs received from remote hosts
  std::uint64_t pause_frames_sent = 0;        // PFC frames sent, resumes included
  std::uint64_t responses_early = 0;     // part of out_of_order: responses to READs and atomics
  std::uint64_t responses_repeated = 0;  // part of duplicates: responses to READs and atomics

  template <class Visitor>
  static void describe(Visitor&& v) {  // Describes every counter to `v` (stats/metric.h).
    v(&NicCounters::cnps_sent, "cnps_sent",
      {"CNPs sent", "packets", "notifications sent by receivers"});
    v(&NicCounters::cnps_received, "cnps_received",
      {"CNPs received", "packets", "notifications that reached a sender"});
    v(&NicCounters::cnps_refused, "cnps_refused",
      {"CNPs refused", "packets",
       "that a sender ignored (nic.cnp.accept, nic.cnp.react, nic.parser)"});
    v(&NicCounters::data_received, "data_received",
      {"data received", "packets", "of data that reached their NIC, useful or not"});
    v(&NicCounters::icrc_errors, "nic_discards",
      {"discarded by NICs", "packets",
       "that reached a NIC and were of no use to it: a wrong ICRC, no such queue pair, not "
       "enabled"});
    v(&NicCounters::unknown_qp, "nic_discards", {});
    v(&NicCounters::not_enabled, "nic_discards", {});
    v(&NicCounters::timeouts, "timeouts",
      {"timeouts", "", "retransmission timers that ran out at a sender"});
    v(&NicCounters::pauses_sent, "pfc_pauses", {});
    v(&NicCounters::receive_discards, "receive_discards",
      {"discarded for a full receive buffer", "packets",
       "that a NIC had no room for, since its host's memory takes data more slowly than the port"});
    v(&NicCounters::dma_errors, "dma_errors",
      {"failed DMA accesses", "", "of NICs to addresses that are not memory of their host"});
  }
};

/// Properties of a queue pair that no register of a NIC contains.
struct QueuePairProperties {
  std::uint32_t flow = 0;  // ledger record of the flow that this end sends
  bool ecn_capable = true;
  bool governed = true;  // the congestion-control algorithm controls the queue pair
  Rate rate_cap;         // rate limit set by the application; zero: none
  Rate initial_rate;     // initial rate of the flow; zero: the algorithm chooses
  PicoSeconds base_rtt{};
  Bytes bytes = 0;  // size of the flow in bytes; 0: unknown
  PicoSeconds deadline = PicoSeconds::max();
};

/// Configuration of a queue pair, for sending and receiving.
struct QueuePairConfig : QueuePairProperties {
  HostId remote_host = 0;
  Qpn remote_qpn = 0;
  std::uint8_t dscp = 0;
  std::uint8_t priority = 0;
  Service service = Service::kRc;
  // Reliable datagrams: number of the end-to-end context among those with the remote host, and the
  // reliable datagram domain of the queue pair.
  std::uint8_t ee_context = 0;
  std::uint8_t rd_domain = 0;

  void add_state(StateDigest& d) const {
    d(remote_host, remote_qpn, flow, dscp, priority, service, ecn_capable, governed, ee_context,
      rd_domain, rate_cap, initial_rate, base_rtt, bytes, deadline);
  }
};

}  // namespace dcc
