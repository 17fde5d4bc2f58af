// AF-QCN at the congestion point: feedback by a flow's excess over the share of its weight.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/state_digest.h"
#include "switch/qcn_point.h"
#include "units.h"

namespace dcc {

/// Counts the arriving bytes of each flow and averages them over intervals; each interval has half
/// the weight of the next one. A flow that stops is forgotten when its average falls below a byte.
class FlowShares {
 public:
  explicit FlowShares(PicoSeconds interval) : interval_(interval) {}

  /// Counts a packet of a flow. `weight`: the flow's weight, read at its first packet only.
  void arrival(std::uint32_t flow, double weight, Bytes bytes, PicoSeconds now);
  /// Excess [1 − f/r]⁺ of a flow over its fair share, with the flow's average arrivals r and its
  /// fair share f = r_all·weight/weight_all; 0 for a flow without an average.
  double excess(std::uint32_t flow) const;

  void add_state(StateDigest& d) const { d(interval_, turn_, all_, weights_, flows_); }

 private:
  struct Flow {
    std::uint32_t number = 0;
    double weight = 1;
    Bytes arrived = 0;  // bytes of the flow that arrived in the present interval
    Bytes average = 0;  // average of the flow's arriving bytes over earlier intervals
    void add_state(StateDigest& d) const { d(number, weight, arrived, average); }
  };
  void turn(PicoSeconds now);

  PicoSeconds interval_;
  std::int64_t turn_ = 0;    // number of the present averaging interval
  Bytes all_ = 0;            // sum of the flows' average arrivals
  double weights_ = 0;       // sum of the weights of flows with an average
  std::vector<Flow> flows_;  // flows with counted arrivals, sorted by number
};

/// Changes the QCN feedback φ of a sampled packet to (1 − a)·φ + a·63·e, with a = `fair` and e the
/// excess of the packet's flow over its fair share.
class FairFeedback final : public FeedbackRule {
 public:
  /// `weights`: weights of flows by DSCP; if empty, all weights are 1. Throws std::invalid_argument
  /// if `interval` is zero.
  FairFeedback(double fair, PicoSeconds interval, std::vector<double> weights);

  std::uint32_t feedback(std::uint32_t feedback, const Packet& packet, PicoSeconds now) override;
  void add_state(StateDigest& d) const override;

 private:
  double fair_;
  std::vector<double> weights_;
  FlowShares shares_;
};

}  // namespace dcc
