// RDMA READ and atomic operations at both their ends: answers to those who ask, and what comes of
// what was asked.
#include <algorithm>
#include <cassert>

#include "nic/transmitter.h"
#include "wire/byte_order.h"
#include "wire/roce_headers.h"
#include "wire/wire_size.h"

namespace dcc {

Transmitter::Reads& Transmitter::reads_of(Flow& flow) {
  if (flow.reads == nullptr) flow.reads = std::make_unique<Reads>();
  return *flow.reads;
}

std::uint32_t Transmitter::packets_of(Qpn qpn, std::uint32_t bytes) const {
  return std::max(1u, flows_[qpn].work.packets_of(bytes));
}

/// On the wires of the way back, overhead included: what a request is paced by.
std::uint32_t Transmitter::answer_wire(const Flow& flow, const PacketPlan& request) const {
  const auto overhead = static_cast<std::uint32_t>(parameters_.link_overhead);
  if (is_atomic(request.item->operation)) return roce::atomic_response_wire_bytes() + overhead;
  const std::uint32_t n = request.packets;
  if (n == 1) return roce::read_response_wire_bytes(request.payload_bytes, true, true) + overhead;
  const std::uint32_t mtu = flow.work.mtu();
  const std::uint32_t last = request.payload_bytes - (n - 1) * mtu;
  return roce::read_response_wire_bytes(mtu, true, false) +
         (n - 2) * roce::read_response_wire_bytes(mtu, false, false) +
         roce::read_response_wire_bytes(last, false, true) + n * overhead;
}

// ---------------------------------------------------------------- the host that is asked

void Transmitter::answer(Qpn qpn, const Packet& request) {
  Flow& flow = flows_[qpn];
  if (flow.failed) return;
  Answer answer;
  Reads& reads = reads_of(flow);
  if (is_atomic(request.operation) && !reads.atomics.empty() &&
      request.psn <= reads.atomics.back().psn) {
    const auto done = std::find_if(reads.atomics.begin(), reads.atomics.end(),
                                   [&](const Atomic& a) { return a.psn == request.psn; });
    // Its answer is on its way to being sent; or who asks has more under way than it may. What was
    // refused was not carried out: it is tried anew, and refused again.
    if (done == reads.atomics.end() || (!done->known && !done->refused)) return;
    answer.known = done->known;
    answer.original = done->original;
  }
  std::deque<Answer>& answers = reads.answers;
  // Who asks again goes back: what was asked for behind this will be asked for again, too.
  while (!answers.empty() && answers.back().psn >= request.psn) answers.pop_back();
  answer.operation = request.operation;
  answer.operands = roce::operands_of(request);
  answer.psn = request.psn;
  answer.address = request.remote_address;
  answer.bytes = request.message_bytes;
  answer.flow = request.flow;
  answer.echo = request.sent;
  answers.push_back(answer);
  if (!pacing_.is_active(qpn) || !answers_are_paced(flow)) {
    if (may_send(flow)) activate(qpn, flow);
  }
  try_send();
}

// Own requests go between answers when their time has come.
bool Transmitter::answers_next(Flow& flow) {
  Reads& reads = *flow.reads;
  if (reads.answers.empty()) return false;
  const bool own = may_request(flow) && (answers_are_paced(flow) ||
                                         std::max(next_start(flow), flow.not_before) <= now());
  reads.own_turn = own && !reads.own_turn;
  return !reads.own_turn;
}

Packet* Transmitter::next_answer(Qpn qpn, Flow& flow) {
  Answer& answer = flow.reads->answers.front();
  PacketPlan plan;
  plan.payload_bytes = std::min(answer.bytes, flow.work.mtu());
  plan.first = !answer.begun;
  plan.last = plan.payload_bytes == answer.bytes;
  Packet* const packet = pool_.allocate();
  packet->kind = PacketKind::kData;
  const bool atomic = is_atomic(answer.operation);
  packet->operation = atomic ? Operation::kAtomicResponse : Operation::kReadResponse;
  packet->ecn = flow.config.ecn_capable ? Ecn::kEct0 : Ecn::kNotEct;
  packet->dscp = flow.config.dscp;
  packet->priority = flow.config.priority;
  packet->first = plan.first;
  packet->last = plan.last;
  packet->payload_bytes = plan.payload_bytes;
  packet->wire_bytes =
      atomic ? roce::atomic_response_wire_bytes()
             : roce::read_response_wire_bytes(plan.payload_bytes, plan.first, plan.last);
  packet->source = parameters_.host;
  packet->destination = flow.config.remote_host;
  packet->destination_qpn = flow.config.remote_qpn;
  packet->source_qpn = qpn;
  packet->flow = answer.flow;
  packet->psn = answer.psn;
  packet->sent = answer.echo;
  if (needs_.telemetry) pool_.attach_telemetry(*packet);
  if (parameters_.real_payload()) {
    pool_.attach_payload(*packet, plan.payload_bytes);
    fill_answer(*packet, answer, flow);
  }
  const std::uint32_t wire =
      packet->wire_bytes + static_cast<std::uint32_t>(parameters_.link_overhead);
  if (answers_are_paced(flow)) start_pacing(flow, wire, plan);
  ++answer.psn;
  answer.address += plan.payload_bytes;
  answer.bytes -= plan.payload_bytes;
  answer.begun = true;
  answer.echo += serialization_time(wire, parameters_.line_rate);
  if (answer.bytes == 0) flow.reads->answers.pop_front();
  if (needs_.on_sent && answers_are_paced(flow)) {
    algorithm_->on_sent(
        qpn, {plan.payload_bytes, wire, packet->psn, plan.last, !flow.reads->answers.empty()});
  }
  consider(qpn, flows_[qpn]);
  return packet;
}

// An atomic operation is carried out here, once and in its turn: its host's memory tells what was
// there.
void Transmitter::fill_answer(Packet& packet, Answer& answer, Flow& flow) {
  std::uint8_t* const bytes = packet.payload->data();
  if (answer.known) {
    put_le64(bytes, answer.original);
    packet.icrc = roce::icrc_of(packet);
    return;
  }
  waits_ = true;
  if (answer.operation == Operation::kRead) {
    dma_->read(answer.address, bytes, packet.payload_bytes, *this, 0);
    return;
  }
  enter_atomic(flow.reads->atomics, answer.psn);
  if (answer.operation == Operation::kFetchAdd) {
    dma_->fetch_add(answer.address, answer.operands.swap_or_add, bytes, *this, 0);
  } else {
    dma_->compare_swap(answer.address, answer.operands.compare, answer.operands.swap_or_add, bytes,
                       *this, 0);
  }
}

void Transmitter::enter_atomic(std::deque<Atomic>& atomics, Psn psn) const {
  for (Atomic& atomic : atomics) {
    if (atomic.psn != psn) continue;
    atomic.refused = false;
    return;
  }
  if (atomics.size() >= parameters_.outstanding_reads) atomics.pop_front();
  atomics.emplace_back();
  atomics.back().psn = psn;
}

void Transmitter::keep_original(const Packet& answer) {
  const Flow& flow = flows_[answer.source_qpn];
  if (flow.reads == nullptr) return;  // the queue pair was created anew
  for (Atomic& atomic : flow.reads->atomics) {
    if (atomic.psn != answer.psn || atomic.known) continue;
    atomic.known = true;
    atomic.original = get_le64(answer.payload->data());
  }
}

// The window that others may read names memory that is not there.
void Transmitter::refuse_read(const Packet& unreadable) {
  Flow& flow = flows_[unreadable.source_qpn];
  if (flow.reads != nullptr) {
    flow.reads->answers.clear();
    for (Atomic& atomic : flow.reads->atomics) {
      if (atomic.psn == unreadable.psn && !atomic.known) atomic.refused = true;
    }
  }
  ++counters_.mr_violations;
  Packet* const nak = pool_.allocate();
  nak->kind = PacketKind::kNak;
  nak->nak = NakReason::kAccess;
  nak->psn = unreadable.psn;
  nak->source = parameters_.host;
  nak->destination = unreadable.destination;
  nak->destination_qpn = unreadable.destination_qpn;
  nak->source_qpn = unreadable.source_qpn;
  nak->flow = unreadable.flow;
  nak->dscp = unreadable.dscp;
  nak->priority = unreadable.priority;
  nak->wire_bytes = roce::ack_wire_bytes();
  ++counters_.naks_sent;
  send_control(nak);
}

// ---------------------------------------------------------------- the host that asked

void Transmitter::on_response(const Packet& packet) {
  const Qpn qpn = packet.destination_qpn;
  Flow& flow = flows_[qpn];
  if (flow.failed || flow.reads == nullptr || packet.psn >= flow.work.next_psn()) {
    ++counters_.duplicates;  // of what has been asked for again since
    return;
  }
  complete_before(qpn, flow, packet.psn);  // requests are carried out in order
  const Psn oldest = flow.work.oldest_unacked();
  if (packet.psn < oldest) {
    ++counters_.duplicates;
    return;
  }
  Reads& reads = *flow.reads;
  if (packet.psn > oldest) {
    ++counters_.out_of_order;
    if (reads.gap || parameters_.retransmit_timeout() == PicoSeconds::max()) return;
    reads.gap = true;  // once a gap
    if (gives_up(flow)) {
      fail(qpn, flow, CompletionSink::Status::kRetryExceeded);
    } else {
      repeat_from_oldest(qpn, flow);
    }
    return;
  }
  const PacketPlan plan = flow.work.plan_oldest();
  const Operation asked = plan.item->operation;
  if (!expects_response(asked) ||
      is_atomic(asked) != (packet.operation == Operation::kAtomicResponse) ||
      plan.payload_bytes != packet.payload_bytes) {
    fail(qpn, flow, CompletionSink::Status::kLocalError);  // the two ends cut by different MTUs
    return;
  }
  reads.gap = false;
  counters_.bytes_received += packet.payload_bytes;
  FlowRecord& record = ledger_[flow.config.flow];
  record.received_bytes += packet.payload_bytes;
  record.last_received = now();
  record.sent_wire_bits +=
      std::uint64_t{8} *
      (packet.wire_bytes + static_cast<std::uint32_t>(parameters_.link_overhead));
  ++record.packets;
  if (completions_ != nullptr) {
    completions_->read_came(
        qpn, plan.item->local_address + static_cast<std::uint64_t>(plan.item_offset), packet);
  }
  const PicoSeconds rtt = now() - packet.sent;
  rtt_ns_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, rtt.count / kNanoSecond.count)));
  if (delays_ != nullptr) {
    delays_->of(flow.config.dscp).round_trip.add(rtt, packet.ecn == Ecn::kCe);
  }
  const Bytes newly = flow.work.response_came([&](const WorkItem& item) {
    if (completions_ != nullptr) {
      completions_->work_done(qpn, item, CompletionSink::Status::kOk);
    }
  });
  tally_.acknowledged(record, newly, now());
  complete_before(qpn, flow, reads.acked_to);
  progressed(qpn, flow, newly);
  if (needs_.acks && flow.config.governed) {
    AckInfo info;
    info.rtt = clock_ == nullptr ? rtt : measured(flow, rtt, packet.ecn == Ecn::kCe);
    info.newly_acked = newly;
    info.psn = packet.psn;
    info.next_psn = flow.work.next_psn();
    info.ce = packet.ecn == Ecn::kCe;
    info.last_of_message = packet.last;
    info.telemetry = packet.telemetry;
    info.telemetry_hops = packet.telemetry_hops;
    algorithm_->on_ack(qpn, info);
  }
  if (reads.refused && flow.work.oldest_unacked() >= reads.refused_at) {
    fail(qpn, flow, reads.refusal);
    return;
  }
  consider(qpn, flow);
  try_send();
}

}  // namespace dcc
