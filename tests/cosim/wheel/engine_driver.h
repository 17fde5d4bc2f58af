// Drives a timing engine as the congestion controller does: starts, restarts and cancels of timers
// at any tick, and expiries that are taken one after the other when they are due.
#pragma once

#include <algorithm>

#include "controller/timer_engine.h"
#include "timing_wheel_stimulus.h"

namespace dcc {

/// Digest of all responses of a timing engine, in order.
struct EngineTrace {
  std::uint64_t hash = 1469598103934665603u;
  std::uint64_t expiries = 0;
  Tick end = 0;
  void add(std::uint64_t value) { hash = (hash ^ value) * 1099511628211u; }
};

inline Ticks random_delay(WheelRandom& random) {
  switch (random.below(6)) {
    case 0:
      return random.below(3);
    case 1:
      return 55;
    case 2:
      return random.below(300);
    case 3:
      return 65535 - random.below(3);
    case 4:
      return random.below(5000);
    default:
      return random.below(65536);
  }
}

/// Drives the engine at `steps` moments. With `ask_next` some of these moments are the engine's own
/// bound for the next expiry. Now and then the consumer takes only a few expiries and leaves the
/// rest for later ticks.
inline EngineTrace drive_engine(TimerEngine& engine, std::uint64_t seed, int steps, SlotIndex slots,
                                bool ask_next = true) {
  WheelRandom random(seed);
  EngineTrace trace;
  Tick now = 0;
  for (int step = 0; step < steps; ++step) {
    if (random.one_in(4)) {
      now += random.below(3);
    } else if (ask_next && random.one_in(2)) {
      now = std::max(now, engine.next_due(now).value_or(now));
    } else {
      now += random.below(random.one_in(50) ? 40'000 : 200);
    }
    for (std::uint32_t n = random.below(6); n > 0; --n) {
      const SlotIndex slot = random.below(slots);
      if (random.one_in(5)) {
        trace.add(engine.cancel(slot, now) ? 1 : 2);
      } else {
        engine.start(slot, random_delay(random), now);
      }
    }
    const std::uint32_t patience = random.one_in(20) ? random.below(3) : 1u << 30;
    for (std::uint32_t n = 0; n < patience; ++n) {
      const auto expiry = engine.take_expired(now);
      if (!expiry.has_value()) break;
      ++trace.expiries;
      trace.add(expiry->slot);
      trace.add(expiry->due);
      if (random.one_in(2)) engine.start(expiry->slot, 1 + random_delay(random) % 2000, now);
    }
    if (random.one_in(16)) trace.add(engine.lag(now));
    if (random.one_in(16)) trace.add(engine.stored_due(random.below(slots)).value_or(0));
    if (random.one_in(4000)) engine.reset(now);
  }
  trace.end = now;
  trace.add(engine.counters().started);
  trace.add(engine.counters().expired);
  trace.add(engine.counters().cancelled);
  return trace;
}

}  // namespace dcc
