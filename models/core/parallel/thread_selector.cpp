#include "parallel/thread_selector.h"

#include <algorithm>

namespace dcc {

namespace {
// minimum duration of a batch in seconds; shorter batches vary too much
constexpr double kBatch = 0.002;
// number of lost batches before the selector changes; a single one may be an interruption
constexpr unsigned kMaxLost = 2;
// minimum time in seconds before the slower of the two ways of running is tried again
constexpr double kMinPatience = 0.05;
constexpr double kMaxPatience = 1.6;
}  // namespace

ThreadSelector::ThreadSelector() : patience_(kMinPatience) {}

void ThreadSelector::ran(std::uint64_t events, double seconds) {
  events_ += events;
  seconds_ += seconds;
  stayed_ += seconds;
  if (seconds_ < kBatch) return;
  rate_[together_ ? 1 : 0] = static_cast<double>(events_) / seconds_;
  events_ = 0;
  seconds_ = 0;
  choose();
}

void ThreadSelector::choose() {
  const double mine = rate_[together_ ? 1 : 0];
  const double other = rate_[together_ ? 0 : 1];
  lost_ = mine < other ? lost_ + 1 : 0;
  has_won_ = has_won_ || lost_ == 0;
  if (lost_ == kMaxLost) {
    // the other way of running (one or several threads) is now faster
    if (has_won_) patience_ = kMinPatience;
    change();
  } else if (other == 0) {
    change();
  } else if (lost_ == 0 && stayed_ >= patience_) {
    patience_ = std::min(2 * patience_, kMaxPatience);
    change();
  }
}

void ThreadSelector::change() {
  together_ = !together_;
  stayed_ = 0;
  lost_ = 0;
  has_won_ = false;
}

}  // namespace dcc
