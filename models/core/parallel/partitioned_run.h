// One simulation in several parts, each with a scheduler of its own.
#pragma once

#include <cstdint>

#include "sim/mailbox.h"
#include "sim/scheduler.h"
#include "units.h"

namespace dcc {

/// Conservative parallel simulation with a fixed lookahead (Chandy and Misra; synchronous windows
/// as in Lubachevsky's bounded lag). Devices are divided into partitions. What one partition does
/// at t has no effect in another before t + lookahead, a link's delay; so all may run that long
/// without hearing of each other.
///
/// The result does not depend on the number of partitions, nor on who runs them, provided that
/// events of one rank belong to one partition: order within a partition is (time, rank, order of
/// scheduling) as ever, and between partitions there is nothing to order within a window.
///
/// Between calls the caller may touch every device that is here, at now() of them all.
class PartitionedRun {
 public:
  virtual ~PartitionedRun() = default;
  PartitionedRun(const PartitionedRun&) = delete;
  PartitionedRun& operator=(const PartitionedRun&) = delete;

  virtual unsigned partitions() const = 0;
  PicoSeconds lookahead() const { return lookahead_; }
  virtual Scheduler& scheduler(unsigned partition) = 0;
  /// An item put at t must be due after t + lookahead.
  virtual Mailbox& mailbox(unsigned from, unsigned to) = 0;

  /// Time of the first event anywhere, or of the first item under way; max() when there is none.
  virtual PicoSeconds next_time() = 0;
  /// Runs every event due at or before `end` in all partitions, then sets their now() to `end`.
  /// Rethrows what an event threw, of several the earliest; no more may be run then.
  virtual void run_until(PicoSeconds end) = 0;
  /// Between calls: items under way are entered now, so that none lies in a mailbox.
  virtual void settle() = 0;
  /// By this process.
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
