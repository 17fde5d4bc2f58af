// Parameters of FlowBender.
#pragma once

#include "fabric/balancers.h"

namespace dcc {

/// Kabbani, Vamanan, Hasan and Duchene, "FlowBender: Flow-level Adaptive Routing for Improved
/// Latency and Throughput in Datacenter Networks", CoNEXT 2014, section 3.
struct FlowbenderParameters final : BalancerParameters {
  Ratio mark_share{1, 20};  // T: share of marked ACKs in a round trip that counts as congestion
  unsigned rounds = 1;      // N: congested round trips in a row after which a flow moves
  unsigned values = 8;      // number of values of the field that switches also hash

  void describe(ParameterVisitor& v) override;
};

}  // namespace dcc
