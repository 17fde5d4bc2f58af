// Decides during a run whether several threads are faster than one.
#pragma once

#include <cstdint>

namespace dcc {

/// Chooses between one thread and several. On a machine with other load, threads that wait for each
/// other every few microseconds lose whole time slices, while a single thread does not. So the
/// selector measures both ways of running, keeps the faster way, and tries the other way again from
/// time to time. Windows with much work need no trial: a lost time slice costs less than the second
/// thread gains. The results of the simulation are the same either way.
class ThreadSelector {
 public:
  ThreadSelector();
  /// True if all threads shall run the next stretch of the simulation, false if the caller's thread
  /// runs it alone.
  bool together() const { return together_; }
  /// Number of windows that the next stretch should have, at least 1. A short stretch bounds the
  /// cost of a trial.
  std::uint64_t windows() const { return windows_; }
  /// Records that the last stretch of the simulation ran `events` events in `windows` windows and
  /// `seconds` of wall-clock time, in the way that together() had returned. `windows` is at
  /// least 1.
  void ran(std::uint64_t events, std::uint64_t windows, double seconds);

 private:
  void choose();
  void change();

  bool together_ = true;
  std::uint64_t windows_ = 1;  // windows of the next stretch
  // events per second of the last batch on one thread and on all threads; 0: not measured
  double rate_[2] = {0, 0};
  // true if the current way of running won a comparison since the last change
  bool has_won_ = false;
  unsigned lost_ = 0;         // consecutive batches in which the current way of running was slower
  double patience_;           // seconds until the slower way of running is tried again
  double stayed_ = 0;         // seconds since the last change of the way of running
  std::uint64_t events_ = 0;  // number of events in the present batch
  double seconds_ = 0;
};

}  // namespace dcc
