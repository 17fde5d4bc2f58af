#include "wire/link.h"

#include <algorithm>
#include <cassert>

namespace dcc {

namespace {
constexpr std::uint64_t kPicoBitsPerByte = 8'000'000'000'000u;
}

Link::Link(Scheduler& scheduler, PacketPool& pool, const LinkParameters& parameters,
           std::uint32_t rank)
    : near_(&scheduler),
      delay_(parameters.delay),
      overhead_(static_cast<std::uint16_t>(parameters.overhead)),
      far_(&scheduler),
      pool_(&pool),
      arrival_(Event::calling<&Link::deliver, &Link::prefetch_delivery>(*this, rank)) {
  assert(parameters.overhead == overhead_);
  set_rate(parameters.rate);
}

void Link::set_rate(BitRate rate) {
  assert(rate.bits_per_second > 0);
  rate_ = rate;
  const std::uint64_t whole = kPicoBitsPerByte / rate.bits_per_second;
  const bool exact = kPicoBitsPerByte % rate.bits_per_second == 0 && whole <= UINT32_MAX;
  per_byte_ = exact ? static_cast<std::uint32_t>(whole) : 0;
}

void Link::set_jitter(PicoSeconds most, const RandomStream& random) {
  if (most.count <= 0) return;
  extras().jitter = Jitter{static_cast<std::uint64_t>(most.count) + 1, random, {}};
  watch();
}

void Link::fail() {
  failed_ = true;
  watch();
  if (arrival_.is_scheduled()) far_->cancel(arrival_);
  while (!in_flight_.empty()) {
    ++extras().lost;
    pool_->free(in_flight_.pop());
  }
}

void Link::connect(PacketSink& sink, int port) {
  sink_ = &sink;
  sink_port_ = static_cast<std::uint16_t>(port);
}

void Link::connect_across_partitions(Scheduler& far, Mailbox& mailbox) {
  far_ = &far;
  mailbox_ = &mailbox;
}

PicoSeconds Link::send(Packet* packet) {
  const Bytes on_wire = Bytes{packet->wire_bytes} + overhead_;
  const PicoSeconds serialisation =
      per_byte_ != 0 ? PicoSeconds(per_byte_ * on_wire) : serialization_time(on_wire, rate_);
  const PicoSeconds now = near_->now();
#ifndef NDEBUG
  assert(now >= extras().free_at && "the wire is still sending");
  extras().free_at = now + serialisation;
#endif
  busy_ += serialisation;
  if (watched_ && !survives(packet, now)) return serialisation;
  ++packets_;
  bytes_ += packet->wire_bytes;
  PicoSeconds arrival = now + serialisation + delay_;
  if (watched_ && has_jitter()) {
    Jitter& jitter = *extras_->jitter;
    arrival += PicoSeconds(static_cast<std::int64_t>(jitter.random.below(jitter.choices)));
    arrival = jitter.last = std::max(arrival, jitter.last);
  }
  if (mailbox_ == nullptr) {
    arrive_at(packet, arrival);
  } else {
    // arrival of this packet; another packet ahead of it on the wire overwrites the value
    packet->next_arrival = arrival;
    mailbox_->put(&Link::enter, this, packet, arrival);
  }
  return serialisation;
}

// Orders arrivals at one instant by a drawn rank. Kept out of line, since most links order arrivals
// by rank.
[[gnu::noinline, gnu::cold]] void Link::draw_rank(PicoSeconds arrival) {
  arrival_.set_rank(extras_->ties->place(extras_->number, arrival));
}

void Link::enter(void* link, void* item) {
  auto* const packet = static_cast<Packet*>(item);
  static_cast<Link*>(link)->arrive_at(packet, packet->next_arrival);
}

bool Link::survives(Packet* packet, PicoSeconds now) {
  if (!failed_) {  // an intact link gets here only with a tap, a loss hook or jitter
    if (extras_->tap) extras_->tap(*packet, now);
    if (!extras_->loss || !extras_->loss(*packet)) return true;
  }
  ++extras().lost;
  pool_->free(packet);
  return false;
}

void Link::deliver() {
  Packet* const packet = in_flight_.pop();
  // The next packet may not be in the caches, so the link schedules its arrival without reading it.
  if (!in_flight_.empty()) schedule_arrival(in_flight_.front(), packet->next_arrival);
  sink_->receive(packet, sink_port_);
}

}  // namespace dcc
