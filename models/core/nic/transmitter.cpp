#include "nic/transmitter.h"

#include <algorithm>
#include <cassert>

#include "wire/roce_headers.h"
#include "wire/wire_size.h"

namespace dcc {

Transmitter::FlowTimer::FlowTimer(Transmitter& transmitter, FlowNumber number, int timer,
                                  std::uint32_t rank)
    : owner(&transmitter),
      flow(number),
      id(timer),
      event(Event::calling<&FlowTimer::fire>(*this, rank)) {}

void Transmitter::FlowTimer::fire() { owner->algorithm_->on_timer(flow, id); }

Transmitter::Transmitter(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger,
                         NicCounters& counters, const NicParameters& parameters, std::uint32_t rank)
    : scheduler_(scheduler),
      pool_(pool),
      ledger_(ledger),
      counters_(counters),
      parameters_(parameters),
      rank_(rank),
      line_rate_(Rate::from(parameters.line_rate)),
      demotes_(!parameters.demotion.empty()),
      wake_(
          Event::calling<&Transmitter::try_send, &Transmitter::prefetch_next_sender>(*this, rank)),
      timeout_(Event::calling<&Transmitter::check_timeouts>(*this, rank)),
      demotion_(parameters.demotion) {
  if (!parameters.clock.exact()) {
    clock_ = std::make_unique<HostClock>(parameters.clock, parameters.seed, parameters.host);
  }
  mtu_changed();
}

void Transmitter::mtu_changed() {
  full_wire_ = roce::data_wire_bytes(parameters_.mtu, false, false) +
               static_cast<std::uint32_t>(parameters_.link_overhead);
  if (parameters_.real_payload()) {
    // Enough on the way to cover the DMA latency at the DMA's own rate, and two packets more.
    const DmaParameters& dma = parameters_.dma;
    staging_limit_ = static_cast<Bytes>(static_cast<Uint128>(dma.rate.bits_per_second) *
                                        static_cast<std::uint64_t>(dma.latency.count) /
                                        (8u * 1'000'000'000'000u)) +
                     2 * static_cast<Bytes>(full_wire_);
  }
}

void Transmitter::set_algorithm(Algorithm* algorithm) {
  algorithm_ = algorithm;
  needs_ = algorithm != nullptr ? algorithm->needs() : AlgorithmNeeds{};
}

void Transmitter::create_queue_pair(Qpn qpn, const QueuePairConfig& config) {
  Flow& flow = flows_.keep(qpn);  // destroyed or not: nothing is left of what it was
  if (flow.created) pacing_.deactivate(qpn);
  untrack(qpn, flow);
  flow = Flow(parameters_.mtu);
  flow.created = true;
  flow.config = config;
  flow.connected = config.service == Service::kUd;
  pacing_.add_flow(qpn, config.priority);
  set_rate(qpn, line_rate_);
  if (algorithm_ != nullptr && config.governed) {
    algorithm_->on_flow_start(qpn, {config.dscp, config.remote_host, config.base_rtt,
                                    config.initial_rate, config.bytes, config.deadline});
  }
}

void Transmitter::connect_queue_pair(Qpn qpn) {
  Flow& flow = flows_[qpn];
  flow.connected = true;
  consider(qpn, flow);
  try_send();
}

void Transmitter::destroy_queue_pair(Qpn qpn) {
  if (!exists(qpn)) return;
  if (algorithm_ != nullptr && flows_[qpn].config.governed) algorithm_->on_flow_end(qpn);
  fail(qpn, flows_[qpn], CompletionSink::Status::kFlushed);
  flows_[qpn].created = false;
}

bool Transmitter::is_quiescent(Qpn qpn) const {
  const Flow& flow = flows_[qpn];
  if (!flow.work.idle() || flow.outstanding || pacing_.is_active(qpn)) return false;
  if (flow.reads != nullptr && !flow.reads->answers.empty()) return false;
  return algorithm_ == nullptr || !flow.config.governed || algorithm_->is_quiescent(qpn);
}

void Transmitter::release(Qpn qpn) {
  if (algorithm_ != nullptr && flows_[qpn].config.governed) algorithm_->release(qpn);
  pacing_.release(qpn);
  flows_.drop(qpn);
}

void Transmitter::post(Qpn qpn, const WorkItem& item) {
  assert(exists(qpn) && item.bytes > 0);
  Flow& flow = flows_[qpn];
  if (flow.failed) {
    if (completions_ != nullptr) {
      completions_->work_done(qpn, item, CompletionSink::Status::kFlushed);
    }
    return;
  }
  FlowRecord& record = ledger_[flow.config.flow];
  if (record.posted == PicoSeconds::max()) record.posted = now();
  record.posted_bytes += item.bytes;
  if (transport_ != nullptr) {
    transport_->post(qpn, item);
    return;
  }
  flow.work.post(item);
  if (expects_response(item.operation)) reads_of(flow);
  consider(qpn, flow);
  try_send();
}

void Transmitter::stop(Qpn qpn) {
  if (transport_ != nullptr) {
    transport_->stop(qpn);
    return;
  }
  if (!exists(qpn)) return;
  flows_[qpn].work.truncate();
  pacing_.deactivate(qpn);
}

void Transmitter::mark_delivered(Qpn qpn, Bytes bytes) {
  Flow& flow = flows_[qpn];
  flow.work.mark_delivered(bytes);
  FlowRecord& record = ledger_[flow.config.flow];
  record.acked_bytes += bytes;
  record.received_bytes += bytes;
  tally_.acknowledged_bytes += bytes;
}

// ---------------------------------------------------------------- who may send, and when

bool Transmitter::may_send(const Flow& flow) const {
  if (!flow.connected) return false;
  return may_request(flow) || (flow.reads != nullptr && !flow.reads->answers.empty());
}

bool Transmitter::may_request(const Flow& flow) const {
  if (!flow.work.has_unsent()) return false;
  if (flow.reads != nullptr && flow.work.next_is_read() &&
      flow.work.reads_out() >= parameters_.outstanding_reads) {
    return false;
  }
  // A window smaller than a packet still lets one packet out: nothing would ever reopen it.
  const Bytes in_flight = flow.work.in_flight();
  return in_flight == 0 || in_flight < flow.window;
}

PicoSeconds Transmitter::gap_of(const Flow& flow, std::uint32_t wire) const {
  return wire == full_wire_ ? flow.full_gap : gap_at(flow.rate, wire);
}

// At its line's rate a flow is paced by the line itself: that rate may have been rounded down,
// which would keep the flow a little below.
PicoSeconds Transmitter::gap_at(Rate rate, std::uint32_t wire) const {
  const PicoSeconds gap = pacing_gap(wire, rate);
  if (rate != line_rate_) return gap;
  return std::min(gap, serialization_time(wire, parameters_.line_rate));
}

PicoSeconds Transmitter::next_start(const Flow& flow) const {
  if (flow.last_wire == 0) return now();
  if (flow.burst_left > 0) return std::max(flow.burst_next, now());
  const PicoSeconds gap = gap_of(flow, flow.last_wire);
  // A rate of zero waits for ever; set_rate moves it.
  if (gap == PicoSeconds::max()) return gap;
  return std::max(flow.paced_from + gap, now());
}

void Transmitter::consider(Qpn qpn, Flow& flow) {
  if (!pacing_.is_active(qpn) && may_send(flow)) activate(qpn, flow);
}

void Transmitter::activate(Qpn qpn, Flow& flow) {
  if (demotes_) wait_by_next(qpn, flow);
  if (flow.reads != nullptr && !flow.reads->answers.empty() && !answers_are_paced(flow)) {
    pacing_.activate(qpn, now());
    return;
  }
  const PicoSeconds start = std::max(next_start(flow), flow.not_before);
  if (needs_.burst > 0 || needs_.rtt_from_due) keep_due(flow, start);
  pacing_.activate(qpn, start);
}

void Transmitter::keep_due(Flow& flow, PicoSeconds start) {
  if (flow.burst_left == 0) {
    flow.due = start;
  } else if (flow.burst_next < start) {  // its window held the burst up: the NIC did not
    flow.due += start - flow.burst_next;
    flow.burst_next = start;
  }
}

// Of a burst's later packets: behind those before, had nothing been in their way.
PicoSeconds Transmitter::due_of_next(const Flow& flow) const {
  if (flow.burst_left == 0) return flow.due;
  return flow.due + (needs_.burst_rate.raw != 0
                         ? pacing_gap(flow.last_wire, needs_.burst_rate)
                         : serialization_time(flow.last_wire, parameters_.line_rate));
}

void Transmitter::set_rate(FlowNumber number, Rate rate) {
  Flow& flow = flows_[number];
  if (flow.config.rate_cap.raw != 0) rate = std::min(rate, flow.config.rate_cap);
  flow.rate = rate;
  flow.full_gap = gap_at(rate, full_wire_);
  if (!pacing_.is_waiting(number)) return;
  activate(number, flow);
  try_send();
}

void Transmitter::set_window(FlowNumber number, Bytes bytes) {
  Flow& flow = flows_[number];
  flow.window = bytes;
  flow.has_window = true;
  if (!flow.created) return;
  consider(number, flow);
  if (out_ != nullptr) try_send();
}

void Transmitter::start_timer(FlowNumber number, int id, PicoSeconds delay) {
  Flow& flow = flows_[number];
  if (flow.timers == nullptr) flow.timers = std::make_unique<FlowTimers>();
  auto& timer = (*flow.timers)[static_cast<std::size_t>(id)];
  if (timer == nullptr) timer = std::make_unique<FlowTimer>(*this, number, id, rank_);
  scheduler_.schedule_in(timer->event, delay);
}

void Transmitter::stop_timer(FlowNumber number, int id) {
  Flow& flow = flows_[number];
  if (flow.timers == nullptr) return;
  auto& timer = (*flow.timers)[static_cast<std::size_t>(id)];
  if (timer != nullptr) scheduler_.cancel(timer->event);
}

Transmitter::FlowView Transmitter::view(Qpn qpn) const {
  const Flow* const flow = flows_.find(qpn);
  if (flow == nullptr) return {};
  return {flow->rate, ledger_[flow->config.flow].sent_wire_bits, flow->config.flow,
          flow->config.dscp};
}

// ---------------------------------------------------------------- onto the wire

void Transmitter::send_control(Packet* packet) {
  ++counters_.packets_sent;
  control_[packet->priority].push(packet);
  control_waiting_ |= 1u << packet->priority;
  try_send();
}

void Transmitter::send_link_control(Packet* packet) {
  ++counters_.packets_sent;
  control_[kPriorities].push(packet);
  control_waiting_ |= 1u << kPriorities;
  try_send();
}

bool Transmitter::send_one_control() {
  const unsigned ready = sendable_control();
  if (ready == 0) return false;
  const int priority = 31 - __builtin_clz(ready);
  PacketFifo& fifo = control_[static_cast<std::size_t>(priority)];
  Packet* const packet = fifo.pop();
  if (fifo.empty()) control_waiting_ &= ~(1u << priority);
  onto_wire(packet);
  return true;
}

void Transmitter::try_send() {
  if (sending_) return;  // from within a callback of the packet being made: its end plans for all
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
    stage();
    send_one_staged();
  } else if (Packet* const packet = next_data_packet()) {
    send_data(packet);
  }
}

