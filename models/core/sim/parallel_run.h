// One simulation on several processors: schedulers that run side by side, a window at a time.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "sim/mailbox.h"
#include "sim/partitioned_run.h"
#include "sim/scheduler.h"
#include "sim/thread_barrier.h"
#include "sim/thread_selector.h"
#include "units.h"

namespace dcc {

/// Every partition has a thread of its own; a window lies between two barriers. The caller's thread
/// is partition 0's. Between calls all others wait.
class ParallelRun final : public PartitionedRun {
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
  ~ParallelRun() override;

  unsigned partitions() const override { return static_cast<unsigned>(partitions_.size()); }
  /// The caller's and those that could be started: 1 or one a partition.
  unsigned threads() const { return 1 + static_cast<unsigned>(threads_.size()); }
  Scheduler& scheduler(unsigned partition) override { return partitions_[partition]->scheduler; }
  Mailbox& mailbox(unsigned from, unsigned to) override { return partitions_[from]->to[to]; }

  PicoSeconds next_time() override;
  void run_until(PicoSeconds end) override;
  void settle() override;
  std::uint64_t events_run() const override;

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
  /// Returns the time of its first event or outgoing item after the window; max() once it failed.
  PicoSeconds run_window(unsigned partition, unsigned side, PicoSeconds end);
  void rethrow_failure() const;
  PicoSeconds next_of(unsigned partition, unsigned side);

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
