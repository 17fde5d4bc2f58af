// Paths through a topology: all equally good ways out of every switch, and what an empty network
// takes to carry a packet.
#pragma once

#include <vector>

#include "fabric/route_table.h"
#include "fabric/topology.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Regular shapes know their ways (Topology::structure); of others the shortest by number of links
/// are searched. Every port leads nearer to the destination, so no packet can go in a circle,
/// whichever of them is taken.
/// The topology must outlive it; throws std::invalid_argument when it is not connected.
class Routing {
 public:
  explicit Routing(const Topology& topology);
  /// Without some of its cables, by their index: the shortest ways of what is left, whatever the
  /// shape. Hosts that cannot be reached have no ports.
  Routing(const Topology& topology, const std::vector<bool>& gone);
  Routing(const Routing&) = delete;
  Routing& operator=(const Routing&) = delete;

  /// Best ports of a node towards a host.
  PortSet ports(NodeId node, HostId destination) const {
    const TopologyNode& at = topology_.node(node);
    if (!at.is_host) return tables_[at.switch_no].ports(destination);
    return PortSet::consecutive(0, at.host == destination ? 0 : 1);
  }
  /// All of them, of a switch.
  const RouteTable& table(NodeId node) const { return tables_[topology_.node(node).switch_no]; }
  /// Links between two hosts; 0 from a host to itself.
  int links(HostId from, HostId to) const;

  // Of the first of the paths (that of the lowest ports); in the regular shapes all are alike.
  /// First bit out to last bit in for one packet of so many wire bytes, every switch storing and
  /// forwarding.
  PicoSeconds one_way(HostId from, HostId to, Bytes wire_bytes) const;
  /// One full packet there and its ACK back.
  PicoSeconds base_rtt(HostId from, HostId to, Bytes data_wire_bytes, Bytes ack_wire_bytes) const {
    return one_way(from, to, data_wire_bytes) + one_way(to, from, ack_wire_bytes);
  }
  /// The greatest base RTT between any two hosts.
  PicoSeconds longest_base_rtt(Bytes data_wire_bytes, Bytes ack_wire_bytes) const;
  /// Rate of the slowest link on the way.
  BitRate slowest_link(HostId from, HostId to) const;

 private:
  template <class Visit>
  void walk(HostId from, HostId to, Visit visit) const;

  const Topology& topology_;
  const RouteTable* tables_;       // by switch
  std::vector<RouteTable> found_;  // by search, when the topology has no structure
};

}  // namespace dcc
