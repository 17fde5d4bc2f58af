#include "fabric/routing.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

namespace dcc {

namespace {

/// Finds routes by a breadth-first search from every edge switch. The search visits switches only:
/// a host has one cable, so no path leads through a host, and all hosts of a switch share their
/// routes. Switches that do not forward are ends of paths only.
class Search {
 public:
  /// `gone`: flags of missing cables, indexed like Topology::cables(); empty if all cables exist.
  Search(const Topology& topology, const std::vector<bool>& gone)
      : topology_(topology), gone_(gone), distance_(nodes()) {
    find_places();
  }

  std::vector<RouteTable> tables() {
    std::vector<RouteTable> tables;
    for (int s = 0; s < topology_.switches(); ++s) {
      RouteTable& table = tables.emplace_back(static_cast<HostId>(topology_.hosts()));
      if (place_of_host_ != nullptr) table.renumber(place_of_host_);
    }
    HostId begin = 0;
    for (const Edge& edge : edges_) {
      measure(edge.node);
      add_ways(tables, edge, begin);
      begin += static_cast<HostId>(edge.hosts.size());
    }
    if (begin < static_cast<HostId>(topology_.hosts())) {
      // hosts without a cable have no route
      for (RouteTable& table : tables) table.from(begin, PortSet());
    }
    return tables;
  }

 private:
  static constexpr int kUnreached = -1;

  struct Edge {
    NodeId node = 0;
    std::vector<HostId> hosts;
  };

  std::size_t nodes() const { return topology_.nodes().size(); }
  int& distance(NodeId node) { return distance_[static_cast<std::size_t>(node)]; }

  /// Lists the edge switches in the order of their first host, and numbers hosts anew in that
  /// order, so that the hosts of a switch form one range in every route table.
  void find_places() {
    std::vector<int> edge_of(nodes(), -1);
    for (HostId host = 0; host < static_cast<HostId>(topology_.hosts()); ++host) {
      if (topology_.node(topology_.node_of(host)).ports == 0 || is_gone(topology_.node_of(host), 0))
        continue;  // a host without a cable belongs to no edge switch
      const NodeId node = topology_.peer(topology_.node_of(host), 0).node;
      int& edge = edge_of[static_cast<std::size_t>(node)];
      if (edge < 0) {
        edge = static_cast<int>(edges_.size());
        edges_.push_back({node, {}});
      }
      edges_[static_cast<std::size_t>(edge)].hosts.push_back(host);
    }
    const auto hosts = static_cast<HostId>(topology_.hosts());
    std::vector<HostId> place_of_host(hosts, hosts);
    HostId place = 0;
    bool in_order = true;
    for (const Edge& edge : edges_) {
      for (const HostId host : edge.hosts) {
        in_order = in_order && host == place;
        place_of_host[host] = place++;
      }
    }
    for (HostId host = 0; host < hosts; ++host) {  // hosts without a cable are numbered last
      if (place_of_host[host] != hosts) continue;
      in_order = in_order && host == place;
      place_of_host[host] = place++;
    }
    if (!in_order) {
      place_of_host_ = std::make_shared<const std::vector<HostId>>(std::move(place_of_host));
    }
  }

  void measure(NodeId destination) {
    std::fill(distance_.begin(), distance_.end(), kUnreached);
    distance(destination) = 0;
    order_.assign(1, destination);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const NodeId here = order_[i];
      if (here != destination && !topology_.node(here).forwards) continue;
      for (int port = 0; port < topology_.node(here).ports; ++port) {
        const NodeId next = topology_.peer(here, port).node;
        if (topology_.node(next).is_host || distance(next) != kUnreached) continue;
        if (is_gone(here, port)) continue;
        distance(next) = distance(here) + 1;
        order_.push_back(next);
      }
    }
  }

  void add_ways(std::vector<RouteTable>& tables, const Edge& edge, HostId begin) {
    std::vector<std::uint16_t> ports;
    for (const NodeId node : order_) {
      const TopologyNode& here = topology_.node(node);
      if (here.is_host)
        continue;  // the network consists of two hosts and a cable, without a switch
      RouteTable& table = tables[static_cast<std::size_t>(here.switch_no)];
      if (node == edge.node) {
        add_hosts(table, edge, begin);
        continue;
      }
      ports.clear();
      for (int port = 0; port < here.ports; ++port) {
        const NodeId next = topology_.peer(node, port).node;
        if (topology_.node(next).is_host || distance(next) != distance(node) - 1) continue;
        if (next != edge.node && !topology_.node(next).forwards) continue;
        if (is_gone(node, port)) continue;
        ports.push_back(static_cast<std::uint16_t>(port));
      }
      table.from(begin, PortSet(ports.data(), static_cast<std::uint32_t>(ports.size())));
    }
    const bool edge_is_host = topology_.node(edge.node).is_host;
    if (order_.size() == static_cast<std::size_t>(topology_.switches()) && !edge_is_host) return;
    for (NodeId node = 0; node < static_cast<NodeId>(nodes()); ++node) {
      const TopologyNode& here = topology_.node(node);
      if (here.is_host || distance(node) != kUnreached) continue;
      tables[static_cast<std::size_t>(here.switch_no)].from(begin, PortSet());
    }
  }

