// Finds flow-control deadlocks: switches that wait for each other in a circle, for ever.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/topology.h"
#include "switch/switch_device.h"

namespace dcc {

/// A way out of a switch that its neighbour has paused.
struct PausedWire {
  NodeId node = 0;
  int port = 0;
  int priority = 0;
};

/// What waits for what: the ways out that are paused and have something to send, and for each way
/// in that a switch has stopped the ways out that its packets wait for. As plain numbers, so that
/// those of several processes, one after the other, are of the whole network.
using Waits = std::vector<std::int64_t>;
/// Of these switches, by node; null for hosts, which take everything.
Waits waits_of(const std::vector<const SwitchDevice*>& devices);

/// The wires that can never send again: each is paused, and all packets for which its neighbour
/// paused it wait for other such wires; by node, port and priority. Empty when there is no
/// deadlock. Exact at a moment in which no pause frame is on its way.
std::vector<PausedWire> find_deadlock(const Topology& topology, const Waits& waits);

}  // namespace dcc
