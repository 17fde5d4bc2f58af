// Division of a network among processors, which assigns each node to a partition.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/routing.h"
#include "fabric/topology.h"
#include "units.h"

namespace dcc {

/// The bytes that one host is going to send to another.
struct Demand {
  HostId from = 0;
  HostId to = 0;
  double bytes = 0;
};

/// The number of bytes expected to pass each node, including the node's own traffic, indexed by
/// NodeId. Every demand is spread evenly over its shortest paths.
std::vector<double> expected_load(const Topology& topology, const Routing& routing,
                                  const std::vector<Demand>& demands);

struct NetworkPartition {
  unsigned count = 1;
  std::vector<unsigned> of_node;  // partition of each node, indexed by NodeId: 0 … count - 1
  PicoSeconds lookahead = PicoSeconds::max();  // minimum delay of the links between partitions
  std::vector<double> share{1};                // share of each partition in the load of the network

  /// Greatest share of the network's load that one of `threads` threads of a ParallelRun gets.
  double heaviest(unsigned threads) const;
};

/// Makes the division into one partition, which contains the whole network.
NetworkPartition undivided(const Topology& topology);

/// Divides a network into `parts` partitions of about the same load. A host belongs to the
/// partition of its switch. Switches with hosts are divided in the order of their numbers, which is
/// pod by pod in a tree. Other switches, and hosts without a switch, join the partition of most of
/// their neighbours, as long as the loads stay balanced. Returns one partition if fewer nodes than
/// `parts` have a load.
NetworkPartition divide(const Topology& topology, const std::vector<double>& load, unsigned parts);

}  // namespace dcc
