// The progress line of a run on a terminal.
#pragma once

#include <atomic>
#include <chrono>

#include "measure/observer.h"

namespace dcc::vp {

/// A run observer that rewrites one line of at most 79 columns on stderr: simulated time, percent,
/// speed, remaining time, drops, CNPs. The observer prints nothing unless `visible`, and turns an
/// interrupt signal into a request to stop.
class ProgressLine final : public RunObserver {
 public:
  explicit ProgressLine(bool visible);
  ~ProgressLine() override;
  bool wants_progress() const override;
  void on_progress(const Progress& progress) override;
  bool stop_requested() const override;
  /// Erases the progress line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool visible_;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = Clock::now();
  double speed_ = 0;  // simulation speed in link traversals per second, smoothed
  std::uint64_t traversals_ = 0;
};

}  // namespace dcc::vp
