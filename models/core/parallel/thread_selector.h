// Whether several threads are worth their while just now.
#pragma once

#include <cstdint>

namespace dcc {

/// On a machine that others use too, threads that wait for each other every few microseconds lose
/// whole time slices; one thread doing all the work does not. So both ways are measured as the run
/// goes on, the better one is kept, and the other tried again now and then. What the run computes
/// is the same either way.
class ThreadSelector {
 public:
  ThreadSelector();
  /// The way to do the next stretch: all threads, or the caller's alone.
  bool together() const { return together_; }
  /// A stretch in that way has run so many events in so many seconds of wall time.
  void ran(std::uint64_t events, double seconds);

 private:
  void choose();
  void change();

  bool together_ = false;
  double rate_[2] = {0, 0};   // events a second of the last batch, by together; 0: not tried
  bool has_won_ = false;      // since the last change
  unsigned lost_ = 0;         // batches in this way, one after the other, that were slower
  double patience_;           // seconds until the slower way is tried again
  double stayed_ = 0;         // seconds in this way
  std::uint64_t events_ = 0;  // of the batch
  double seconds_ = 0;
};

}  // namespace dcc
