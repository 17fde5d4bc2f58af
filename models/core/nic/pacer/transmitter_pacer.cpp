// The transmitter with a pacer block: posting packets in advance, and handling decisions.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "nic/transmitter.h"
#include "wire/wire_size.h"

namespace dcc {

void Transmitter::set_pacer(PacerEngine& engine, const PacerShape& shape,
                            PicoSeconds clock_period) {
  PacerUser& user = *this;
  port_ = std::make_unique<PacerPort>(scheduler_, rank_, engine, user, shape,
                                      PacerPort::Clock{clock_period, parameters_.real_payload()});
  special_turns_ = true;
  port_->set_paused(pause_.blocked());
}

/// True for a queue pair whose turn is not chosen by PacingScheduler::pick().
Qpn Transmitter::pick_specially() {
  if (port_ == nullptr) return pacing_.pick_strictly(now(), allowed());
  offer_delayed();
  return take_decision();
}

void Transmitter::pauses_changed() {
  if (port_ != nullptr) port_->set_paused(pause_.blocked());
  try_send();
}

PacerSettings Transmitter::pacer_settings(const PacerShape& shape, PicoSeconds clock_period) const {
  // Limits of lateness. A packet is late if it is behind its deadline by more than one decision:
  // the largest packet's time on the line, and an addition by the contract. Two packets and twice
  // the addition allow for control packets between data, and for a decision taken ahead.
  const std::int64_t packet =
      (wire_time(pacer_.full_packet()).count + clock_period.count - 1) / clock_period.count;
  constexpr std::int64_t kScaleAtOnePicosecond = 2'048'000'000;  // 2048 times the clock in MHz
  PacerSettings settings;
  settings.scale = static_cast<std::uint32_t>((kScaleAtOnePicosecond + clock_period.count - 1) /
                                              clock_period.count);
  settings.slack = static_cast<std::uint32_t>(2 * (packet + shape.rows() + 11));
  return settings;
}

void Transmitter::refuse_response(Operation operation) {
  throw std::runtime_error(
      std::string("nic.pacer.engine: the pacer's posts carry no length of a ") +
      (is_atomic(operation) ? "response to an atomic operation" : "response to a READ") +
      "; leave nic.pacer out, or write sends and writes only");
}

std::uint32_t Transmitter::wire_bytes_of(const PacketPlan& plan, const SendQueuePair& pair) const {
  const bool immediate = plan.ends_item && plan.item->with_immediate;
  const std::uint32_t bytes =
      plan.item->operation == Operation::kSend
          ? roce::send_wire_bytes(plan.payload_bytes, immediate,
                                  pair.config.service == Service::kUd)
          : roce::data_wire_bytes(plan.payload_bytes, plan.first, immediate);
  const bool datagram = pair.config.service == Service::kRd;
  return bytes + (datagram ? roce::kReliableDatagram : 0u) +
         static_cast<std::uint32_t>(parameters_.link_overhead);
}

/// Posts the packets that the queue pair may send to the pacer block, up to the number that the
/// block holds. Packets posted earlier and not decided yet are the first of them.
void Transmitter::offer(Qpn qpn, SendQueuePair& pair) {
  if (pair.not_before > now()) {
    pacing_.activate(qpn, pair.not_before);
    return;
  }
  std::uint32_t posted = port_->posted(qpn);
  if (posted >= port_->depth()) return;
  if (!port_->is_bound(qpn)) {
    port_->bind(qpn, pair.config.flow, pair.pacing.rate, pair.config.priority);
  }
  // posts only one packet, since an ACK may change which packets are lost
  if (Retransmission::may_repeat(pair)) {
    if (posted == 0)
      port_->post(qpn, wire_bytes_of(pair.work.plan_at(pair.selective->next()), pair));
    return;
  }
  WorkQueue::Cursor at = pair.work.next();
  Bytes in_flight = pair.work.in_flight();
  for (std::uint32_t i = 0; i < port_->depth() && pair.work.holds(at); ++i) {
    if (in_flight > 0 && in_flight >= pair.window) return;
    if (!requester_.retransmission().has_room(pair, at.psn)) return;
    const PacketPlan plan = pair.work.plan_at(at);
    if (i >= posted) port_->post(qpn, wire_bytes_of(plan, pair));
    in_flight += plan.payload_bytes;
    pair.work.pass(at);
  }
}

/// Posts packets of the queue pairs whose delay after an RNR NAK is over.
void Transmitter::offer_delayed() {
  while (!pacing_.is_idle(now())) {
    const Qpn qpn = pacing_.pick(now(), ~0u);
    activate_if_sendable(qpn, pairs_[qpn]);
  }
}

/// Takes the block's next decision and returns its queue pair. A decision has no packet if the
/// packet was withdrawn after its post.
Qpn Transmitter::take_decision() {
  for (;;) {
    const Qpn qpn = port_->take(allowed());
    if (qpn == PacerPort::kNone) return PacingScheduler::kNone;
    if (pairs_[qpn].not_before <= now()) return qpn;
    activate_if_sendable(qpn, pairs_[qpn]);
  }
}

void Transmitter::decided() {
  if (parameters_.real_payload() && !sending_) {  // fetches the payload while the wire is busy
    sending_ = true;
    stage_packets();
    sending_ = false;
  }
  try_send();
}

void Transmitter::schedule_with_pacer() {
  const bool may_take = !parameters_.real_payload() || staging_.has_room();
  PicoSeconds when = PicoSeconds::max();
  if (control_.has_sendable(pause_.blocked()) || staged_packet_is_ready() ||
      (may_take && port_->has_decision(allowed()))) {
    when = wire_free_;
  } else if (const PicoSeconds delayed = pacing_.next_ready(); delayed != PicoSeconds::max()) {
    when = std::max(delayed, wire_free_);
  }
  if (when != PicoSeconds::max() && (!wake_.is_scheduled() || wake_.due() != when)) {
    scheduler_.schedule_at(wake_, when);
  }
  port_->arm();
}

}  // namespace dcc
