// One simulation on several processors, or in pieces that fit the caches of one: schedulers that
// run side by side, a window at a time.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
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

/// A thread has one partition or more, neighbours by number, and does a window of one after the
/// other: what a small part of a large network touches within a window comes into the caches once,
/// and not once for every packet. Between two windows all threads wait for each other. The first
/// thread is the caller's; between calls all others wait.
class ParallelRun final : public PartitionedRun {
 public:
  /// Who does the work of a window.
  enum class Execution : std::uint8_t {
    kAdaptive,    // as ThreadSelector finds
    kParallel,    // every thread its own partitions
    kSequential,  // the caller's thread, one partition after the other
  };
  /// Starts the threads; where the system has none to give, the caller's works alone.
  /// Preconditions: 1 <= threads <= partitions, partitions > 1, lookahead > 0.
  ParallelRun(unsigned partitions, unsigned threads, PicoSeconds lookahead,
              Execution execution = Execution::kAdaptive);
  ~ParallelRun() override;

  unsigned partitions() const override { return static_cast<unsigned>(partitions_.size()); }
  /// The caller's and those that could be started: 1 or as many as were wanted.
  unsigned threads() const { return 1 + static_cast<unsigned>(threads_.size()); }
  Scheduler& scheduler(unsigned partition) override { return partitions_[partition]->scheduler; }
  Mailbox& mailbox(unsigned from, unsigned to) override;

  /// Of so many partitions a thread of so many has those from here to the next one's.
  static unsigned begin_of(unsigned thread, unsigned threads, unsigned partitions) {
    return partitions * thread / threads;
  }

  PicoSeconds next_time() override;
  void run_until(PicoSeconds end) override;
  void settle() override;
  /// Somebody notes what happens in all partitions, and where it comes (Scheduler::place()); he is
  /// called at the end of each run_until(), while all wait. Before the first.
  void watch(std::function<void()> all_wait) { all_wait_ = std::move(all_wait); }
  std::uint64_t events_run() const override;

 private:
  struct alignas(64) Partition {
    explicit Partition(unsigned groups) : incoming(groups) {}
    Scheduler scheduler;
    Outgoing outgoing;
    std::map<unsigned, Mailbox> to;  // by partition: those there are
    std::vector<Incoming> incoming;  // by the sender's group
    std::exception_ptr failure;
    PicoSeconds failed_at{};

    /// Time of its first event, or of the first item that it has sent and nobody has taken in.
    PicoSeconds next() { return std::min(scheduler.next_time(), outgoing.earliest[outgoing.side]); }
    /// All that others have put into this side.
    void take_in(unsigned side);
  };
  /// Of neighbouring partitions, a thread's.
  struct alignas(64) Group {
    unsigned begin = 0;
    unsigned end = 0;
    std::array<PicoSeconds, 2> next{};  // after a window, by side: the first of all of its next()
  };

  void start_threads();
  void serve(Group& group);
  void run_together(PicoSeconds end);
  void run_alone(PicoSeconds end);
  void run_windows(Group& group);
  /// Returns the first next() of these partitions after the window; max() of what has failed.
  PicoSeconds run_window(unsigned begin, unsigned end, unsigned side, PicoSeconds until);
  PicoSeconds run_window(Partition& mine, unsigned side, PicoSeconds until);
  void rethrow_failure() const;

  Execution execution_;
  std::function<void()> all_wait_;  // null: nobody notes anything
  ThreadSelector selector_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::vector<Group> groups_;  // by thread
  ThreadBarrier barrier_;
  // Written by the caller while the others wait.
  PicoSeconds first_{};  // of all events
  PicoSeconds end_{};
  unsigned side_ = 0;  // of the mailboxes, being filled
  bool ending_ = false;
  std::vector<std::thread> threads_;  // but for the caller's
};

}  // namespace dcc
