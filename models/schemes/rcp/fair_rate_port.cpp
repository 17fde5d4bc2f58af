#include "schemes/rcp/fair_rate_port.h"

#include <algorithm>

namespace dcc {

namespace {
const Disciplines::Registered<FairRatePortParameters> kFairRate{
    "fair_rate", "writes one rate for all flows into packets, by spare capacity and queue",
    kMakes<FairRatePort>};
}  // namespace

void FairRatePortParameters::describe(ParameterVisitor& v) {
  rates.describe(v);
  AskedPortParameters::describe(v);
}

FairRatePort::FairRatePort(const FairRatePortParameters& parameters,
                           const DisciplineContext& context)
    : ModelledPort(parameters, context, parameters.rates) {}

void FairRatePort::asked(Packet& packet) {
  if (!FairRateHeader::is_on(packet)) {
    model_.comes(on_wire(packet), bytes(), PicoSeconds(), now());
    return;
  }
  const PicoSeconds round_trip = FairRateHeader::round_trip(packet);
  model_.comes(on_wire(packet), bytes(), round_trip, now());
  const BitRate rate = FairRateHeader::rate(packet);
  const BitRate own = model_.rate();
  FairRateHeader::write(packet, BitRate(std::min(rate.bits_per_second, own.bits_per_second)),
                        round_trip);
}

}  // namespace dcc
