#include "fabric/fabric_map.h"

#include <algorithm>
#include <utility>

namespace dcc {

FabricMap::FabricMap(const Topology& topology, const Routing& routing)
    : topology_(topology), routing_(&routing), edge_of_node_(topology.nodes().size(), kNoEdge) {
  for (HostId host = 0; host < static_cast<HostId>(topology.hosts()); ++host) {
    std::uint32_t& edge =
        edge_of_node_[static_cast<std::size_t>(topology.peer(topology.node_of(host), 0).node)];
    if (edge == kNoEdge) edge = edges_++;
    edge_of_host_.push_back(edge);
  }
  for (const Cable& cable : topology.cables()) {
    rate_.insert(rate_.end(), 2, cable.link.rate.bits_per_second);
  }
}

void FabricMap::set_rate(NodeId node, int port, BitRate rate) {
  rate_[wire(node, port)] = rate.bits_per_second;
}

std::uint64_t FabricMap::through(NodeId node, int port, HostId destination,
                                 std::vector<std::pair<NodeId, std::uint64_t>>& known) const {
  const NodeId next = topology_.peer(node, port).node;
  const std::uint64_t rate = rate_[wire(node, port)];
  const std::uint64_t ahead = beyond(next, destination, known);
  if (ahead == UINT64_MAX) return rate;
  std::uint64_t together = 0;
  for (const int one : routing_->ports(node, destination)) {
    if (topology_.peer(node, one).node == next) together += rate_[wire(node, one)];
  }
  if (together <= rate) return std::min(rate, ahead);
  return std::min(rate, static_cast<std::uint64_t>(Uint128(ahead) * rate / together));
}

std::uint64_t FabricMap::beyond(NodeId node, HostId destination,
                                std::vector<std::pair<NodeId, std::uint64_t>>& known) const {
  if (edge_at(node) == edge_of(destination)) return UINT64_MAX;
  for (const auto& [one, capacity] : known) {
    if (one == node) return capacity;
  }
  std::uint64_t sum = 0;
  for (const int port : routing_->ports(node, destination)) {
    sum += through(node, port, destination, known);
  }
  known.emplace_back(node, sum);
  return sum;
}

std::uint64_t FabricMap::capacity(NodeId node, int port, HostId destination) const {
  std::vector<std::pair<NodeId, std::uint64_t>> known;
  return through(node, port, destination, known);
}

}  // namespace dcc