void Transmitter::send_data(Packet* packet) {
  ++counters_.packets_sent;
  ++counters_.data_sent;
  counters_.bytes_sent += packet->payload_bytes;
  if (!is_response(packet->operation)) {  // those are counted where they were asked for
    FlowRecord& record = ledger_[packet->flow];
    record.sent_wire_bits +=
        std::uint64_t{8} *
        (packet->wire_bytes + static_cast<std::uint32_t>(parameters_.link_overhead));
    ++record.packets;
    if (!needs_.rtt_from_due) packet->sent = now();
  }
  onto_wire(packet);
}

bool Transmitter::head_is_ready() const {
  return arrived_ > 0 && (allowed() & (1u << staged_.front().packet->priority)) != 0;
}

// Called with nothing that could go at this instant. The wire tells nobody when it is free, so
// whoever waits for it is woken here; payload that arrives kicks by itself.
void Transmitter::schedule_send() {
  const bool may_take = !parameters_.real_payload() || staged_bytes_ < staging_limit_;
  PicoSeconds when = PicoSeconds::max();
  if (transport_ != nullptr) {
    if (sendable_control() == 0 && !transport_may_send()) return;
    when = wire_free_;
  } else if (sendable_control() != 0 || head_is_ready() ||
             (may_take && pacing_.has_ready(allowed()))) {
    when = wire_free_;
  } else {
    if (may_take) when = pacing_.next_ready();
    if (when == PicoSeconds::max()) return;
    when = std::max(when, wire_free_);
  }
  if (!wake_.is_scheduled() || wake_.due() != when) scheduler_.schedule_at(wake_, when);
}

