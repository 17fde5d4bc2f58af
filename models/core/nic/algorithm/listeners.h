// What an algorithm may be besides (nic/algorithm/algorithm.h): a listener to rarer events, or a
// source of further figures.
#pragma once

#include "nic/algorithm/algorithm.h"
#include "stats/log_histogram.h"

namespace dcc {

/// An algorithm that is told of gaps at the receiver is one of these as well.
class NackListener {
 public:
  /// The receiver expects packet `psn` and got a later one. With selective repeat the call comes
  /// once for each recovery, however many later packets the receiver names.
  virtual void on_nack(FlowNumber flow, Psn psn) = 0;

 protected:
  ~NackListener() = default;
};

/// An algorithm that measures how fast it answers notifications is one of these as well.
class ReactionMeter {
 public:
  /// Picoseconds from a notification of marks to the lower rate that its flow gets for it. Of
  /// notifications that share one answer: the first, or the newest where the algorithm forgets.
  virtual const LogHistogram& reactions() const = 0;

 protected:
  ~ReactionMeter() = default;
};

}  // namespace dcc
