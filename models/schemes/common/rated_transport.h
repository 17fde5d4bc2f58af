// Base of the transports whose senders request a rate from the ports of their path (D3, PDQ, FCP,
// RCP), or whose ports write window changes into data packets (XCP).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "schemes/common/outstanding.h"
#include "schemes/common/pacing.h"
#include "sim/state_digest.h"

namespace dcc {

struct RatedParameters : TransportParameters {
  // time until a request is repeated; empty: `timeout`, or three times the flow's longest round
  // trip
  std::optional<PicoSeconds> ask_again;
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
};

/// A flow sends requests as separate packets (PacketKind::kRequest) and, if the scheme does so, on
/// data packets. The responder returns the values that ports wrote (kCredit, kAck). A request
/// without an answer is repeated at doubling intervals. Packets of a flow leave at the flow's rate;
/// flows take turns. Every data packet is acknowledged, and sent again if no acknowledgement
/// arrives within the timeout.
class RatedTransport : public MessageTransport {
 public:
  bool has_packet() const final { return !turns_.empty(); }
  Packet* next_packet() final;

 protected:
  RatedTransport(const TransportContext& context, const RatedParameters& parameters);

  // Virtual functions of MessageTransport; a scheme that overrides one of them calls the version of
  // RatedTransport first.
  void begin(Qpn qpn) override;
  void end(Qpn qpn) override;
  void add_own_state(StateDigest& d) const override;

  // Functions that each scheme implements. asks_at() returns the time at which a flow with data to
  // send, or with an open request, sends its next request; max(): never.
  virtual PicoSeconds asks_at(Qpn qpn) const = 0;
  /// Sends a request: a new request, or a repetition of the unanswered request.
  virtual void ask(Qpn qpn) = 0;
  virtual bool may_send(Qpn qpn) const = 0;
  /// Rate, above 0, of a flow for which may_send() holds, or held when its turn was scheduled.
  virtual BitRate rate_of(Qpn qpn) const = 0;
  /// Called when a data packet of the flow leaves: writes the scheme's fields for the ports into
  /// the packet.
  virtual void goes(Qpn qpn, Packet& data) = 0;
  /// Called when the flow has no data left: returns its rate to the ports. May be called at any
  /// time.
  virtual void leave(Qpn qpn) = 0;
  /// Called for an acknowledgement or answer that brings back the values written by ports; `answer`
  /// has a telemetry stack.
  virtual void on_answer(Qpn qpn, const Packet& answer) = 0;
  /// Called when a data packet timed out; the base class sends the packet again.
  virtual void on_timeout(Qpn) {}

  /// Number of packets that the queue pair has to send: new packets and retransmissions.
  std::uint64_t work_left(Qpn qpn) const { return packets_left(qpn, flows_[qpn].packets); }
  /// Wire bytes of work_left(), overhead included.
  Bytes bytes_of_work(Qpn qpn) const { return bytes_left(qpn, flows_[qpn].packets); }
  /// Time at which the queue pair's next packet may leave at this rate. Precondition: rate > 0.
  PicoSeconds due(Qpn qpn, BitRate rate) const { return flows_[qpn].pacer.due(rate, now()); }
  /// Makes a request packet; the scheme adds its header.
  Packet* make_request(Qpn qpn);

  /// True if a request of the queue pair has no answer yet.
  bool is_asking(Qpn qpn) const { return flows_[qpn].asking; }
  /// Time at which the queue pair's last request was sent, or was found unnecessary (need_not_ask).
  PicoSeconds asked_at(Qpn qpn) const { return flows_[qpn].asked; }
  /// Time at which the queue pair repeats its unanswered request.
  PicoSeconds repeats_at(Qpn qpn) const { return flows_[qpn].asked + flows_[qpn].patience; }
  /// Records that the queue pair sends a request now.
  void asks(Qpn qpn);
  /// Records that a request of the queue pair would be due now but its answer is known.
  void need_not_ask(Qpn qpn);
  /// Records that the queue pair's pending request has been answered.
  void answered(Qpn qpn);
  /// Drops the pending request of the queue pair.
  void asks_no_more(Qpn qpn) { flows_[qpn].asking = false; }

 private:
  struct Flow {
    bool asking = false;
    PicoSeconds asked{};
    PicoSeconds patience{};    // time until the flow's unanswered request is repeated
    PicoSeconds round_trip{};  // longest time from a request of the flow to its answer
    Outstanding packets;
    Pacer pacer;
    void add_state(StateDigest& d) const { d(asking, asked, patience, round_trip, packets, pacer); }
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

  /// Time without an answer after which a flow repeats its next request.
  PicoSeconds first_patience(const Flow& flow) const;

  const std::optional<PicoSeconds> ask_again_;
  const PicoSeconds timeout_;
  std::vector<Flow> flows_;  // flows indexed by queue pair
  DeadlineTable deadlines_;  // deadlines of the flows' requests and retransmissions
  PacedTurns turns_;         // flows with packets to send
};

}  // namespace dcc
