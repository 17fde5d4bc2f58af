// Decides during a run whether several threads are faster than one.
#pragma once

#include <cstdint>

namespace dcc {

/// On a machine with other load, threads that wait for each other every few microseconds lose whole
/// time slices, while a single thread does not. So the selector measures both ways during the run,
/// keeps the faster one, and tries the other one again from time to time. The results of the run
/// are the same either way.
class ThreadSelector {
 public:
  ThreadSelector();
  /// True if all threads shall run the next stretch, false if the caller's thread alone.
  bool together() const { return together_; }
  /// Records that a stretch ran `events` events in `seconds` of wall-clock time, in the way that
  /// together() had returned.
  void ran(std::uint64_t events, double seconds);

 private:
  void choose();
  void change();

  bool together_ = false;
  double rate_[2] = {0, 0};   // events per second of the last batch by way of running; 0: not tried
  bool has_won_ = false;      // true if this way won a comparison since the last change
  unsigned lost_ = 0;         // consecutive batches in which this way was slower
  double patience_;           // seconds until the slower way is tried again
  double stayed_ = 0;         // seconds since the last change of the way
  std::uint64_t events_ = 0;  // number of events in the batch
  double seconds_ = 0;
};

}  // namespace dcc
