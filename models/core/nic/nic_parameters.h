// What a NIC is configured with, and the counters it keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "describe/enum_names.h"
#include "describe/quantities.h"
#include "nic/dma.h"
#include "nic/host_clock.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

enum class AckMode : std::uint8_t { kNone, kPerPacket, kPerMessage };

struct CnpParameters {
  PicoSeconds interval = kMicroSecond * 50;  // least distance of two CNPs of a flow
  std::uint8_t dscp = 48;
  std::uint8_t priority = 6;
  bool carry_marks = false;  // the CNP says how many CE marks it stands for

  void describe(ParameterVisitor& v);
};

/// What the two ends of a connection have agreed on, where senders run different algorithms.
struct CnpProfile {
  bool wanted = false;  // the sender's algorithm goes by CNPs
  CnpParameters cnp;
};

struct RecoveryParameters {
  enum class Kind : std::uint8_t { kNone, kGoBackN };
  Kind kind = Kind::kGoBackN;
  PicoSeconds timeout = kMicroSecond * 500;
  unsigned reorder_window = 0;                // packets; 0: the first that is early is a loss
  std::optional<unsigned> retries;            // empty: as often as it takes
  std::optional<unsigned> not_ready_retries;  // empty: as often as it takes
  PicoSeconds not_ready_delay = kMicroSecond * 10;

  void describe(ParameterVisitor& v);
};

struct NicParameters {
  enum class Payload : std::uint8_t { kVirtual, kReal };  // lengths only, or bytes

  std::uint32_t mtu = 1000;  // payload bytes of a full packet
  Payload payload = Payload::kVirtual;
  AckMode ack = AckMode::kPerPacket;
  std::optional<unsigned> ack_priority;  // empty: that of the data
  RecoveryParameters recovery;
  // Requests of a queue pair, to read or atomic, whose answer is not whole; as many atomic answers
  // are kept at the other end.
  unsigned outstanding_reads = 16;
  PicoSeconds jitter{};   // see Link::set_jitter
  ClockParameters clock;  // for the RTTs that algorithms are told
  DmaParameters dma;
  CnpParameters cnp;
  /// Bytes of a work item after each of which its packets go on one priority lower, from the
  /// highest down, whatever their queue pair's is; empty: they keep that. Set by a transport.
  std::vector<Bytes> demotion;
  // Where it stands:
  HostId host = 0;
  std::uint64_t seed = 1;  // the run's
  BitRate line_rate = 100_Gbps;
  Bytes link_overhead = 20;
  std::optional<Bytes> credit_buffer;  // of both ends of its link; empty: no credits
  Bytes largest_packet = 1'100;        // wire bytes, for those

  bool real_payload() const { return payload == Payload::kReal; }
  /// max() without recovery: nothing is ever repeated.
  PicoSeconds retransmit_timeout() const {
    return recovery.kind == RecoveryParameters::Kind::kNone ? PicoSeconds::max() : recovery.timeout;
  }
  /// All but where it stands.
  void describe(ParameterVisitor& v);
};

DCC_ENUM_NAMES(AckMode, {AckMode::kNone, "none"}, {AckMode::kPerPacket, "per_packet"},
               {AckMode::kPerMessage, "per_message"});
DCC_ENUM_NAMES(RecoveryParameters::Kind, {RecoveryParameters::Kind::kNone, "none"},
               {RecoveryParameters::Kind::kGoBackN, "go_back_n"});
DCC_ENUM_NAMES(NicParameters::Payload, {NicParameters::Payload::kVirtual, "virtual"},
               {NicParameters::Payload::kReal, "real"});

struct NicCounters {
  std::uint64_t packets_sent = 0;      // all kinds, made by this NIC
  std::uint64_t packets_received = 0;  // all kinds, PFC frames included
  std::uint64_t data_sent = 0;
  std::uint64_t data_received = 0;
  std::uint64_t bytes_sent = 0;      // payload
  std::uint64_t bytes_received = 0;  // payload, in order
  std::uint64_t acks_sent = 0;
  std::uint64_t naks_sent = 0;
  std::uint64_t cnps_sent = 0;
  std::uint64_t cnps_received = 0;
  std::uint64_t ce_received = 0;
  std::uint64_t out_of_order = 0;  // data that came before something that is missing
  std::uint64_t duplicates = 0;
  std::uint64_t retransmits = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t icrc_errors = 0;
  std::uint64_t mr_violations = 0;     // writes refused outside the memory region
  std::uint64_t unknown_qp = 0;        // packets for a queue pair that does not exist
  std::uint64_t receives_missing = 0;  // SENDs that found no posted buffer
  std::uint64_t pauses_received = 0;
  std::uint64_t acks_received = 0;
  std::uint64_t not_enabled = 0;  // packets dropped because the NIC is not enabled

  template <class Visitor>
  static void describe(Visitor&& v) {  // stats/metric.h
    v(&NicCounters::cnps_sent, "cnps_sent",
      {"CNPs sent", "packets", "notifications sent by receivers"});
    v(&NicCounters::cnps_received, "cnps_received",
      {"CNPs received", "packets", "notifications that reached a sender"});
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
  }
};

/// A connected queue pair: both directions.
struct QueuePairConfig {
  HostId remote_host = 0;
  Qpn remote_qpn = 0;
  std::uint32_t flow = 0;  // ledger record of what this end sends
  std::uint8_t dscp = 0;
  std::uint8_t priority = 0;
  Service service = Service::kRc;
  bool ecn_capable = true;
  bool governed = true;  // by the congestion-control algorithm
  Rate rate_cap;         // the application's own limit; zero: none
  Rate initial_rate;     // zero: the algorithm's
  PicoSeconds base_rtt{};
  Bytes bytes = 0;  // of the flow; 0: not known
  PicoSeconds deadline = PicoSeconds::max();

  template <class Digest>
  void add_state(Digest& d) const {
    d(remote_host, remote_qpn, flow, dscp, priority, service, ecn_capable, governed, rate_cap,
      initial_rate, base_rtt, bytes, deadline);
  }
};

}  // namespace dcc
