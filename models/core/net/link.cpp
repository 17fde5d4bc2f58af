#include "net/link.h"

#include <cassert>

namespace dcc {

namespace {
constexpr std::uint64_t kPicoBitsPerByte = 8'000'000'000'000u;
}

Link::Link(Scheduler& scheduler, PacketPool& pool, const LinkParameters& parameters,
           std::uint32_t rank)
    : scheduler_(scheduler),
      delay_(parameters.delay),
      arrival_(Event::calling<&Link::deliver>(*this, rank)),
      parameters_(parameters),
      pool_(pool) {
  const std::uint64_t rate = parameters.rate.bits_per_second;
  assert(rate > 0);
  if (kPicoBitsPerByte % rate == 0) {
    per_byte_ = PicoSeconds(static_cast<std::int64_t>(kPicoBitsPerByte / rate));
  }
}

void Link::connect(PacketSink& sink, int port) {
  sink_ = &sink;
  sink_port_ = port;
}

PicoSeconds Link::send(Packet* packet) {
  const Bytes on_wire = packet->wire_bytes + parameters_.overhead;
  const PicoSeconds serialisation =
      per_byte_.count != 0 ? per_byte_ * on_wire : serialization_time(on_wire, parameters_.rate);
  const PicoSeconds now = scheduler_.now();
  assert(now >= free_at_ && "the wire is still sending");
  free_at_ = now + serialisation;
  counters_.busy += serialisation;
  if (watched_ && !survives(packet, now)) return serialisation;
  ++counters_.packets;
  counters_.bytes += packet->wire_bytes;
  const PicoSeconds arrival = free_at_ + delay_;
  if (in_flight_.empty()) {
    scheduler_.schedule_at(arrival_, arrival, packet);
  } else {
    in_flight_.back()->next_arrival = arrival;
  }
  in_flight_.push(packet);
  return serialisation;
}

bool Link::survives(Packet* packet, PicoSeconds now) {
  if (tap_) tap_(*packet, now);
  if (!loss_ || !loss_(*packet)) return true;
  ++counters_.lost;
  pool_.give_back(packet);
  return false;
}

void Link::deliver() {
  Packet* const packet = in_flight_.pop();
  // A packet may have left the caches on its way, so the one behind is not looked at but announced.
  if (!in_flight_.empty()) {
    scheduler_.schedule_at(arrival_, packet->next_arrival, in_flight_.front());
  }
  sink_->receive(packet, sink_port_);
}

}  // namespace dcc
