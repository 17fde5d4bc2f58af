// Mean length of a queue that mostly nobody ever uses.
#pragma once

#include <memory>

#include "stats/queue_statistics.h"
#include "units.h"

namespace dcc {

/// Its length over time from restart() on; without statistics' memory until something joins it.
class RareQueue {
 public:
  /// Forgets what was; what is in it stays.
  void restart(PicoSeconds now) {
    since_ = now;
    if (statistics_ != nullptr) statistics_->restart(length_, now);
  }
  void changed_by(Bytes more, PicoSeconds now) {
    if (statistics_ == nullptr) {
      statistics_ = std::make_unique<QueueStatistics>();
      statistics_->restart(0, since_);
    }
    length_ += more;
    statistics_->changed(length_, now);
  }
  /// Bytes, over the time up to `now`.
  double mean(PicoSeconds now) const {
    return statistics_ != nullptr ? statistics_->mean(now) : 0.0;
  }

 private:
  Bytes length_ = 0;
  PicoSeconds since_{};
  std::unique_ptr<QueueStatistics> statistics_;  // null: it was always empty
};

}  // namespace dcc
