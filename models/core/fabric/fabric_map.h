// What load balancing across switches has to know of the network: which switch a host is at, and
// how much can be sent towards it behind a port.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/routing.h"
#include "fabric/topology.h"
#include "wire/packet.h"

namespace dcc {

/// Of links as they are known to be, which is not always as they are. May be read by several
/// threads at a time while nobody changes it.
class FabricMap {
 public:
  static constexpr std::uint32_t kNoEdge = 0xFFFFFFFF;

  /// Both must outlive it.
  FabricMap(const Topology& topology, const Routing& routing);

  /// Switches with hosts are numbered in the order of their first.
  std::uint32_t edges() const { return edges_; }
  std::uint32_t edge_of(HostId host) const { return edge_of_host_[host]; }
  /// kNoEdge for a switch without hosts.
  std::uint32_t edge_at(NodeId node) const { return edge_of_node_[static_cast<std::size_t>(node)]; }
  /// Does something other than a host stand at a port?
  bool leads_on(NodeId node, int port) const {
    return !topology_.node(topology_.peer(node, port).node).is_host;
  }
  /// Bits a second towards the host's switch through one port of a switch that leads nearer to it:
  /// the least of the links of a way, ways that part added up. Links between the same two switches
  /// share what is beyond.
  std::uint64_t capacity(NodeId node, int port, HostId destination) const;

  const Topology& topology() const { return topology_; }
  const Routing& routing() const { return *routing_; }
  /// Of the wire that leaves a node through a port, by 2 · cable + side.
  std::size_t wire(NodeId node, int port) const {
    const Topology::Plug& plug = topology_.plug(node, port);
    return static_cast<std::size_t>(2 * plug.cable + plug.side);
  }
  std::size_t wires() const { return rate_.size(); }
  /// Bits a second, by wire().
  std::uint64_t rate(std::size_t wire) const { return rate_[wire]; }

  /// Routes are these from now on; must outlive it, too.
  void set_routing(const Routing& routing) { routing_ = &routing; }
  /// A wire, by the end it leaves from, is known to be of another rate now.
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
  std::vector<std::uint64_t> rate_;  // by 2 · cable + side
};

}  // namespace dcc
