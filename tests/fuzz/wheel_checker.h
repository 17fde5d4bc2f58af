// Drives a timing engine and the oracle side by side, compares all visible values, and counts the
// situations that occurred.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "controller/timer_engine.h"
#include "wheel_oracle.h"

namespace dcc::test {

/// Coverage of operations by kind, distance to expiry, crossed epoch, and lateness of the engine.
class WheelCoverage {
 public:
  enum Action {
    kStart,
    kRestartLater,
    kRestartEarlier,
    kRestartExpired,
    kCancel,
    kCancelExpired,
    kExpire,
    kActions
  };
  enum Distance { kOne, kLast, kMiddle, kTop, kHorizon, kDistances };

  static Distance distance(std::uint64_t ticks) {
    if (ticks <= 1) return kOne;
    if (ticks < 64) return kLast;
    if (ticks < 2048) return kMiddle;
    return ticks < 65535 ? kTop : kHorizon;
  }
  void hit(Action action, Distance distance, bool wraps, bool lags) {
    ++bins_[index(action, distance, wraps, lags)];
  }
  /// Names of the coverage bins that were never hit, one per line; empty if all were hit.
  std::string holes() const {
    static constexpr const char* kActionNames[] = {"start",           "restart later",
                                                   "restart earlier", "restart of an expired event",
                                                   "cancel",          "cancel of an expired event",
                                                   "expire"};
    static constexpr const char* kDistanceNames[] = {"1 tick", "below 64", "below 2048",
                                                     "below 65535", "65535"};
    std::string text;
    for (int a = 0; a < kActions; ++a) {
      for (int d = 0; d < kDistances; ++d) {
        for (int w = 0; w < 2; ++w) {
          for (int l = 0; l < 2; ++l) {
            if (!possible(a, d, w != 0, l != 0)) continue;
            if (bins_[index(static_cast<Action>(a), static_cast<Distance>(d), w != 0, l != 0)] != 0)
              continue;
            text += std::string("  ") + kActionNames[a] + ", " + kDistanceNames[d] +
                    (w != 0 ? ", over the epoch" : "") + (l != 0 ? ", lagging" : "") + "\n";
          }
        }
      }
    }
    return text;
  }

 private:
  static std::size_t index(Action a, Distance d, bool wraps, bool lags) {
    return ((static_cast<std::size_t>(a) * kDistances + static_cast<std::size_t>(d)) * 2 +
            (wraps ? 1 : 0)) *
               2 +
           (lags ? 1 : 0);
  }
  static bool possible(int action, int distance, bool wraps, bool lags) {
    switch (action) {
      case kCancelExpired:
      case kRestartExpired:
        return lags;
      case kRestartEarlier:
        return distance != kHorizon;
      case kExpire:
        // for an expiry the distance is the lateness of the engine
        return lags || (distance == kOne && !wraps);
      default:
        return true;
    }
  }
  std::array<std::uint64_t, kActions * kDistances * 4> bins_{};
};

/// Drives engine and oracle. Throws std::runtime_error at the first difference, with the number of
/// the operation and the operations before it.
class WheelChecker {
 public:
  WheelChecker(TimerEngine& engine, std::uint32_t slots, std::uint64_t now)
      : engine_(engine), oracle_(slots), now_(now) {}

  std::uint64_t now() const { return now_; }
  std::uint64_t operations() const { return operations_; }
  const WheelOracle& oracle() const { return oracle_; }
  WheelCoverage& coverage() { return coverage_; }

  void start(std::uint32_t slot, std::uint32_t delay) {
    begin({'s', slot, delay, now_});
    const std::optional<std::uint64_t> old = oracle_.due(slot);
    const bool lags = oracle_.lag(now_) > 0;
    engine_.start(slot, delay, now_);
    oracle_.start(slot, delay, now_);
    const std::uint64_t due = *oracle_.due(slot);
    const bool wraps = (due >> 16) != (now_ >> 16);
    const auto action = !old.has_value() ? WheelCoverage::kStart
                        : *old <= now_   ? WheelCoverage::kRestartExpired
                        : due >= *old    ? WheelCoverage::kRestartLater
                                         : WheelCoverage::kRestartEarlier;
    coverage_.hit(action, WheelCoverage::distance(due - now_), wraps,
                  lags || (old && *old <= now_));
    if (old.has_value()) ++cancelled_;
    ++started_;
    check_slot(slot);
  }

  void cancel(std::uint32_t slot) {
    begin({'c', slot, 0, now_});
    const std::optional<std::uint64_t> old = oracle_.due(slot);
    const bool lags = oracle_.lag(now_) > 0;
    const bool engine_had = engine_.cancel(slot, now_);
    if (oracle_.cancel(slot) != engine_had) fail("cancel disagrees about a pending event");
    if (old.has_value()) {
      ++cancelled_;
      const bool expired = *old <= now_;
      const std::uint64_t distance = expired ? now_ - *old : *old - now_;
      coverage_.hit(expired ? WheelCoverage::kCancelExpired : WheelCoverage::kCancel,
                    WheelCoverage::distance(distance), (*old >> 16) != (now_ >> 16),
                    lags || expired);
    }
    check_slot(slot);
  }

