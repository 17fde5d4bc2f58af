// Compound TCP: the window is the sum of a window by marks and a window by delay.
#pragma once

#include "schemes/common/delay_window.h"

namespace dcc {

/// Tan, Song, Zhang and Sridharan, "A Compound TCP Approach for High-Speed and Long Distance
/// Networks", INFOCOM 2006, section III. A mark takes the place of the paper's loss.
struct CompoundParameters final : DelayWindowParameters {
  // α, factor of the growth of the window: alpha · window^(3/4) packets per round trip
  Ratio alpha{1, 8};
  Ratio beta{1, 2};  // β, share of the window that a marked round trip removes
  Ratio zeta{1};     // ζ, packets that the delay window loses for each packet in queues
  // γ, number of the flow's packets in queues from which on the delay window shrinks
  std::uint32_t gamma = 30;

  void describe(ParameterVisitor& v) override;
  void ask_marking(EcnParameters& ecn) const override;
};

/// The window is the sum of a window by marks and a window by delay. After a round trip without a
/// mark, the window by marks grows by a packet. The window by delay grows so that the sum grows by
/// α · sum^(3/4) packets as long as fewer than γ packets of the flow wait in queues, and shrinks by
/// ζ times the number of waiting packets otherwise. A round trip with a mark halves the window by
/// marks and sets the sum to (1 − β) of its value.
class Compound final : public DelayWindow {
 public:
  Compound(AlgorithmHost& host, const CompoundParameters& parameters, std::uint32_t mtu);

  AlgorithmNeeds needs() const override;
  void release(FlowNumber flow) override;

 private:
  void begin(FlowNumber number, const Flow& flow) override;
  long double next_window(FlowNumber number, const Flow& flow) override;

  const long double alpha_, beta_, zeta_, gamma_;
  // window by marks of each flow in packets; the rest of the flow's window is its window by delay
  NumberedTable<long double> by_marks_;
};

}  // namespace dcc
