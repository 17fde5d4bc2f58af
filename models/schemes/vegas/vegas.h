// TCP Vegas: a window that keeps between two and four packets of a flow in the queues of its path.
#pragma once

#include "schemes/common/delay_window.h"

namespace dcc {

/// Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE
/// JSAC 13(8), 1995, section III-B.
struct VegasParameters final : DelayWindowParameters {
  std::uint32_t alpha = 2;  // number of packets in queues below which the window grows
  std::uint32_t beta = 4;   // number of packets in queues above which the window shrinks

  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
};

/// The Vegas rule, applied once a round trip: with W(1 − least RTT / RTT) the number of the flow's
/// packets in queues, the window grows by a packet if that number is below α, and shrinks by a
/// packet if it is above β. RTT is the least RTT of the round trip, as in Linux, so that bursts of
/// ACKs have no effect. So N flows at one bottleneck keep between N α and N β packets in its queue.
class Vegas final : public DelayWindow {
 public:
  Vegas(AlgorithmHost& host, const VegasParameters& parameters, std::uint32_t mtu);

 private:
  long double next_window(FlowNumber number, const Flow& flow) override;

  const long double alpha_, beta_;  // bounds α and β in payload bytes
};

}  // namespace dcc
