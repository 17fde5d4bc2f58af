#include "schemes/fcp/priced.h"

namespace dcc {

namespace {
const Disciplines::Registered<PricedParameters> kPriced{
    "priced", "sets a price for every bit from what all flows pay for the link",
    kMakes<PricedPort>};
}  // namespace

void PricedParameters::describe(ParameterVisitor& v) {
  prices.describe(v);
  AskedPortParameters::describe(v);
}

PricedPort::PricedPort(const PricedParameters& parameters, const DisciplineContext& context)
    : ModelledPort(parameters, context, parameters.prices) {}

void PricedPort::asked(Packet& packet) {
  const bool has_place = PriceHeader::is_on(packet) && packet.immediate < packet.telemetry_hops;
  if (!has_place) {
    model_.comes(on_wire(packet), 0, bytes(), now());
    return;
  }
  IntHop& hop = packet.telemetry->hop[packet.immediate++];
  if (packet.kind == PacketKind::kData) {
    model_.comes(on_wire(packet), PriceHeader::price(hop), bytes(), now());
  } else {
    LinkPrice::Preload ahead = PriceHeader::preload(packet);
    model_.comes(on_wire(packet), 0, bytes(), now());
    model_.preload(ahead, now());
    ahead.elsewhere += model_.price();
    PriceHeader::write(packet, ahead);
  }
  PriceHeader::write(hop, model_.price());
}

}  // namespace dcc
