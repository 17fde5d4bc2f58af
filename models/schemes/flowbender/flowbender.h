// Parameters of FlowBender, which moves a flow to another path after too many marks.
#pragma once

#include "fabric/balancers.h"

namespace dcc {

/// Kabbani, Vamanan, Hasan and Duchene, "FlowBender: Flow-level Adaptive Routing for Improved
/// Latency and Throughput in Datacenter Networks", CoNEXT 2014, section 3.
struct FlowbenderParameters final : BalancerParameters {
  // threshold T: share of marked ACKs in a round trip that counts as congestion
  Ratio mark_share{1, 20};
  unsigned rounds = 1;  // number N of consecutive congested round trips after which a flow moves
  unsigned values = 8;  // number of values V, which switches hash in addition to the flow

  void describe(ParameterVisitor& v) override;
};

}  // namespace dcc
