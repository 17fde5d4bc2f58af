// Interfaces that an algorithm may offer beside Algorithm (nic/algorithm/algorithm.h): for rarer
// events and for further figures.
#pragma once

#include "nic/algorithm/algorithm.h"
#include "stats/log_histogram.h"

namespace dcc {

/// Implemented by algorithms that handle reports of gaps at the receiver.
class NackListener {
 public:
  /// The receiver expects packet `psn` and got a later one. With selective repeat the call comes
  /// once for each recovery, however many later packets the receiver names.
  virtual void on_nack(FlowNumber flow, Psn psn) = 0;

 protected:
  ~NackListener() = default;
};

/// Implemented by algorithms that measure how fast they answer notifications.
class ReactionMeter {
 public:
  /// Picoseconds from a notification with marks to its flow's lower rate. Of several notifications
  /// that one rate change answers, the first counts, or the newest if the algorithm stores only the
  /// newest.
  virtual const LogHistogram& reactions() const = 0;

 protected:
  ~ReactionMeter() = default;
};

}  // namespace dcc
