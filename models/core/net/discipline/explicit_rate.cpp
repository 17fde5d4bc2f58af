#include "net/discipline/explicit_rate.h"

#include "sim/state_digest.h"

namespace dcc {

namespace {
const Disciplines::Registered<ExplicitRateParameters> kExplicitRate{
    "explicit_rate",
    "gives out the link's rate to flows that ask for some, first come first served",
    [](const ExplicitRateParameters& parameters, const DisciplineContext& context) {
      return std::make_unique<ExplicitRatePort>(parameters, context);
    }};

DropTailParameters queue_of(const ExplicitRateParameters& parameters) {
  DropTailParameters queue;
  queue.limit = parameters.limit;
  return queue;
}
}  // namespace

void ExplicitRateParameters::describe(ParameterVisitor& v) {
  rates.describe(v);
  v.field("limit", limit, {"64B", "1GB"}, {"bytes that may wait at a port", ""});
}

ExplicitRatePort::ExplicitRatePort(const ExplicitRateParameters& parameters,
                                   const DisciplineContext& context)
    : rates_(parameters.rates), queue_(queue_of(parameters), context), context_(context) {}

void ExplicitRatePort::attach(const LinkParameters& link) {
  rates_.set_link(link.rate);
  overhead_ = link.overhead;
  queue_.attach(link);
}

PortDiscipline::Verdict ExplicitRatePort::enqueue(Packet* packet) {
  const PicoSeconds now = context_.clock.now();
  rates_.comes(packet->wire_bytes + overhead_, bytes(), now);
  using Header = RateRequestHeader;
  if (Header::is_on(*packet) && packet->immediate < packet->telemetry_hops) {
    IntHop& hop = packet->telemetry->hop[packet->immediate++];
    Header::write(hop, rates_.answer({Header::desired(*packet), Header::past_desired(*packet),
                                      Header::lease(hop), Header::leaves(*packet)},
                                     now));
  }
  return queue_.enqueue(packet);
}

void ExplicitRatePort::add_state(StateDigest& d) const { d(rates_, queue_); }

}  // namespace dcc
