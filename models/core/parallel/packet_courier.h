// Packs packets into messages to another process and unpacks them there.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "parallel/distributed_run.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

/// Carries packets over links that end in another process. Each such link exists in both processes:
/// the sender's process uses the near end of the link, the receiver's process the far end. A packed
/// packet is a copy of the Packet struct without pointers, followed by its telemetry hops. All
/// processes run the same program, so the memory layout is the same. Packets with real payload
/// cannot be packed.
class PacketCourier final : public Courier {
 public:
  /// `pool`: the packet pool of this process's own partition.
  explicit PacketCourier(PacketPool& pool) : pool_(pool) {}
  /// Registers a link between two partitions. Every process must register all such links in the
  /// same order, before the first packet.
  void add(Link& link);

  void pack(void* receiver, void* item, ProcessGroup::Message& message) override;
  void unpack(const unsigned char* begin, const unsigned char* end) override;

 private:
  PacketPool& pool_;
  std::vector<Link*> links_;
  std::unordered_map<const void*, std::uint32_t> number_of_;
};

}  // namespace dcc
