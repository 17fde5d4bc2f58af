// pHost: receivers hand out tokens, each for one packet and soon void; senders spend them on the
// flow with least left.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"

namespace dcc {

/// Gao et al., "pHost: Distributed Near-Optimal Datacenter Transport Over Commodity Network
/// Fabric", CoNEXT 2015; constants of its authors' simulator. Times are in packets: a full one at
/// the host's rate.
struct PhostParameters final : TransportParameters {
  unsigned free_tokens = 8;            // of a message that has no more packets than that
  unsigned window = 8;                 // tokens of a flow that data has not answered
  Ratio token_life{3, 2};              // at the sender
  Ratio resend_after{9};               // all tokens are sent: what is missing gets new ones
  Ratio window_timeout{25};            // a full window makes room for one
  PicoSeconds timeout = kMilliSecond;  // a sender that hears nothing asks again

  void describe(ParameterVisitor& v) override;
  const char* discipline() const override { return "drop_tail"; }
};

/// Sender: tells of a message at once (a request with its size), and sends its packets unasked if
/// they are few. Of the flows that have a token which is not yet void, the one with least left, as
/// its receiver last told, sends the packet that the token names. Receiver: one token a packet
/// time, for the flow with least missing whose window is not full of unanswered tokens and that is
/// not to wait; when all are sent it waits for the data, then starts again with what is missing. A
/// message that is whole is acknowledged.
///
/// A receiver whose flows all wait looks again when the first of them need not, or when a new
/// message is told of; data that opens a window does not wake it. So in the authors' simulator,
/// where these pauses are what empties the queue at the receiver's port: without them small
/// messages take some 5 % longer.
///
/// A sender that hears nothing repeats its request, which a receiver that has all answers with the
/// acknowledgement: the authors' simulator loses no control packets.
class Phost final : public MessageTransport {
 public:
  Phost(const TransportContext& context, const PhostParameters& parameters);

  bool has_packet() const override;
  Packet* next_packet() override;

 private:
  struct Token {
    Psn psn = 0;
    std::uint32_t number = 0;  // 0: a free one
    PicoSeconds until{};
    template <class Digest>
    void add_state(Digest& d) const {
      d(psn, number, until);
    }
  };
  struct Sender {
    Psn announced = 0;       // packets told of
    std::uint64_t left = 0;  // packets, as last told
    bool listed = false;
    std::deque<Token> tokens;  // by time of expiry
    template <class Digest>
    void add_state(Digest& d) const {
      d(announced, left, tokens);
    }
  };
  struct Receiver {
    Psn end = 0;  // one behind what is known to come
    bool active = false;
    std::uint64_t wanted = 0;  // tokens to be sent in all
    std::uint64_t sent = 0;
    std::uint64_t seen = 0;     // the newest that data answered, or that was given up
    Psn cursor = 0;             // what the next is for, unless that has come
    PicoSeconds last{};         // when one was sent
    PicoSeconds waits_until{};  // zero: not
    template <class Digest>
    void add_state(Digest& d) const {
      d(end, active, wanted, sent, seen, cursor, last, waits_until);
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  PicoSeconds packets(const Ratio& number) const;

  // Sending
  void announce(Qpn qpn);
  void on_token(Qpn qpn, const Packet& token);
  bool is_void(Qpn qpn, const Token& token) const;
  void drop_void(Qpn qpn);
  void list(Qpn qpn);
  void check_senders();

  // Receiving
  void expect(Qpn qpn, Psn end);
  void on_data(Qpn qpn, const Packet& data);
  void on_end(Qpn qpn, Psn end);
  void acknowledge_if_whole(Qpn qpn, std::uint32_t flow, PicoSeconds sent);
  std::uint64_t missing(Qpn qpn) const { return receivers_[qpn].end - at(qpn).in.count(); }
  bool is_full(const Receiver& receiver) const {
    return receiver.sent - receiver.seen >= parameters_.window;
  }
  PicoSeconds may_send_at(Qpn qpn) const;
  void send_tokens();
  void send_token(Qpn qpn);
  void plan(PicoSeconds when);

  const PhostParameters parameters_;
  PicoSeconds packet_time_;
  std::vector<Sender> senders_;      // by queue pair
  std::vector<Receiver> receivers_;  // the same
  std::vector<Qpn> ready_;           // senders that have tokens, maybe void ones
  std::vector<Qpn> active_;          // receivers that lack something, by age
  unsigned hold_ = 0;                // tokens' times left to the newest packets that come unasked
  PicoSeconds next_token_{};
  Event pacing_;
  DeadlineTable deadlines_;
};

}  // namespace dcc
