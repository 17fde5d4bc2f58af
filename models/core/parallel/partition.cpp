#include "parallel/partition.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "parallel/parallel_run.h"

namespace dcc {

namespace {

// greatest load of a partition relative to the mean; the slack keeps neighbours in one partition
constexpr double kSlack = 1.02;

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

  /// Divides the edge switches: assigns each switch with hosts to a part by the position of the
  /// middle of its load in the sum of all loads.
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
    if (*std::min_element(sums_.begin(), sums_.end()) <= 0) return undivided(topology_);
    NetworkPartition partition;
    partition.count = parts();
    partition.of_node = of_node_;
    partition.share = sums_;
    for (double& share : partition.share) share /= all;
    for (const Cable& cable : topology_.cables()) {
      const auto part = [&](int end) {
        return of_node_[static_cast<std::size_t>(cable.end[end].node)];
      };
      if (part(0) != part(1)) {
        partition.lookahead = std::min(partition.lookahead, cable.link.delay);
      }
    }
    // Partitions without a link between them, such as two planes, have no lookahead.
    return partition.lookahead == PicoSeconds::max() ? undivided(topology_) : partition;
  }

  const Topology& topology_;
  const std::vector<double>& load_;
  std::vector<unsigned> of_node_;  // part of each node; the value parts() means not assigned yet
  std::vector<double> sums_;       // sum of the loads of each partition
};

/// Sorts the demands by the last switch with a stable counting sort, because there may be millions
/// of demands.
template <class LastSwitch>
std::vector<Demand> by_last_switch(const std::vector<Demand>& demands, std::size_t nodes,
                                   LastSwitch last_switch) {
  std::vector<std::size_t> begin(nodes + 1);
  for (const Demand& demand : demands) ++begin[static_cast<std::size_t>(last_switch(demand)) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Demand> sorted(demands.size());
  for (const Demand& demand : demands) {
    sorted[begin[static_cast<std::size_t>(last_switch(demand))]++] = demand;
  }
  return sorted;
}

}  // namespace

std::vector<double> expected_load(const Topology& topology, const Routing& routing,
                                  const std::vector<Demand>& demands) {
  std::vector<double> load(topology.nodes().size());
  // for one destination switch: bytes of all demands to its hosts that arrive at each node
  std::vector<double> arriving(load.size());
  // nodes with bytes to forward, indexed by their distance in links from the destination's switch
  std::vector<std::vector<NodeId>> waiting;
  const auto add = [&](NodeId node, double bytes, std::size_t links) {
    double& sum = arriving[static_cast<std::size_t>(node)];
    if (sum == 0) {
      if (waiting.size() <= links) waiting.resize(links + 1);
      waiting[links].push_back(node);
    }
    sum += bytes;
  };
  const auto last_switch = [&](const Demand& demand) {
    return topology.peer(topology.node_of(demand.to), 0).node;
  };
  const std::vector<Demand> sorted = by_last_switch(demands, load.size(), last_switch);
  for (auto demand = sorted.begin(); demand != sorted.end();) {
    // All demands to hosts of one switch take the same paths towards that switch, so their loads
    // are added up in one pass over the switches, from the switch farthest away to the nearest.
    const NodeId end = last_switch(*demand);
    const HostId to = demand->to;
    for (; demand != sorted.end() && last_switch(*demand) == end; ++demand) {
      if (demand->bytes <= 0) continue;
      load[static_cast<std::size_t>(topology.node_of(demand->to))] += demand->bytes;
      add(topology.node_of(demand->from), demand->bytes,
          static_cast<std::size_t>(routing.links(demand->from, demand->to)) - 1);
    }
    for (std::size_t links = waiting.size(); links-- > 0;) {
      for (const NodeId node : waiting[links]) {
        const double bytes = std::exchange(arriving[static_cast<std::size_t>(node)], 0);
        load[static_cast<std::size_t>(node)] += bytes;
        if (links == 0) continue;
        const PortSet ports =
            topology.node(node).is_host ? PortSet::consecutive(0, 1) : routing.ports(node, to);
        for (const int port : ports) {
          add(topology.peer(node, port).node, bytes / ports.size(), links - 1);
        }
      }
      waiting[links].clear();
    }
  }
  return load;
}

double NetworkPartition::heaviest(unsigned threads) const {
  const auto begin_of = [&](unsigned thread) {
    return share.begin() + ParallelRun::begin_of(thread, threads, count);
  };
  double most = 0;
  for (unsigned thread = 0; thread < threads; ++thread) {
    most = std::max(most, std::accumulate(begin_of(thread), begin_of(thread + 1), 0.0));
  }
  return most;
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
