#include "nic/transmitter.h"

#include <algorithm>

#include "nic/request_packet.h"
#include "wire/roce_headers.h"
#include "wire/wire_size.h"

namespace dcc {

Transmitter::Transmitter(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger,
                         NicCounters& counters, const NicParameters& parameters, std::uint32_t rank)
    : scheduler_(scheduler),
      pool_(pool),
      ledger_(ledger),
      counters_(counters),
      parameters_(parameters),
      rank_(rank),
      line_rate_(Rate::from(parameters.line_rate)),
      pacer_(parameters.line_rate, parameters.link_overhead),
      demotion_(parameters.demotion),
      wake_(
          Event::calling<&Transmitter::try_send, &Transmitter::prefetch_next_sender>(*this, rank)),
      responder_(pool, counters, parameters),
      requester_(*this, scheduler, ledger, counters, parameters, pairs_, rank) {
  special_turns_ = demotion_.is_active();
  if (parameters.message_rate.is_limited()) {
    message_rate_ = std::make_unique<MessageRate>(parameters.message_rate);
  }
  mtu_changed();
}

void Transmitter::mtu_changed() {
  pacer_.set_mtu(parameters_.mtu);
  if (parameters_.real_payload()) staging_.set_limit(parameters_.dma, pacer_.full_packet());
}

void Transmitter::set_algorithm(Algorithm* algorithm) {
  algorithm_ = algorithm;
  needs_ = algorithm != nullptr ? algorithm->needs() : AlgorithmNeeds{};
  pacer_.set_needs(needs_);
  requester_.set_algorithm(algorithm, needs_);
}

void Transmitter::set_dma(Dma* dma) {
  dma_ = dma;
  responder_.set_dma(dma, this);
}

// ---------------------------------------------------------------- turns: who may send, and when

/// False if the queue pair's next request must wait because of a refused request or of READs under
/// way.
bool Transmitter::reads_allow(const SendQueuePair& pair) const {
  if (pair.reads->refused && pair.work.next_psn() >= pair.reads->refused_at) return false;
  return !pair.work.next_is_read() || pair.work.reads_out() < parameters_.outstanding_reads;
}

// The function is called twice for each packet, and without the attribute the compiler does not
// inline it.
[[gnu::always_inline]] inline bool Transmitter::may_request(const SendQueuePair& pair) const {
  if (!pair.work.has_unsent()) return false;
  if (pair.reads != nullptr && !reads_allow(pair)) return false;
  if (!requester_.retransmission().has_room(pair)) return false;
  // A window below one packet still lets one packet out, since only an ACK reopens the window.
  const Bytes in_flight = pair.work.in_flight();
  return in_flight == 0 || in_flight < pair.window;
}

[[gnu::always_inline]] inline bool Transmitter::may_send(const SendQueuePair& pair) const {
  return pair.open && (may_request(pair) || has_response(pair) || Retransmission::may_repeat(pair));
}

PicoSeconds Transmitter::next_request_start(const SendQueuePair& pair) const {
  return std::max(pacer_.next_start(pair, now()), pair.not_before);
}

bool Transmitter::has_turn(const SendQueuePair& pair) const { return may_send(pair); }

void Transmitter::resume(Qpn qpn, SendQueuePair& pair) {
  activate_if_sendable(qpn, pair);
  try_send();
}

void Transmitter::went_back(Qpn qpn, SendQueuePair& pair) {
  if (demotion_.is_active()) set_turn_priority(qpn, pair);
  resume(qpn, pair);
}

void Transmitter::activate_if_sendable(Qpn qpn, SendQueuePair& pair) {
  if (!pacing_.is_active(qpn) && may_send(pair)) activate(qpn, pair);
}

void Transmitter::activate(Qpn qpn, SendQueuePair& pair) {
  if (special_turns_) {
    if (port_ != nullptr) {
      offer(qpn, pair);
      return;
    }
    set_turn_priority(qpn, pair);
  }
  if (has_response(pair) && !responses_are_paced(pair)) {
    pacing_.activate(qpn, now());
    return;
  }
  const PicoSeconds start = next_request_start(pair);
  if (pacer_.tracks_due()) FlowPacer::keep_due(pair, start);
  pacing_.activate(qpn, start);
}

/// Chooses between a response and a request, which alternate while both may be sent.
bool Transmitter::is_response_next(SendQueuePair& pair) {
  ReadState& reads = *pair.reads;
  if (reads.responder.responses.empty()) return false;
  const bool own =
      may_request(pair) && (responses_are_paced(pair) || next_request_start(pair) <= now());
  reads.own_turn = own && !reads.own_turn;
  return !reads.own_turn;
}

void Transmitter::set_demotion(std::vector<Bytes> thresholds) {
  demotion_ = Demotion(std::move(thresholds));
  special_turns_ = port_ != nullptr || demotion_.is_active();
  pairs_.each([this](Qpn qpn, const SendQueuePair& pair) { set_turn_priority(qpn, pair); });
  try_send();
}

/// Sets the priority at which the queue pair waits, that of its next request. Responses keep the
/// configured priority.
void Transmitter::set_turn_priority(Qpn qpn, const SendQueuePair& pair) {
  const bool demotes_next = demotion_.is_active() && pair.work.has_unsent();
  pacing_.set_priority(qpn, demotes_next ? priority_at(qpn, pair.work.plan_next().item_offset)
                                         : pair.config.priority);
}

// ---------------------------------------------------------------- calls by the algorithm

void Transmitter::set_rate(FlowNumber flow, Rate rate) {
  SendQueuePair& pair = pairs_[flow];
  if (pair.config.rate_cap.raw != 0) rate = std::min(rate, pair.config.rate_cap);
  pacer_.set_rate(pair.pacing, rate);
  if (parameters_.window.is_on()) {
    pair.window_limit =
        parameters_.window.limit_at(rate, parameters_.line_rate, pair.config.base_rtt);
    Retransmission::limit_window(pair);
  }
  if (port_ != nullptr) {
    port_->set_rate(flow, rate, pair.config.priority);
    return;
  }
  if (!pacing_.is_waiting(flow)) return;
  activate(flow, pair);
  try_send();
}

void Transmitter::set_window(FlowNumber flow, Bytes bytes) {
  SendQueuePair& pair = pairs_[flow];
  pair.window = pair.algorithm_window = bytes;
  pair.has_window = true;
  Retransmission::limit_window(pair);
  if (!pair.created) return;
  activate_if_sendable(flow, pair);
  if (out_ != nullptr) try_send();
}

void Transmitter::start_timer(FlowNumber flow, int id, PicoSeconds delay) {
  std::unique_ptr<AlgorithmTimers>& timers = pairs_[flow].timers;
  if (timers == nullptr) {
    timers = std::make_unique<AlgorithmTimers>(scheduler_, *algorithm_, flow, rank_);
  }
  timers->start(id, delay);
}

void Transmitter::stop_timer(FlowNumber flow, int id) {
  const std::unique_ptr<AlgorithmTimers>& timers = pairs_[flow].timers;
  if (timers != nullptr) timers->stop(id);
}

// ---------------------------------------------------------------- sending

void Transmitter::send_control(Packet* packet) {
  ++counters_.packets_sent;
  control_.push(packet);
  try_send();
}

void Transmitter::send_link_control(Packet* packet) {
  ++counters_.packets_sent;
  control_.push_link_control(packet);
  try_send();
}

bool Transmitter::send_one_control() {
  Packet* const packet = control_.pop(pause_.blocked());
  if (packet == nullptr) return false;
  put_on_wire(packet);
  return true;
}

void Transmitter::try_send() {
  if (sending_) return;  // the outer call of try_send() schedules the next attempt
  if (wire_is_free()) {
    sending_ = true;
    send_one();
    sending_ = false;
  }
  schedule_send();
}

void Transmitter::send_one() {
  if (send_one_control()) return;
  if (transport_ != nullptr) {
    if (transport_may_send()) send_data(transport_->next_packet());
    return;
  }
  if (parameters_.real_payload()) {
    stage_packets();
    send_one_staged();
  } else if (Packet* const packet = next_data_packet()) {
    send_data(packet);
  }
}

void Transmitter::send_data(Packet* packet) {
  ++counters_.packets_sent;
  ++counters_.data_sent;
  counters_.bytes_sent += packet->payload_bytes;
  if (!is_response(packet->operation)) {  // responses count in the record of the requester's flow
    FlowRecord& record = ledger_[packet->flow];
    record.sent_wire_bits +=
        std::uint64_t{8} *
        (packet->wire_bytes + static_cast<std::uint32_t>(parameters_.link_overhead));
    ++record.packets;
    if (!needs_.rtt_from_due) packet->sent = now();
  }
  put_on_wire(packet);
}

// Precondition: nothing can be sent at this instant. The wire does not report when it is free, so
// the event `wake_` replaces that report. The end of a DMA request calls try_send() itself.
void Transmitter::schedule_send() {
  if (port_ != nullptr) {
    schedule_with_pacer();
    return;
  }
  const bool stages = parameters_.real_payload();
  const bool may_take = !stages || staging_.has_room();
  PicoSeconds when = PicoSeconds::max();
  if (transport_ != nullptr) {
    if (!control_.has_sendable(pause_.blocked()) && !transport_may_send()) return;
    when = wire_free_;
  } else if (control_.has_sendable(pause_.blocked()) || (stages && staged_packet_is_ready()) ||
             (may_take && pacing_.has_ready(allowed()))) {
    when = wire_free_;
  } else {
    if (may_take) when = pacing_.next_ready();
    if (when == PicoSeconds::max()) return;
    when = std::max(when, wire_free_);
  }
  if (!wake_.is_scheduled() || wake_.due() != when) scheduler_.schedule_at(wake_, when);
}

Packet* Transmitter::pick_data_packet() {
  for (;;) {
    const Qpn qpn = special_turns_ ? pick_specially() : pacing_.pick(now(), allowed());
    if (qpn == PacingScheduler::kNone) return nullptr;
    SendQueuePair& pair = pairs_[qpn];
    // the queue pair's window closed, or its work was withdrawn meanwhile
    if (!may_send(pair)) continue;
    if (pair.reads != nullptr) {
      if (is_response_next(pair)) return make_response_packet(qpn, pair);
      if (next_request_start(pair) > now()) {  // the request of the queued response was withdrawn
        activate(qpn, pair);
        continue;
      }
    }
    if (Retransmission::may_repeat(pair)) return make_repeated_packet(qpn, pair);
    const PacketPlan plan = pair.work.plan_next();
    if (message_rate_ != nullptr && delays_message(qpn, pair, plan)) continue;
    Packet* const packet = make_request_packet(qpn, pair, plan, pair.work.next_psn());
    if (needs_.rtt_from_due) packet->sent = std::min(now(), pacer_.due_of_next(pair));
    const bool reads = expects_response(packet->operation);
    const std::uint32_t wire =
        reads ? response_wire_bytes(plan, pair.work.mtu(), parameters_.link_overhead)
              : packet->wire_bytes + static_cast<std::uint32_t>(parameters_.link_overhead);
    pacer_.sent(pair, wire, plan.payload_bytes, plan.last, now());
    pair.work.sent(plan);
    requester_.note_sent(qpn, pair, plan, packet->psn);
    if (!requester_.expects_acks(pair) && !reads) {
      if (!parameters_.real_payload()) requester_.complete_before(qpn, pair, pair.work.next_psn());
    } else if (requester_.retransmission().is_on() && !parameters_.real_payload()) {
      requester_.retransmission().sent(qpn, pair, pair.work.next_psn(),
                                       packet->ack_requested || reads);
    }
    if (needs_.on_sent && pair.config.governed && !(reads && responses_are_paced(pair))) {
      tell_sent(qpn, {plan.payload_bytes, wire, packet->psn, packet->last, pair.work.has_unsent(),
                      pair.work.in_flight() >= pair.window});
    }
    activate_if_sendable(qpn, pairs_[qpn]);
    return packet;
  }
}

/// True if the limit of messages in a second delays the queue pair's next packet, which starts a
/// message; the queue pair then waits for its turn.
bool Transmitter::delays_message(Qpn qpn, SendQueuePair& pair, const PacketPlan& plan) {
  if (!plan.first) return false;
  const PicoSeconds start = message_rate_->start(qpn, now());
  if (start <= now()) return false;
  pair.not_before = std::max(pair.not_before, start);
  activate(qpn, pair);
  return true;
}

/// Makes the repetition of the lost packet at the cursor of selective repeat.
Packet* Transmitter::make_repeated_packet(Qpn qpn, SendQueuePair& pair) {
  const PacketPlan plan = pair.work.plan_at(pair.selective->next());
  const Psn psn = pair.selective->next().psn;
  Packet* const packet = make_request_packet(qpn, pair, plan, psn);
  packet->ack_requested = true;
  if (needs_.rtt_from_due) packet->sent = std::min(now(), pacer_.due_of_next(pair));
  const std::uint32_t wire =
      packet->wire_bytes + static_cast<std::uint32_t>(parameters_.link_overhead);
  pacer_.sent(pair, wire, plan.payload_bytes, plan.last, now());
  pair.selective->repeated(pair.work, plan.payload_bytes);
  ++counters_.retransmits;
  ++ledger_[pair.config.flow].retransmits;
  if (!parameters_.real_payload()) requester_.retransmission().sent(qpn, pair, psn + 1, true);
  if (needs_.on_sent && pair.config.governed) {
    tell_sent(qpn, {plan.payload_bytes, wire, packet->psn, packet->last, pair.work.has_unsent(),
                    pair.work.in_flight() >= pair.window});
  }
  activate_if_sendable(qpn, pairs_[qpn]);
  return packet;
}

Packet* Transmitter::make_request_packet(Qpn qpn, SendQueuePair& pair, const PacketPlan& plan,
                                         Psn psn) {
  Packet* const packet = pool_.allocate();
  fill_request(*packet, plan, psn, qpn, pair.config, parameters_,
               pair.has_window || pair.recovery != nullptr);
  packet->priority = pair.config.priority;
  if (demotion_.is_active()) demote(qpn, plan.item_offset, *packet);
  if (expects_response(packet->operation)) {
    if (is_atomic(packet->operation) && parameters_.real_payload()) {
      pool_.attach_payload(*packet, sizeof(AtomicOperands));
      roce::put_operands(plan.item->operands, *packet);
      packet->icrc = roce::icrc_of(*packet);
    }
    return packet;
  }
  if (pair.reads != nullptr && pair.reads->refused && requester_.expects_acks(pair)) {
    packet->ack_requested = true;
  }
  if (needs_.telemetry) pool_.attach_telemetry(*packet);
  if (parameters_.real_payload()) {
    pool_.attach_payload(*packet, plan.payload_bytes);
    dma_->read(plan.item->local_address + static_cast<std::uint64_t>(plan.item_offset),
               packet->payload->data(), plan.payload_bytes, *this, 0);
    awaits_payload_ = true;
  }
  return packet;
}

// ---------------------------------------------------------------- responder

std::uint32_t Transmitter::packets_of(Qpn qpn, std::uint32_t bytes) const {
  return std::max(1u, pairs_[qpn].work.packets_of(bytes));
}

void Transmitter::respond(Qpn qpn, const Packet& request) {
  SendQueuePair& pair = pairs_[qpn];
  if (pair.failed) return;
  if (!ReadResponder::enqueue(Requester::read_state(pair).responder, request)) return;
  if (!pacing_.is_active(qpn) || !responses_are_paced(pair)) {
    if (may_send(pair)) activate(qpn, pair);
  }
  try_send();
}

Packet* Transmitter::make_response_packet(Qpn qpn, SendQueuePair& pair) {
  ResponderState& state = pair.reads->responder;
  const ReadResponder::Made made =
      responder_.make_packet(state, qpn, pair.config, pair.work.mtu(), needs_.telemetry);
  if (made.awaits_payload) awaits_payload_ = true;
  if (responses_are_paced(pair)) {
    const std::uint32_t wire =
        made.packet->wire_bytes + static_cast<std::uint32_t>(parameters_.link_overhead);
    pacer_.sent(pair, wire, made.plan.payload_bytes, made.plan.last, now());
    if (needs_.on_sent) {
      tell_sent(qpn, {made.plan.payload_bytes, wire, made.packet->psn, made.plan.last,
                      !state.responses.empty()});
    }
  }
  activate_if_sendable(qpn, pairs_[qpn]);
  return made.packet;
}

// ---------------------------------------------------------------- congestion and link control

void Transmitter::on_cnp(const Packet& cnp) {
  if (!parameters_.cnp.accepts(cnp.ecn)) {
    ++counters_.cnps_refused;
    return;
  }
  if (parser_ != nullptr) {
    on_cnp_by_parser(cnp);
    return;
  }
  ++counters_.cnps_received;
  const Qpn qpn = cnp.destination_qpn;
  if (!exists(qpn)) {
    ++counters_.cnps_ignored;
    ++counters_.unknown_qp;
    return;
  }
  if (needs_.cnp && pairs_[qpn].config.governed) {
    algorithm_->on_cnp(qpn, {cnp.cnp_marks, cnp.cnp_packets});
  } else {
    ++counters_.cnps_ignored;
  }
}

void Transmitter::on_cnm(const Packet& cnm) {
  const Qpn qpn = cnm.destination_qpn;
  if (!exists(qpn)) {
    ++counters_.unknown_qp;
    return;
  }
  if (algorithm_ != nullptr && pairs_[qpn].config.governed) {
    algorithm_->on_cnm(qpn, cnm.qcn_feedback);
  }
}

void Transmitter::on_pause(unsigned priorities) {
  ++counters_.pauses_received;
  pause_.pause_received(priorities, now());
  pauses_changed();
}

}  // namespace dcc
