// Optimal thresholds of a multi-level feedback queue for a given distribution of message sizes.
#pragma once

#include <vector>

#include "units.h"

namespace dcc {

/// The model: a link that serves by priority is one server. A message loses one priority with each
/// threshold that it passes. Messages arrive as a Poisson process; each level is served first come
/// first served, after all levels above it (Kleinrock, Queueing Systems 2, 1976, section 4.7). A
/// message of x bytes that ends between thresholds a < x <= b takes
///
///   T(x) = (W(b) + x) / (1 - r(a)),  W(b) = l E[min(X, b)^2] / (2 (1 - r(b))),
///   r(a) = l E[min(X, a)]
///
/// in units of the time of one byte, with l the number of messages that begin in that time. The
/// authors of PIAS minimise a similar bound (NSDI 2015, section 4.2); AuTO's agent learns without a
/// model (SIGCOMM 2018).
class FeedbackThresholds {
 public:
  /// `sizes` of messages: at least one, each > 0. `load` of the link is limited to 1/100 … 19/20.
  FeedbackThresholds(std::vector<Bytes> sizes, double load);

  /// Mean completion time by the model, in byte times. Precondition: `thresholds` ascend.
  double mean_time(const std::vector<Bytes>& thresholds) const;
  /// The levels − 1 thresholds with the minimum mean time, among all in steps of a quarter of a
  /// power of two.
  std::vector<Bytes> best(unsigned levels) const;

 private:
  /// Sums over the part of all messages below some size.
  struct Below {
    double ended = 0;        // number of messages of at most this size
    double ended_bytes = 0;  // bytes of these messages
    double load = 0;         // r
    double wait = 0;         // W
  };
  Below below(Bytes size) const;
  /// Total completion time of the messages that end between two thresholds.
  static double level_time(const Below& from, const Below& to);

  std::vector<Bytes> sizes_;     // ascending
  std::vector<double> sum_;      // sum of the first n sizes
  std::vector<double> squares_;  // sum of squares of the first n sizes
  double arrivals_ = 0;          // l
};

}  // namespace dcc
