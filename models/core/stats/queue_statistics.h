// Time-weighted statistics of a queue's length: mean, quantiles, maximum.
#pragma once

#include <cstdint>
#include <limits>

#include "stats/octave_buckets.h"
#include "stats/proportion.h"
#include "units.h"

namespace dcc {

/// Statistics of a queue that weight each length with the time for which it lasted; the queue's
/// owner reports every change. Quantiles come from a histogram with 32 buckets per octave: exact
/// below 64 bytes, otherwise interpolated within the bucket that contains the exact quantile, whose
/// width is 1/32 of the length. Quantiles lie within the range of the lengths. A change of the
/// length costs one multiplication; the first change in a quarter of an octave allocates 64 bytes.
class alignas(64) QueueStatistics {
 public:
  /// Clears the statistics and starts anew with this queue length at `now`.
  void restart(Bytes length, PicoSeconds now);

  void changed(Bytes length, PicoSeconds now) {
    const std::int64_t lasted = now.count - since_.count;
    if (lasted != 0) {
      weigh(length_, lasted);
      since_ = now;
    }
    length_ = length;
    if (length > max_) max_ = length;
  }

  /// Records a length that an empty queue reached for zero time.
  void touched(Bytes length) {
    if (length > max_) max_ = length;
  }

  /// A copy of the queue statistics that includes the present length up to `now`.
  QueueStatistics as_of(PicoSeconds now) const {
    QueueStatistics up_to_now = *this;
    up_to_now.changed(length_, now);
    return up_to_now;
  }
  /// Adds the record since `earlier`, a former as_of(), `times` more times, for time that
  /// fast-forward skipped. `now`: the time after the skip.
  void repeat_since(const QueueStatistics& earlier, PicoSeconds now, const Proportion& times);

  /// Adds the record between `earlier` and `later`, two former as_of(), `times` more times. The
  /// added record replaces an equally long time with an empty queue, which is or will be recorded
  /// here.
  void repeat_between(const QueueStatistics& earlier, const QueueStatistics& later,
                      std::int64_t times);

  /// Figures of a queue's length up to a given time.
  struct Figures {
    Bytes mean = 0;  // time-weighted mean of the queue length in bytes, rounded to nearest
    Bytes p50 = 0;   // time-weighted median of the queue length in bytes, interpolated
    Bytes p99 = 0;
    Bytes max = 0;
  };
  Figures figures(PicoSeconds now) const;
  /// Time-weighted mean of the queue length in bytes, not rounded.
  double mean(PicoSeconds now) const;

 private:
  __extension__ using Area = __int128;
  // time weights of queue lengths, up to 2^39 bytes
  using Weights = OctaveBuckets<std::int64_t, 40>;

  void weigh(Bytes length, std::int64_t lasted) {
    weights_.of(static_cast<std::uint64_t>(length)) += lasted;
    area_ += static_cast<Area>(length) * lasted;
    if (length < min_) min_ = length;
  }

  Bytes length_ = 0;
  Bytes max_ = 0;
  Bytes min_ = std::numeric_limits<Bytes>::max();  // least queue length that lasted some time
  PicoSeconds since_{};
  PicoSeconds from_{};
  Weights weights_;
  Area area_ = 0;  // integral of the queue length over time, in bytes · ps
};
static_assert(sizeof(QueueStatistics) == 64, "one cache line");

}  // namespace dcc