// With real payload a packet's bytes come by DMA first: the scheduler runs ahead of the wire by as
// much as covers that latency, so the wire stays full.
void Transmitter::stage() {
  while (arrived_ > 0 && flows_[staged_.front().packet->source_qpn].failed) {
    staged_bytes_ -= staged_.front().packet->wire_bytes;
    pool_.free(staged_.front().packet);
    staged_.pop_front();
    --arrived_;
  }
  while (staged_bytes_ < staging_limit_) {
    waits_ = false;
    Packet* const packet = next_data_packet();
    if (packet == nullptr) break;
    staged_.push_back({packet, waits_});
    staged_bytes_ += packet->wire_bytes;
    skip_without_payload();
  }
}

// Nothing comes for them: requests that are answered, and what is answered again.
void Transmitter::skip_without_payload() {
  while (arrived_ < staged_.size() && !staged_[arrived_].waits) ++arrived_;
}

void Transmitter::dma_done(std::uint32_t, bool ok) {
  Packet* const packet = staged_[arrived_].packet;
  if (ok) {
    if (packet->operation == Operation::kAtomicResponse) keep_original(*packet);
    packet->icrc = roce::icrc_of(*packet);
    ++arrived_;
  } else {
    const Qpn qpn = packet->source_qpn;
    staged_bytes_ -= packet->wire_bytes;
    staged_.erase(staged_.begin() + static_cast<std::ptrdiff_t>(arrived_));
    if (is_response(packet->operation)) {
      refuse_read(*packet);
    } else {
      fail(qpn, flows_[qpn], CompletionSink::Status::kLocalError);
    }
    pool_.free(packet);
  }
  skip_without_payload();
  try_send();
}

