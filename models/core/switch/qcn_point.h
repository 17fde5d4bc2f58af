// The congestion point of 802.1Qau: samples a queue and quantises its congestion to six bits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/random.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class StateDigest;

/// Rule of a scheme that changes the QCN feedback of one queue depending on the packet's flow.
class FeedbackRule {
 public:
  virtual ~FeedbackRule() = default;
  /// The congestion point calls this function for every data packet that joins the queue.
  /// `feedback`: the feedback that the queue alone gives to the packet's source, 0 … 63; 0: no
  /// message is due. Returns the feedback that the message carries; 0: no message leaves.
  virtual std::uint32_t feedback(std::uint32_t feedback, const Packet& packet, PicoSeconds now) = 0;
  virtual void add_state(StateDigest& d) const = 0;
};

/// Parameters of a QCN congestion point, set by algorithms that react to its messages
/// (AlgorithmParameters::ask_switch).
struct QcnPointParameters {
  bool enabled = false;
  Bytes set_point = 0;                // cpQSp: target queue length in bytes
  std::int64_t w = 0;                 // cpW: weight of the queue's growth in the feedback
  Bytes sample_base = 0;              // cpSampleBase: bytes between two samples without congestion
  std::uint8_t message_priority = 6;  // 802.1p priority of congestion notification messages
  std::vector<double> weights;        // weight of a flow by its DSCP; empty: all are 1
  /// Function that makes the feedback rule of a queue from these parameters; empty: the queue alone
  /// decides.
  std::function<std::unique_ptr<FeedbackRule>(const QcnPointParameters&)> rule;
};

/// The congestion point of one egress queue. Feedback Fb = (Qsp − Q) − w·(Q − Qold), quantised to
/// −Fb·63 / (Qsp·(2w+1)), 0 … 63 (802.1Q-2018, clause 30.2.1). The point samples more often under
/// congestion.
class QcnPoint {
 public:
  /// Makes a congestion point; throws std::invalid_argument for a set point or sample base below 1,
  /// or a negative w.
  explicit QcnPoint(const QcnPointParameters& parameters);

  /// Counts a packet that joined the queue, which now holds `queue` bytes. Returns the feedback to
  /// send to the packet's source, 1 … 63, or 0 if no message is due.
  std::uint32_t arrival(const Packet& packet, Bytes queue, RandomStream& random, PicoSeconds now) {
    const std::uint32_t feedback = sample(packet.wire_bytes, queue, random);
    return rule_ == nullptr ? feedback : rule_->feedback(feedback, packet, now);
  }

  void add_state(StateDigest& d) const {
    d(to_sample_, old_queue_);
    if (rule_ != nullptr) rule_->add_state(d);
  }

 private:
  std::uint32_t sample(Bytes bytes, Bytes queue, RandomStream& random);

  Bytes set_point_;
  std::int64_t w_;
  Bytes sample_base_;
  Bytes to_sample_;                     // bytes that join the queue until the next sample
  Bytes old_queue_ = 0;                 // queue length at the last sample
  std::unique_ptr<FeedbackRule> rule_;  // feedback rule of a scheme; null: none
};

}  // namespace dcc
