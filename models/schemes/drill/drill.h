// Parameters of DRILL.
#pragma once

#include "fabric/balancers.h"

namespace dcc {

struct DrillParameters final : BalancerParameters {
  unsigned samples = 2;  // ports drawn for each packet
  unsigned memory = 1;   // best ports of the previous packet that are compared again

  void describe(ParameterVisitor& v) override;
};

}  // namespace dcc
