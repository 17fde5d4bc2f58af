#include "net/packet.h"

namespace dcc {

Packet* PacketPool::take() {
  if (free_ == nullptr) {
    blocks_.push_back(std::make_unique<Packet[]>(kBlock));
    Packet* const block = blocks_.back().get();
    for (std::size_t i = 0; i < kBlock; ++i) {
      block[i].next = free_;
      free_ = &block[i];
    }
  }
  Packet* const packet = free_;
  free_ = packet->next;
  ++in_use_;
  *packet = Packet{};
  return packet;
}

void PacketPool::give_back(Packet* packet) {
  packet->next = free_;
  free_ = packet;
  --in_use_;
}

}  // namespace dcc
