// DX: a window that grows by a packet while nothing waits, and otherwise shrinks by the mean delay.
#pragma once

#include "schemes/common/delay_window.h"

namespace dcc {

/// Lee, Park, Jang, Moon and Han, "Accurate Latency-based Congestion Feedback for Datacenters",
/// USENIX ATC 2015.
struct DxParameters final : DelayWindowParameters {
  PicoSeconds noise = kMicroSecond;  // greatest delay that counts as none

  void describe(ParameterVisitor& v) override;
};

/// Once a round trip, from the mean queueing delay Q of its packets:
///
///     W ← W + 1 packet    if Q is at most `noise`
///     W ← W (1 − Q / V)   otherwise
///
/// V is our derivation. At a bottleneck of rate C all windows together are C · RTT, of which C · Q
/// waits. A cut of every window by the part Q / RTT removes just that, so with V = RTT one step
/// empties the queue, whatever the number of flows. RTT is the mean of the round trip, and Q is RTT
/// less the least one. The paper measures the delay one way; acknowledgements here carry no time of
/// arrival, so waiting on the way back counts too.
class Dx final : public DelayWindow {
 public:
  Dx(AlgorithmHost& host, const DxParameters& parameters, std::uint32_t mtu);

 private:
  long double next_window(FlowNumber number, const Flow& flow) override;

  const long double noise_;  // ps
};

}  // namespace dcc
