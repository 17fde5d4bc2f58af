// Parameters of REPS.
#pragma once

#include "fabric/balancers.h"

namespace dcc {

struct RepsParameters final : BalancerParameters {
  static constexpr unsigned kMaxKept = 64;
  unsigned entropies = 255;  // number of different entropy values
  unsigned kept = 8;         // entropy values per flow that ACKs brought back
  unsigned warm_up = 32;     // first packets of a flow, whose entropy values are random

  void describe(ParameterVisitor& v) override;
};

}  // namespace dcc
