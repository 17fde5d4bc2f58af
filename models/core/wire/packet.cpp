#include "wire/packet.h"

#include <algorithm>
#include <new>

namespace dcc {

namespace {
/// Returns a spare buffer, or a new buffer if all are in use.
template <class Buffer>
Buffer* reuse(std::vector<Buffer*>& spare, std::vector<std::unique_ptr<Buffer>>& all) {
  if (spare.empty()) {
    all.push_back(std::make_unique<Buffer>());
    return all.back().get();
  }
  Buffer* const buffer = spare.back();
  spare.pop_back();
  return buffer;
}
/// Moves the second half of the list `from` to the end of `to`.
template <class Buffer>
void move_half(std::vector<Buffer*>& from, std::vector<Buffer*>& to) {
  const auto middle = from.begin() + static_cast<std::ptrdiff_t>(from.size() / 2);
  to.insert(to.end(), middle, from.end());
  from.erase(middle, from.end());
}
}  // namespace

Packet* PacketPool::allocate() {
  ++in_use_;
  Packet* const packet = free_;
  if (packet == nullptr) return make();
  free_ = packet->next;
  *packet = Packet{};
  return packet;
}

/// Constructs the next packet of the newest block, or the first one of a new block.
[[gnu::noinline]] Packet* PacketPool::make() {
  if (made_ == kBlock) {
    blocks_.emplace_back(new Room[kBlock]);
    made_ = 0;
  }
  return ::new (&blocks_.back()[made_++].packet) Packet;
}

/// Constructs the remaining packets of the newest block and adds them to the free list.
void PacketPool::make_rest() {
  while (made_ < kBlock) {
    Packet* const packet = make();
    packet->next = free_;
    packet->flow = kSpare;
    free_ = packet;
  }
}

void PacketPool::attach_telemetry(Packet& packet) {
  packet.telemetry = reuse(free_telemetry_, all_telemetry_);
  packet.telemetry_hops = 0;
}

void PacketPool::attach_places(Packet& packet) {
  attach_telemetry(packet);
  *packet.telemetry = IntStack{};
  packet.telemetry_hops = kMaxIntHops;
}

void PacketPool::attach_payload(Packet& packet, std::size_t bytes) {
  packet.payload = reuse(free_payload_, all_payload_);
  packet.payload->resize(bytes);
}

void PacketPool::free(Packet* packet) {
  if (packet->telemetry != nullptr) free_telemetry_.push_back(packet->telemetry);
  if (packet->payload != nullptr) free_payload_.push_back(packet->payload);
  packet->next = free_;
  packet->flow = kSpare;
  free_ = packet;
  --in_use_;
}

void PacketPool::give_half_to(PacketPool& other) {
  make_rest();
  const std::size_t packets = unused() / 2;
  for (std::size_t i = 0; i < packets; ++i) {
    Packet* const packet = free_;
    free_ = packet->next;
    packet->next = other.free_;
    other.free_ = packet;
  }
  in_use_ += static_cast<std::int64_t>(packets);
  other.in_use_ -= static_cast<std::int64_t>(packets);
  move_half(free_telemetry_, other.free_telemetry_);
  move_half(free_payload_, other.free_payload_);
}

void PacketPool::balance(std::vector<PacketPool*> pools) {
  std::sort(pools.begin(), pools.end(),
            [](const PacketPool* a, const PacketPool* b) { return a->unused() < b->unused(); });
  const std::size_t hoard = std::max(kMinHoard, kHoard / pools.size());
  for (std::size_t poor = 0, rich = pools.size(); poor < --rich; ++poor) {
    const std::size_t most = pools[rich]->unused();
    if (most <= hoard || most / 4 <= pools[poor]->unused()) break;
    pools[rich]->give_half_to(*pools[poor]);
  }
}

}  // namespace dcc
