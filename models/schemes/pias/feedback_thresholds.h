// Where a multi-level feedback queue should take priority away, for sizes like those that were
// seen.
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
  /// `sizes`: those of messages, > 0, at least one. `load` of the link by them, held within
  /// 1/100 ... 19/20.
  FeedbackThresholds(std::vector<Bytes> sizes, double load);

  /// Mean completion time in the time of a byte, by the model. `thresholds` ascend.
  double mean_time(const std::vector<Bytes>& thresholds) const;
  /// Thresholds for so many levels, of all that there are in steps of a quarter of a power of two,
  /// with the least mean time; `levels` - 1 of them.
  std::vector<Bytes> best(unsigned levels) const;

 private:
  /// Of all messages, what does not go beyond some size.
  struct Below {
    double ended = 0;        // how many end by then
    double ended_bytes = 0;  // and their bytes
    double load = 0;         // r
    double wait = 0;         // W
  };
  Below below(Bytes size) const;
  /// Of those that end between two, together.
  static double level_time(const Below& from, const Below& to);

  std::vector<Bytes> sizes_;     // ascending
  std::vector<double> sum_;      // of the first so many
  std::vector<double> squares_;  // the same
  double arrivals_ = 0;          // l
};

}  // namespace dcc
