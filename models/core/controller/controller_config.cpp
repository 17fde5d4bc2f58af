// Description and check of the properties of a controller that are fixed when the controller is
// built.
#include "controller/controller_engine.h"
#include "describe/parameter_error.h"
#include "describe/visitor.h"

namespace dcc {

void ControllerConfig::describe(ParameterVisitor& v) {
  v.field("slots", slots, {"1", kMaxSlots}, {"number of flows controlled at the same time"});
  v.field("clock", clock, {"1MHz", "5GHz"}, {"of the controller"});
  v.field("tick", tick, {"10ns", "1ms"}, {"unit of the timing engine"});
  v.field("latency", latency_cycles, {timing::kMinLatency, kMaxLatencyCycles},
          {"cycles from an event's issue to its answer"});
  v.numbers("split", split, {"1", "14"}, {"bits of the three levels of the timing wheel; sum 16"});
}

void ControllerConfig::check() const {
  const unsigned bits = split[0] + split[1] + split[2];
  if (bits != 16) {
    throw ParameterError({"split"},
                         "the levels' bits add up to " + std::to_string(bits) + ", not 16");
  }
}

}  // namespace dcc
