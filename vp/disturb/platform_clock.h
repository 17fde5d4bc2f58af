// The clock of simulated time, which fast-forward may move ahead of the devices' time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scheduler.h"
#include "units.h"

namespace dcc::vp {

/// Devices use the scheduler's time and do not notice skipped time. Simulated time, which users
/// see, is the scheduler's time plus all skipped time. Events of the platform are due by simulated
/// time, so after a skip they run earlier by the scheduler's time. As long as nothing is skipped
/// both times are equal.
class PlatformClock {
 public:
  explicit PlatformClock(Scheduler& scheduler) : scheduler_(scheduler) {}

  PicoSeconds now() const { return scheduler_.now() + ahead_; }
  /// Schedules an event at a simulated time that is not in the past.
  void schedule_at(Event& event, PicoSeconds when) { scheduler_.schedule_at(event, when - ahead_); }
  /// The simulated time at which a scheduled event is due.
  PicoSeconds due(const Event& event) const { return event.due() + ahead_; }
  void schedule_in(Event& event, PicoSeconds delay) { scheduler_.schedule_in(event, delay); }
  /// Begins a part of an event that several schedulers share (see Scheduler::begin_part()).
  void begin_part(std::uint64_t part) { scheduler_.begin_part(part); }

  /// Marks an event as due by simulated time: no skip passes the event, and a skip before the event
  /// moves it. The event must outlive the last skip.
  void keep(Event& event) { kept_.push_back(&event); }
  /// The simulated time of the next event that no skip may pass; max() if no such event is
  /// scheduled.
  PicoSeconds next_kept() const;

  /// Skips simulated time: the run continues at now() + `time`. Precondition: now() + `time` is
  /// before next_kept().
  void skip(PicoSeconds time);
  /// Total simulated time that fast-forward has skipped so far.
  PicoSeconds skipped() const { return ahead_; }
  /// Converts a past moment of the devices' time into simulated time.
  PicoSeconds simulated(PicoSeconds device) const;

 private:
  struct Skip {
    PicoSeconds after;  // time of the devices' clock after which this skip applies
    PicoSeconds ahead;
  };
  Scheduler& scheduler_;
  PicoSeconds ahead_{};
  std::vector<Skip> skips_;
  std::vector<Event*> kept_;
};

}  // namespace dcc::vp
