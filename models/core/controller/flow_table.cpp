#include "controller/flow_table.h"

#include <stdexcept>
#include <string>

namespace dcc {

namespace {

constexpr int kFewestBucketBits = 4;

std::uint32_t checked(std::uint32_t slots) {
  if (slots < 1 || slots > kMaxSlots) {
    throw std::invalid_argument("a controller has 1 to " + std::to_string(kMaxSlots) +
                                " slots, not " + std::to_string(slots));
  }
  return slots;
}

}  // namespace

FlowTable::FlowTable(std::uint32_t slots) : slots_(checked(slots)) { reset(); }

void FlowTable::reset() {
  buckets_.clear();
  resize_buckets(kFewestBucketBits);
  flow_of_.clear();
  released_.clear();
  released_head_ = 0;
  free_count_ = slots_;
  held_back_ = 0;
}

void FlowTable::resize_buckets(int bits) {
  std::vector<Bucket> old(std::size_t{1} << bits);
  old.swap(buckets_);
  mask_ = (1u << bits) - 1;
  shift_ = 32 - bits;
  for (const Bucket& bucket : old) {
    if (bucket.flow != kNoFlow) enter(bucket.flow, bucket.slot);
  }
}

void FlowTable::enter(std::uint32_t flow, SlotIndex slot) {
  std::uint32_t i = home(flow);
  while (buckets_[i].flow != kNoFlow) i = (i + 1) & mask_;
  buckets_[i] = {flow, slot};
}

/// The next free slot: slots that were never bound in ascending order, then released slots.
/// Precondition: a slot is free.
SlotIndex FlowTable::take_free() {
  --free_count_;
  if (flow_of_.size() < slots_) {
    flow_of_.push_back(kNoFlow);
    if (flow_of_.size() == slots_) released_.resize(slots_);
    return static_cast<SlotIndex>(flow_of_.size() - 1);
  }
  const SlotIndex slot = released_[released_head_];
  released_head_ = released_head_ + 1 == slots_ ? 0 : released_head_ + 1;
  return slot;
}

SlotIndex FlowTable::bind(std::uint32_t flow) {
  if (free_count_ <= held_back_) return kNoSlot;
  const SlotIndex slot = take_free();
  if (2 * bound_slots() > mask_ + 1) resize_buckets(33 - shift_);
  enter(flow, slot);
  flow_of_[slot] = flow;
  return slot;
}

void FlowTable::unbind(SlotIndex slot) {
  std::uint32_t hole = home(flow_of_[slot]);
  while (buckets_[hole].flow != flow_of_[slot]) hole = (hole + 1) & mask_;
  // Entries behind the hole move into it unless that would put them before their home bucket.
  for (std::uint32_t i = (hole + 1) & mask_; buckets_[i].flow != kNoFlow; i = (i + 1) & mask_) {
    const std::uint32_t distance_from_home = (i - home(buckets_[i].flow)) & mask_;
    if (distance_from_home < ((i - hole) & mask_)) continue;
    buckets_[hole] = buckets_[i];
    hole = i;
  }
  buckets_[hole] = {};
  flow_of_[slot] |= kUnbound;
}

void FlowTable::free(SlotIndex slot) {
  flow_of_[slot] = kNoFlow;
  if (flow_of_.size() < slots_) {
    released_.push_back(static_cast<std::uint16_t>(slot));
  } else {
    const std::uint32_t end = released_head_ + free_count_;
    released_[end < slots_ ? end : end - slots_] = static_cast<std::uint16_t>(slot);
  }
  ++free_count_;
}

}  // namespace dcc
