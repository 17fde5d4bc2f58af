// Mean length of a rarely used queue; full statistics are allocated only at first use.
#pragma once

#include <memory>

#include "stats/queue_statistics.h"
#include "units.h"

namespace dcc {

/// Tracks the length of a queue from restart() on; allocates its statistics at the first change.
class RareQueue {
 public:
  /// Clears the queue's statistics; the present queue length stays.
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
  /// Mean queue length in bytes up to `now`.
  double mean(PicoSeconds now) const {
    return statistics_ != nullptr ? statistics_->mean(now) : 0.0;
  }

 private:
  Bytes length_ = 0;
  PicoSeconds since_{};
  // statistics of the queue; null: the queue was always empty
  std::unique_ptr<QueueStatistics> statistics_;
};

}  // namespace dcc
