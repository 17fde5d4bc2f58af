// Simulated time, where it is ahead of the devices' (disturb/fast_forward.h).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scheduler.h"
#include "units.h"

namespace dcc::vp {

/// Devices live on the scheduler's time, and never notice that some is skipped: it is what a user
/// calls time that is then further ahead of theirs. The platform's own events are due by a user's
/// time, so they come so much earlier on the scheduler. As long as nothing is skipped both are the
/// same.
class PlatformClock {
 public:
  explicit PlatformClock(Scheduler& scheduler) : scheduler_(scheduler) {}

  PicoSeconds now() const { return scheduler_.now() + ahead_; }
  /// At a simulated time from now on.
  void schedule_at(Event& event, PicoSeconds when) { scheduler_.schedule_at(event, when - ahead_); }
  /// Of one that is scheduled.
  PicoSeconds due(const Event& event) const { return event.due() + ahead_; }
  void schedule_in(Event& event, PicoSeconds delay) { scheduler_.schedule_in(event, delay); }
  /// Of an event that schedulers divide: this part of it (Scheduler::begin_part()).
  void begin_part(std::uint64_t part) { scheduler_.begin_part(part); }

  /// What this event does is due at a simulated time: nothing is skipped beyond it, and it moves
  /// with what is skipped before it. Must outlive the last skip.
  void keep(Event& event) { kept_.push_back(&event); }
  /// When the next of them is due; max(): none is.
  PicoSeconds next_kept() const;

  /// At now(): goes on at now() + `time`, which must lie before next_kept().
  void skip(PicoSeconds time);
  /// In all.
  PicoSeconds skipped() const { return ahead_; }
  /// The simulated time of a moment on the devices' axis that is past.
  PicoSeconds simulated(PicoSeconds device) const;

 private:
  struct Skip {
    PicoSeconds after;  // devices' time: what happens later is so much further
    PicoSeconds ahead;
  };
  Scheduler& scheduler_;
  PicoSeconds ahead_{};
  std::vector<Skip> skips_;
  std::vector<Event*> kept_;
};

}  // namespace dcc::vp
