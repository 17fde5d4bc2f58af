#include "schemes/pdq/preemptive_rate.h"

namespace dcc {

namespace {
const Disciplines::Registered<PreemptiveRateParameters> kPreemptiveRate{
    "preemptive_rate", "gives the link's rate to the most critical flows and pauses the others",
    kMakes<PreemptiveRatePort>};
}  // namespace

void PreemptiveRateParameters::describe(ParameterVisitor& v) {
  rates.describe(v);
  AskedPortParameters::describe(v);
}

/// The identification number of the port is random, so that no two ports of a network have the same
/// number.
PreemptiveRatePort::PreemptiveRatePort(const PreemptiveRateParameters& parameters,
                                       const DisciplineContext& context)
    : ModelledPort(parameters, context, parameters.rates, context.random.next_u64() | 1) {}

void PreemptiveRatePort::asked(Packet& packet) {
  if (!SchedulingHeaderOn::way_out(packet)) return;
  SchedulingHeader header = SchedulingHeaderOn::read(packet);
  const bool probe = packet.kind == PacketKind::kRequest;
  model_.ask(packet.flow, header, bytes(), now(), probe ? on_wire(packet) : 0);
  SchedulingHeaderOn::write(packet, header);
}

void PreemptiveRatePort::reverse_packet(const Packet& packet) {
  if (!SchedulingHeaderOn::way_back(packet)) return;
  model_.answer(packet.flow, SchedulingHeaderOn::read(packet), packet.sent);
}

}  // namespace dcc