void Transmitter::send_one_staged() {
  if (!head_is_ready()) return;
  Packet* const packet = staged_.front().packet;
  staged_.pop_front();
  --arrived_;
  staged_bytes_ -= packet->wire_bytes;
  const Qpn qpn = packet->source_qpn;
  const Psn psn = packet->psn;
  const bool own = !is_response(packet->operation);
  send_data(packet);
  // Its bytes have been read: software may have their memory again.
  if (own && !acknowledged(flows_[qpn])) complete_before(qpn, flows_[qpn], psn + 1);
}

namespace {
/// Of the highest priority that may send and has a flow that is ready.
[[gnu::noinline]] PacingScheduler::FlowIndex pick_strictly(PacingScheduler& pacing, PicoSeconds now,
                                                           unsigned allowed) {
  for (int priority = kPriorities; priority-- > 0;) {
    const auto flow = pacing.pick(now, allowed & 1u << priority);
    if (flow != PacingScheduler::kNone) return flow;
  }
  return PacingScheduler::kNone;
}
}  // namespace

Packet* Transmitter::pick_data_packet() {
  for (;;) {
    const Qpn qpn =
        demotes_ ? pick_strictly(pacing_, now(), allowed()) : pacing_.pick(now(), allowed());
    if (qpn == PacingScheduler::kNone) return nullptr;
    Flow& flow = flows_[qpn];
    if (!may_send(flow)) continue;  // the window closed, or the work was withdrawn meanwhile
    if (flow.reads != nullptr) {
      if (answers_next(flow)) return next_answer(qpn, flow);
      if (std::max(next_start(flow), flow.not_before) > now()) {  // its answers were withdrawn
        activate(qpn, flow);
        continue;
      }
    }
    const PacketPlan plan = flow.work.plan_next();
    Packet* const packet = make_packet(qpn, flow, plan);
    if (needs_.rtt_from_due) packet->sent = std::min(now(), due_of_next(flow));
    const bool reads = expects_response(packet->operation);
    const std::uint32_t wire =
        reads ? answer_wire(flow, plan)
              : packet->wire_bytes + static_cast<std::uint32_t>(parameters_.link_overhead);
    start_pacing(flow, wire, plan);
    flow.work.sent(plan);
    if (!acknowledged(flow) && !reads) {
      if (!parameters_.real_payload()) complete_before(qpn, flow, flow.work.next_psn());
    } else if (!flow.outstanding) {
      flow.progress = now();
      track(qpn, flow);
    }
    if (needs_.on_sent && flow.config.governed && !(reads && answers_are_paced(flow))) {
      algorithm_->on_sent(
          qpn, {plan.payload_bytes, wire, packet->psn, packet->last, flow.work.has_unsent()});
    }
    consider(qpn, flows_[qpn]);
    return packet;
  }
}

