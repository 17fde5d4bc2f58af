// Detection of flow-control deadlocks: switches that wait for each other in a cycle, forever.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/topology.h"
#include "switch/switch_device.h"

namespace dcc {

/// An egress port and priority of a switch that the port's neighbour has paused.
struct PausedWire {
  NodeId node = 0;
  int port = 0;
  int priority = 0;
};

/// Wait-for relations: the paused egress ports that have packets, and for each input that a switch
/// has paused the output ports that packets of this input wait for. The relations are plain
/// numbers, so that the relations of several processes can be concatenated to those of the whole
/// network.
using Waits = std::vector<std::int64_t>;
/// Wait-for relations of the switches `devices`. `devices` is indexed by node, null for hosts,
/// which never pause forever.
Waits waits_of(const std::vector<const SwitchDevice*>& devices);

/// The wires that can never send again, sorted by node, port and priority; empty without a
/// deadlock. Each of these wires is paused, and all packets for which the neighbour paused the wire
/// wait for other wires of the result. The result is exact while no pause frame is in flight.
std::vector<PausedWire> find_deadlock(const Topology& topology, const Waits& waits);

}  // namespace dcc
