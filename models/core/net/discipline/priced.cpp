#include "net/discipline/priced.h"

#include "sim/state_digest.h"

namespace dcc {

namespace {
const Disciplines::Registered<PricedParameters> kPriced{
    "priced", "asks a price for every bit, by what all pay for the link",
    [](const PricedParameters& parameters, const DisciplineContext& context) {
      return std::make_unique<PricedPort>(parameters, context);
    }};

DropTailParameters queue_of(const PricedParameters& parameters) {
  DropTailParameters queue;
  queue.limit = parameters.limit;
  return queue;
}
}  // namespace

void PricedParameters::describe(ParameterVisitor& v) {
  prices.describe(v);
  v.field("limit", limit, {"64B", "1GB"}, {"bytes that may wait at a port", ""});
}

PricedPort::PricedPort(const PricedParameters& parameters, const DisciplineContext& context)
    : link_(parameters.prices), queue_(queue_of(parameters), context), context_(context) {}

void PricedPort::attach(const LinkParameters& link) {
  link_.set_link(link.rate);
  overhead_ = link.overhead;
  queue_.attach(link);
}

PortDiscipline::Verdict PricedPort::enqueue(Packet* packet) {
  const PicoSeconds now = context_.clock.now();
  const Bytes wire = packet->wire_bytes + overhead_;
  if (!PriceHeader::is_on(*packet) || packet->immediate >= packet->telemetry_hops) {
    link_.comes(wire, 0, bytes(), now);
    return queue_.enqueue(packet);
  }
  IntHop& hop = packet->telemetry->hop[packet->immediate++];
  if (packet->kind == PacketKind::kData) {
    link_.comes(wire, PriceHeader::price(hop), bytes(), now);
  } else {
    LinkPrice::Preload ahead = PriceHeader::preload(*packet);
    link_.comes(wire, 0, bytes(), now);
    link_.preload(ahead, now);
    ahead.elsewhere += link_.price();
    PriceHeader::write(*packet, ahead);
  }
  PriceHeader::write(hop, link_.price());
  return queue_.enqueue(packet);
}

void PricedPort::add_state(StateDigest& d) const { d(link_, queue_); }

}  // namespace dcc
