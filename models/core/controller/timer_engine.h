// The interface of a timing engine, implemented by the model, by verilated RTL, or by both in
// lock-step.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/formats.h"

namespace dcc {

/// Counters of timer events, with started = expired + cancelled + pending at any moment. A restart
/// counts as one cancelled event and one started event.
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

/// A timing engine holds at most one timer event for each slot, due within 2^16 ticks.
/// docs/formats.md has the contract.
///
/// `now` never runs backwards from call to call. An event is never handed out before its tick; no
/// event is lost or comes twice. Events come in the order (due, slot). A restart or a cancel of a
/// slot overrides an expiry that has not been taken. Expiries must be taken before the engine lags
/// 2^16 ticks; from 2^15 on `overrun` is set and stays.
class TimerEngine {
 public:
  virtual ~TimerEngine() = default;

  /// Starts or restarts the slot's timer event, due at now + max(1, delay); `delay`: 0 … 65535.
  void start(SlotIndex slot, Ticks delay, Tick now) {
    if (do_start(slot, delay, now)) ++counters_.cancelled;
    ++counters_.started;
  }
  /// Cancels the slot's timer event; returns false if none was pending.
  bool cancel(SlotIndex slot, Tick now) {
    if (!do_cancel(slot, now)) return false;
    ++counters_.cancelled;
    return true;
  }
  /// Removes and returns the timer event with the least (due, slot) and due <= now; empty if there
  /// is none.
  std::optional<TimerExpiry> take_expired(Tick now) {
    const std::optional<TimerExpiry> expiry = do_take_expired(now);
    if (expiry.has_value()) ++counters_.expired;
    return expiry;
  }
  /// A tick before which no expiry can be taken; it may be earlier than the next expiry, never
  /// later. Empty if no timer event is pending.
  virtual std::optional<Tick> next_due(Tick now) = 0;

  virtual bool is_started(SlotIndex slot) const = 0;
  /// Due time of the slot's event in the event store, as 16 bits and the epoch bit above them;
  /// empty if no event was started.
  virtual std::optional<std::uint32_t> stored_due(SlotIndex slot) const = 0;
  /// Number of ticks by which the engine's pointer is behind `now`, which is the age of the oldest
  /// expiry not taken.
  virtual Tick lag(Tick now) = 0;

  /// Cancels all timer events, and clears the counters and the flag `overrun`.
  void reset(Tick now) {
    do_reset(now);
    counters_ = {};
    overrun_ = false;
  }
  const TimerCounters& counters() const { return counters_; }
  bool overrun() const { return overrun_; }

 protected:
  /// Returns true if the start replaced a pending timer event of the slot.
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
