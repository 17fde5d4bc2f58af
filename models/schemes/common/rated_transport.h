// What transports have in common whose senders ask the ports on their way, in packets that the
// other end answers, at which rate each flow is to send.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "schemes/common/outstanding.h"
#include "schemes/common/pacing.h"

namespace dcc {

struct RatedParameters : TransportParameters {
  std::optional<PicoSeconds> ask_again;  // empty: three base RTTs
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
};

/// A flow asks with packets of their own (PacketKind::kRequest) and, as its scheme has it, on data;
/// the other end sends what ports wrote back with its answer (kCredit, kAck). What is not answered
/// is asked again, after twice as long each time. Packets of a flow leave at its rate, those of
/// several in turn. Each is acknowledged, and sent again when nothing is heard of it for the
/// timeout.
class RatedTransport : public MessageTransport {
 public:
  bool has_packet() const final { return !turns_.empty(); }
  Packet* next_packet() final;

 protected:
  RatedTransport(const TransportContext& context, const RatedParameters& parameters);

  // A scheme's own part of begin(), end(), and add_own_state() comes after this one:
  void begin(Qpn qpn) override;
  void end(Qpn qpn) override;
  void add_own_state(StateDigest& d) const override;

  // What a scheme says:
  /// When a flow that has something to send, or has asked, is to ask next; max(): nothing to ask.
  virtual PicoSeconds asks_at(Qpn qpn) const = 0;
  /// Asks. The flow is not asking yet, or repeats what was not answered.
  virtual void ask(Qpn qpn) = 0;
  virtual bool may_send(Qpn qpn) const = 0;
  /// Of a flow that may send, or might when its turn came: > 0.
  virtual BitRate rate_of(Qpn qpn) const = 0;
  /// Data of a flow leaves at its rate: what it carries for the ports.
  virtual void goes(Qpn qpn, Packet& data) = 0;
  /// There is nothing left to send: gives back what the flow has. It may be called at any time.
  virtual void leave(Qpn qpn) = 0;
  /// What ports wrote comes back, with an acknowledgement or alone: the answer has a stack.
  virtual void on_answer(Qpn qpn, const Packet& answer) = 0;
  /// Nothing was heard of a packet; it will be sent again.
  virtual void on_timeout(Qpn) {}

  /// Packets that are to be sent, new and again.
  std::uint64_t work_left(Qpn qpn) const { return packets_left(qpn, flows_[qpn].packets); }
  /// The same in bytes, overhead included.
  Bytes bytes_of_work(Qpn qpn) const { return bytes_left(qpn, flows_[qpn].packets); }
  /// When the next packet may leave at that rate: > 0.
  PicoSeconds due(Qpn qpn, BitRate rate) const { return flows_[qpn].pacer.due(rate, now()); }
  /// What is asked with, without its header.
  Packet* make_request(Qpn qpn);

  /// A request is under way.
  bool is_asking(Qpn qpn) const { return flows_[qpn].asking; }
  /// When it asked last, or would have.
  PicoSeconds asked_at(Qpn qpn) const { return flows_[qpn].asked; }
  /// When what was asked then is asked again.
  PicoSeconds repeats_at(Qpn qpn) const { return flows_[qpn].asked + flows_[qpn].patience; }
  /// It asks now.
  void asks(Qpn qpn);
  /// It would ask now, but has its answer.
  void need_not_ask(Qpn qpn);
  /// Its request was answered.
  void answered(Qpn qpn);
  /// No answer is waited for any more.
  void asks_no_more(Qpn qpn) { flows_[qpn].asking = false; }

 private:
  struct Flow {
    bool asking = false;
    PicoSeconds asked{};
    PicoSeconds patience{};  // until it asks again, unanswered
    Outstanding packets;
    Pacer pacer;
    template <class Digest>
    void add_state(Digest& d) const {
      d(asking, asked, patience, packets, pacer);
    }
  };

  void work_changed(Qpn qpn) final;
  void arrived(Qpn qpn, Packet& packet) final;
  void settle(Qpn qpn);
  void ask_if_time(Qpn qpn);
  void take_turn(Qpn qpn);
  void set_deadline(Qpn qpn);
  void look_at(Qpn qpn);
  void check_deadlines();
  void ring_turns();

  const PicoSeconds ask_again_;
  const PicoSeconds timeout_;
  std::vector<Flow> flows_;  // by queue pair
  DeadlineTable deadlines_;  // to ask, and to send again
  PacedTurns turns_;         // to send
};

}  // namespace dcc
