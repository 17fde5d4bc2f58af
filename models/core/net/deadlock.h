// Finds flow-control deadlocks: switches that wait for each other in a circle, for ever.
#pragma once

#include <vector>

#include "net/switch_device.h"
#include "net/topology.h"

namespace dcc {

/// A way out of a switch that its neighbour has paused.
struct PausedWire {
  NodeId node = 0;
  int port = 0;
  int priority = 0;
};

/// The wires that can never send again: each is paused, and all packets for which its neighbour
/// paused it wait for other such wires. Empty when there is no deadlock. Exact at a moment in which
/// no pause frame is on its way. `devices` by node, null for hosts, which take everything.
std::vector<PausedWire> find_deadlock(const Topology& topology,
                                      const std::vector<const SwitchDevice*>& devices);

}  // namespace dcc
