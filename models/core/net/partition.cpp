#include "net/partition.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace dcc {

namespace {

constexpr double kSlack = 1.02;  // by how much a partition may be above the mean for its neighbours

/// Those of one pair as one, pairs in order.
void merge(std::vector<Demand>& demands) {
  const auto pair = [](const Demand& d) { return std::tie(d.from, d.to); };
  std::stable_sort(demands.begin(), demands.end(),
                   [&](const Demand& a, const Demand& b) { return pair(a) < pair(b); });
  std::size_t kept = 0;
  for (const Demand& demand : demands) {
    if (kept > 0 && pair(demands[kept - 1]) == pair(demand)) {
      demands[kept - 1].bytes += demand.bytes;
    } else {
      demands[kept++] = demand;
    }
  }
  demands.resize(kept);
}

class Division {
 public:
  Division(const Topology& topology, const std::vector<double>& load, unsigned parts)
      : topology_(topology), load_(load), of_node_(load.size(), parts), sums_(parts) {}

  NetworkPartition make() {
    divide_edge();
    divide_rest();
    return result();
  }

 private:
  unsigned parts() const { return static_cast<unsigned>(sums_.size()); }
  bool is_assigned(std::size_t node) const { return of_node_[node] < parts(); }

  template <class Visit>
  void for_each_neighbour(std::size_t node, Visit visit) const {
    const auto id = static_cast<NodeId>(node);
    for (int port = 0; port < topology_.node(id).ports; ++port) {
      visit(static_cast<std::size_t>(topology_.peer(id, port).node));
    }
  }

  void assign(std::size_t node, unsigned part) {
    of_node_[node] = part;
    sums_[part] += load_[node];
  }

  /// Switches with hosts, each by where the middle of its load lies in the sum of all.
  void divide_edge() {
    std::vector<std::size_t> edge;
    std::vector<double> weights;
    for (std::size_t node = 0; node < load_.size(); ++node) {
      if (topology_.nodes()[node].is_host) continue;
      double weight = load_[node];
      bool has_hosts = false;
      for_each_neighbour(node, [&](std::size_t peer) {
        if (!topology_.nodes()[peer].is_host) return;
        has_hosts = true;
        weight += load_[peer];
      });
      if (!has_hosts) continue;
      edge.push_back(node);
      weights.push_back(weight);
    }
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    double before = 0;
    for (std::size_t i = 0; i < edge.size(); ++i) {
      const double middle = all > 0 ? (before + weights[i] / 2) / all : 0;
      before += weights[i];
      const auto part = std::min(static_cast<unsigned>(middle * parts()), parts() - 1);
      assign(edge[i], part);
      for_each_neighbour(edge[i], [&](std::size_t peer) {
        if (topology_.nodes()[peer].is_host) assign(peer, part);
      });
    }
  }

  void divide_rest() {
    std::vector<std::size_t> rest;
    for (std::size_t node = 0; node < load_.size(); ++node) {
      if (!is_assigned(node)) rest.push_back(node);
    }
    std::stable_sort(rest.begin(), rest.end(),
                     [&](std::size_t a, std::size_t b) { return load_[a] > load_[b]; });
    const double fair = std::accumulate(load_.begin(), load_.end(), 0.0) / parts() * kSlack;
    for (const std::size_t node : rest) assign(node, best_for(node, fair));
  }

  unsigned best_for(std::size_t node, double fair) const {
    std::vector<unsigned> neighbours(parts());
    for_each_neighbour(node, [&](std::size_t peer) {
      if (is_assigned(peer)) ++neighbours[of_node_[peer]];
    });
    const auto rank = [&](unsigned part) {
      const bool has_room = sums_[part] + load_[node] <= fair;
      return std::make_tuple(has_room, has_room ? neighbours[part] : 0u, -sums_[part]);
    };
    unsigned best = 0;
    for (unsigned part = 1; part < parts(); ++part) {
      if (rank(part) > rank(best)) best = part;
    }
    return best;
  }

  NetworkPartition result() const {
    const double all = std::accumulate(sums_.begin(), sums_.end(), 0.0);
    const auto [least, most] = std::minmax_element(sums_.begin(), sums_.end());
    if (*least <= 0) return undivided(topology_);
    NetworkPartition partition;
    partition.count = parts();
    partition.of_node = of_node_;
    partition.heaviest = *most / all;
    for (const Cable& cable : topology_.cables()) {
      const auto part = [&](int end) {
        return of_node_[static_cast<std::size_t>(cable.end[end].node)];
      };
      if (part(0) != part(1)) {
        partition.lookahead = std::min(partition.lookahead, cable.link.delay);
      }
    }
    return partition;
  }

  const Topology& topology_;
  const std::vector<double>& load_;
  std::vector<unsigned> of_node_;  // parts(): not yet
  std::vector<double> sums_;       // by partition
};

}  // namespace

std::vector<double> expected_load(const Topology& topology, const Routing& routing,
                                  std::vector<Demand> demands) {
  std::vector<double> load(topology.nodes().size());
  merge(demands);
  std::vector<std::pair<NodeId, double>> here;
  std::vector<std::pair<NodeId, double>> further;
  for (const Demand& demand : demands) {
    const NodeId destination = topology.node_of(demand.to);
    here.assign(1, {topology.node_of(demand.from), demand.bytes});
    load[static_cast<std::size_t>(destination)] += demand.bytes;
    while (!here.empty() && here.front().first != destination) {
      further.clear();
      for (const auto& [node, bytes] : here) {
        load[static_cast<std::size_t>(node)] += bytes;
        const std::vector<int>& ports = routing.ports(node, demand.to);
        for (const int port : ports) {
          const NodeId next = topology.peer(node, port).node;
          const double share = bytes / static_cast<double>(ports.size());
          const auto known = std::find_if(further.begin(), further.end(),
                                          [&](const auto& f) { return f.first == next; });
          if (known == further.end()) {
            further.emplace_back(next, share);
          } else {
            known->second += share;
          }
        }
      }
      here.swap(further);
    }
  }
  return load;
}

NetworkPartition undivided(const Topology& topology) {
  NetworkPartition whole;
  whole.of_node.assign(topology.nodes().size(), 0);
  return whole;
}

NetworkPartition divide(const Topology& topology, const std::vector<double>& load, unsigned parts) {
  return parts < 2 ? undivided(topology) : Division(topology, load, parts).make();
}

}  // namespace dcc
