// One scheduler for all executions of a target: building and destroying one, with a calendar of 16
// 384 buckets, costs more than most inputs.
#pragma once

#include <cstdint>

#include "sim/scheduler.h"

namespace dcc::fuzz {

/// An empty scheduler that nobody can tell from a new one but by its time: now() is where a turn of
/// its calendar begins, so whatever lies in which bucket lies there after now() as after 0. Whoever
/// had it before has withdrawn its events.
inline Scheduler& reused_scheduler() {
  static Scheduler scheduler;
  static Event turn = Event::calling<&Scheduler::empty>(scheduler, 0);
  // 16 384 buckets of 1.024 ns.
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

/// A number of what an execution has shown, in its order.
class Fingerprint {
 public:
  void add(std::uint64_t value) { value_ = (value_ ^ value) * 0x100000001B3u + (value_ >> 29); }
  bool operator==(const Fingerprint& other) const { return value_ == other.value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

}  // namespace dcc::fuzz
