#include "nic/work_queue.h"

#include <cassert>

namespace dcc {

void WorkQueue::post(const WorkItem& item) {
  assert(item.bytes > 0);
  items_.push_back(item);
  if (items_.back().message_bytes <= 0) items_.back().message_bytes = item.bytes;
}

void WorkQueue::drop_oldest() {
  ++head_;
  // Erasing 64 completed work items at a time takes amortised constant time. An empty queue keeps
  // no items.
  if (head_ == items_.size() || head_ >= 64) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
    base_ += head_;
    head_ = 0;
  }
}

/// Turns the plan of one response packet into the request for the rest of its message.
void WorkQueue::make_request(PacketPlan& packet) const {
  const Bytes left = packet.message_bytes - next_.in_message;
  packet.packets = packets_of(left);
  packet.payload_bytes = static_cast<std::uint32_t>(left);
  packet.message_bytes = left;
  packet.first = packet.last = true;
  packet.ends_item = packet.item_offset + left == packet.item->bytes;
}

std::uint64_t WorkQueue::go_back() {
  const std::uint64_t repeated = next_.psn - una_.psn;
  if (furthest_.psn < next_.psn) furthest_ = next_;
  next_ = una_;
  in_flight_ = 0;
  reads_out_ = 0;
  return repeated;
}

std::uint64_t WorkQueue::restore(Psn psn) {
  std::uint64_t restored = 0;
  while (next_.psn < std::min(psn, furthest_.psn)) {
    const PacketPlan packet = plan(next_);
    if (expects_response(packet.item->operation)) break;
    sent(packet);
    ++restored;
  }
  return restored;
}

std::size_t WorkQueue::truncate() {
  std::size_t dropped = 0;
  // Packets that go_back() withdrew may have arrived, so their sequence numbers are not used again.
  Cursor& end = furthest_.psn > next_.psn ? furthest_ : next_;
  const auto current = static_cast<std::size_t>(end.index - base_);
  while (items_.size() > current + (end.offset > 0 ? 1u : 0u)) {
    items_.pop_back();
    ++dropped;
  }
  if (end.offset > 0) {
    // The last sent packet becomes the last of its item, although the packet was not marked as
    // last: the receiver of a truncated transfer needs no mark.
    items_.back().bytes = end.offset;
    ++end.index;
    end.offset = end.in_message = 0;
  }
  return dropped;
}

}  // namespace dcc
