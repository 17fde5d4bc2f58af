// FAST: a window that keeps a fixed number of a flow's bytes in the queues of its path.
#pragma once

#include "schemes/common/delay_window.h"

namespace dcc {

/// Jin, Wei and Low, "FAST TCP: Motivation, Architecture, Algorithms, Performance", INFOCOM 2004,
/// section IV: equation (6) for the window.
struct FastParameters final : DelayWindowParameters {
  Bytes alpha = 20'000;  // payload bytes of each flow that wait in queues in equilibrium
  Ratio gamma{1, 2};  // γ, share of the way from the old to the new window that one update takes

  void describe(ParameterVisitor& v) override;
};

/// The FAST rule, applied once a round trip with the smoothed RTT and the least RTT of the flow,
///   window ← min(2 window, (1 − γ) window + γ (least RTT / RTT · window + α)). In equilibrium a
///   flow has α bytes in the queues of its path. So N flows at one bottleneck get equal rates
///   whatever their round trips are, and keep N α bytes in its queue.
class Fast final : public DelayWindow {
 public:
  Fast(AlgorithmHost& host, const FastParameters& parameters, std::uint32_t mtu);

 private:
  long double next_window(FlowNumber number, const Flow& flow) override;

  const long double alpha_, gamma_;
};

}  // namespace dcc
