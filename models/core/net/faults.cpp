#include "net/faults.h"

#include <utility>

namespace dcc {

Link::LossHook lose_randomly(const Scheduler& scheduler, FaultWindow window, std::uint64_t q32,
                             std::uint64_t seed, std::uint64_t index) {
  return [&scheduler, window, q32,
          random = RandomStream(seed, "loss", index)](const Packet& packet) mutable {
    if (packet.kind == PacketKind::kPause || !window.contains(scheduler.now())) return false;
    return random.chance(q32);
  };
}

Link::LossHook lose_cnps(const Scheduler& scheduler, FaultWindow window, std::uint32_t flow) {
  return [&scheduler, window, flow](const Packet& packet) {
    return packet.kind == PacketKind::kCnp && packet.flow == flow &&
           window.contains(scheduler.now());
  };
}

Link::LossHook cut(const Scheduler& scheduler, FaultWindow window) {
  return [&scheduler, window](const Packet& packet) {
    return packet.kind != PacketKind::kPause && window.contains(scheduler.now());
  };
}

Link::LossHook combine(std::vector<Link::LossHook> faults) {
  return [faults = std::move(faults)](const Packet& packet) {
    bool lost = false;
    for (const Link::LossHook& fault : faults) lost = fault(packet) || lost;
    return lost;
  };
}

}  // namespace dcc
