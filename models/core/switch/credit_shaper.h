// The credit-based shaper of time-sensitive networks: limits a priority to a rate.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// The credit-based shaper of IEEE 802.1Q, 8.6.8.2. The credit of a shaped priority rises by its
/// idle slope and falls by the bytes sent; the priority may send while its credit is not negative.
/// Positive credit is lost when the queue becomes empty. So a priority that waited for others
/// catches up at once, and an idle priority saves nothing. The shaper stores the time at which the
/// credit is zero: credit = idle slope × (now − that time).
class CreditShaper {
 public:
  /// Limits a priority to the rate `idle_slope`.
  void shape(int priority, BitRate idle_slope) {
    shaped_ = static_cast<std::uint8_t>(shaped_ | 1u << priority);
    slope_[index(priority)] = idle_slope;
  }
  /// Mask of the shaped priorities; bit p stands for priority p.
  unsigned shaped() const { return shaped_; }

  /// A packet joined the empty queue of a priority.
  void began(int priority, PicoSeconds now) {
    PicoSeconds& zero = zero_[index(priority)];
    zero = std::max(zero, now);
  }
  /// The port sends a packet of the priority; `bytes` include preamble and inter-packet gap.
  void sent(int priority, Bytes bytes) {
    if ((shaped_ >> priority & 1u) == 0) return;
    zero_[index(priority)] += serialization_time(bytes, slope_[index(priority)]);
  }
  /// Mask of the priorities among `eligible` whose credit lets them send now; bit p stands for
  /// priority p.
  unsigned released(unsigned eligible, PicoSeconds now) const {
    for (unsigned left = eligible & shaped_; left != 0; left &= left - 1) {
      const int priority = __builtin_ctz(left);
      if (zero_[index(priority)] > now) eligible &= ~(1u << priority);
    }
    return eligible;
  }
  /// Time at which the first priority in the mask `eligible` may send. Precondition: the mask is
  /// not 0, and all its priorities are shaped.
  PicoSeconds next_release(unsigned eligible) const {
    PicoSeconds first = PicoSeconds::max();
    for (unsigned left = eligible; left != 0; left &= left - 1) {
      first = std::min(first, zero_[index(__builtin_ctz(left))]);
    }
    return first;
  }
  void add_state(StateDigest& d) const { d(zero_); }

 private:
  static std::size_t index(int priority) { return static_cast<std::size_t>(priority); }
  std::array<PicoSeconds, kPriorities> zero_{};
  std::array<BitRate, kPriorities> slope_{};
  std::uint8_t shaped_ = 0;
};

}  // namespace dcc
