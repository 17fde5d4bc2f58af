#include "net/link.h"

#include <cassert>

namespace dcc {

namespace {
constexpr std::uint64_t kPicoBitsPerByte = 8'000'000'000'000u;
}

Link::Link(Scheduler& scheduler, PacketPool& pool, const LinkParameters& parameters,
           std::uint32_t rank)
    : scheduler_(scheduler),
      pool_(pool),
      parameters_(parameters),
      sent_(Event::calling<&Link::finish_sending>(*this, rank)),
      arrival_(Event::calling<&Link::deliver>(*this, rank)) {
  const std::uint64_t rate = parameters.rate.bits_per_second;
  assert(rate > 0);
  if (kPicoBitsPerByte % rate == 0) {
    per_byte_ = PicoSeconds(static_cast<std::int64_t>(kPicoBitsPerByte / rate));
  }
}

void Link::connect(PacketSource& source, int source_port, PacketSink& sink, int sink_port) {
  source_ = &source;
  source_port_ = source_port;
  sink_ = &sink;
  sink_port_ = sink_port;
}

void Link::send(Packet* packet) {
  assert(!busy_);
  const Bytes on_wire = packet->wire_bytes + parameters_.overhead;
  const PicoSeconds serialisation =
      per_byte_.count != 0 ? per_byte_ * on_wire : serialization_time(on_wire, parameters_.rate);
  const PicoSeconds now = scheduler_.now();
  busy_ = true;
  counters_.busy += serialisation;
  scheduler_.schedule_at(sent_, now + serialisation);
  if (tap_) tap_(*packet, now);
  if (loss_ && loss_(*packet)) {
    ++counters_.lost;
    pool_.give_back(packet);
    return;
  }
  ++counters_.packets;
  counters_.bytes += packet->wire_bytes;
  packet->arrival = now + serialisation + parameters_.delay;
  if (in_flight_.empty()) scheduler_.schedule_at(arrival_, packet->arrival);
  in_flight_.push(packet);
}

void Link::finish_sending() {
  busy_ = false;
  source_->wire_free(source_port_);
}

void Link::deliver() {
  Packet* const packet = in_flight_.pop();
  if (!in_flight_.empty()) scheduler_.schedule_at(arrival_, in_flight_.front()->arrival);
  sink_->receive(packet, sink_port_);
}

}  // namespace dcc
