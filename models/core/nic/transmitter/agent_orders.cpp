// The part of the transmitter through which a central agent orders how long messages are sent.
#include "nic/transmitter.h"

namespace dcc {

std::vector<Transmitter::LongFlow> Transmitter::long_flows(Bytes from) const {
  std::vector<LongFlow> found;
  pairs_.each([&](std::size_t number, const SendQueuePair& pair) {
    if (!pair.created || pair.failed || !pair.work.has_unsent()) return;
    const Bytes sent = pair.work.plan_next().item_offset;
    if (sent < from) return;
    found.push_back({static_cast<Qpn>(number), pair.config.remote_host, sent});
  });
  return found;
}

// A congestion-control algorithm that changes rates, not windows, overrides the order's rate with
// its next change.
void Transmitter::set_order(Qpn qpn, const FlowOrder& order) {
  orders_[qpn] = order;
  set_turn_priority(qpn, pairs_[qpn]);
  set_rate(qpn, order.rate);
}

void Transmitter::withdraw_order(Qpn qpn) {
  if (orders_.erase(qpn) == 0 || !exists(qpn)) return;
  set_turn_priority(qpn, pairs_[qpn]);
  set_rate(qpn, line_rate_);
}

std::uint8_t Transmitter::priority_at(Qpn qpn, Bytes offset) const {
  if (!orders_.empty()) {
    const auto order = orders_.find(qpn);
    if (order != orders_.end() && offset >= order->second.from) return order->second.priority;
  }
  return demotion_.priority_at(offset);
}

/// Gives a packet the priority of its offset in the message, and the settings that an agent's order
/// has for it.
void Transmitter::demote(Qpn qpn, Bytes offset, Packet& packet) const {
  packet.priority = priority_at(qpn, offset);
  if (orders_.empty()) return;
  const auto order = orders_.find(qpn);
  if (order == orders_.end() || offset < order->second.from) return;
  packet.overlay.route.first_port = order->second.first_port;
}

}  // namespace dcc
