#include "nic/receiver.h"

#include <algorithm>
#include <utility>

#include "wire/roce_headers.h"
#include "wire/wire_size.h"

namespace dcc {

void Receiver::create_queue_pair(Qpn qpn, const QueuePairConfig& config) {
  Context& context = contexts_.keep(qpn);
  free_early(context);
  context = Context{};
  context.created = true;
  context.remote_host = config.remote_host;
  context.remote_qpn = config.remote_qpn;
  context.service = config.service;
  if (notification_engine_ != nullptr) notification_engine_->begin(qpn);
}

void Receiver::destroy_queue_pair(Qpn qpn) {
  if (!contexts_.has(qpn)) return;
  contexts_[qpn].created = false;
  if (notification_engine_ != nullptr) notification_engine_->end(qpn);
  free_early(contexts_[qpn]);
}

bool Receiver::is_quiescent(Qpn qpn) const {
  const bool owes_cnp =
      delayed_cnps_ != nullptr &&
      std::any_of(delayed_cnps_->begin(), delayed_cnps_->end(),
                  [qpn](const DelayedCnp& delayed) { return delayed.cnp->source_qpn == qpn; });
  if (owes_cnp) return false;
  const Context* const context = contexts_.find(qpn);
  if (context == nullptr || context->early == nullptr) return true;
  const std::vector<Packet*>& kept = context->early->kept;
  return std::all_of(kept.begin(), kept.end(),
                     [](const Packet* packet) { return packet == nullptr; });
}

void Receiver::on_data(Packet* packet) {
  ++counters_.data_received;
  const Qpn qpn = packet->destination_qpn;
  Context* const known = contexts_.find(qpn);
  if (known == nullptr || !known->created || !belongs(*packet, *known)) {
    ++counters_.unknown_qp;
    pool_.free(packet);
    return;
  }
  Context& context = *known;
  if (packet->payload != nullptr && packet->icrc != roce::icrc_of(*packet)) {
    // a damaged packet counts as lost; with a reliable service the sender repeats it
    ++counters_.icrc_errors;
    pool_.free(packet);
    return;
  }
  // A CE mark counts even if the packet is dropped later.
  if (notification_engine_ != nullptr) {
    notify_by_engine(*packet, context);
  } else {
    context.notification_point.on_packet();
    if (packet->ecn == Ecn::kCe) {
      notify(*packet, context);
    } else if (context.notification_point.on_unmarked()) {
      send_cnp(*packet, context, 0, 0);
    }
  }

  if (is_response(packet->operation)) {
    if (buffer_ != nullptr && !buffer_->has_room(packet->payload_bytes)) {
      // a part of the READ response is missing and is requested again
      ++counters_.receive_discards;
    } else {
      transmitter_.requester().on_response(*packet);
    }
    pool_.free(packet);
    return;
  }
  if (!is_reliable(packet->service)) {
    accept_unreliable(qpn, *packet, context);
    pool_.free(packet);
    return;
  }
  const bool ordered = parameters_.ack != AckMode::kNone;
  if (packet->psn == context.expected) {
    accept(qpn, packet, context);
    if (context.early != nullptr) {
      note_order(*packet, *context.early);
      accept_early(qpn, context);
    }
  } else if (packet->psn < context.expected) {
    ++counters_.duplicates;
    if (!ordered && context.early != nullptr) note_order(*packet, *context.early);
    if (expects_response(packet->operation)) {
      // The READ response, or a part of it, was lost, so the responder sends the response again.
      if (deliver(qpn, *packet) == DeliverySink::Result::kAccepted)
        transmitter_.respond(qpn, *packet);
    } else if (packet->ack_requested) {
      acknowledge(*packet, context, context.expected - 1);
    }
  } else if (!ordered) {
    note_order(*packet, early_of(context));
    accept(qpn, packet, context);
  } else {
    ++counters_.out_of_order;
    note_order(*packet, early_of(context));
    if (repeats_selectively(packet->source)) {
      report_gap(*packet, context);
      if (keep(packet, context)) return;
    } else {
      // With selective repeat the reorder window does not make the receiver wait before it reports
      // a gap. A sender that uses go-back-N repeats all packets from the gap on, so the receiver
      // reports the gap at once.
      if (!parameters_.recovery.is_selective() && keep(packet, context)) return;
      if (!context.nak_sent) report_gap(*packet, context);
    }
  }
  pool_.free(packet);
}

/// Sends a NAK for the missing packet. With selective repeat the NAK names the early packet,
/// `data`.
void Receiver::report_gap(const Packet& data, Context& context) {
  Packet* const nak = nak_for(data, context, NakReason::kSequence);
  const bool is_kept = data.psn - context.expected < context.early->kept.size();
  if (repeats_selectively(data.source) && is_kept) nak->remote_address = data.psn;
  transmitter_.send_control(nak);
  const bool is_news = !std::exchange(context.nak_sent, true);
  if (!is_news || !parameters_.cnp.with_nak || !wants_cnps(data.source)) return;
  // A CNP for a loss counts the loss as one mark, and no limiter delays the CNP.
  NotificationPoint& point = context.notification_point;
  PicoSeconds unlimited{};
  const std::uint8_t marks = point.on_ce(scheduler_.now(), cnp_for(data.source), unlimited);
  send_cnp(data, context, marks, point.reported_packets());
}

Packet* Receiver::nak_for(const Packet& data, const Context& context, NakReason reason) {
  Packet* const nak = reply_to(data, context, PacketKind::kNak);
  nak->psn = context.expected;
  nak->nak = reason;
  ++counters_.naks_sent;
  return nak;
}

Receiver::Early& Receiver::early_of(Context& context) {
  if (context.early == nullptr) {
    context.early = std::make_unique<Early>();
    context.early->kept.resize(parameters_.recovery.reorder_window);
  }
  return *context.early;
}

void Receiver::note_order(const Packet& packet, Early& early) {
  const std::uint64_t behind = early.furthest.behind(packet.psn, packet.sent);
  if (reordering_ != nullptr) reordering_->add(behind);
}

/// Buffers an early packet, or frees a duplicate of a buffered one. Returns false, and keeps no
/// reference, if the packet is beyond the reorder window.
bool Receiver::keep(Packet* packet, Context& context) {
  const Psn window = context.early->kept.size();
  if (packet->psn - context.expected >= window) return false;
  Packet*& place = context.early->kept[packet->psn % window];
  if (place != nullptr) {
    ++counters_.duplicates;
    pool_.free(packet);
    return true;
  }
  place = packet;
  ++buffered_;
  return true;
}

/// Accepts buffered packets that follow the packet just accepted.
void Receiver::accept_early(Qpn qpn, Context& context) {
  std::vector<Packet*>& kept = context.early->kept;
  while (!kept.empty()) {
    Packet*& place = kept[context.expected % kept.size()];
    if (place == nullptr) return;
    Packet* const packet = std::exchange(place, nullptr);
    --buffered_;
    const Psn before = context.expected;
    accept(qpn, packet, context);
    pool_.free(packet);
    if (context.expected == before) return;  // the packet was refused
  }
}

void Receiver::free_early(Context& context) {
  if (context.early == nullptr) return;
  for (Packet*& packet : context.early->kept) {
    if (packet == nullptr) continue;
    pool_.free(std::exchange(packet, nullptr));
    --buffered_;
  }
}

void Receiver::refuse(const Packet& data, Context& context, DeliverySink::Result result) {
  if (result == DeliverySink::Result::kDiscarded) {
    ++counters_.receive_discards;
    return;
  }
  if (result == DeliverySink::Result::kNotReady || result == DeliverySink::Result::kFull) {
    if (result == DeliverySink::Result::kNotReady) ++counters_.receives_missing;
    Packet* const nak = nak_for(data, context, NakReason::kNotReady);
    nak->rnr_timer = roce::not_ready_code(parameters_.recovery.not_ready_delay);
    context.nak_sent = true;  // packets behind the refused packet are early and get no NAK
    transmitter_.send_control(nak);
    return;
  }
  context.refused = true;
  if (result == DeliverySink::Result::kInvalid) {
    context.refusal = NakReason::kInvalid;
  } else {
    ++counters_.mr_violations;
    context.refusal = NakReason::kAccess;
  }
  repeat_refusal(data, context);
}

void Receiver::repeat_refusal(const Packet& data, const Context& context) {
  transmitter_.send_control(nak_for(data, context, context.refusal));
}

DeliverySink::Result Receiver::deliver(Qpn qpn, const Packet& packet) {
  return sink_ == nullptr ? DeliverySink::Result::kAccepted : sink_->delivered(qpn, packet);
}

[[gnu::always_inline]] inline void Receiver::count(const Packet& packet) {
  counters_.bytes_received += packet.payload_bytes;
  ledger_[packet.flow].received(packet.payload_bytes, scheduler_.now());
  if (delays_ != nullptr) {
    delays_->of(packet.dscp).one_way.add(scheduler_.now() - packet.sent, packet.ecn == Ecn::kCe);
  }
}

void Receiver::in_memory(const ReceiveBuffer::Arrival& arrival) {
  counters_.bytes_received += arrival.bytes;
  ledger_[arrival.flow].received(arrival.bytes, scheduler_.now());
  if (delays_ == nullptr || arrival.response) return;
  delays_->of(arrival.dscp).one_way.add(scheduler_.now() - arrival.sent, arrival.ce);
}

void Receiver::accept(Qpn qpn, Packet* packet, Context& context) {
  if (context.refused) {
    repeat_refusal(*packet, context);
    return;
  }
  const DeliverySink::Result result = deliver(qpn, *packet);
  if (result != DeliverySink::Result::kAccepted && result != DeliverySink::Result::kBuffered) {
    refuse(*packet, context, result);
    return;
  }
  context.nak_sent = false;
  if (expects_response(packet->operation)) {
    context.expected = packet->psn + transmitter_.packets_of(qpn, packet->message_bytes);
    transmitter_.respond(qpn, *packet);
    return;
  }
  context.expected = packet->psn + 1;
  if (result == DeliverySink::Result::kAccepted) count(*packet);
  if (packet->ack_requested) acknowledge(*packet, context, packet->psn);
}

// Handles data of an unreliable service, which no sender repeats. A datagram without a buffer is
// lost, and so is a message that misses a packet.
void Receiver::accept_unreliable(Qpn qpn, const Packet& packet, Context& context) {
  if (packet.service == Service::kUc) {
    if (packet.psn != context.expected) {
      ++counters_.out_of_order;
      note_order(packet, early_of(context));
      context.skipping = true;
    } else if (context.early != nullptr) {
      note_order(packet, *context.early);
    }
    context.expected = packet.psn + 1;
    if (packet.first) context.skipping = false;
    if (context.skipping) return;
  }
  switch (deliver(qpn, packet)) {
    case DeliverySink::Result::kAccepted:
      count(packet);
      return;
    case DeliverySink::Result::kBuffered:
      return;
    case DeliverySink::Result::kFull:
    case DeliverySink::Result::kDiscarded:
      ++counters_.receive_discards;
      break;
    case DeliverySink::Result::kAccess:
      ++counters_.mr_violations;
      break;
    case DeliverySink::Result::kNotReady:
      ++counters_.receives_missing;
      break;
    case DeliverySink::Result::kInvalid:
      break;
  }
  context.skipping = true;
}

Packet* Receiver::reply_to(const Packet& data, const Context& context, PacketKind kind) {
  Packet* const reply = pool_.allocate();
  reply->kind = kind;
  reply->source = parameters_.host;
  const bool datagram = data.service == Service::kUd;
  reply->destination = datagram ? data.source : context.remote_host;
  reply->destination_qpn = datagram ? data.source_qpn : context.remote_qpn;
  reply->source_qpn = data.destination_qpn;
  reply->flow = data.flow;
  reply->dscp = data.dscp;
  reply->priority = !parameters_.ack_priority
                        ? data.priority
                        : static_cast<std::uint8_t>(*parameters_.ack_priority);
  reply->wire_bytes = roce::ack_wire_bytes();
  if (data.service == Service::kRd && kind != PacketKind::kCnp) {
    reply->service = Service::kRd;
    reply->ee_context = data.ee_context;
    reply->wire_bytes = roce::datagram_ack_wire_bytes();
  }
  return reply;
}

void Receiver::acknowledge(Packet& data, const Context& context, Psn psn) {
  Packet* const ack = reply_to(data, context, PacketKind::kAck);
  ack->psn = psn;
  ack->sent = data.sent;
  ack->last = data.last;
  ack->ce_echo = data.ecn == Ecn::kCe;
  ack->overlay = data.overlay.echoed();
  std::swap(ack->telemetry, data.telemetry);
  ack->telemetry_hops = data.telemetry_hops;
  ++counters_.acks_sent;
  transmitter_.send_control(ack);
}

void Receiver::notify(const Packet& data, Context& context) {
  count_mark(data);
  if (!wants_cnps(data.source)) return;
  const CnpParameters& cnp = cnp_for(data.source);
  NotificationPoint& point = context.notification_point;
  const std::uint8_t marks = parameters_.cnp.scope == CnpParameters::Scope::kQueuePair
                                 ? point.on_ce(scheduler_.now(), cnp)
                                 : point.on_ce(scheduler_.now(), cnp, shared_limiter(data.source));
  if (marks != 0) send_cnp(data, context, marks, point.reported_packets());
}

PicoSeconds& Receiver::shared_limiter(HostId sender) {
  return cnp_limiters_.keep(parameters_.cnp.scope == CnpParameters::Scope::kPort ? 0 : sender);
}

void Receiver::send_due_cnps() {
  std::deque<DelayedCnp>& delayed = *delayed_cnps_;
  while (!delayed.empty() && delayed.front().due <= scheduler_.now()) {
    transmitter_.send_control(delayed.front().cnp);
    delayed.pop_front();
  }
  if (!delayed.empty()) scheduler_.schedule_at(cnp_due_, delayed.front().due);
}

void Receiver::notify_by_engine(const Packet& data, const Context& context) {
  NotifiedPacket packet;
  packet.now = scheduler_.now();
  packet.flow = data.flow;
  packet.qpn = data.destination_qpn;
  packet.marked = data.ecn == Ecn::kCe;
  packet.wanted = wants_cnps(data.source);
  packet.sender = data.source;
  packet.sender_qpn = data.service == Service::kUd ? data.source_qpn : context.remote_qpn;
  if (packet.marked) count_mark(data);
  const auto told = notification_engine_->packet(packet, cnp_for(data.source));
  if (told) send_cnp(data, context, told->marks, told->packets);
}

void Receiver::count_mark(const Packet& data) {
  ++counters_.ce_received;
  ++ledger_[data.flow].ce_received;
}

void Receiver::send_cnp(const Packet& data, const Context& context, std::uint8_t marks,
                        std::uint8_t packets) {
  Packet* const cnp = reply_to(data, context, PacketKind::kCnp);
  const CnpParameters& parameters = cnp_for(data.source);
  // A CE mark on a CNP has no effect.
  cnp->ecn = parameters.ecn == CnpParameters::Ecn::kEct1 ? Ecn::kEct1 : Ecn::kEct0;
  cnp->dscp = parameters.dscp;
  cnp->priority = parameters.priority;
  cnp->cnp_marks = marks;
  cnp->cnp_packets = packets;
  cnp->wire_bytes = roce::cnp_wire_bytes();
  ++counters_.cnps_sent;
  ++ledger_[data.flow].cnps_sent;
  if (parameters_.cnp.delay == PicoSeconds{}) {
    transmitter_.send_control(cnp);
    return;
  }
  if (delayed_cnps_ == nullptr) delayed_cnps_ = std::make_unique<std::deque<DelayedCnp>>();
  delayed_cnps_->push_back({scheduler_.now() + parameters_.cnp.delay, cnp});
  if (!cnp_due_.is_scheduled()) scheduler_.schedule_at(cnp_due_, delayed_cnps_->front().due);
}

}  // namespace dcc
