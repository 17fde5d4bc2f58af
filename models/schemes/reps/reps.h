// Parameters of REPS, which reuses entropy values whose packets met no mark.
#pragma once

#include "fabric/balancers.h"

namespace dcc {

struct RepsParameters final : BalancerParameters {
  static constexpr unsigned kMaxKept = 64;
  unsigned entropies = 255;  // number of different entropy values that packets can carry
  unsigned kept = 8;         // maximum number of recycled entropy values stored per flow
  unsigned warm_up = 32;     // number of first packets of a flow whose entropy values are random

  void describe(ParameterVisitor& v) override;
};

}  // namespace dcc
