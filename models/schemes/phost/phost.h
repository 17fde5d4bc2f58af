// pHost: receivers send tokens, each valid for one packet and a short time; senders use them for
// the flow with the fewest packets left.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "sim/state_digest.h"

namespace dcc {

/// Gao et al., "pHost: Distributed Near-Optimal Datacenter Transport Over Commodity Network
/// Fabric", CoNEXT 2015; constants of its authors' simulator. Times are in packet times; a packet
/// time is that of one full packet at the host's link rate.
struct PhostParameters final : TransportParameters {
  // number of packets up to which a message is short, and is sent without tokens
  unsigned free_tokens = 8;
  unsigned window = 8;     // maximum number of a flow's tokens that are not yet answered with data
  Ratio token_life{3, 2};  // time for which a token is valid at the sender, in packet times
  // time in packet times from the last token of a message to new tokens for its missing packets
  Ratio resend_after{9};
  // time in packet times after which a flow with a full window of tokens gets one more token
  Ratio window_timeout{25};
  // time without packets from the receiver after which a sender repeats its request
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
  const char* discipline() const override { return "drop_tail"; }
};

/// The pHost sender announces a message at once with a request that carries its size, and sends the
/// packets of a short message without tokens. Among the flows with a valid token, the flow with the
/// fewest packets left, as its receiver last reported, sends the packet that the token names.
///
/// The pHost receiver sends one token per packet time. The token goes to the flow with the fewest
/// missing packets among the flows that have room in their window and need not wait. After the last
/// token of a message the receiver waits for the data, then sends tokens for the missing packets.
/// The receiver acknowledges a complete message.
///
/// A receiver whose flows all wait continues when the wait of the first flow ends, or when a new
/// message is announced. Data that opens a flow's window does not wake the receiver. The authors'
/// simulator behaves like this, and these pauses drain the queue at the receiver's port: without
/// them small messages take about 5 % longer.
///
/// A sender that receives nothing repeats its request. A receiver with all data answers the request
/// with the acknowledgement. The authors' simulator loses no control packets and has no such
/// repetition. A flow waits for tokens as long as shorter flows have packets, so a repeated request
/// is no sign of loss: a timeout is counted where the repetition tells the receiver of packets that
/// it did not expect, or finds it with all data.
class Phost final : public MessageTransport {
 public:
  Phost(const TransportContext& context, const PhostParameters& parameters);

  bool has_packet() const override;
  Packet* next_packet() override;

 private:
  struct Token {
    Psn psn = 0;
    std::uint32_t number = 0;  // number of the token; 0: the packet is sent without a token
    PicoSeconds until{};
    void add_state(StateDigest& d) const { d(psn, number, until); }
  };
  struct Sender {
    Psn announced = 0;       // number of packets that the sender has announced
    std::uint64_t left = 0;  // number of packets left in the message, as the receiver last reported
    bool listed = false;
    std::deque<Token> tokens;  // tokens that the sender holds, sorted by time of expiry
    void add_state(StateDigest& d) const { d(announced, left, tokens); }
  };
  struct Receiver {
    Psn end = 0;  // one above the number of the last packet that the sender announced
    bool active = false;
    std::uint64_t wanted = 0;  // total number of tokens to send for the flow
    std::uint64_t sent = 0;
    std::uint64_t seen = 0;  // number of the newest token that was answered with data or given up
    Psn cursor = 0;      // packet number of the next token, unless that packet was received already
    PicoSeconds last{};  // time at which the receiver sent its last token for the flow
    // time until which the receiver sends the flow no token; zero: the flow does not wait
    PicoSeconds waits_until{};
    void add_state(StateDigest& d) const {
      d(end, active, wanted, sent, seen, cursor, last, waits_until);
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  PicoSeconds packet_time(Qpn qpn) const;
  PicoSeconds packets(Qpn qpn, const Ratio& number) const;

  // Functions of the pHost sender
  void announce(Qpn qpn, bool again);
  void on_token(Qpn qpn, const Packet& token);
  bool is_void(Qpn qpn, const Token& token) const;
  void drop_void(Qpn qpn);
  void list(Qpn qpn);
  void check_senders();

  // Functions of the pHost receiver
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
  PicoSeconds hold_time_{};          // packet time of each packet that hold_ counts
  std::vector<Sender> senders_;      // senders indexed by queue pair
  std::vector<Receiver> receivers_;  // receivers indexed by queue pair
  std::vector<Qpn> ready_;           // queue pairs whose sender holds tokens, valid or expired
  std::vector<Qpn> active_;          // queue pairs whose receiver lacks packets, oldest first
  unsigned hold_ =
      0;  // number of packet times that tokens leave free for packets that arrive without tokens
  PicoSeconds next_token_{};
  Event pacing_;
  DeadlineTable deadlines_;
};

}  // namespace dcc
