// The congestion point of 802.1Qau: samples a queue and says how congested it is, in six bits.
#pragma once

#include <cstdint>

#include "sim/random.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Set by the algorithm that asks for it, whose parameters have the defaults (schemes/qcn/qcn.h).
struct QcnPointParameters {
  bool enabled = false;
  Bytes set_point = 0;                // cpQSp: the length it steers to
  std::int64_t w = 0;                 // cpW: weight of the queue's growth
  Bytes sample_base = 0;              // cpSampleBase: bytes between samples without congestion
  std::uint8_t message_priority = 6;  // of the notification messages
};

/// One egress queue. Feedback Fb = (Qsp − Q) − w·(Q − Qold), quantised to −Fb·63 / (Qsp·(2w+1)),
/// 0 … 63 (802.1Q-2018, clause 30.2.1). The more congestion, the more often it samples.
class QcnPoint {
 public:
  explicit QcnPoint(const QcnPointParameters& parameters);

  /// A packet of this size joins and the queue is then `queue` long. Returns the feedback to send
  /// to its source, 1 … 63, or 0: nothing is due.
  std::uint32_t arrival(Bytes bytes, Bytes queue, RandomStream& random);

  template <class Digest>
  void add_state(Digest& d) const {
    d(to_sample_, old_queue_);
  }

 private:
  Bytes set_point_;
  std::int64_t w_;
  Bytes sample_base_;
  Bytes to_sample_;
  Bytes old_queue_ = 0;
};

}  // namespace dcc
