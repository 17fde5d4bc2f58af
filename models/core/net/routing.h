// Shortest paths through a topology: all equally short ways out of every switch, and what an empty
// network takes to carry a packet.
#pragma once

#include <cstdint>
#include <vector>

#include "net/packet.h"
#include "net/topology.h"
#include "units.h"

namespace dcc {

/// Shortest by number of links. Every port it names leads one link nearer to
/// the destination, so no packet can go in a circle, whichever of them is taken.
/// The topology must outlive it; throws std::invalid_argument when it is not connected.
class Routing {
 public:
  explicit Routing(const Topology& topology);

  /// Ports of a node that lie on a shortest path to a host, in ascending order.
  const std::vector<int>& ports(NodeId node, HostId destination) const {
    return ports_[static_cast<std::size_t>(node)][destination];
  }
  /// Links between two hosts; 0 from a host to itself.
  int links(HostId from, HostId to) const;

  // Of the first of the shortest paths (that of the lowest ports); in the regular shapes all of
  // them are alike.
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
  std::vector<std::vector<std::vector<int>>> ports_;  // by node and destination
};

}  // namespace dcc
