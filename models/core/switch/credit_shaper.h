// The credit-based shaper of time-sensitive networks: a priority sends at its rate, and no faster.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// IEEE 802.1Q, 8.6.8.2. A priority's credit rises by its idle slope, falls by what it sends, and
/// may be sent from while it is not below zero; what is above zero goes when the queue runs empty.
/// So one that has waited for others makes up for it at once, and one that had nothing to send does
/// not. Kept as the moment at which the credit is zero: it is idle slope × (now − that moment).
class CreditShaper {
 public:
  void shape(int priority, BitRate idle_slope) {
    shaped_ = static_cast<std::uint8_t>(shaped_ | 1u << priority);
    slope_[index(priority)] = idle_slope;
  }
  unsigned shaped() const { return shaped_; }

  /// A packet came to a queue that was empty.
  void began(int priority, PicoSeconds now) {
    PicoSeconds& zero = zero_[index(priority)];
    zero = std::max(zero, now);
  }
  /// `bytes` of link time, preamble and gap included, are being sent.
  void sent(int priority, Bytes bytes) {
    if ((shaped_ >> priority & 1u) == 0) return;
    zero_[index(priority)] += serialization_time(bytes, slope_[index(priority)]);
  }
  /// Of `eligible`, those that may send.
  unsigned released(unsigned eligible, PicoSeconds now) const {
    for (unsigned left = eligible & shaped_; left != 0; left &= left - 1) {
      const int priority = __builtin_ctz(left);
      if (zero_[index(priority)] > now) eligible &= ~(1u << priority);
    }
    return eligible;
  }
  /// When the first of `eligible` may send. Precondition: all are shaped, and there is one.
  PicoSeconds next_release(unsigned eligible) const {
    PicoSeconds first = PicoSeconds::max();
    for (unsigned left = eligible; left != 0; left &= left - 1) {
      first = std::min(first, zero_[index(__builtin_ctz(left))]);
    }
    return first;
  }
  template <class Digest>
  void add_state(Digest& d) const {
    d(zero_);
  }

 private:
  static std::size_t index(int priority) { return static_cast<std::size_t>(priority); }
  std::array<PicoSeconds, kPriorities> zero_{};
  std::array<BitRate, kPriorities> slope_{};
  std::uint8_t shaped_ = 0;
};

}  // namespace dcc
