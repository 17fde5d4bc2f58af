#include "schemes/common/rated_transport.h"

#include <algorithm>

#include "describe/network_scale.h"
#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

void RatedParameters::describe(ParameterVisitor& v) {
  describe_framing(v);
  v.field("ask_again", ask_again, "auto", {"1us", "10s"},
          {"time without an answer after which a request is repeated, at growing intervals; "
           "auto: as `timeout`, and at least three times the longest round trip of the flow's "
           "requests"});
  v.field("timeout", timeout, {"1us", "10s"},
          {"time without an answer after which a packet is sent again"});
  v.follows(true, kPatienceRule,
            [this](const NetworkScale& network) { timeout = network.patience(); });
}

RatedTransport::RatedTransport(const TransportContext& context, const RatedParameters& parameters)
    : MessageTransport(context, parameters.framing),
      ask_again_(parameters.ask_again),
      timeout_(parameters.timeout),
      deadlines_(context.scheduler,
                 Event::calling<&RatedTransport::check_deadlines>(*this, context.rank)),
      turns_(context.scheduler, Event::calling<&RatedTransport::ring_turns>(*this, context.rank)) {}

void RatedTransport::begin(Qpn qpn) {
  if (flows_.size() <= qpn) flows_.resize(qpn + 1);
  flows_[qpn] = Flow{};
  flows_[qpn].patience = first_patience(flows_[qpn]);
}

/// First timeout of a flow's requests. Requests of many flows queue behind each other and behind
/// data at one port, and a flow's first round trip does not tell how long that queue will become.
/// So the timeout of requests is at least `timeout`, which exceeds the time of a full queue.
PicoSeconds RatedTransport::first_patience(const Flow& flow) const {
  return ask_again_.value_or(std::max(timeout_, flow.round_trip * 3));
}

void RatedTransport::end(Qpn qpn) {
  turns_.put(qpn, PicoSeconds::max());
  deadlines_.clear(qpn);
  flows_[qpn] = Flow{};
}

void RatedTransport::add_own_state(StateDigest& d) const { d(flows_, deadlines_, turns_); }

void RatedTransport::work_changed(Qpn qpn) {
  if (!at(qpn).connected) return;
  settle(qpn);
  context_.port.data_ready();
}

/// Sends the requests and data of a queue pair that are due, and sets the queue pair's alarm for
/// the next due time.
void RatedTransport::settle(Qpn qpn) {
  ask_if_time(qpn);
  take_turn(qpn);
  set_deadline(qpn);
}

// ---------------------------------------------------------------- requests

void RatedTransport::ask_if_time(Qpn qpn) {
  if (work_left(qpn) == 0) {
    leave(qpn);
  } else if (now() >= asks_at(qpn)) {
    Flow& flow = flows_[qpn];
    if (flow.asking) {
      ++context_.counters.timeouts;
      flow.patience += flow.patience;
    }
    ask(qpn);
  }
}

Packet* RatedTransport::make_request(Qpn qpn) {
  Packet* const request = make_control(qpn, PacketKind::kRequest, at(qpn).config.flow);
  request->sent = now();
  return request;
}

void RatedTransport::asks(Qpn qpn) {
  flows_[qpn].asking = true;
  flows_[qpn].asked = now();
}

void RatedTransport::need_not_ask(Qpn qpn) {
  flows_[qpn].asking = false;
  flows_[qpn].asked = now();
}

void RatedTransport::answered(Qpn qpn) {
  Flow& flow = flows_[qpn];
  flow.asking = false;
  flow.round_trip = std::max(flow.round_trip, now() - flow.asked);
  flow.patience = first_patience(flow);
}

// ---------------------------------------------------------------- sending

void RatedTransport::take_turn(Qpn qpn) {
  const bool may = work_left(qpn) > 0 && may_send(qpn);
  turns_.put(qpn, may ? due(qpn, rate_of(qpn)) : PicoSeconds::max());
}

Packet* RatedTransport::next_packet() {
  const Qpn qpn = turns_.take();
  Flow& flow = flows_[qpn];
  Packet* const packet = make_data(qpn, flow.packets.send(at(qpn).next, now()));
  flow.pacer.sends(packet->wire_bytes + context_.nic.link_overhead, rate_of(qpn), now());
  goes(qpn, *packet);
  settle(qpn);
  return packet;
}

void RatedTransport::set_deadline(Qpn qpn) {
  Flow& flow = flows_[qpn];
  PicoSeconds when = flow.packets.overdue_at(timeout_);
  if (flow.asking || work_left(qpn) > 0) when = std::min(when, asks_at(qpn));
  deadlines_.set(qpn, std::max(when, now()));
}

void RatedTransport::look_at(Qpn qpn) {
  Outstanding& packets = flows_[qpn].packets;
  while (const auto psn = packets.overdue(now(), timeout_)) {
    packets.lost(*psn);
    ++context_.counters.timeouts;
    on_timeout(qpn);
  }
  settle(qpn);
}

void RatedTransport::check_deadlines() {
  deadlines_.expire([this](Qpn qpn) { look_at(qpn); });
  context_.port.data_ready();
}

void RatedTransport::ring_turns() {
  turns_.ring([this](Qpn qpn) { take_turn(qpn); });
  context_.port.data_ready();
}

// ---------------------------------------------------------------- arrivals

/// Handles an arriving packet. A request with `last` set ends the flow's demand and gets no answer.
void RatedTransport::arrived(Qpn qpn, Packet& packet) {
  switch (packet.kind) {
    case PacketKind::kData:
      accept(qpn, packet);
      ++context_.counters.acks_sent;
      answer(qpn, packet, PacketKind::kAck);
      return;
    case PacketKind::kRequest:
      if (!packet.last) answer(qpn, packet, PacketKind::kCredit);
      return;
    case PacketKind::kAck:
      ++context_.counters.acks_received;
      flows_[qpn].packets.arrived(packet.psn);
      acknowledged(qpn, packet.psn, packet.sent);
      break;
    case PacketKind::kCredit:
      break;
    default:
      return;
  }
  if (packet.telemetry != nullptr) on_answer(qpn, packet);
  settle(qpn);
  context_.port.data_ready();
}

}  // namespace dcc
