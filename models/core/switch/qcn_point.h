// The congestion point of 802.1Qau: samples a queue and quantises its congestion to six bits.
#pragma once

#include <cstdint>

#include "sim/random.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Set by the congestion control algorithm qcn, which holds the defaults (schemes/qcn/qcn.h).
struct QcnPointParameters {
  bool enabled = false;
  Bytes set_point = 0;                // cpQSp: target queue length
  std::int64_t w = 0;                 // cpW: weight of the queue's growth
  Bytes sample_base = 0;              // cpSampleBase: bytes between samples without congestion
  std::uint8_t message_priority = 6;  // priority of notification messages
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

  template <class Digest>
  void add_state(Digest& d) const {
    d(to_sample_, old_queue_);
  }

 private:
  Bytes set_point_;
  std::int64_t w_;
  Bytes sample_base_;
  Bytes to_sample_;      // bytes until the next sample
  Bytes old_queue_ = 0;  // length at the last sample
};

}  // namespace dcc
