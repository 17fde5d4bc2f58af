// AF-QCN at the congestion point: feedback by a flow's excess over the share of its weight.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/qcn_point.h"
#include "units.h"

namespace dcc {

/// Counts the arrivals of each flow and averages them over intervals, each with half the weight of
/// the one after it. A flow that stops is forgotten when its average falls below a byte.
class FlowShares {
 public:
  explicit FlowShares(PicoSeconds interval) : interval_(interval) {}

  /// Counts a packet. `weight` holds for the flow's first packet.
  void arrival(std::uint32_t flow, double weight, Bytes bytes, PicoSeconds now);
  /// [1 − f/r]⁺ of a flow with the average arrivals r and the fair part f =
  /// r_all·weight/weight_all; 0 for a flow without an average.
  double excess(std::uint32_t flow) const;

  template <class Digest>
  void add_state(Digest& d) const {
    d(interval_, turn_, all_, weights_, flows_);
  }

 private:
  struct Flow {
    std::uint32_t number = 0;
    double weight = 1;
    Bytes arrived = 0;  // bytes that arrived in the present interval
    Bytes average = 0;  // average of the earlier intervals
    template <class Digest>
    void add_state(Digest& d) const {
      d(number, weight, arrived, average);
    }
  };
  void turn(PicoSeconds now);

  PicoSeconds interval_;
  std::int64_t turn_ = 0;    // number of the present interval
  Bytes all_ = 0;            // sum of the averages
  double weights_ = 0;       // sum of the weights of flows with an average
  std::vector<Flow> flows_;  // flows in order of their numbers
};

/// Feedback φ that is due becomes (1 − a)·φ + a·63·e, with a = `fair` and e the excess of the
/// packet's flow.
class FairFeedback final : public FeedbackRule {
 public:
  /// `weights` of flows by DSCP; empty: all are 1. Throws std::invalid_argument for an interval of
  /// no time.
  FairFeedback(double fair, PicoSeconds interval, std::vector<double> weights);

  std::uint32_t feedback(std::uint32_t feedback, const Packet& packet, PicoSeconds now) override;
  void add_state(StateDigest& d) const override;

 private:
  double fair_;
  std::vector<double> weights_;
  FlowShares shares_;
};

}  // namespace dcc
