// Interfaces that an algorithm may offer beside Algorithm (nic/algorithm/algorithm.h): for rarer
// events and for further figures.
#pragma once

#include "nic/algorithm/algorithm.h"
#include "stats/log_histogram.h"

namespace dcc {

/// Offered by algorithms that want to be told of gaps at the receiver.
class NackListener {
 public:
  /// The receiver expects packet `psn` and got a later one. With selective repeat the call comes
  /// once for each recovery, however many later packets the receiver names.
  virtual void on_nack(FlowNumber flow, Psn psn) = 0;

 protected:
  ~NackListener() = default;
};

/// Offered by algorithms that measure how fast they answer notifications.
class ReactionMeter {
 public:
  /// Picoseconds from a notification of marks to the lower rate that its flow gets for it. Of
  /// notifications that share one answer: the first, or the newest where the algorithm forgets.
  virtual const LogHistogram& reactions() const = 0;

 protected:
  ~ReactionMeter() = default;
};

}  // namespace dcc
