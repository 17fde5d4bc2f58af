#include "nic/dma.h"

#include "describe/visitor.h"

namespace dcc {

void DmaParameters::describe(ParameterVisitor& v) {
  v.field("latency", latency, {"0us", "1ms"}, {"of one access", ""});
  v.field("rate", rate, {"1Mbps", "10Tbps"}, {"of either direction", ""});
  v.field("outstanding", outstanding, {"1", "65536"}, {"reads under way at a time", ""});
}

}  // namespace dcc
