// The view of the network that load balancers need: the edge switch of each host, and the capacity
// behind a port towards a host.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/routing.h"
#include "fabric/topology.h"
#include "wire/packet.h"

namespace dcc {

/// A map of the network for load balancers. The map stores the known state of links, which can lag
/// behind the real state. Several threads may read a FabricMap at the same time if no thread
/// changes it.
class FabricMap {
 public:
  static constexpr std::uint32_t kNoEdge = 0xFFFFFFFF;

  /// `topology` and `routing` must outlive the FabricMap.
  FabricMap(const Topology& topology, const Routing& routing);

  /// Number of edge switches, i.e. switches with hosts. Edge switches are numbered in the order of
  /// their first host.
  std::uint32_t edges() const { return edges_; }
  std::uint32_t edge_of(HostId host) const { return edge_of_host_[host]; }
  /// Number of the edge switch at a node; kNoEdge if the node is a switch without hosts.
  std::uint32_t edge_at(NodeId node) const { return edge_of_node_[static_cast<std::size_t>(node)]; }
  /// True if the port of a node leads to another switch.
  bool leads_on(NodeId node, int port) const {
    return !topology_.node(topology_.peer(node, port).node).is_host;
  }
  /// Capacity in bits per second towards the destination's edge switch through one port that leads
  /// towards it: the minimum over the links of a path, summed over parallel paths. Parallel links
  /// between two switches share the capacity of the links after the second switch.
  std::uint64_t capacity(NodeId node, int port, HostId destination) const;

  const Topology& topology() const { return topology_; }
  const Routing& routing() const { return *routing_; }
  /// Number of the wire that leaves a node through a port: 2 · cable + side.
  std::size_t wire(NodeId node, int port) const {
    const Topology::Plug& plug = topology_.plug(node, port);
    return static_cast<std::size_t>(2 * plug.cable + plug.side);
  }
  std::size_t wires() const { return rate_.size(); }
  /// Known rate of a wire in bits per second; the value lags behind changes of the real rate.
  std::uint64_t rate(std::size_t wire) const { return rate_[wire]; }

  /// Replaces the routes; `routing` must outlive the FabricMap.
  void set_routing(const Routing& routing) { routing_ = &routing; }
  /// Sets the known rate of the wire that leaves a node through a port.
  void set_rate(NodeId node, int port, BitRate rate);

 private:
  std::uint64_t beyond(NodeId node, HostId destination,
                       std::vector<std::pair<NodeId, std::uint64_t>>& known) const;
  std::uint64_t through(NodeId node, int port, HostId destination,
                        std::vector<std::pair<NodeId, std::uint64_t>>& known) const;

  const Topology& topology_;
  const Routing* routing_;
  std::uint32_t edges_ = 0;
  std::vector<std::uint32_t> edge_of_host_;
  std::vector<std::uint32_t> edge_of_node_;
  std::vector<std::uint64_t> rate_;  // rates of wires, indexed by 2 · cable + side
};

}  // namespace dcc
