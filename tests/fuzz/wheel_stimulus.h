// Random operations for a timing engine. A profile determines their distribution.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "wheel_checker.h"

namespace dcc::test {

enum class WheelProfile { kUniform, kBurst, kWrap, kFull, kCancelRace };

inline const std::vector<std::string>& wheel_profile_names() {
  static const std::vector<std::string> names = {"uniform", "burst", "wrap", "full", "cancel-race"};
  return names;
}

/// Number of slots that a profile needs to reach all its situations.
inline std::uint32_t wheel_profile_slots(WheelProfile profile) {
  return profile == WheelProfile::kFull ? 16384 : 1024;
}

class WheelStimulus {
 public:
  WheelStimulus(WheelChecker& checker, std::uint32_t slots, WheelProfile profile,
                std::uint64_t seed)
      : checker_(checker), slots_(slots), profile_(profile), random_(seed) {}

  /// Runs one round of operations with the profile's probabilities.
  void round() {
    switch (profile_) {
      case WheelProfile::kUniform:
        return uniform();
      case WheelProfile::kBurst:
        return burst();
      case WheelProfile::kWrap:
        return wrap();
      case WheelProfile::kFull:
        return full();
      case WheelProfile::kCancelRace:
        return cancel_race();
    }
  }

  /// Takes all pending expiries.
  void drain() {
    while (checker_.oracle().pending() > 0) {
      const std::uint64_t due = *checker_.oracle().next_due();
      if (due > checker_.now()) checker_.advance(due - checker_.now());
      checker_.take(slots_);
    }
  }

 private:
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>((random_() >> 32) * limit >> 32);
  }
  std::uint32_t any_slot() { return below(slots_); }
  /// A random delay: half of them uniform over the whole range, half uniform in the number of bits,
  /// and some at the limits.
  std::uint32_t any_delay() {
    switch (below(16)) {
      case 0:
        return below(3);
      case 1:
        return below(2) == 0 ? 65535 - below(3) : 32767 + below(3);
      case 2:
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
        return below(65536) >> below(16);
      default:
        return below(65536);
    }
  }
  void start_any() {
    // Draws the slot before the other values, so that all compilers draw in the same order.
    const std::uint32_t slot = any_slot();
    checker_.start(slot, any_delay());
  }
  void advance_and_take(std::uint32_t ticks) {
    checker_.advance(ticks);
    checker_.take(slots_);
  }

  void uniform() {
    const std::uint32_t what = below(100);
    if (what < 50) {
      start_any();
    } else if (what < 62) {
      checker_.cancel(any_slot());
    } else if (what < 99) {
      advance_and_take(below(64));
    } else {
      advance_and_take(below(20000));
    }
  }

  // Profile burst: many timers expire on one tick from any distance, and the consumer takes
  // expiries slowly.
  void burst() {
    const std::uint64_t target = checker_.now() + 1 + any_delay();
    const std::uint32_t group = 1 + below(300);
    while (target - checker_.now() > 65535) advance_within_lag(1);
    for (std::uint32_t i = 0; i < group; ++i) {
      checker_.start(any_slot(), static_cast<std::uint32_t>(target - checker_.now()));
      const std::uint64_t left = target - checker_.now();
      if (left > 1 && below(8) == 0) {
        advance_within_lag(below(static_cast<std::uint32_t>(left < 4000 ? left : 4000)));
        checker_.take(below(40));
      }
    }
    if (below(2) == 0 && target > checker_.now())
      advance_within_lag(static_cast<std::uint32_t>(target - checker_.now()));
    for (std::uint32_t i = below(40); i > 0; --i) {
      advance_within_lag(below(2));
      checker_.take(1 + below(16));
    }
    // The engine may lag, but the consumer must take its expiries before 2^16 ticks have passed.
    while (checker_.oracle().lag(checker_.now()) > 20000) checker_.take(64);
  }

