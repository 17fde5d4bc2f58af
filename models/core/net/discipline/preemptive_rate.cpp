#include "net/discipline/preemptive_rate.h"

#include "sim/state_digest.h"

namespace dcc {

namespace {
const Disciplines::Registered<PreemptiveRateParameters> kPreemptiveRate{
    "preemptive_rate", "gives the link's rate to the most critical flows and pauses the others",
    [](const PreemptiveRateParameters& parameters, const DisciplineContext& context) {
      return std::make_unique<PreemptiveRatePort>(parameters, context);
    }};

DropTailParameters queue_of(const PreemptiveRateParameters& parameters) {
  DropTailParameters queue;
  queue.limit = parameters.limit;
  return queue;
}
}  // namespace

void PreemptiveRateParameters::describe(ParameterVisitor& v) {
  rates.describe(v);
  v.field("limit", limit, {"64B", "1GB"}, {"bytes that may wait at a port", ""});
}

/// Its name is drawn, so that no two ports of a network have the same.
PreemptiveRatePort::PreemptiveRatePort(const PreemptiveRateParameters& parameters,
                                       const DisciplineContext& context)
    : rates_(parameters.rates, context.random.next_u64() | 1),
      queue_(queue_of(parameters), context),
      context_(context) {}

void PreemptiveRatePort::attach(const LinkParameters& link) {
  rates_.set_link(link.rate);
  queue_.attach(link);
}

PortDiscipline::Verdict PreemptiveRatePort::enqueue(Packet* packet) {
  if (SchedulingHeaderOn::way_out(*packet)) {
    SchedulingHeader header = SchedulingHeaderOn::read(*packet);
    rates_.ask(packet->flow, header, bytes(), context_.clock.now());
    SchedulingHeaderOn::write(*packet, header);
  }
  return queue_.enqueue(packet);
}

void PreemptiveRatePort::came_back(const Packet& packet) {
  if (!SchedulingHeaderOn::way_back(packet)) return;
  rates_.answer(packet.flow, SchedulingHeaderOn::read(packet), packet.sent);
}

void PreemptiveRatePort::add_state(StateDigest& d) const { d(rates_, queue_); }

}  // namespace dcc
