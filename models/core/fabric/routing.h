// Routes through a topology: the equally good ports of every switch, and the delays of the empty
// network.
#pragma once

#include <vector>

#include "fabric/route_table.h"
#include "fabric/topology.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// The routes through a topology. Regular shapes bring their routes (Topology::structure); for
/// other shapes a search finds the shortest paths by number of links. Every port leads nearer to
/// the destination, so no choice among the ports can create a loop. The topology must outlive the
/// Routing. The constructor throws std::invalid_argument if the topology is not connected.
class Routing {
 public:
  explicit Routing(const Topology& topology);
  /// Computes routes by shortest paths without the cables whose index is set in `gone`. Hosts that
  /// cannot be reached have no ports.
  Routing(const Topology& topology, const std::vector<bool>& gone);
  Routing(const Routing&) = delete;
  Routing& operator=(const Routing&) = delete;

  /// The equally good ports of a node towards a host.
  PortSet ports(NodeId node, HostId destination) const {
    const TopologyNode& at = topology_.node(node);
    if (!at.is_host) return tables_[at.switch_no].ports(destination);
    return PortSet::consecutive(0, at.host == destination ? 0 : 1);
  }
  /// The route table of a switch.
  const RouteTable& table(NodeId node) const { return tables_[topology_.node(node).switch_no]; }
  /// True if packets of host `from` can reach host `to`, since ports of hosts may belong to
  /// separate networks.
  bool reaches(HostId from, HostId to) const;

  // Precondition of the following functions: reaches(from, to).
  /// Number of links on the shortest path between two hosts; 0 for a host and itself.
  int links(HostId from, HostId to) const;

  // one_way(), base_rtt() and slowest_link() follow the first path (lowest ports); in regular
  // shapes all paths are equal.
  /// Time from the first bit sent to the last bit received of one packet of `wire_bytes`, with
  /// store-and-forward switches.
  PicoSeconds one_way(HostId from, HostId to, Bytes wire_bytes) const;
  /// Round-trip time of one data packet and its ACK between two hosts, through empty queues.
  PicoSeconds base_rtt(HostId from, HostId to, Bytes data_wire_bytes, Bytes ack_wire_bytes) const {
    return one_way(from, to, data_wire_bytes) + one_way(to, from, ack_wire_bytes);
  }
  /// The maximum round-trip time through empty queues over all pairs of hosts.
  PicoSeconds longest_base_rtt(Bytes data_wire_bytes, Bytes ack_wire_bytes) const;
  /// Rate of the slowest link on the path between two hosts.
  BitRate slowest_link(HostId from, HostId to) const;

 private:
  template <class Visit>
  void walk(HostId from, HostId to, Visit visit) const;

  const Topology& topology_;
  const RouteTable* tables_;  // route tables of the switches, indexed by switch number
  // route tables that the search found; empty if the topology has a structure
  std::vector<RouteTable> found_;
};

}  // namespace dcc
