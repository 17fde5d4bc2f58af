// Interfaces that an algorithm may offer beside Algorithm (nic/algorithm/algorithm.h): for rare
// events and for additional statistics.
#pragma once

#include "nic/algorithm/algorithm.h"
#include "stats/log_histogram.h"

namespace dcc {

/// Interface of algorithms that handle reports of gaps at the receiver.
class NackListener {
 public:
  /// The receiver expects packet `psn` of a flow and got a later one. With selective repeat the
  /// call comes once for each recovery, however many later packets the receiver names.
  virtual void on_nack(FlowNumber flow, Psn psn) = 0;

 protected:
  ~NackListener() = default;
};

/// Interface of algorithms that measure how fast they answer notifications.
class ReactionMeter {
 public:
  /// Histogram of the picoseconds from a notification with marks to the lower rate of the notified
  /// flow. If one rate change answers several notifications, the time counts from the first of
  /// them, or from the newest if the algorithm stores only that one.
  virtual const LogHistogram& reactions() const = 0;

 protected:
  ~ReactionMeter() = default;
};

}  // namespace dcc
