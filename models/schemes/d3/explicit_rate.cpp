#include "schemes/d3/explicit_rate.h"

namespace dcc {

namespace {
const Disciplines::Registered<ExplicitRateParameters> kExplicitRate{
    "explicit_rate", "allocates the link's rate to flows that request it, first come first served",
    kMakes<ExplicitRatePort>};
}  // namespace

void ExplicitRateParameters::describe(ParameterVisitor& v) {
  rates.describe(v);
  AskedPortParameters::describe(v);
}

ExplicitRatePort::ExplicitRatePort(const ExplicitRateParameters& parameters,
                                   const DisciplineContext& context)
    : ModelledPort(parameters, context, parameters.rates) {}

void ExplicitRatePort::asked(Packet& packet) {
  model_.comes(on_wire(packet), bytes(), now());
  using Header = RateRequestHeader;
  if (packet.kind == PacketKind::kRequest) model_.request_comes(on_wire(packet));
  if (!Header::is_on(packet) || packet.immediate >= packet.telemetry_hops) return;
  IntHop& hop = packet.telemetry->hop[packet.immediate++];
  Header::write_crowded(hop, model_.is_crowded());
  Header::write(
      hop, model_.answer({Header::desired(packet), Header::past_desired(packet), Header::lease(hop),
                          Header::leaves(packet), Header::round_trip(hop)},
                         now()));
}

}  // namespace dcc
