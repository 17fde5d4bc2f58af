// The congestion point of 802.1Qau: samples a queue and quantises its congestion to six bits.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/random.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Set by the congestion control algorithms qcn and af_qcn, which hold the defaults
/// (schemes/qcn/qcn.h).
struct QcnPointParameters {
  bool enabled = false;
  Bytes set_point = 0;                // cpQSp: target queue length in bytes
  std::int64_t w = 0;                 // cpW: weight of the queue's growth
  Bytes sample_base = 0;              // cpSampleBase: bytes between two samples without congestion
  std::uint8_t message_priority = 6;  // priority of notification messages
  // AF-QCN: part of the feedback that follows a flow's excess over its fair share; 0: plain QCN.
  double fair = 0;
  PicoSeconds fair_interval{};  // interval in which the arrivals of flows are counted
  std::vector<double> weights;  // weight of a flow by its DSCP; empty: all weights are 1
};

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
    d(turn_, all_, weights_, flows_);
  }

 private:
  struct Flow {
    std::uint32_t number = 0;
    double weight = 1;
    Bytes arrived = 0;  // bytes of the flow that arrived in the present interval
    Bytes average = 0;  // average bytes of the flow per earlier interval
    template <class Digest>
    void add_state(Digest& d) const {
      d(number, weight, arrived, average);
    }
  };
  void turn(PicoSeconds now);

  PicoSeconds interval_;
  std::int64_t turn_ = 0;    // number of the present interval
  Bytes all_ = 0;            // sum of the averages of all flows
  double weights_ = 0;       // sum of the weights of flows with an average
  std::vector<Flow> flows_;  // flows in the order of their numbers
};

/// The congestion point of one egress queue. Feedback Fb = (Qsp − Q) − w·(Q − Qold), quantised to
/// −Fb·63 / (Qsp·(2w+1)), 0 … 63 (802.1Q-2018, clause 30.2.1). Samples more often under congestion.
class QcnPoint {
 public:
  /// Throws std::invalid_argument for a set point or sample base below 1, or a negative w.
  explicit QcnPoint(const QcnPointParameters& parameters);

  /// Counts a packet that joined the queue, which now holds `queue` bytes. Returns the feedback to
  /// send to the packet's source, 1 … 63, or 0 if no message is due.
  std::uint32_t arrival(Bytes bytes, Bytes queue, RandomStream& random);
  /// AF-QCN: counts the packet to its flow's arrivals. Feedback φ that is due becomes (1 − a)·φ +
  /// a·63·e, a = `fair` and e the flow's excess (FlowShares). Precondition: fair > 0.
  std::uint32_t weighed(std::uint32_t feedback, const Packet& packet, PicoSeconds now);

  template <class Digest>
  void add_state(Digest& d) const {
    d(to_sample_, old_queue_);
    if (fair_ > 0) d(shares_);
  }

 private:
  Bytes set_point_;
  std::int64_t w_;
  Bytes sample_base_;
  Bytes to_sample_;      // number of bytes until the next sample
  Bytes old_queue_ = 0;  // queue length at the last sample
  double fair_;
  std::vector<double> weights_;
  FlowShares shares_;
};

}  // namespace dcc
