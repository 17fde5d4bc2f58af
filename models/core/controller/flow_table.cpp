#include "controller/flow_table.h"

#include <stdexcept>
#include <string>

namespace dcc {

namespace {

int bucket_bits(std::uint32_t slots) {
  int bits = 1;
  while ((std::uint32_t{1} << bits) < 2 * slots) ++bits;
  return bits;
}

std::uint32_t checked(std::uint32_t slots) {
  if (slots < 1 || slots > kMaxSlots) {
    throw std::invalid_argument("a controller has 1 to 16384 slots, not " + std::to_string(slots));
  }
  return slots;
}

}  // namespace

FlowTable::FlowTable(std::uint32_t slots)
    : buckets_(std::size_t{1} << bucket_bits(checked(slots))),
      mask_(static_cast<std::uint32_t>(buckets_.size()) - 1),
      shift_(32 - bucket_bits(slots)),
      flow_of_(slots, kNoFlow),
      free_(slots) {
  reset();
}

void FlowTable::reset() {
  for (Bucket& bucket : buckets_) bucket = {};
  for (std::uint32_t& flow : flow_of_) flow = kNoFlow;
  for (std::uint32_t i = 0; i < slots(); ++i) free_[i] = static_cast<std::uint16_t>(i);
  free_head_ = 0;
  free_count_ = slots();
}

SlotIndex FlowTable::bind(std::uint32_t flow) {
  if (free_count_ == 0) return kNoSlot;
  const SlotIndex slot = free_[free_head_];
  free_head_ = free_head_ + 1 == slots() ? 0 : free_head_ + 1;
  --free_count_;
  std::uint32_t i = home(flow);
  while (buckets_[i].flow != kNoFlow) i = (i + 1) & mask_;
  buckets_[i] = {flow, slot};
  flow_of_[slot] = flow;
  return slot;
}

void FlowTable::release(SlotIndex slot) {
  std::uint32_t hole = home(flow_of_[slot]);
  while (buckets_[hole].flow != flow_of_[slot]) hole = (hole + 1) & mask_;
  // Entries behind the hole move into it unless that would put them before their home.
  for (std::uint32_t i = (hole + 1) & mask_; buckets_[i].flow != kNoFlow; i = (i + 1) & mask_) {
    const std::uint32_t distance_from_home = (i - home(buckets_[i].flow)) & mask_;
    if (distance_from_home < ((i - hole) & mask_)) continue;
    buckets_[hole] = buckets_[i];
    hole = i;
  }
  buckets_[hole] = {};
  flow_of_[slot] = kNoFlow;
  std::uint32_t end = free_head_ + free_count_;
  if (end >= slots()) end -= slots();
  free_[end] = static_cast<std::uint16_t>(slot);
  ++free_count_;
}

}  // namespace dcc
