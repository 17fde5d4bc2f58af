#include "switch/deadlock.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace dcc {

namespace {
using Way = std::tuple<NodeId, int, int>;  // a wire that is waited for: (node, port, priority)

// value in place of a number of awaited ports that marks a paused wire
constexpr std::int64_t kPaused = -1;
}  // namespace

Waits waits_of(const std::vector<const SwitchDevice*>& devices) {
  Waits waits;
  for (std::size_t node = 0; node < devices.size(); ++node) {
    const SwitchDevice* const device = devices[node];
    if (device == nullptr) continue;
    for (int port = 0; port < device->ports(); ++port) {
      for (int priority = 0; priority < kPriorities; ++priority) {
        const auto note = [&](std::int64_t kind) {
          waits.insert(waits.end(), {static_cast<std::int64_t>(node), port, priority, kind});
        };
        if (device->is_paused(port, priority) && device->queue_bytes(port, priority) > 0) {
          note(kPaused);
        }
        if (device->has_stopped(port, priority)) {
          const std::vector<int> outputs = device->outputs_awaited(port, priority);
          note(static_cast<std::int64_t>(outputs.size()));
          waits.insert(waits.end(), outputs.begin(), outputs.end());
        }
      }
    }
  }
  return waits;
}

std::vector<PausedWire> find_deadlock(const Topology& topology, const Waits& waits) {
  // Starts with all waiting wires and removes those that can send again, until no more can be
  // removed. The remaining wires wait only for each other.
  std::set<Way> stuck;
  // for each input that pauses its neighbour: the outputs for which its packets wait
  std::map<Way, std::vector<int>> outputs_of;
  for (auto at = waits.begin(); at != waits.end();) {
    const Way way{static_cast<NodeId>(at[0]), static_cast<int>(at[1]), static_cast<int>(at[2])};
    const std::int64_t kind = at[3];
    at += 4;
    if (kind == kPaused) {
      stuck.insert(way);
    } else {
      outputs_of[way].assign(at, at + kind);
      at += kind;
    }
  }
  const auto can_continue = [&](const Way& wire) {
    const auto [node, port, priority] = wire;
    const CableEnd peer = topology.peer(node, port);
    const auto stopped = outputs_of.find({peer.node, peer.port, priority});
    if (stopped == outputs_of.end()) return true;
    return std::any_of(stopped->second.begin(), stopped->second.end(), [&, p = priority](int out) {
      return stuck.count({peer.node, out, p}) == 0;
    });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto wire = stuck.begin(); wire != stuck.end();) {
      const bool free = can_continue(*wire);
      changed = changed || free;
      wire = free ? stuck.erase(wire) : std::next(wire);
    }
  }
  std::vector<PausedWire> wires;
  for (const auto& [node, port, priority] : stuck) wires.push_back({node, port, priority});
  return wires;
}

}  // namespace dcc
