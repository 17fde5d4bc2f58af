// What the congestion manager asks of a timing engine, be it the model or verilated RTL.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/formats.h"

namespace dcc {

/// started = expired + cancelled + pending at any moment. A restart counts as one cancelled (the
/// event it replaces) and one started.
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

  /// (Re)starts the slot's event: due at now + max(1, delay), delay 0 … 65535.
  void start(SlotIndex slot, Ticks delay, Tick now) {
    if (do_start(slot, delay, now)) ++counters_.cancelled;
    ++counters_.started;
  }
  /// Withdraws the slot's event; false if there was none.
  bool cancel(SlotIndex slot, Tick now) {
    if (!do_cancel(slot, now)) return false;
    ++counters_.cancelled;
    return true;
  }
  /// The least (due, slot) with due <= now, and forgets it.
  std::optional<TimerExpiry> take_expired(Tick now) {
    const std::optional<TimerExpiry> expiry = do_take_expired(now);
    if (expiry.has_value()) ++counters_.expired;
    return expiry;
  }
  /// No expiry can be taken before this tick (it may be early, never late); nothing pending: none.
  virtual std::optional<Tick> next_due(Tick now) = 0;

  virtual bool is_started(SlotIndex slot) const = 0;
  /// Due time as the event store holds it, 16 bits and the epoch bit above; none if not started.
  virtual std::optional<std::uint32_t> stored_due(SlotIndex slot) const = 0;
  /// How far the engine's pointer is behind `now`: the age of the oldest expiry not taken.
  virtual Tick lag(Tick now) = 0;

  /// Withdraws everything, clears counters and the overrun flag.
  void reset(Tick now) {
    do_reset(now);
    counters_ = {};
    overrun_ = false;
  }
  const TimerCounters& counters() const { return counters_; }
  bool overrun() const { return overrun_; }

 protected:
  /// True if it replaced an event.
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
