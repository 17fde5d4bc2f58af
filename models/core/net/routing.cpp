#include "net/routing.h"

namespace dcc {

Routing::Routing(const Topology& topology) : topology_(topology) {
  topology.check_connected();
  const std::size_t nodes = topology.nodes().size();
  const auto hosts = static_cast<std::size_t>(topology.hosts());
  ports_.assign(nodes, std::vector<std::vector<int>>(hosts));

  constexpr int kUnreached = -1;
  std::vector<int> distance(nodes);
  std::vector<NodeId> order;
  for (std::size_t host = 0; host < hosts; ++host) {
    // Breadth first from the destination. A host has one cable, so no way leads through it.
    const NodeId destination = topology.node_of(static_cast<HostId>(host));
    distance.assign(nodes, kUnreached);
    distance[static_cast<std::size_t>(destination)] = 0;
    order.assign(1, destination);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const NodeId here = order[i];
      for (int port = 0; port < topology.node(here).ports; ++port) {
        const NodeId next = topology.peer(here, port).node;
        if (distance[static_cast<std::size_t>(next)] != kUnreached) continue;
        distance[static_cast<std::size_t>(next)] = distance[static_cast<std::size_t>(here)] + 1;
        order.push_back(next);
      }
    }
    for (std::size_t n = 0; n < nodes; ++n) {
      const auto node = static_cast<NodeId>(n);
      for (int port = 0; port < topology.node(node).ports; ++port) {
        const auto next = static_cast<std::size_t>(topology.peer(node, port).node);
        if (distance[next] == distance[n] - 1) ports_[n][host].push_back(port);
      }
    }
  }
}

template <class Visit>
void Routing::walk(HostId from, HostId to, Visit visit) const {
  NodeId here = topology_.node_of(from);
  const NodeId destination = topology_.node_of(to);
  while (here != destination) {
    const int port = ports(here, to).front();
    visit(topology_.link(here, port));
    here = topology_.peer(here, port).node;
  }
}

int Routing::links(HostId from, HostId to) const {
  int count = 0;
  walk(from, to, [&](const LinkParameters&) { ++count; });
  return count;
}

PicoSeconds Routing::one_way(HostId from, HostId to, Bytes wire_bytes) const {
  PicoSeconds time{};
  walk(from, to, [&](const LinkParameters& link) {
    time += serialization_time(wire_bytes + link.overhead, link.rate) + link.delay;
  });
  return time;
}

PicoSeconds Routing::longest_base_rtt(Bytes data_wire_bytes, Bytes ack_wire_bytes) const {
  PicoSeconds longest{};
  const auto hosts = static_cast<HostId>(topology_.hosts());
  for (HostId from = 0; from < hosts; ++from) {
    for (HostId to = 0; to < hosts; ++to) {
      if (from == to) continue;
      const PicoSeconds rtt = base_rtt(from, to, data_wire_bytes, ack_wire_bytes);
      if (longest < rtt) longest = rtt;
    }
  }
  return longest;
}

BitRate Routing::slowest_link(HostId from, HostId to) const {
  BitRate slowest{};
  walk(from, to, [&](const LinkParameters& link) {
    if (slowest.bits_per_second == 0 || link.rate < slowest) slowest = link.rate;
  });
  return slowest;
}

}  // namespace dcc
