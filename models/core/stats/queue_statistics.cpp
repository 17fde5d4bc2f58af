#include "stats/queue_statistics.h"

#include <algorithm>

namespace dcc {

void QueueStatistics::restart(Bytes length, PicoSeconds now) {
  *this = QueueStatistics{};
  length_ = max_ = length;
  since_ = from_ = now;
}

void QueueStatistics::repeat_since(const QueueStatistics& earlier, PicoSeconds now,
                                   const Proportion& times) {
  changed(length_, now);
  Weights before = earlier.weights_;
  weights_.find([&](std::uint64_t lower_edge, std::int64_t weight) {
    const std::int64_t more = times.of(weight - before.of(lower_edge));
    weights_.of(lower_edge) += more;
    from_ -= PicoSeconds(more);
    return false;
  });
  area_ += (area_ - earlier.area_) * times.skipped.count / times.watched.count;
}

void QueueStatistics::repeat_between(const QueueStatistics& earlier, const QueueStatistics& later,
                                     std::int64_t times) {
  Weights before = earlier.weights_;
  later.weights_.find([&](std::uint64_t lower_edge, std::int64_t weight) {
    const std::int64_t more = times * (weight - before.of(lower_edge));
    if (more != 0) weights_.of(lower_edge) += more;
    return false;
  });
  weights_.of(0) -= times * (later.since_ - earlier.since_).count;
  area_ += (later.area_ - earlier.area_) * times;
}

QueueStatistics::Figures QueueStatistics::figures(PicoSeconds now) const {
  const QueueStatistics up_to_now = as_of(now);
  Figures figures;
  figures.max = max_;
  const std::int64_t span = (now - from_).count;
  if (span <= 0) {
    figures.mean = figures.p50 = figures.p99 = length_;
    return figures;
  }
  figures.mean = static_cast<Bytes>((up_to_now.area_ + span / 2) / span);
  const auto quantile = [&](std::int64_t percent) {
    const Area wanted = static_cast<Area>(span) * percent;
    Area below = 0;
    Bytes found = max_;
    up_to_now.weights_.find([&](std::uint64_t lower_edge, std::int64_t weight) {
      const Area more = static_cast<Area>(weight) * 100;
      if (more == 0 || below + more < wanted) {
        below += more;
        return false;
      }
      // Queue lengths within a bucket are assumed to be evenly spread over it.
      const auto from = std::max(static_cast<Bytes>(lower_edge), up_to_now.min_);
      const auto to = static_cast<Bytes>(
          std::min(Weights::upper_edge(lower_edge), static_cast<std::uint64_t>(max_)));
      // The fraction of the bucket below the quantile is in units of 2^-20: an exact product
      // overflows.
      const Area part = ((wanted - below) << 20) / more;
      found = from + static_cast<Bytes>((static_cast<Area>(to - from) * part + (1 << 19)) >> 20);
      return true;
    });
    return found;
  };
  figures.p50 = quantile(50);
  figures.p99 = quantile(99);
  return figures;
}

double QueueStatistics::mean(PicoSeconds now) const {
  const std::int64_t span = (now - from_).count;
  if (span <= 0) return static_cast<double>(length_);
  return static_cast<double>(as_of(now).area_) / static_cast<double>(span);
}

}  // namespace dcc
