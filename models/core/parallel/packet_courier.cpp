#include "parallel/packet_courier.h"

#include <cassert>
#include <cstring>
#include <type_traits>

namespace dcc {

namespace {
static_assert(std::is_trivially_copyable_v<Packet> && std::is_trivially_copyable_v<IntHop>);

void append(ProcessGroup::Message& message, const void* data, std::size_t bytes) {
  const auto* const first = static_cast<const unsigned char*>(data);
  message.insert(message.end(), first, first + bytes);
}

void take(const unsigned char*& from, void* to, std::size_t bytes) {
  std::memcpy(to, from, bytes);
  from += bytes;
}

/// Label in front of a packet's copy in a message: number of the link, and whether telemetry hops
/// follow.
struct Label {
  std::uint32_t link = 0;
  std::uint32_t has_telemetry = 0;
};
}  // namespace

void PacketCourier::add(Link& link) {
  number_of_[&link] = static_cast<std::uint32_t>(links_.size());
  links_.push_back(&link);
}

void PacketCourier::pack(void* receiver, void* item, ProcessGroup::Message& message) {
  auto* const packet = static_cast<Packet*>(item);
  assert(packet->payload == nullptr);
  const Label label{number_of_.at(receiver), packet->telemetry != nullptr ? 1u : 0u};
  Packet record = *packet;
  record.telemetry = nullptr;
  record.payload = nullptr;
  record.next = nullptr;
  append(message, &record, sizeof record);
  append(message, &label, sizeof label);
  if (packet->telemetry != nullptr) {
    append(message, packet->telemetry->hop.data(), sizeof(IntHop) * packet->telemetry_hops);
  }
  pool_.free(packet);
}

void PacketCourier::unpack(const unsigned char* at, const unsigned char* end) {
  while (at != end) {
    Packet* const packet = pool_.allocate();
    take(at, packet, sizeof *packet);
    Label label;
    take(at, &label, sizeof label);
    if (label.has_telemetry != 0) {
      const std::uint8_t hops = packet->telemetry_hops;
      pool_.attach_telemetry(*packet);
      packet->telemetry_hops = hops;
      take(at, packet->telemetry->hop.data(), sizeof(IntHop) * hops);
    }
    Link::enter(links_[label.link], packet);
  }
}

}  // namespace dcc
