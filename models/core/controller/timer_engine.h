// The interface of a timing engine: the model, verilated RTL, or both in lock-step.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/formats.h"

namespace dcc {

/// Counters with started = expired + cancelled + pending at any moment. A restart counts as one
/// cancelled event and one started event.
struct TimerCounters {
  std::uint64_t started = 0;
  std::uint64_t expired = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t pending() const { return started - expired - cancelled; }
};

struct TimerExpiry {
  SlotIndex slot = 0;
  Tick due = 0;
};

/// One timer event a slot, over 2^16 ticks; the wheel's contract of docs/formats.md.
///
/// `now` never runs backwards from call to call. An event is never handed out before its tick, none
/// is lost, none comes twice; they come in the order (due, slot). Until an expiry is taken, a
/// restart or a cancel of its slot wins over it. Expiries must be taken before the engine lags 2^16
/// ticks; from 2^15 on `overrun` is set and stays.
class TimerEngine {
 public:
  virtual ~TimerEngine() = default;

  /// Starts or restarts the slot's event, due at now + max(1, delay); `delay`: 0 … 65535.
  void start(SlotIndex slot, Ticks delay, Tick now) {
    if (do_start(slot, delay, now)) ++counters_.cancelled;
    ++counters_.started;
  }
  /// Cancels the slot's event; false if none was pending.
  bool cancel(SlotIndex slot, Tick now) {
    if (!do_cancel(slot, now)) return false;
    ++counters_.cancelled;
    return true;
  }
  /// Removes and returns the event with the least (due, slot) and due <= now; none if there is
  /// none.
  std::optional<TimerExpiry> take_expired(Tick now) {
    const std::optional<TimerExpiry> expiry = do_take_expired(now);
    if (expiry.has_value()) ++counters_.expired;
    return expiry;
  }
  /// A tick before which no expiry can be taken; it may be earlier than the next expiry, never
  /// later. None if no event is pending.
  virtual std::optional<Tick> next_due(Tick now) = 0;

  virtual bool is_started(SlotIndex slot) const = 0;
  /// The due time in the event store: 16 bits and the epoch bit above them; none if not started.
  virtual std::optional<std::uint32_t> stored_due(SlotIndex slot) const = 0;
  /// Ticks by which the engine's pointer is behind `now`: the age of the oldest expiry not taken.
  virtual Tick lag(Tick now) = 0;

  /// Cancels all events, and clears counters and the overrun flag.
  void reset(Tick now) {
    do_reset(now);
    counters_ = {};
    overrun_ = false;
  }
  const TimerCounters& counters() const { return counters_; }
  bool overrun() const { return overrun_; }

 protected:
  /// True if the start replaced a pending event.
  virtual bool do_start(SlotIndex slot, Ticks delay, Tick now) = 0;
  virtual bool do_cancel(SlotIndex slot, Tick now) = 0;
  virtual std::optional<TimerExpiry> do_take_expired(Tick now) = 0;
  virtual void do_reset(Tick now) = 0;
  void set_overrun() { overrun_ = true; }

 private:
  TimerCounters counters_;
  bool overrun_ = false;
};

constexpr Tick kOverrunLag = Tick{1} << 15;

}  // namespace dcc
