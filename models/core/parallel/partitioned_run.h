// The interface of one simulation in several partitions, each with its own scheduler.
#pragma once

#include <cstdint>

#include "sim/mailbox.h"
#include "sim/scheduler.h"
#include "units.h"

namespace dcc {

/// Conservative parallel simulation with a fixed lookahead (Chandy and Misra; synchronous windows
/// as in Lubachevsky's bounded lag). Devices are divided into partitions. An event of one partition
/// at t has no effect in another partition before t + lookahead, the least delay of a link between
/// partitions. So all partitions may run for a lookahead without synchronisation.
///
/// The result does not depend on the number of partitions, nor on the threads or processes that run
/// them, provided that all events of one rank belong to one partition. Within a partition the order
/// is (time, rank, order of scheduling), as in a run without partitions. Within a window the order
/// of events of different partitions has no effect.
///
/// Between calls the caller may access every device of this process; all devices are at now().
class PartitionedRun {
 public:
  virtual ~PartitionedRun() = default;
  PartitionedRun(const PartitionedRun&) = delete;
  PartitionedRun& operator=(const PartitionedRun&) = delete;

  virtual unsigned partitions() const = 0;
  PicoSeconds lookahead() const { return lookahead_; }
  virtual Scheduler& scheduler(unsigned partition) = 0;
  /// The mailbox from one partition to another. An item that is put into the mailbox at time t must
  /// be due after t + lookahead.
  virtual Mailbox& mailbox(unsigned from, unsigned to) = 0;

  /// Time of the first event of any partition, or of the first item in a mailbox; max() if there is
  /// neither.
  virtual PicoSeconds next_time() = 0;
  /// Runs every event due at or before `end` in all partitions, then sets the partitions' now() to
  /// `end`. Rethrows the earliest exception of an event; the simulation must not be continued then.
  virtual void run_until(PicoSeconds end) = 0;
  /// Enters all mailbox items into their partitions, so that no mailbox holds an item. Call it
  /// between two calls of run_until().
  virtual void settle() = 0;
  /// Wall-clock seconds that this process spent in run_until().
  struct TimeSpent {
    double together = 0;  // seconds in which several threads ran their partitions
    double waiting = 0;   // part of `together` in which a thread waited for others, mean of threads
    double alone = 0;     // seconds in which one thread ran all partitions
  };
  virtual TimeSpent time_spent() const { return {}; }
  /// Number of events that this process has run.
  virtual std::uint64_t events_run() const = 0;

 protected:
  explicit PartitionedRun(PicoSeconds lookahead) : lookahead_(lookahead) {}
  PicoSeconds window_end(PicoSeconds first, PicoSeconds end) const {
    return end - first > lookahead_ ? first + lookahead_ : end;
  }

 private:
  PicoSeconds lookahead_;
};

}  // namespace dcc
