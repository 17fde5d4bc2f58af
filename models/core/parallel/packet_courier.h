// Packets on their way to another process, as plain records.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "parallel/distributed_run.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

/// For links that end in another process: each exists in both, the near end at work in one and the
/// far end in the other. A packet is its own bytes without what points elsewhere, then its hops of
/// telemetry; processes of a run are the same program. Payload that is really there does not cross.
class PacketCourier final : public Courier {
 public:
  /// `pool`: of the partition that is at home here.
  explicit PacketCourier(PacketPool& pool) : pool_(pool) {}
  /// All links between partitions, in the same order in every process. Before the first packet.
  void add(Link& link);

  void pack(void* receiver, void* item, ProcessGroup::Message& message) override;
  void unpack(const unsigned char* begin, const unsigned char* end) override;

 private:
  PacketPool& pool_;
  std::vector<Link*> links_;
  std::unordered_map<const void*, std::uint32_t> number_of_;
};

}  // namespace dcc
