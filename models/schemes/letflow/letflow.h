// Parameters of LetFlow, which sends every flowlet over a random path.
#pragma once

#include "fabric/balancers.h"
#include "schemes/common/flowlets.h"

namespace dcc {

struct LetflowParameters final : BalancerParameters {
  FlowletParameters flowlet;

  void describe(ParameterVisitor& v) override { flowlet.describe(v); }
};

}  // namespace dcc