// The next gap counts from when this packet was due, not from when it got the wire: a flow that
// other flows delay keeps its average rate. One that is late by a whole gap starts afresh.
void Transmitter::start_pacing(Flow& flow, std::uint32_t wire, const PacketPlan& plan) {
  if (needs_.burst > 0) {
    flow.burst_next = now();
    if (needs_.burst_rate.raw != 0) flow.burst_next += pacing_gap(wire, needs_.burst_rate);
  }
  if (flow.burst_left > 0) {
    flow.burst_left = plan.last ? 0 : std::max<Bytes>(0, flow.burst_left - plan.payload_bytes);
    flow.last_wire += wire;
    return;
  }
  PicoSeconds due = now();
  if (flow.last_wire != 0) {
    const PicoSeconds gap = gap_of(flow, flow.last_wire);
    if (gap != PicoSeconds::max()) {
      const PicoSeconds planned = flow.paced_from + gap;
      if (planned <= due && due - planned < gap_of(flow, wire)) due = planned;
    }
  }
  flow.paced_from = due;
  flow.last_wire = wire;
  if (needs_.burst > 0 && flow.config.governed && !plan.last) {
    flow.burst_left = std::max<Bytes>(0, needs_.burst - plan.payload_bytes);
  }
}

std::uint8_t Transmitter::demoted(const PacketPlan& plan) const {
  std::uint8_t priority = kPriorities - 1;
  for (const Bytes threshold : demotion_) {
    if (plan.item_offset >= threshold) --priority;
  }
  return priority;
}

void Transmitter::set_demotion(std::vector<Bytes> thresholds) {
  demotion_ = std::move(thresholds);
  demotes_ = !demotion_.empty();
  flows_.each([this](Qpn qpn, const Flow& flow) { wait_by_next(qpn, flow); });
  try_send();
}

