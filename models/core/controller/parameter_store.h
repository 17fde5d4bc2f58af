// What the controller remembers of a bound flow, by slot.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/formats.h"

namespace dcc {

/// The text's parameters: Rc, Rt, α, BC, T, t_latest, pkt_length, DSCP. Meaningless while the slot
/// is free.
///
/// Without AVERAGING some have another meaning (marks_law.h): pkt_length is the account of unmarked
/// packets, α the packets sent since the last CNP, T the intervals of a hold and BC its marks.
struct SlotParameters {
  RateBits rc = 0;
  RateBits rt = 0;
  Fraction16 alpha = 0;
  std::uint32_t t_latest = 0;    // tick of the last cut, wraps
  std::uint32_t due = 0;         // tick of the timer event that counts, wraps
  std::uint32_t pkt_length = 0;  // bytes sent since the last byte event
  std::uint8_t bc = 0;           // byte events since the last cut, saturates
  std::uint8_t t = 0;            // timer events since the last cut, saturates
  std::uint8_t dscp = 0;         // 0 … 63
};

/// Holds memory for slots up to the highest that was ever written: most controllers of a large
/// network use few of theirs. A reference lasts until another slot is written.
class ParameterStore {
 public:
  explicit ParameterStore(std::uint32_t slots) : limit_(slots) {}
  /// To write. Precondition: slot < the number of slots.
  SlotParameters& operator[](SlotIndex slot) {
    if (__builtin_expect(slot >= slots_.size(), false)) {
      slots_.resize(std::min<std::size_t>(limit_, 2 * (std::size_t{slot} + 1)));
    }
    return slots_[slot];
  }
  const SlotParameters& operator[](SlotIndex slot) const {
    static constexpr SlotParameters kUnused;
    return slot < slots_.size() ? slots_[slot] : kUnused;
  }

 private:
  std::uint32_t limit_;
  std::vector<SlotParameters> slots_;
};

}  // namespace dcc
