#include "net/deadlock.h"

#include <algorithm>

namespace dcc {

namespace {
bool contains(const std::vector<PausedWire>& wires, NodeId node, int port, int priority) {
  return std::any_of(wires.begin(), wires.end(), [&](const PausedWire& w) {
    return w.node == node && w.port == port && w.priority == priority;
  });
}
}  // namespace

std::vector<PausedWire> find_deadlock(const Topology& topology,
                                      const std::vector<const SwitchDevice*>& devices) {
  // Starts with all wires that wait and takes away those that may go on one day, until nothing
  // changes: what remains waits only for what remains.
  std::vector<PausedWire> stuck;
  for (std::size_t n = 0; n < devices.size(); ++n) {
    if (devices[n] == nullptr) continue;
    for (int port = 0; port < devices[n]->ports(); ++port) {
      for (int priority = 0; priority < kPriorities; ++priority) {
        if (devices[n]->is_paused(port, priority) && devices[n]->queue_bytes(port, priority) > 0) {
          stuck.push_back({static_cast<NodeId>(n), port, priority});
        }
      }
    }
  }
  const auto may_go_on = [&](const PausedWire& wire) {
    const CableEnd peer = topology.peer(wire.node, wire.port);
    const SwitchDevice* const device = devices[static_cast<std::size_t>(peer.node)];
    if (device == nullptr || !device->has_stopped(peer.port, wire.priority)) return true;
    const std::vector<int> outputs = device->outputs_awaited(peer.port, wire.priority);
    return std::any_of(outputs.begin(), outputs.end(), [&](int output) {
      return !contains(stuck, peer.node, output, wire.priority);
    });
  };
  for (;;) {
    const auto first = std::find_if(stuck.begin(), stuck.end(), may_go_on);
    if (first == stuck.end()) return stuck;
    stuck.erase(first);
  }
}

}  // namespace dcc
