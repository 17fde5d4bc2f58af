#include "stats/queue_statistics.h"

namespace dcc {

void QueueStatistics::restart(Bytes length, PicoSeconds now) {
  *this = QueueStatistics{};
  length_ = max_ = length;
  since_ = from_ = now;
}

Bytes QueueStatistics::lower_edge(std::size_t bucket) {
  if (bucket < (2u << kSubBits)) return static_cast<Bytes>(bucket);
  const std::size_t octave = (bucket >> kSubBits) - 1 + kSubBits;
  const std::size_t sub = (bucket & ((1u << kSubBits) - 1)) + (1u << kSubBits);
  return static_cast<Bytes>(sub << (octave - kSubBits));
}

QueueStatistics::Figures QueueStatistics::figures(PicoSeconds now) const {
  QueueStatistics up_to_now = *this;
  up_to_now.changed(length_, now);
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
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      below += static_cast<Area>(up_to_now.weight_[bucket]) * 100;
      if (below >= wanted) return lower_edge(bucket);
    }
    return max_;
  };
  figures.p50 = quantile(50);
  figures.p99 = quantile(99);
  return figures;
}

}  // namespace dcc