  /// Advances time and leaves due expiries waiting.
  void advance(std::uint64_t ticks) {
    begin({'a', 0, static_cast<std::uint32_t>(ticks), now_});
    now_ += ticks;
    check_time();
  }

  /// Takes up to `most` expiries from the timing engine. Returns the number of expiries taken.
  std::uint32_t take(std::uint32_t most) {
    begin({'t', 0, most, now_});
    std::uint32_t taken = 0;
    while (taken < most) {
      const std::uint64_t lag = oracle_.lag(now_);
      const auto wanted = oracle_.take(now_);
      const std::optional<TimerExpiry> got = engine_.take_expired(now_);
      if (wanted.has_value() != got.has_value()) {
        fail(wanted.has_value() ? "lost or late: slot " + std::to_string(wanted->second) + " due " +
                                      std::to_string(wanted->first)
                                : "early or twice: slot " + std::to_string(got->slot));
      }
      if (!wanted.has_value()) break;
      if (wanted->first != got->due || wanted->second != got->slot) {
        fail("expected slot " + std::to_string(wanted->second) + " due " +
             std::to_string(wanted->first) + ", got slot " + std::to_string(got->slot) + " due " +
             std::to_string(got->due));
      }
      coverage_.hit(WheelCoverage::kExpire, WheelCoverage::distance(lag),
                    (wanted->first >> 16) != (now_ >> 16), lag > 0);
      ++expired_;
      ++taken;
    }
    check_time();
    return taken;
  }

 private:
  struct Operation {
    char what = ' ';
    std::uint32_t slot = 0;
    std::uint32_t value = 0;
    std::uint64_t now = 0;
  };

  void begin(const Operation& operation) {
    history_[operations_ % history_.size()] = operation;
    ++operations_;
  }
  void check_slot(std::uint32_t slot) {
    const std::optional<std::uint64_t> due = oracle_.due(slot);
    if (engine_.is_started(slot) != due.has_value()) fail("is_started is wrong");
    const std::optional<std::uint32_t> stored = engine_.stored_due(slot);
    if (stored.has_value() != due.has_value() || (due.has_value() && *stored != (*due & 0x1FFFF))) {
      fail("the stored due time is wrong");
    }
    check_time();
  }
  void check_time() {
    const std::uint64_t lag = oracle_.lag(now_);
    if (engine_.lag(now_) != lag) fail("lag is not " + std::to_string(lag));
    overrun_ = overrun_ || lag >= kOverrunLag;
    if (engine_.overrun() != overrun_) fail("the overrun flag is wrong");
    const std::optional<Tick> bound = engine_.next_due(now_);
    const std::optional<std::uint64_t> due = oracle_.next_due();
    // At the bound that the engine reports an expiry must exist, or a user who sleeps until that
    // bound would wait for ever.
    if (bound.has_value() != due.has_value() || (bound.has_value() && *bound > *due) ||
        (bound.has_value() && *bound <= now_ && *bound != *due)) {
      fail("next_due promises tick " + (bound ? std::to_string(*bound) : std::string("none")));
    }
    const TimerCounters& c = engine_.counters();
    if (c.started != started_ || c.expired != expired_ || c.cancelled != cancelled_ ||
        c.pending() != oracle_.pending()) {
      fail("counters are wrong");
    }
  }
  [[noreturn]] void fail(const std::string& what) const {
    std::ostringstream text;
    text << "operation " << operations_ << " at tick " << now_ << ": " << what << "\nbefore it:";
    const std::uint64_t count = operations_ < history_.size() ? operations_ : history_.size();
    for (std::uint64_t i = operations_ - count; i < operations_; ++i) {
      const Operation& o = history_[i % history_.size()];
      text << "\n  tick " << o.now << ": ";
      switch (o.what) {
        case 's':
          text << "start slot " << o.slot << " delay " << o.value;
          break;
        case 'c':
          text << "cancel slot " << o.slot;
          break;
        case 'a':
          text << "time advances by " << o.value;
          break;
        default:
          text << "take up to " << o.value;
          break;
      }
    }
    throw std::runtime_error(text.str());
  }

  TimerEngine& engine_;
  WheelOracle oracle_;
  std::uint64_t now_;
  std::uint64_t operations_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t expired_ = 0;
  std::uint64_t cancelled_ = 0;
  bool overrun_ = false;
  WheelCoverage coverage_;
  std::array<Operation, 16> history_;
};

}  // namespace dcc::test
