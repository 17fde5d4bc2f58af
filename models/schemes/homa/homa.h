// Homa: receivers grant the messages with least left, and pick the priorities that ports serve by.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"

namespace dcc {

/// Montazeri et al., "Homa: A Receiver-Driven Low-Latency Transport Protocol Using Network
/// Priorities", SIGCOMM 2018, section 3; constants of its authors' simulator.
struct HomaParameters final : TransportParameters {
  Bytes rtt_bytes = 10'000;     // sent unasked, and kept granted ahead of what has come
  unsigned overcommitment = 7;  // messages that a host grants at the same time
  /// Message sizes, ascending, that part the unscheduled bytes' priorities; the shortest have the
  /// highest. With the granted ones' there are no more than eight.
  std::vector<unsigned> cutoffs;
  PicoSeconds timeout = kMilliSecond * 5;          // at the receiver
  PicoSeconds sender_timeout = kMilliSecond * 10;  // nothing heard of what was sent

  void describe(ParameterVisitor& v) override;
  void check() const override;
  bool strict_ports() const override { return true; }
  bool may_omit_acks() const override { return true; }
};

/// Sender: of every message the first RTTbytes go out unasked, at a priority by its size; the rest
/// as far as grants reach, at the priority they name. Of all that may go, the message with least
/// left goes first. Receiver: of the messages that are not wholly granted the ones with least to
/// grant, one of a sender and no more than the overcommitment, are kept granted RTTbytes ahead of
/// what has come; the shortest at the highest of the lowest priorities that this takes. A message
/// of which something granted is missing, and nothing came for the timeout, is asked for again from
/// its first gap. Its end is acknowledged; a sender that hears nothing sends its first packet
/// again, which makes the receiver answer. Messages of one queue pair follow each other.
///
/// With `ack: none` (the paper's one-way messages) a message is over for its sender when its last
/// packet has left.
class Homa final : public MessageTransport {
 public:
  Homa(const TransportContext& context, const HomaParameters& parameters);

  bool has_packet() const override { return !ready_.empty(); }
  Packet* next_packet() override;

 private:
  struct Again {
    Psn psn = 0;
    std::uint8_t priority = 0;
    template <class Digest>
    void add_state(Digest& d) const {
      d(psn, priority);
    }
  };
  struct Sender {
    bool ready = false;  // in ready_
    Psn granted = 0;     // packets before it may go
    // The message that is being sent:
    Psn begin = 0;
    Psn end = 0;
    std::uint8_t unscheduled = 0;  // priority of what goes unasked
    std::uint8_t scheduled = 0;    // … and as last granted
    std::deque<Again> again;       // asked for once more
    template <class Digest>
    void add_state(Digest& d) const {
      d(granted, begin, end, unscheduled, scheduled, again);
    }
  };
  struct Receiver {
    bool listed = false;  // in wanting_
    Psn end = 0;          // one behind what is known to come
    Psn granted = 0;      // … and to be allowed
    template <class Digest>
    void add_state(Digest& d) const {
      d(end, granted);
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Sending
  void settle(Qpn qpn);
  void start_message(Qpn qpn);
  Psn left(Qpn qpn) const;
  std::uint8_t unscheduled_priority(Bytes message) const;
  void on_grant(Qpn qpn, const Packet& grant);
  void on_request(Qpn qpn, const Packet& request);
  void say_end(Qpn qpn);
  void check_senders();

  // Receiving
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
  Psn window_;                       // RTTbytes in packets
  std::vector<Sender> senders_;      // by queue pair
  std::vector<Receiver> receivers_;  // the same
  std::vector<Qpn> ready_;           // senders that may send
  std::vector<Qpn> wanting_;         // receivers not wholly granted, by what is to grant
  DeadlineTable sender_deadlines_;
  DeadlineTable receiver_deadlines_;
};

}  // namespace dcc
