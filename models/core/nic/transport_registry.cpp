#include "nic/transport_registry.h"

#include "describe/visitor.h"

namespace dcc {

void TransportParameters::describe_framing(ParameterVisitor& v) {
  v.field("header", framing.header, {"20B", "1KB"},
          {"bytes around a payload, Ethernet header to FCS"});
  v.field("control", framing.control, {"20B", "1KB"},
          {"bytes of a packet without payload: acknowledgements, credits"});
}

}  // namespace dcc
