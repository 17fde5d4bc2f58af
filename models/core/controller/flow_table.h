// Table of the controller that maps flow numbers to slots: bind, match, read, release.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/formats.h"

namespace dcc {

/// Hash table that maps 24-bit flow numbers to slots of the controller. After a reset, free slots
/// are bound lowest first, then in the order of their release. All operations take constant time by
/// open addressing. Memory grows with the number of slots that were ever bound, since most
/// controllers of a large network use few slots.
class FlowTable {
 public:
  static constexpr SlotIndex kNoSlot = 0xFFFFFFFF;
  static constexpr std::uint32_t kNoFlow = 0xFFFFFFFF;

  /// Makes a flow table with `slots` slots, 1 … 16384; throws std::invalid_argument otherwise.
  explicit FlowTable(std::uint32_t slots);

  std::uint32_t slots() const { return slots_; }
  std::uint32_t free_slots() const { return free_count_; }
  std::uint32_t bound_slots() const { return slots() - free_count_; }

  /// The slot of a bound flow; kNoSlot if the flow is not bound.
  SlotIndex match(std::uint32_t flow) const {
    for (std::uint32_t i = home(flow);; i = (i + 1) & mask_) {
      if (buckets_[i].flow == flow) return buckets_[i].slot;
      if (buckets_[i].flow == kNoFlow) return kNoSlot;
    }
  }
  /// Binds a flow that has no slot to the next free slot; kNoSlot if none is free.
  SlotIndex bind(std::uint32_t flow);
  /// Number of slots that cannot be bound at present.
  std::uint32_t taken_slots() const { return bound_slots() + held_back_; }
  /// Keeps the last `slots` freed slots from being bound.
  void hold_back(std::uint32_t slots) { held_back_ = slots; }
  /// The flow number of a slot, or kNoFlow while the slot is not bound.
  std::uint32_t read(SlotIndex slot) const {
    const std::uint32_t flow = slot < flow_of_.size() ? flow_of_[slot] : kNoFlow;
    return (flow & kUnbound) == 0 ? flow : kNoFlow;
  }
  /// The flow to which a slot is bound or was last bound. Precondition: the slot is not free.
  std::uint32_t read_last(SlotIndex slot) const { return flow_of_[slot] & ~kUnbound; }
  /// Removes a slot's flow from the table; the slot does not become free yet. Precondition: the
  /// slot is bound.
  void unbind(SlotIndex slot);
  /// Frees an unbound slot, which goes to the end of the free list.
  void free(SlotIndex slot);
  /// Unbinds a slot from its flow and frees the slot.
  void release(SlotIndex slot) {
    unbind(slot);
    free(slot);
  }
  /// Frees all slots and puts the free list in ascending order again.
  void reset();

 private:
  struct Bucket {
    std::uint32_t flow = kNoFlow;
    std::uint32_t slot = 0;
  };
  std::uint32_t home(std::uint32_t flow) const {
    // multiplicative hash: 2^32 / golden ratio spreads dense numbers
    return (flow * 2654435769u) >> shift_;
  }

  static constexpr std::uint32_t kUnbound =
      1u << 31;  // flag in flow_of_ that marks the number of a flow no longer bound to the slot

  SlotIndex take_free();
  void enter(std::uint32_t flow, SlotIndex slot);
  void resize_buckets(int bits);

  std::uint32_t slots_;
  // hash buckets; their number is a power of two, and at most half of them are used
  std::vector<Bucket> buckets_;
  std::uint32_t mask_ = 0;
  int shift_ = 0;
  std::vector<std::uint32_t> flow_of_;  // flow of each slot that was ever bound
  std::vector<std::uint16_t>
      released_;  // released slots in the order of release; a ring once every slot was bound
  std::uint32_t released_head_ = 0;
  std::uint32_t free_count_ = 0;
  std::uint32_t held_back_ = 0;  // number of released slots that must not be bound yet
};

}  // namespace dcc
