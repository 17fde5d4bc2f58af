// Homa: receivers grant the messages with the fewest bytes left, and choose the priorities of
// packets.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "sim/state_digest.h"

namespace dcc {

/// Montazeri et al., "Homa: A Receiver-Driven Low-Latency Transport Protocol Using Network
/// Priorities", SIGCOMM 2018, section 3; constants of its authors' simulator.
struct HomaParameters final : TransportParameters {
  // number of bytes that a sender sends without a grant, or a receiver grants ahead of received
  // data
  Bytes rtt_bytes = 10'000;
  unsigned overcommitment = 7;  // maximum number of messages that a host grants at the same time
  /// Limits of message size in bytes, ascending, between the priorities of unscheduled bytes; the
  /// shortest messages have the highest priority. Unscheduled and granted bytes together use at
  /// most eight priorities.
  std::vector<unsigned> cutoffs;
  // time without data of a message after which the receiver requests retransmission
  PicoSeconds timeout = kMilliSecond * 5;
  // time without packets from the receiver after which the sender sends the message's first packet
  // again
  PicoSeconds sender_timeout = kMilliSecond * 10;

  void describe(ParameterVisitor& v) override;
  void check() const override;
  bool strict_ports() const override { return true; }
  bool may_omit_acks() const override { return true; }
};

/// The Homa sender sends the first RTTbytes of every message without a grant, at a priority by the
/// message's size. It sends further bytes up to the grants, at the priority of the grant. Among the
/// messages that may send, the one with the fewest bytes left goes first.
///
/// The Homa receiver grants the messages with the fewest bytes to grant, at most one message per
/// sender and at most `overcommitment` messages, so that each message is granted RTTbytes ahead of
/// received data. These messages use the lowest priorities, and the shortest of them uses the
/// highest of these priorities. If granted data is missing and nothing arrives for the timeout, the
/// receiver requests retransmission from the first gap. The receiver acknowledges the end of a
/// message. A sender that receives nothing sends the message's first packet again, which makes the
/// receiver send a grant or an acknowledgement. Messages of one queue pair are sent one after
/// another.
///
/// With `ack: none` (the one-way messages of the paper) a message completes when its last packet
/// has left.
class Homa final : public MessageTransport {
 public:
  Homa(const TransportContext& context, const HomaParameters& parameters);

  bool has_packet() const override { return !ready_.empty(); }
  Packet* next_packet() override;

 private:
  struct Again {
    Psn psn = 0;
    std::uint8_t priority = 0;
    // true if the sender repeats the packet because no answer arrived. A message waits for grants
    // as long as shorter messages have data, so the receiver counts a timeout only if the packet,
    // or the acknowledgement of the whole message, was lost.
    bool is_question = false;
    void add_state(StateDigest& d) const { d(psn, priority, is_question); }
  };
  struct Sender {
    bool ready = false;  // true if the queue pair is in the list of senders that may send (ready_)
    Psn granted = 0;     // one above the number of the highest packet that the sender may send
    // Members that belong to the sender's present message.
    Psn begin = 0;
    Psn end = 0;
    std::uint8_t unscheduled = 0;  // priority of the message's packets that leave without a grant
    std::uint8_t scheduled = 0;    // priority of the last grant for the message
    std::deque<Again> again;       // the sender's packets to be retransmitted
    void add_state(StateDigest& d) const { d(granted, begin, end, unscheduled, scheduled, again); }
  };
  struct Receiver {
    // true if the queue pair is in the list of receivers with data to grant (wanting_)
    bool listed = false;
    Psn end = 0;      // one above the number of the last announced packet
    Psn granted = 0;  // one above the number of the last granted packet
    void add_state(StateDigest& d) const { d(end, granted); }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Functions of the Homa sender
  void settle(Qpn qpn);
  void start_message(Qpn qpn);
  Psn left(Qpn qpn) const;
  std::uint8_t unscheduled_priority(Bytes message) const;
  void on_grant(Qpn qpn, const Packet& grant);
  void on_request(Qpn qpn, const Packet& request);
  void check_senders();

  // Functions of the Homa receiver
  void on_data(Qpn qpn, const Packet& packet);
  void on_end(Qpn qpn, Psn end);
  void list(Qpn qpn);
  void unlist(Qpn qpn);
  Psn to_grant(Qpn qpn) const { return receivers_[qpn].end - receivers_[qpn].granted; }
  void grant();
  bool grant_active();
  void acknowledge(Qpn qpn, std::uint32_t flow, PicoSeconds sent);
  void check_receivers();
  void ask_again(Qpn qpn);

  bool acknowledges() const { return context_.nic.ack != AckMode::kNone; }

  HomaParameters parameters_;
  std::vector<Psn> windows_;         // RTTbytes of each queue pair, converted to packets
  std::vector<Sender> senders_;      // senders indexed by queue pair
  std::vector<Receiver> receivers_;  // receivers indexed by queue pair
  std::vector<Qpn> ready_;           // queue pairs whose sender may send
  // queue pairs whose receiver has data to grant, sorted by the number of packets to grant
  std::vector<Qpn> wanting_;
  DeadlineTable sender_deadlines_;
  DeadlineTable receiver_deadlines_;
};

}  // namespace dcc
