// The parameters that the controller keeps in each slot for the bound flow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller/formats.h"

namespace dcc {

/// The parameters of a slot under the patent's names: Rc, Rt, α, BC, T, t_latest, pkt_length, DSCP.
/// The values have no meaning while the slot is free.
///
/// A law reads and writes alpha, pkt_length, bc and t through a view with the law's own names
/// (law/dcqcn.h, law/proportional.h). The members' comments give their meaning in DCQCN's law.
struct SlotParameters {
  RateBits rc = 0;
  RateBits rt = 0;
  Fraction16 alpha = 0;
  std::uint32_t t_latest = 0;    // tick of the slot's last rate cut; the value wraps
  std::uint32_t due = 0;         // tick at which the slot's timer event is due; the value wraps
  std::uint32_t pkt_length = 0;  // bytes that the flow sent since its last byte event
  std::uint8_t bc = 0;           // number of byte events since the last rate cut; saturates
  std::uint8_t t = 0;            // number of timer events since the last rate cut; saturates
  std::uint8_t dscp = 0;         // DSCP of the flow, 0 … 63
};

/// The parameters of all slots. Memory is allocated up to the highest slot that was ever written,
/// since most controllers of a large network use few slots. A reference is valid until another slot
/// is written.
class ParameterStore {
 public:
  explicit ParameterStore(std::uint32_t slots) : limit_(slots) {}
  /// The parameters of a slot, to be written. Precondition: slot < the number of slots.
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
