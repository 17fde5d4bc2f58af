// Parameters of DRILL, which compares the queues of a few ports for each packet.
#pragma once

#include "fabric/balancers.h"

namespace dcc {

struct DrillParameters final : BalancerParameters {
  unsigned samples = 2;  // number of ports drawn at random for each packet
  // number of best ports of the previous packet that are compared again for the next packet
  unsigned memory = 1;

  void describe(ParameterVisitor& v) override;
};

}  // namespace dcc
