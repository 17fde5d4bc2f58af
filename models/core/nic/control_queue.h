// Control packets of a NIC that wait for the wire: first link control, then ACKs, NAKs and CNPs.
#pragma once

#include <array>
#include <cstddef>

#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Queue of a NIC's control packets: one FIFO for each priority, and one for link control that
/// comes before all priorities.
class ControlQueue {
 public:
  /// Adds a packet to the queue of its priority.
  void push(Packet* packet) { push(packet, packet->priority); }
  /// Adds a link-control frame, which no pause stops.
  void push_link_control(Packet* packet) { push(packet, kPriorities); }

  bool empty() const { return filled_ == 0; }
  /// True if a control packet waits whose priority is not in the mask `blocked` (bit p: priority
  /// p).
  bool has_sendable(unsigned blocked) const { return (filled_ & ~blocked) != 0; }
  /// Removes the control packet of the highest priority that may leave; null if none may.
  Packet* pop(unsigned blocked) {
    const unsigned ready = filled_ & ~blocked;
    if (ready == 0) return nullptr;
    const int highest = 31 - __builtin_clz(ready);
    PacketFifo& queue = queues_[static_cast<std::size_t>(highest)];
    Packet* const packet = queue.pop();
    if (queue.empty()) filled_ &= ~(1u << highest);
    return packet;
  }

  void add_state(StateDigest& d) const { d(queues_, filled_); }

 private:
  void push(Packet* packet, unsigned queue) {
    queues_[queue].push(packet);
    filled_ |= 1u << queue;
  }

  // one FIFO for each priority, and the last for link control
  std::array<PacketFifo, kPriorities + 1> queues_{};
  unsigned filled_ = 0;  // bit q: queues_[q] is not empty
};

}  // namespace dcc
