// Parameters of Presto, which sends the cells of a flow over its paths in turn.
#pragma once

#include "fabric/balancers.h"

namespace dcc {

struct PrestoParameters final : BalancerParameters {
  Bytes cell = 64_KiB;  // payload bytes of a flow that take one path before the next path is used

  void describe(ParameterVisitor& v) override;
};

}  // namespace dcc
