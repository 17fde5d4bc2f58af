#include "switch/queueing_port.h"

namespace dcc {

QueueingPort::QueueingPort(PortContext& context, int number, const SwitchParameters& parameters,
                           std::uint32_t rank)
    : EgressPort(
          context, number, parameters.scheduler,
          Event::calling<&QueueingPort::send_next, &QueueingPort::prefetch_next>(*this, rank)) {
  if (parameters.arbitration == SwitchParameters::Arbitration::kRoundRobin) {
    takes_turns_ = true;
    turns_.resize(kPriorities);
  }
  if (parameters.qcn.enabled) {
    for (int priority = 0; priority < kPriorities; ++priority) qcn_.emplace_back(parameters.qcn);
  }
}

void QueueingPort::set_ecn(const EcnParameters& ecn) {
  ecn_.change(ecn, link_.rate);
  if (rules_ != nullptr) {
    for (QueueRule& rule : *rules_) rule.marker.change(ecn, link_.rate);
  }
  update_attention();
}

void QueueingPort::set_queues(const PortSettings& settings) {
  if (!settings.queues_differ) {
    set_ecn(settings.queues[0].ecn);
    return;
  }
  ecn_.change(settings.queues[0].ecn, link_.rate);  // all queues share the port's phantom queue
  QueueRules& rules = make_rules();
  for (std::size_t p = 0; p < rules.size(); ++p) {
    const PortSettings::Queue& of = settings.queues[p];
    QueueRule& rule = rules[p];
    count_in_egress_pool(static_cast<int>(p), queue_[p].bytes, 0);
    rule.marker.change(of.ecn, link_.rate);
    rule.drops = of.drops;
    rule.limited = of.limit || of.alpha_q16;
    rule.limit = of.limit;
    rule.alpha_q16 = of.alpha_q16.value_or(0);
    rule.pool = of.pool;
    rule.egress_pool = of.egress_pool;
    rule.reserved = of.reserved;
    count_in_egress_pool(static_cast<int>(p), 0, queue_[p].bytes);
  }
  update_attention();
}

QueueingPort::QueueRules& QueueingPort::make_rules() {
  if (rules_ == nullptr) {
    rules_ = std::make_unique<QueueRules>();
    for (QueueRule& rule : *rules_) rule.marker = ecn_;
    ruled_ = true;
  }
  return *rules_;
}

/// Derives from the port's settings which packets need more than the fastest path.
void QueueingPort::update_attention() {
  using MarkAt = EcnParameters::MarkAt;
  bool at_enqueue = ecn_.marks_any_at(MarkAt::kEnqueue);
  bool at_dequeue = ecn_.marks_any_at(MarkAt::kDequeue);
  selective_ = false;
  attends_arrivals_ = scheduler_.shapes();
  if (rules_ != nullptr) {
    at_enqueue = at_dequeue = false;
    for (const QueueRule& rule : *rules_) {
      at_enqueue = at_enqueue || rule.marker.marks_any_at(MarkAt::kEnqueue);
      at_dequeue = at_dequeue || rule.marker.marks_any_at(MarkAt::kDequeue);
      selective_ =
          selective_ || rule.drops || rule.limited || rule.refuses || rule.egress_pool != 0;
      attends_arrivals_ = attends_arrivals_ || rule.egress_pool != 0;
    }
  }
  marks_at_enqueue_ = at_enqueue;
  attends_departures_ = at_dequeue || selective_ || attends_all_ || ecn_.has_phantom_queue() ||
                        context_->departure_observer != nullptr ||
                        context_->ingress.with_credits() || scheduler_.shapes();
}

// The function is out of line, so that packets that find room in their class pay for no other case.
[[gnu::noinline]] bool QueueingPort::admit_by_rules(Packet* packet) {
  if ((!selective_ || accepts(*packet)) && context_->ingress.admit(*packet)) return true;
  drop(packet);
  return false;
}

/// True if the rules of the packet's queue accept the packet.
bool QueueingPort::accepts(const Packet& packet) {
  QueueRule& rule = (*rules_)[packet.priority];
  if (rule.refuses) return false;
  const Bytes held = queue_[packet.priority].bytes;
  if (!has_room(rule, held, packet.wire_bytes)) return false;
  if (!rule.drops || packet.ecn != Ecn::kNotEct) return true;
  return !rule.marker.congested(rule.marker.per_port() ? bytes_ : held, context_->random);
}

/// True if a queue that holds `held` bytes, and the queue's egress pool, have room for `bytes`
/// more.
bool QueueingPort::has_room(const QueueRule& rule, Bytes held, Bytes bytes) const {
  if (held + bytes <= rule.reserved) return true;
  Bytes free = 0;
  if (rule.egress_pool != 0) {
    free = context_->egress_pools[static_cast<std::size_t>(rule.egress_pool) - 1].free();
    if (rule.beyond_reserved(held + bytes) - rule.beyond_reserved(held) > free) return false;
  } else if (rule.limited) {
    free = context_->ingress.buffer().free(rule.pool);
  }
  return !rule.limited ||
         held + bytes <= rule.reserved + rule.limit.value_or((free * rule.alpha_q16) >> 16);
}

/// Changes the egress pool of a queue, whose length changes from `before` to `after`.
void QueueingPort::count_in_egress_pool(int priority, Bytes before, Bytes after) {
  if (rules_ == nullptr) return;
  const QueueRule& rule = (*rules_)[static_cast<std::size_t>(priority)];
  if (rule.egress_pool == 0) return;
  context_->egress_pools[static_cast<std::size_t>(rule.egress_pool) - 1].used +=
      rule.beyond_reserved(after) - rule.beyond_reserved(before);
}

void QueueingPort::drop(Packet* packet) {
  count_drop(*packet);
  QueueCounters& counts = make_rare().by_queue[packet->priority];
  ++counts.dropped;
  counts.dropped_bytes += packet->wire_bytes;
  context_->pool.free(packet);
}

void QueueingPort::set_refusal(int priority, bool refuses) {
  const auto p = static_cast<std::size_t>(priority);
  make_rules()[p].refuses = refuses;
  update_attention();
  Queue& queue = queue_[p];
  if (!refuses || queue.bytes == 0) return;
  PacketFifo lost;
  while (queue.bytes > 0) {
    Packet* const packet = pop(priority);
    queue.bytes -= packet->wire_bytes;
    bytes_ -= packet->wire_bytes;
    ++dequeued_;
    count_in_egress_pool(priority, queue.bytes + packet->wire_bytes, queue.bytes);
    lost.push(packet);
  }
  waiting_ = static_cast<std::uint8_t>(waiting_ & ~(1u << priority));
  scheduler_.emptied(priority);
  note_queue();
  while (!lost.empty()) {
    Packet* const packet = lost.pop();
    context_->ingress.release(packet->ingress, priority, packet->wire_bytes);
    drop(packet);
  }
}

[[gnu::always_inline]] inline void QueueingPort::mark_if_congested(const Queue& queue,
                                                                   Packet& packet,
                                                                   EcnParameters::MarkAt moment) {
  if (ecn_.has_rare_rules()) return mark_by_all_rules(queue, packet, moment);
  EcnMarker& marker = marker_of(packet.priority);
  // The queue length does not include the packet itself, neither at enqueue nor at dequeue.
  if (!marker.marks_at(moment) ||
      !marker.congested(marker.per_port() ? bytes_ : queue.bytes, context_->random)) {
    return;
  }
  if (!EcnMarker::mark(packet)) return;
  Rare& counts = make_rare();
  ++counts.counters.ecn_marks;
  ++counts.by_queue[packet.priority].ecn_marks;
}

void QueueingPort::join_queue(Packet* packet) {
  const int priority = packet->priority;
  const Bytes bytes = packet->wire_bytes;
  Queue& queue = queue_[static_cast<std::size_t>(priority)];
  if (marks_at_enqueue_) mark_if_congested(queue, *packet, EcnParameters::MarkAt::kEnqueue);
  if (attends_arrivals_) handle_arrival(priority, bytes);
  push(priority, packet);
  queue.bytes += bytes;
  bytes_ += bytes;
  waiting_ = static_cast<std::uint8_t>(waiting_ | 1u << priority);
  ++enqueued_;
  note_queue();
  if (context_->qcn.enabled && packet->kind == PacketKind::kData) {
    QcnPoint& point = qcn_[static_cast<std::size_t>(priority)];
    const std::uint32_t feedback =
        point.arrival(*packet, queue.bytes, context_->random, context_->scheduler.now());
    if (feedback != 0) send_notification(*packet, feedback);
  }
  try_send();
  if (queue.bytes > queue.peak) queue.peak = queue.bytes;
}

/// Carries out the rarely used actions for a packet that is about to join its queue.
void QueueingPort::handle_arrival(int priority, Bytes bytes) {
  const Bytes held = this->bytes(priority);
  if (scheduler_.shapes() && held == 0) {
    scheduler_.shaper().began(priority, context_->scheduler.now());
  }
  count_in_egress_pool(priority, held, held + bytes);
}

void QueueingPort::transmit(Packet* packet) {
  put_on_wire(packet);
  if (!has_more_to_send()) return;
  // The next packet may have left the caches while it waited, so the event prefetches the packet.
  const auto next = static_cast<std::size_t>(first_waiting());
  context_->scheduler.schedule_at(wire_free_, free_at_, queue_[next].fifo.front());
}

void QueueingPort::send_next() {
  if (pfc_.frame_due()) {
    Packet* const frame = next_link_frame();
    count_sent(*frame);
    transmit(frame);
    return;
  }
  unsigned eligible = waiting_ & ~unsigned{pfc_.blocked()};
  if (eligible == 0) return;
  if (scheduler_.shapes()) {
    const CreditShaper& shaper = scheduler_.shaper();
    const unsigned released = shaper.released(eligible, context_->scheduler.now());
    if (released == 0) {
      context_->scheduler.schedule_at(wire_free_, shaper.next_release(eligible));
      return;
    }
    eligible = released;
  }

  const int priority = scheduler_.pick(eligible);
  Queue& queue = queue_[static_cast<std::size_t>(priority)];
  Packet* const packet = pop(priority);
  const Bytes bytes = packet->wire_bytes;
  queue.bytes -= bytes;
  bytes_ -= bytes;
  scheduler_.charge(priority, bytes);
  if (queue.bytes == 0) {
    waiting_ = static_cast<std::uint8_t>(waiting_ & ~(1u << priority));
    scheduler_.emptied(priority);
  }
  if (attends_departures_) handle_departure(priority, *packet, queue);
  if (packet->collects_telemetry()) append_telemetry(*packet);
  count_sent(*packet);
  ++dequeued_;
  note_queue();
  const int input = packet->ingress;
  transmit(packet);
  context_->ingress.release(input, priority, bytes);
}

void QueueingPort::handle_departure(int priority, Packet& packet, const Queue& queue) {
  const Bytes bytes = packet.wire_bytes;
  if (credits_ != nullptr) charge_credits(priority, bytes);
  if (attends_arrivals_) count_in_egress_pool(priority, queue.bytes + bytes, queue.bytes);
  if (scheduler_.shapes()) scheduler_.shaper().sent(priority, bytes + link_.overhead);
  mark_if_congested(queue, packet, EcnParameters::MarkAt::kDequeue);
  if (context_->departure_observer != nullptr) {
    context_->departure_observer->departs(packet, number_);
  }
}

void QueueingPort::charge_credits(int priority, Bytes bytes) {
  credits_->sent(priority, bytes);
  pfc_.block(credits_->exhausted(), context_->scheduler.now());
  if (credits_->frames_due() != 0) pfc_.request_credit_frame();
}

/// Marks a packet as mark_if_congested() does, also by the rules that few configurations use:
/// thresholds by class, a hash of the packet instead of a random number, and the phantom queue. The
/// function is separate, so that other ports pay for one test.
void QueueingPort::mark_by_all_rules(const Queue& queue, Packet& packet,
                                     EcnParameters::MarkAt moment) {
  bool congested = false;
  EcnMarker& marker = marker_of(packet.priority).of_class(packet.dscp);
  const Bytes length = marker.per_port() ? bytes_ : queue.bytes;
  if (marker.draws_at(moment)) {
    congested = marker.congested(length, context_->random);
  } else if (marker.marks_at(moment)) {
    congested = marker.congested_by_packet(length, packet);
  }
  if (moment == EcnParameters::MarkAt::kDequeue && ecn_.has_phantom_queue() &&
      ecn_.phantom_congested(packet.wire_bytes, context_->scheduler.now())) {
    congested = true;
  }
  if (!congested || !EcnMarker::mark(packet)) return;
  Rare& counts = make_rare();
  ++counts.counters.ecn_marks;
  ++counts.by_queue[packet.priority].ecn_marks;
}

void QueueingPort::mark_all(int priority) {
  const auto p = static_cast<std::size_t>(priority);
  std::uint64_t marks = 0;
  const auto mark = [&marks](const PacketFifo& fifo) {
    for (Packet* packet = fifo.front(); packet != nullptr; packet = packet->next) {
      marks += EcnMarker::mark(*packet) ? 1 : 0;
    }
  };
  if (!takes_turns_) {
    mark(queue_[p].fifo);
  } else {
    for (int input = 0; input <= context_->ingress.own_input(); ++input) {
      mark(turns_[p].inputs[static_cast<std::size_t>(input)].fifo);
    }
  }
  Rare& counts = make_rare();
  counts.counters.ecn_marks += marks;
  counts.by_queue[p].ecn_marks += marks;
}

void QueueingPort::send_notification(const Packet& packet, std::uint32_t feedback) {
  ++make_rare().counters.cnms_sent;
  Packet* const message = context_->pool.allocate();
  message->kind = PacketKind::kCnm;
  message->priority = context_->qcn.message_priority;
  message->wire_bytes = 64;
  message->source = packet.destination;
  message->destination = packet.source;
  message->destination_qpn = packet.source_qpn;
  message->source_qpn = packet.destination_qpn;
  message->flow = packet.flow;
  message->immediate = feedback;
  context_->forward_own(message);
}

void QueueingPort::evict_all(PacketFifo& to) {
  for (int priority = 0; priority < kPriorities; ++priority) {
    Queue& queue = queue_[static_cast<std::size_t>(priority)];
    if (queue.bytes == 0) continue;
    while (queue.bytes > 0) {
      Packet* const packet = pop(priority);
      queue.bytes -= packet->wire_bytes;
      bytes_ -= packet->wire_bytes;
      ++dequeued_;
      count_in_egress_pool(priority, queue.bytes + packet->wire_bytes, queue.bytes);
      context_->ingress.release(packet->ingress, priority, packet->wire_bytes);
      to.push(packet);
    }
    scheduler_.emptied(priority);
  }
  waiting_ = 0;
  note_queue();
}

void QueueingPort::TurnQueue::append(Input& input) {
  input.next = nullptr;
  (first == nullptr ? first : last->next) = &input;
  last = &input;
}

void QueueingPort::push_in_turn(int priority, Packet* packet) {
  TurnQueue& queue = turns_[static_cast<std::size_t>(priority)];
  if (queue.inputs == nullptr) {
    const auto inputs = static_cast<std::size_t>(context_->ingress.own_input()) + 1;
    queue.inputs = std::make_unique<TurnQueue::Input[]>(inputs);
  }
  TurnQueue::Input& input = queue.inputs[packet->ingress];
  if (input.fifo.empty()) queue.append(input);
  input.fifo.push(packet);
}

Packet* QueueingPort::pop_in_turn(int priority) {
  TurnQueue& queue = turns_[static_cast<std::size_t>(priority)];
  TurnQueue::Input* const input = queue.first;
  Packet* const packet = input->fifo.pop();
  queue.first = input->next;
  if (!input->fifo.empty()) queue.append(*input);
  return packet;
}

Bytes QueueingPort::bytes_before(int priority) const {
  Bytes bytes = 0;
  for (int one = priority; one < kPriorities; ++one) bytes += this->bytes(one);
  return bytes;
}

bool QueueingPort::holds_from(int input, int priority) const {
  const auto p = static_cast<std::size_t>(priority);
  if (queue_[p].bytes == 0) return false;
  if (takes_turns_) return !turns_[p].inputs[static_cast<std::size_t>(input)].fifo.empty();
  const Packet* packet = queue_[p].fifo.front();
  while (packet != nullptr && packet->ingress != input) packet = packet->next;
  return packet != nullptr;
}

}  // namespace dcc
