#include "net/packet.h"

namespace dcc {

namespace {
/// A spare buffer, or a new one if all are in use.
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
}  // namespace

Packet* PacketPool::take() {
  if (free_ == nullptr) {
    blocks_.push_back(std::make_unique<Packet[]>(kBlock));
    Packet* const block = blocks_.back().get();
    for (std::size_t i = kBlock; i-- > 0;) {
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

void PacketPool::attach_telemetry(Packet& packet) {
  packet.telemetry = reuse(free_telemetry_, all_telemetry_);
  packet.telemetry_hops = 0;
}

void PacketPool::attach_payload(Packet& packet, std::size_t bytes) {
  packet.payload = reuse(free_payload_, all_payload_);
  packet.payload->resize(bytes);
}

void PacketPool::give_back(Packet* packet) {
  if (packet->telemetry != nullptr) free_telemetry_.push_back(packet->telemetry);
  if (packet->payload != nullptr) free_payload_.push_back(packet->payload);
  packet->next = free_;
  free_ = packet;
  --in_use_;
}

}  // namespace dcc
