// Parameters of DeTail's load balancing, which chooses ports by their drain bytes.
#pragma once

#include "fabric/balancers.h"

namespace dcc {

/// Limits of a port's drain bytes (PathView::drain) by which DeTail classifies ports.
struct DetailParameters final : BalancerParameters {
  Bytes favoured_below = 16_KB;
  Bytes avoided_from = 64_KB;

  void describe(ParameterVisitor& v) override;
  void check() const override;
};

}  // namespace dcc