  // Profile wrap: long delays, times around the multiples of 2^16, and a lag up to the limit.
  void wrap() {
    const std::uint64_t to_epoch = 65536 - (checker_.now() & 65535);
    const std::uint32_t what = below(100);
    if (what < 50) {
      const auto near_epoch =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(to_epoch - 1 + below(3), 65535));
      const std::uint32_t delay = below(2) == 0 ? 65535 - below(200) : near_epoch;
      const std::uint32_t slot = any_slot();
      checker_.start(slot, below(4) == 0 ? any_delay() : delay);
    } else if (what < 56) {
      checker_.cancel(any_slot());
    } else if (what < 62) {
      touch_twice();
    } else if (what < 70) {
      race_with_oldest();
    } else if (what < 85) {
      checker_.take(below(12));
      advance_within_lag(below(200));
    } else if (what < 97) {
      advance_within_lag(static_cast<std::uint32_t>(to_epoch) - 1 + below(3));
    } else {
      checker_.take(slots_);
      advance_within_lag(below(65536));
    }
  }
  // Cancels or restarts a timer soon after its start.
  void touch_twice() {
    const std::uint32_t slot = any_slot();
    checker_.start(slot, any_delay());
    if (below(2) == 0) advance_within_lag(below(4));
    if (below(2) == 0) {
      checker_.cancel(slot);
    } else {
      checker_.start(slot, any_delay());
    }
  }
  // Cancels or restarts the oldest timer a chosen time after it was due.
  void race_with_oldest() {
    const auto oldest = checker_.oracle().front();
    if (!oldest.has_value()) return;
    const std::uint64_t target = oldest->first + std::min(65535u, any_delay());
    if (target > checker_.now())
      advance_within_lag(static_cast<std::uint32_t>(target - checker_.now()));
    if (below(2) == 0) {
      checker_.cancel(oldest->second);
    } else {
      checker_.start(oldest->second, any_delay());
    }
  }

  // Advances time while the engine lags, but takes expiries before 2^16 ticks have passed.
  void advance_within_lag(std::uint32_t ticks) {
    const std::uint64_t target = checker_.now() + ticks;
    for (auto due = checker_.oracle().next_due(); due.has_value() && *due + 65535 < target;
         due = checker_.oracle().next_due()) {
      if (*due > checker_.now()) checker_.advance(*due - checker_.now());
      checker_.take(slots_);
    }
    checker_.advance(target - checker_.now());
  }

  // Profile full: all slots always have a timer, as with a full flow table. Each expiry starts its
  // slot's timer again, and rate cuts restart timers.
  void full() {
    if (checker_.oracle().pending() < slots_) {
      for (std::uint32_t slot = 0; slot < slots_; ++slot) {
        if (!checker_.oracle().due(slot).has_value()) checker_.start(slot, any_delay());
      }
      return;
    }
    for (int i = 0; i < 20; ++i) start_any();
    advance_and_take(below(60));
  }

  // Profile cancel-race: cancels and restarts timers on the very tick of their expiry, before and
  // after the expiry can be taken.
  void cancel_race() {
    const std::uint32_t first = any_slot();
    const std::uint32_t count = 1 + below(12);
    const std::uint32_t delay = below(3) == 0 ? any_delay() : below(130);
    for (std::uint32_t i = 0; i < count; ++i) {
      checker_.start((first + i) % slots_, std::min(65535u, delay + below(3)));
    }
    const std::uint32_t early = below(4);
    advance_within_lag(delay > early ? delay - early : 0);
    for (std::uint32_t i = 0; i < 6; ++i) {
      for (std::uint32_t k = 0; k < 3; ++k) {
        const std::uint32_t slot = (first + below(count + 2)) % slots_;
        switch (below(5)) {
          case 0:
          case 1:
            checker_.cancel(slot);
            break;
          case 2:
            checker_.start(slot, below(4));
            break;
          case 3:
            checker_.start(slot, any_delay());
            break;
          default:
            checker_.take(1);
            break;
        }
      }
      advance_within_lag(below(2) == 0 ? 1 : below(100) == 0 ? below(30000) : 0);
    }
    if (below(3) == 0 || checker_.oracle().lag(checker_.now()) > 500) checker_.take(slots_);
  }

  WheelChecker& checker_;
  std::uint32_t slots_;
  WheelProfile profile_;
  std::mt19937_64 random_;
};

}  // namespace dcc::test
