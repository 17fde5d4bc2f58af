#include "switch/egress_port.h"

#include <algorithm>

namespace dcc {

EgressPort::EgressPort(PortContext& context, int number, const EgressSchedulerParameters& scheduler,
                       Event&& wire_free)
    : marks_at_enqueue_(false),
      attends_departures_(false),
      takes_turns_(false),
      ruled_(false),
      selective_(false),
      attends_all_(false),
      attends_arrivals_(false),
      number_(static_cast<std::uint16_t>(number)),
      context_(&context),
      wire_free_(std::move(wire_free)),
      scheduler_(scheduler) {}

const EgressPort::Rare EgressPort::kNothingRare{};

void EgressPort::set_wire(PacketOut& out) {
  out_ = &out;
  context_->wires[number_].out = &out;
  context_->wires[number_].lines = out.prefetch_lines();
}

void EgressPort::observe(QueueStatistics* statistics) {
  statistics_ = statistics;
  context_->wires[number_].statistics = statistics;
  max_passed_ = 0;
  if (statistics != nullptr) statistics->restart(bytes_, context_->scheduler.now());
}

void EgressPort::handle_flow_control(const Packet& frame) {
  const PicoSeconds now = context_->scheduler.now();
  if (credits_ == nullptr) {
    pfc_.receive_frame(frame, now);
    if (context_->pause_times != nullptr) context_->pause_times->received(number_, frame);
    return;
  }
  credits_->receive_frame(frame);
  pfc_.received_credits(credits_->exhausted(), now);
  if (credits_->frames_due() != 0) pfc_.request_credit_frame();
}

Packet* EgressPort::next_link_frame() {
  if (pfc_.queued_due()) {
    PacketFifo& frames = make_rare().link_frames;
    Packet* const frame = frames.pop();
    pfc_.sent_queued(!frames.empty());
    return frame;
  }
  Packet* const frame = context_->pool.allocate();
  if (credits_ == nullptr) {
    pfc_.write_frame(*frame);
    if (context_->pause_times != nullptr) context_->pause_times->sent(number_, *frame);
  } else {
    credits_->write_frame(*frame);
    pfc_.sent_credits(credits_->frames_due() != 0);
  }
  return frame;
}

SwitchCounters EgressPort::counters() const {
  SwitchCounters counters = rare().counters;
  counters.enqueued = enqueued_;
  counters.dequeued = dequeued_;
  counters.tx_bytes = tx_bytes_;
  return counters;
}

Bytes EgressPort::backlog() const {
  const PicoSeconds now = context_->scheduler.now();
  if (free_at_ <= now) return bytes_;
  constexpr std::uint64_t kPicoBitsPerByte = 8'000'000'000'000u;
  const auto left = static_cast<std::uint64_t>((free_at_ - now).count);
  return bytes_ + static_cast<Bytes>(Uint128(left) * link_.rate.bits_per_second / kPicoBitsPerByte);
}

void EgressPort::pass_through(Packet* packet) {
  const int priority = scheduler_.pick(1u << packet->priority);
  scheduler_.charge(priority, packet->wire_bytes);
  scheduler_.emptied(priority);
  if (packet->collects_telemetry()) append_telemetry(*packet);
  ++enqueued_;
  ++dequeued_;
  count_sent(*packet);
  if (packet->wire_bytes > max_passed_ && statistics_ != nullptr) {
    max_passed_ = packet->wire_bytes;
    statistics_->touched(packet->wire_bytes);
  }
  put_on_wire(packet);
}

bool EgressPort::may_send_now() {
  Scheduler& scheduler = context_->scheduler;
  if (wire_free_.is_scheduled()) {
    // With a shaper the event may be due later than the wire is free: only the shaped queues wait.
    if (!scheduler_.shapes()) return false;
    if (wire_free_.due() <= std::max(scheduler.now(), free_at_)) return false;
    scheduler.cancel(wire_free_);
  }
  if (scheduler.now() >= free_at_) return true;
  scheduler.schedule_at(wire_free_, free_at_);
  return false;
}

void EgressPort::append_telemetry(Packet& packet) const {
  IntHop& hop = packet.telemetry->hop[packet.telemetry_hops++];
  hop.timestamp = context_->scheduler.now();
  hop.tx_bytes = tx_bytes_;
  hop.queue = bytes_;
  hop.rate = link_.rate;
}

}  // namespace dcc
