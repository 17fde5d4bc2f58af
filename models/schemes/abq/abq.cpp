#include "schemes/abq/abq.h"

#include "describe/parameter_error.h"
#include "describe/visitor.h"

namespace dcc {

namespace {
const Disciplines::Registered<AbqParameters> kAbq{
    "abq", "a bounded queue by priority that holds ACKs of its senders back while it is long",
    kMakes<AbqPort>};

DropTailParameters drop_tail_of(const AbqParameters& parameters) {
  DropTailParameters queue;
  queue.limit = parameters.limit;
  return queue;
}
}  // namespace

void AbqParameters::describe(ParameterVisitor& v) {
  v.field("limit", limit, {"64B", "1GB"}, {"bytes that may wait at a port"});
  v.field("hold_above", hold_above, {"0B", "1GB"},
          {"bytes that wait at a port above which ACKs from its far end are held back",
           "ABQ, IEEE Network 2020; the value is ours"});
}

void AbqParameters::check() const {
  if (hold_above >= limit) {
    throw ParameterError({"hold_above", "limit"},
                         "hold_above must be less than limit, or no ACK is ever held back");
  }
}

AbqPort::AbqPort(const AbqParameters& parameters, const DisciplineContext& context)
    : queue_(drop_tail_of(parameters), context), hold_above_(parameters.hold_above) {}

bool AbqPort::holds(const Packet& packet, std::size_t others) const {
  return packet.kind == PacketKind::kAck && (others > 0 || bytes() > hold_above_);
}

}  // namespace dcc
