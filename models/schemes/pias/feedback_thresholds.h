// Optimal thresholds of a multi-level feedback queue for a given distribution of message sizes.
#pragma once

#include <vector>

#include "units.h"

namespace dcc {

/// A link served by priority, of messages that lose one priority with each threshold they pass, as
/// one server: Poisson arrivals, each level first come first served behind all above it (Kleinrock,
/// Queueing Systems 2, 1976, section 4.7). A message of x bytes that ends between thresholds a < x
/// <= b takes
///
///   T(x) = (W(b) + x) / (1 - r(a)),  W(b) = l E[min(X, b)^2] / (2 (1 - r(b))),  r(a) = l E[min(X,
///   a)]
///
/// in the time of one byte, with l the messages that begin in it. What PIAS's authors minimise is a
/// bound of the same kind (NSDI 2015, section 4.2); AuTO's agent learns without a model (SIGCOMM
/// 2018).
class FeedbackThresholds {
 public:
  /// `sizes` of messages: at least one, each > 0. `load` of the link, limited to 1/100 … 19/20.
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