/// Its turn is of the priority that its next packet has; answers have the queue pair's own.
void Transmitter::wait_by_next(Qpn qpn, const Flow& flow) {
  const bool demoted_next = demotes_ && flow.work.has_unsent();
  pacing_.set_priority(qpn, demoted_next ? demoted(flow.work.plan_next()) : flow.config.priority);
}

Packet* Transmitter::make_packet(Qpn qpn, Flow& flow, const PacketPlan& plan) {
  Packet* const packet = pool_.allocate();
  const bool with_immediate = plan.ends_item && plan.item->with_immediate;
  packet->kind = PacketKind::kData;
  packet->ecn = flow.config.ecn_capable ? Ecn::kEct0 : Ecn::kNotEct;
  packet->dscp = flow.config.dscp;
  packet->priority = demotes_ ? demoted(plan) : flow.config.priority;
  packet->first = plan.first;
  packet->last = plan.last;
  packet->has_immediate = with_immediate;
  packet->ack_requested =
      parameters_.ack == AckMode::kPerPacket ||
      (parameters_.ack == AckMode::kPerMessage && (plan.last || flow.has_window));
  packet->payload_bytes = plan.payload_bytes;
  packet->source = parameters_.host;
  packet->destination = flow.config.remote_host;
  packet->destination_qpn = flow.config.remote_qpn;
  packet->source_qpn = qpn;
  packet->flow = flow.config.flow;
  packet->immediate = plan.item->immediate;
  packet->psn = flow.work.next_psn();
  packet->message_bytes = static_cast<std::uint32_t>(plan.message_bytes);
  packet->remote_address = plan.item->remote_address + static_cast<std::uint64_t>(plan.item_offset);
  packet->operation = plan.item->operation;
  packet->service = flow.config.service;
  if (packet->service != Service::kRc) {
    packet->ack_requested = false;
    if (packet->service == Service::kUd) {
      packet->destination = plan.item->remote_host;
      packet->destination_qpn = plan.item->remote_qpn;
    }
  }
  if (packet->operation == Operation::kWrite) {
    packet->wire_bytes = roce::data_wire_bytes(plan.payload_bytes, plan.first, with_immediate);
  } else if (packet->operation == Operation::kSend) {
    packet->wire_bytes =
        roce::send_wire_bytes(plan.payload_bytes, with_immediate, packet->service == Service::kUd);
  } else {  // the answer acknowledges it, and has the payload
    packet->payload_bytes = 0;
    packet->ack_requested = false;
    if (packet->operation == Operation::kRead) {
      packet->wire_bytes = roce::read_request_wire_bytes();
    } else {
      packet->wire_bytes = roce::atomic_request_wire_bytes();
      if (parameters_.real_payload()) {
        pool_.attach_payload(*packet, sizeof(AtomicOperands));
        roce::put_operands(plan.item->operands, *packet);
        packet->icrc = roce::icrc_of(*packet);
      }
    }
    return packet;
  }
  if (needs_.telemetry) pool_.attach_telemetry(*packet);
  if (parameters_.real_payload()) {
    pool_.attach_payload(*packet, plan.payload_bytes);
    dma_->read(plan.item->local_address + static_cast<std::uint64_t>(plan.item_offset),
               packet->payload->data(), plan.payload_bytes, *this, 0);
    waits_ = true;
  }
  return packet;
}

// As with any RC queue pair: the oldest item ends with the error, everything else posted is
// flushed, and the queue pair sends no more until it is created anew.
void Transmitter::fail(Qpn qpn, Flow& flow, CompletionSink::Status status) {
  flow.failed = true;
  if (flow.reads != nullptr) flow.reads->answers.clear();
  pacing_.deactivate(qpn);
  untrack(qpn, flow);
  flow.work.flush([&](const WorkItem& item) {
    if (completions_ != nullptr) completions_->work_done(qpn, item, status);
    status = CompletionSink::Status::kFlushed;
  });
}

}  // namespace dcc
