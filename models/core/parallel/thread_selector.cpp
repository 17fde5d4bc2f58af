#include "parallel/thread_selector.h"

#include <algorithm>

namespace dcc {

namespace {
// minimum duration of a batch in seconds; shorter batches vary too much
constexpr double kBatch = 0.002;
// Number of batches that a way of running loses before the selector changes, if that way has won
// before, since a single slow batch may be due to an interruption. A trial ends with the first lost
// batch.
constexpr unsigned kMaxLost = 2;
// minimum time in seconds before the slower of the two ways of running is tried again
constexpr double kMinPatience = 0.05;
constexpr double kMaxPatience = 1.6;
// Minimum number of events in a window for which all threads run without a trial. One thread needs
// some 5 ms for so many events, which is more than a usual time slice of a busy machine.
constexpr std::uint64_t kLongWindow = 16'000;
// maximum number of windows in a stretch; windows can be empty but for a few events
constexpr std::uint64_t kMaxWindows = 1 << 16;
}  // namespace

ThreadSelector::ThreadSelector() : patience_(kMinPatience) {}

void ThreadSelector::ran(std::uint64_t events, std::uint64_t windows, double seconds) {
  const double in_a_batch = kBatch / std::max(seconds / static_cast<double>(windows), 1e-9);
  windows_ =
      static_cast<std::uint64_t>(std::clamp(in_a_batch, 1.0, static_cast<double>(kMaxWindows)));
  if (events / windows >= kLongWindow) {
    if (!together_) change();
    return;
  }
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
  if (lost_ == (has_won_ ? kMaxLost : 1)) {
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
  events_ = 0;
  seconds_ = 0;
}

}  // namespace dcc
