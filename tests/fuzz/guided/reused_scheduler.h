// One scheduler for all executions of a fuzzing target, because building and destroying a scheduler
// with 16 384 buckets costs more than most inputs.
#pragma once

#include <cstdint>

#include "sim/scheduler.h"

namespace dcc::fuzz {

/// Returns an empty scheduler. It differs from a new one only by its time: now() is a multiple of a
/// turn of the calendar, so events lie in the same buckets as after time 0. All events of the
/// previous user must have been cancelled.
inline Scheduler& reused_scheduler() {
  static Scheduler scheduler;
  static Event turn = Event::calling<&Scheduler::empty>(scheduler, 0);
  // A turn of the scheduler's calendar: 16 384 buckets of 1.024 ns.
  constexpr std::int64_t kTurn = std::int64_t{16'384} << 10;
  scheduler.schedule_at(turn, PicoSeconds((scheduler.now().count / kTurn + 1) * kTurn));
  scheduler.run_until(turn.due());
  return scheduler;
}

/// True once in a thousand executions: that input runs on a new scheduler as well, with the same
/// result.
inline bool time_to_compare() {
  static std::uint64_t executions = 0;
  return executions++ % 1024 == 0;
}

/// Hash of what an execution has shown, in order.
class Fingerprint {
 public:
  void add(std::uint64_t value) { value_ = (value_ ^ value) * 0x100000001B3u + (value_ >> 29); }
  bool operator==(const Fingerprint& other) const { return value_ == other.value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

}  // namespace dcc::fuzz
