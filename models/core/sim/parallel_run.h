// One simulation on several processors: schedulers that run side by side, a window at a time.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "sim/mailbox.h"
#include "sim/scheduler.h"
#include "sim/thread_barrier.h"
#include "sim/thread_selector.h"
#include "units.h"

namespace dcc {

/// Conservative parallel simulation with a fixed lookahead (Chandy and Misra; synchronous windows
/// as in Lubachevsky's bounded lag). Devices are divided into partitions, each with a scheduler and
/// a thread of its own. What one partition does at t has no effect in another before t + lookahead,
/// a link's delay; so between two barriers all may run that long without hearing of each other.
///
/// The result does not depend on the number of partitions, provided that events of one rank belong
/// to one partition: order within a partition is (time, rank, order of scheduling) as ever, and
/// between partitions there is nothing to order within a window.
///
/// The caller's thread is partition 0's. Between calls all others wait, and the caller may touch
/// every device, at now() of them all.
class ParallelRun {
 public:
  /// Who does the work of a window.
  enum class Execution : std::uint8_t {
    kAdaptive,    // as ThreadSelector finds
    kParallel,    // every partition's thread its own
    kSequential,  // the caller's thread, one partition after the other
  };
  /// Starts the threads; where the system has none to give, the caller's works alone.
  /// Preconditions: partitions > 1, lookahead > 0.
  ParallelRun(unsigned partitions, PicoSeconds lookahead,
              Execution execution = Execution::kAdaptive);
  ~ParallelRun();
  ParallelRun(const ParallelRun&) = delete;
  ParallelRun& operator=(const ParallelRun&) = delete;

  unsigned partitions() const { return static_cast<unsigned>(partitions_.size()); }
  /// The caller's and those that could be started: 1 or one a partition.
  unsigned threads() const { return 1 + static_cast<unsigned>(threads_.size()); }
  PicoSeconds lookahead() const { return lookahead_; }
  Scheduler& scheduler(unsigned partition) { return partitions_[partition]->scheduler; }
  /// An item put at t must be due after t + lookahead.
  Mailbox& mailbox(unsigned from, unsigned to) { return partitions_[from]->to[to]; }

  /// Time of the first event anywhere, or of the first item under way; max() when there is none.
  PicoSeconds next_time();
  /// Runs every event due at or before `end` in all partitions, then sets their now() to `end`.
  /// Rethrows what an event threw, of several the earliest; no more may be run then.
  void run_until(PicoSeconds end);
  /// In all partitions together.
  std::uint64_t events_run() const;

 private:
  struct alignas(64) Partition {
    explicit Partition(unsigned partitions) : to(partitions) {}
    Scheduler scheduler;
    std::vector<Mailbox> to;  // by partition
    PicoSeconds next[2];      // after a window, by side: this one's first event or outgoing item
    std::exception_ptr failure;
    PicoSeconds failed_at{};
  };

  void start_threads();
  void serve(unsigned partition);
  void run_together(PicoSeconds end);
  void run_alone(PicoSeconds end);
  void run_windows(unsigned partition);
  PicoSeconds window_end(PicoSeconds first, PicoSeconds end) const {
    return end - first > lookahead_ ? first + lookahead_ : end;
  }
  /// Returns the time of its first event or outgoing item after the window; max() once it failed.
  PicoSeconds run_window(unsigned partition, unsigned side, PicoSeconds end);
  void rethrow_failure() const;
  PicoSeconds next_of(unsigned partition, unsigned side);

  PicoSeconds lookahead_;
  Execution execution_;
  ThreadSelector selector_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  ThreadBarrier barrier_;
  // Written by the caller while the others wait.
  PicoSeconds first_{};  // of all events
  PicoSeconds end_{};
  unsigned side_ = 0;  // of the mailboxes, being filled
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace dcc
