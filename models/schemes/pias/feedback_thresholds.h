// Optimal thresholds of a multi-level feedback queue for a given distribution of message sizes.
#pragma once

#include <vector>

#include "units.h"

namespace dcc {

/// FeedbackThresholds models a link that serves packets by priority as one server. A message loses
/// one priority with each threshold that it passes. Messages arrive as a Poisson process; each
/// level is served first come first served, after all levels above it (Kleinrock, Queueing Systems
/// 2, 1976, section 4.7). A message of x bytes that ends between thresholds a < x <= b takes
///
///   T(x) = (W(b) + x) / (1 - r(a)),  W(b) = l E[min(X, b)^2] / (2 (1 - r(b))),
///   r(a) = l E[min(X, a)]
///
/// in units of the time of one byte, with l the number of messages that begin in that time. The
/// authors of PIAS minimise a similar bound (NSDI 2015, section 4.2); AuTO's agent learns without a
/// model (SIGCOMM 2018).
class FeedbackThresholds {
 public:
  /// `sizes`: message sizes in bytes, at least one, each > 0. `load`: load of the link, which is
  /// limited to 1/100 … 19/20.
  FeedbackThresholds(std::vector<Bytes> sizes, double load);

  /// Mean completion time of a message by the model, in byte times. Precondition: `thresholds`
  /// ascend.
  double mean_time(const std::vector<Bytes>& thresholds) const;
  /// The levels − 1 thresholds with the minimum mean time, among all thresholds in steps of a
  /// quarter of a power of two.
  std::vector<Bytes> best(unsigned levels) const;

 private:
  /// Sums over the bytes of all messages below a certain size.
  struct Below {
    double ended = 0;        // number of messages whose size is at most the sum's size limit
    double ended_bytes = 0;  // bytes of the messages whose size is at most the limit
    double load = 0;         // r, the load of the messages' bytes below the size limit
    double wait = 0;         // W, the mean waiting time of bytes at the size limit
  };
  Below below(Bytes size) const;
  /// Total completion time of the messages that end between two thresholds.
  static double level_time(const Below& from, const Below& to);

  std::vector<Bytes> sizes_;     // message sizes in ascending order
  std::vector<double> sum_;      // sums of the n smallest message sizes, by n
  std::vector<double> squares_;  // sums of the squares of the n smallest message sizes, by n
  double arrivals_ = 0;          // l, the number of messages that begin in one byte time
};

}  // namespace dcc
