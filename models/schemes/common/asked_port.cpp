#include "schemes/common/asked_port.h"

#include "describe/visitor.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
DropTailParameters queue_of(const AskedPortParameters& parameters) {
  DropTailParameters queue;
  queue.limit = parameters.limit;
  return queue;
}
}  // namespace

void AskedPortParameters::describe(ParameterVisitor& v) {
  v.field("limit", limit, {"64B", "1GB"}, {"bytes that may wait at a port"});
}

AskedPort::AskedPort(const AskedPortParameters& parameters, const DisciplineContext& context)
    : clock_(context.clock), queue_(queue_of(parameters), context) {}

void AskedPort::attach(const LinkParameters& link) {
  set_link(link.rate);
  overhead_ = link.overhead;
  queue_.attach(link);
}

void AskedPort::add_state(StateDigest& d) const { d(queue_); }

}  // namespace dcc
