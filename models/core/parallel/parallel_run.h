// One simulation in several partitions, run by threads that synchronise at the end of each time
// window. Several small partitions on one thread use the caches better than a large one.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "parallel/partitioned_run.h"
#include "parallel/thread_barrier.h"
#include "parallel/thread_selector.h"
#include "sim/mailbox.h"
#include "sim/scheduler.h"
#include "units.h"

namespace dcc {

/// A parallel run. Each thread runs one or more partitions with consecutive numbers. In a window it
/// runs one partition after the other, so the data of a small partition is loaded into the caches
/// once a window instead of once a packet. Between two windows all threads wait for each other. The
/// first thread is the caller's; between calls all other threads wait. Traffic changes, so the
/// partitions are divided anew among the threads when some threads had more work than others.
class ParallelRun final : public PartitionedRun {
 public:
  /// Choice of the threads that run the partitions in a window.
  enum class Execution : std::uint8_t {
    kAdaptive,    // the ThreadSelector decides in each batch
    kParallel,    // every thread runs its own partitions
    kSequential,  // the caller's thread runs one partition after the other
  };
  /// Starts the threads. If the system refuses to start them, the caller's thread does all the
  /// work. Preconditions: 1 <= threads <= partitions, partitions > 1, lookahead > 0.
  ParallelRun(unsigned partitions, unsigned threads, PicoSeconds lookahead,
              Execution execution = Execution::kAdaptive);
  ~ParallelRun() override;

  unsigned partitions() const override { return static_cast<unsigned>(partitions_.size()); }
  /// Number of threads, the caller's included: as many as the constructor asked for, or 1.
  unsigned threads() const { return 1 + static_cast<unsigned>(threads_.size()); }
  Scheduler& scheduler(unsigned partition) override { return partitions_[partition]->scheduler; }
  Mailbox& mailbox(unsigned from, unsigned to) override;

  /// First partition of thread number `thread` at the beginning of a run, if `threads` threads
  /// share `partitions` partitions. During the run partitions move to threads that wait for others.
  static unsigned begin_of(unsigned thread, unsigned threads, unsigned partitions) {
    return partitions * thread / threads;
  }

  PicoSeconds next_time() override;
  void run_until(PicoSeconds end) override;
  void settle() override;
  /// Sets a function that is called at the end of each run_until(), while all threads wait. Once
  /// the function is set, the places of all events are noted (Scheduler::place()). Call watch()
  /// before the first run_until().
  void watch(std::function<void()> all_wait) { all_wait_ = std::move(all_wait); }
  TimeSpent time_spent() const override;
  std::uint64_t events_run() const override;
  /// Number of partitions that thread `thread` runs now.
  unsigned partitions_of(unsigned thread) const {
    return groups_[thread].end - groups_[thread].begin;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kAllWindows = std::numeric_limits<std::uint64_t>::max();
  struct alignas(64) Partition {
    explicit Partition(unsigned groups) : incoming(groups) {}
    Scheduler scheduler;
    Outgoing outgoing;
    // mailboxes to other partitions, indexed by receiving partition
    std::map<unsigned, Mailbox> to;
    // non-empty mailboxes that lead to this partition, by the sender's thread
    std::vector<Incoming> incoming;
    // time that the partition took in windows with several threads; past windows count less and
    // less
    Clock::duration worked{};
    std::exception_ptr failure;
    PicoSeconds failed_at{};

    /// Time of this partition's first event, or of the first item that it has sent and the
    /// receiving partition has not entered.
    PicoSeconds next() { return std::min(scheduler.next_time(), outgoing.earliest[outgoing.side]); }
    /// Enters the items that other partitions have put into this side of the mailboxes.
    void take_in(unsigned side);
  };
  /// Consecutive partitions that one thread runs. All groups together are all partitions.
  struct alignas(64) Group {
    unsigned begin = 0;
    unsigned end = 0;
    // earliest next() of the group's partitions after a window, by side
    std::array<PicoSeconds, 2> next{};
    // time that the group took in windows, without waiting for other threads
    Clock::duration worked{};
  };

  void start_threads();
  void serve(Group& group);
  // The three functions below run at most most_windows_ windows up to `end`, and return the number.
  std::uint64_t run_together(PicoSeconds end);
  std::uint64_t run_alone(PicoSeconds end);
  std::uint64_t run_windows(Group& group);
  /// Runs a window of a partition. Returns the partition's next() afterwards; max() if the window
  /// failed.
  PicoSeconds run_window(Partition& mine, unsigned side, PicoSeconds until);
  void rethrow_failure() const;
  /// Divides the partitions anew among the threads if the threads had unequal work. Call while all
  /// other threads wait.
  void balance();
  void regroup(double all);

  Execution execution_;
  std::function<void()> all_wait_;  // called while all threads wait; null if no function is set
  ThreadSelector selector_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::vector<Group> groups_;  // groups of partitions, one for each thread
  ThreadBarrier barrier_;
  // The caller's thread writes these while the other threads wait.
  PicoSeconds first_{};  // time of the earliest event of all partitions
  PicoSeconds end_{};
  std::uint64_t most_windows_ = kAllWindows;
  unsigned side_ = 0;  // side of the mailboxes that is being filled
  bool ending_ = false;
  Clock::duration together_{};        // wall-clock time spent in run_together()
  Clock::duration alone_{};           // wall-clock time spent in run_alone()
  std::vector<std::thread> threads_;  // all threads except the caller's
};

}  // namespace dcc