  /// Adds the routes to the hosts of an edge switch, as a block if their ports are consecutive.
  void add_hosts(RouteTable& table, const Edge& edge, HostId begin) {
    const auto port_to = [&](HostId host) {
      return static_cast<std::uint32_t>(topology_.peer(topology_.node_of(host), 0).port);
    };
    const std::uint32_t first = port_to(edge.hosts.front());
    const auto count = static_cast<std::uint32_t>(edge.hosts.size());
    bool consecutive = true;
    for (std::uint32_t i = 0; i < count; ++i) {
      consecutive = consecutive && port_to(edge.hosts[i]) == first + i;
    }
    if (consecutive) {
      table.set_block(begin, count, 1, first);
      return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      table.from(begin + i, PortSet::consecutive(port_to(edge.hosts[i]), 1));
    }
  }

  bool is_gone(NodeId node, int port) const {
    return !gone_.empty() && gone_[static_cast<std::size_t>(topology_.plug(node, port).cable)];
  }

  const Topology& topology_;
  const std::vector<bool>& gone_;
  std::vector<Edge> edges_;
  // new number of each host in the search; null if the numbers do not change
  std::shared_ptr<const std::vector<HostId>> place_of_host_;
  std::vector<int> distance_;  // distances of the nodes to the edge switch, in links
  std::vector<NodeId> order_;  // nodes in the order in which the search found them
};

/// Hosts of one switch with equal cables see the same delays. A HostKind holds two hosts of such a
/// group, or the only host twice.
struct HostKind {
  HostId first = 0;
  HostId second = 0;
};

std::vector<HostKind> host_kinds(const Topology& topology) {
  std::map<std::tuple<NodeId, std::uint64_t, std::int64_t, Bytes>, HostKind> kinds;
  for (HostId host = 0; host < static_cast<HostId>(topology.hosts()); ++host) {
    const NodeId node = topology.node_of(host);
    const LinkParameters& link = topology.link(node, 0);
    const auto key = std::make_tuple(topology.peer(node, 0).node, link.rate.bits_per_second,
                                     link.delay.count, link.overhead);
    const auto [kind, is_new] = kinds.emplace(key, HostKind{host, host});
    if (!is_new && kind->second.second == kind->second.first) kind->second.second = host;
  }
  std::vector<HostKind> list;
  list.reserve(kinds.size());
  for (const auto& kind : kinds) list.push_back(kind.second);
  return list;
}

}  // namespace

Routing::Routing(const Topology& topology) : topology_(topology) {
  topology.check_connected();
  if (const Structure* const known = topology.structure()) {
    tables_ = known->routes.data();
    return;
  }
  found_ = Search(topology, {}).tables();
  tables_ = found_.data();
}

Routing::Routing(const Topology& topology, const std::vector<bool>& gone)
    : topology_(topology), found_(Search(topology, gone).tables()) {
  tables_ = found_.data();
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

bool Routing::reaches(HostId from, HostId to) const {
  if (from == to) return true;
  const NodeId here = topology_.node_of(from);
  if (topology_.node(here).ports == 0) return false;
  const NodeId next = topology_.peer(here, 0).node;
  return topology_.node(next).is_host ? topology_.node(next).host == to : !ports(next, to).empty();
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
  if (topology_.hosts() < 2) return longest;
  const std::vector<HostKind> kinds = host_kinds(topology_);
  const auto look_from = [&](HostId from) {
    for (const HostKind& kind : kinds) {
      const HostId to = kind.first != from ? kind.first : kind.second;
      if (to != from && reaches(from, to)) {
        longest = std::max(longest, base_rtt(from, to, data_wire_bytes, ack_wire_bytes));
      }
    }
  };
  if (const Structure* const known = topology_.structure()) {
    std::for_each(known->outermost.begin(), known->outermost.end(), look_from);
  } else {
    for (const HostKind& kind : kinds) look_from(kind.first);
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
