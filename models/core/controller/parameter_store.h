// The parameters of each slot that the controller keeps for a bound flow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/formats.h"

namespace dcc {

/// The parameters of a slot under the patent's names: Rc, Rt, α, BC, T, t_latest, pkt_length, DSCP.
/// Without meaning while the slot is free.
///
/// A law reads and writes alpha, pkt_length, bc and t through a view with names of its own
/// (law/dcqcn.h, law/proportional.h); the comments below are those of DCQCN's law.
struct SlotParameters {
  RateBits rc = 0;
  RateBits rt = 0;
  Fraction16 alpha = 0;
  std::uint32_t t_latest = 0;    // tick of the last cut, wraps
  std::uint32_t due = 0;         // tick of the slot's valid timer event, wraps
  std::uint32_t pkt_length = 0;  // bytes sent since the last byte event
  std::uint8_t bc = 0;           // byte events since the last cut, saturates
  std::uint8_t t = 0;            // timer events since the last cut, saturates
  std::uint8_t dscp = 0;         // DSCP of the flow, 0 … 63
};

/// The parameters of all slots. Memory is allocated up to the highest slot that was ever written,
/// since most controllers of a large network use few slots. A reference is valid until another slot
/// is written.
class ParameterStore {
 public:
  explicit ParameterStore(std::uint32_t slots) : limit_(slots) {}
  /// A slot to be written. Precondition: slot < the number of slots.
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
