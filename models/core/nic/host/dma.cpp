#include "nic/host/dma.h"

#include "describe/visitor.h"

namespace dcc {

void DmaParameters::describe(ParameterVisitor& v) {
  v.field("latency", latency, {"0us", "1ms"}, {"latency of one access"});
  v.field("rate", rate, {"1Mbps", "10Tbps"}, {"rate of each direction"});
  v.field("outstanding", outstanding, {"1", "65536"}, {"greatest number of concurrent reads"});
}

}  // namespace dcc
