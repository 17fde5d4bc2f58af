// A scheduler for all executions of a fuzz target. Building and destroying a scheduler with 16 384
// buckets costs more than most inputs.
#pragma once

#include <cstdint>

#include "sim/scheduler.h"

namespace dcc::fuzz {

/// Returns an empty scheduler. It differs from a new scheduler only by its time: now() is a
/// multiple of the calendar's span, so events fall into the same buckets as after time 0. The
/// caller must have cancelled all earlier events.
inline Scheduler& reused_scheduler() {
  static Scheduler scheduler;
  static Event turn = Event::calling<&Scheduler::empty>(scheduler, 0);
  // Span of the scheduler's calendar: 16 384 buckets of 1.024 ns.
  constexpr std::int64_t kTurn = std::int64_t{16'384} << 10;
  scheduler.schedule_at(turn, PicoSeconds((scheduler.now().count / kTurn + 1) * kTurn));
  scheduler.run_until(turn.due());
  return scheduler;
}

/// True for one in a thousand executions, whose input also runs on a new scheduler and must give
/// the same result.
inline bool time_to_compare() {
  static std::uint64_t executions = 0;
  return executions++ % 1024 == 0;
}

/// Hash of an execution's visible results, in order.
class Fingerprint {
 public:
  void add(std::uint64_t value) { value_ = (value_ ^ value) * 0x100000001B3u + (value_ >> 29); }
  bool operator==(const Fingerprint& other) const { return value_ == other.value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

}  // namespace dcc::fuzz
