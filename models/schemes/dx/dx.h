// DX: a window that grows by a packet per round trip while no packet waits in queues, and otherwise
// shrinks by the mean delay.
#pragma once

#include <optional>

#include "schemes/common/delay_window.h"

namespace dcc {

/// Lee, Park, Jang, Moon and Han, "Accurate Latency-based Congestion Feedback for Datacenters",
/// USENIX ATC 2015.
struct DxParameters final : DelayWindowParameters {
  // queueing delay up to which a flow's packets count as not queued
  PicoSeconds noise = kMicroSecond;
  // payload bytes by which a window grows in a round trip; empty: a full packet
  std::optional<Bytes> growth;

  void describe(ParameterVisitor& v) override;
};

/// The DX rule, applied once a round trip with the mean queueing delay Q of its packets:
///
///     W ← W + growth      if Q is at most `noise`
///     W ← W (1 − Q / V)   otherwise
///
/// The value of V is derived for this model. At a bottleneck of rate C all windows together are C ·
/// RTT, of which C · Q waits. A cut of every window by the part Q / RTT removes the waiting bytes,
/// so with V = RTT one step empties the queue, whatever the number of flows. RTT is the mean over
/// the round trip, and Q is the mean RTT minus the least RTT. The paper measures the delay one way;
/// acknowledgements here carry no time of arrival, so queueing of ACKs counts too.
///
/// The effect of a cut is measured late: packets whose delay is measured in the round trip after a
/// cut were sent before the cut, and waited in the queue that the cut removes. A second cut for the
/// same queue would empty the link. So a flow that has cut its window to half or less, as all flows
/// do at the start, keeps the window for one round trip. After smaller cuts the flow may cut again,
/// which makes flows equal sooner.
class Dx final : public DelayWindow {
 public:
  /// `rank`: number that differs from NIC to NIC.
  Dx(AlgorithmHost& host, const DxParameters& parameters, std::uint32_t mtu,
     std::uint32_t rank = 0);

  void release(FlowNumber flow) override;

 private:
  void begin(FlowNumber number, const Flow& flow) override;
  long double rounding(FlowNumber number) override;
  long double next_window(FlowNumber number, const Flow& flow) override;

  const long double noise_;  // greatest queueing delay in ps that counts as none
  const long double growth_;
  const std::uint32_t rank_;
  struct State {
    long double part = 0;  // share of a packet that is added to the flow's window for the NIC
    // true if the share `part` of a packet changes from round trip to round trip
    bool spreads = false;
    // true if the flow's window was cut to half or less in the previous round trip
    bool has_cut = false;
  };
  NumberedTable<State> states_;
};

}  // namespace dcc
