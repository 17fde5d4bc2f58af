// Time-weighted statistics of a queue's length: mean, quantiles, greatest.
#pragma once

#include <cstdint>

#include "stats/octave_buckets.h"
#include "stats/proportion.h"
#include "units.h"

namespace dcc {

/// Told every change of a length, weighs each length with the time it lasted. Quantiles come from a
/// logarithmic histogram with 32 buckets an octave: within 3.2 %, exact below 64 bytes. A change
/// costs one multiplication, the first in an octave 256 bytes.
class alignas(64) QueueStatistics {
 public:
  /// Forgets what was and starts with the length as it is at `now`.
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

  /// An empty queue held so much for no time.
  void touched(Bytes length) {
    if (length > max_) max_ = length;
  }

  /// With what has lasted until `now`.
  QueueStatistics as_of(PicoSeconds now) const {
    QueueStatistics up_to_now = *this;
    up_to_now.changed(length_, now);
    return up_to_now;
  }
  /// What was seen since `earlier`, this as of a former moment, was seen so many times more until
  /// `now`, in time that did not pass.
  void repeat_since(const QueueStatistics& earlier, PicoSeconds now, const Proportion& times);

  /// The figures up to `now`.
  struct Figures {
    Bytes mean = 0;  // rounded to nearest
    Bytes p50 = 0;   // lower edge of the bucket in which half of the time lies below
    Bytes p99 = 0;
    Bytes max = 0;
  };
  Figures figures(PicoSeconds now) const;
  /// Their mean, not rounded.
  double mean(PicoSeconds now) const;

 private:
  __extension__ using Area = __int128;
  using Weights = OctaveBuckets<std::int64_t, 40>;  // up to 2^39 bytes

  void weigh(Bytes length, std::int64_t lasted) {
    weights_.of(static_cast<std::uint64_t>(length)) += lasted;
    area_ += static_cast<Area>(length) * lasted;
  }

  Bytes length_ = 0;
  Bytes max_ = 0;
  PicoSeconds since_{};
  PicoSeconds from_{};
  Area area_ = 0;  // bytes · ps
  Weights weights_;
};

}  // namespace dcc
