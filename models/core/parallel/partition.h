// Which part of a network runs on which processor.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/routing.h"
#include "fabric/topology.h"
#include "units.h"

namespace dcc {

/// What one host is going to send another.
struct Demand {
  HostId from = 0;
  HostId to = 0;
  double bytes = 0;
};

/// Bytes that pass each node, those of its own included, by NodeId: every demand spread evenly over
/// its shortest paths.
std::vector<double> expected_load(const Topology& topology, const Routing& routing,
                                  const std::vector<Demand>& demands);

struct NetworkPartition {
  unsigned count = 1;
  std::vector<unsigned> of_node;               // by NodeId, 0 … count-1
  PicoSeconds lookahead = PicoSeconds::max();  // least delay of a link between two partitions
  std::vector<double> share{1};                // of the load, by partition

  /// Share of the load of that thread of a ParallelRun which has most.
  double heaviest(unsigned threads) const;
};

/// All of it in one.
NetworkPartition undivided(const Topology& topology);

/// Divides a network into `parts` of about the same load. A host stays with its switch; switches
/// with hosts are divided in the order of their numbers, which is pod by pod in a tree. The others,
/// and hosts without a switch, go where most of their neighbours are as long as the balance allows
/// it. One partition when there is not a loaded node for each part.
NetworkPartition divide(const Topology& topology, const std::vector<double>& load, unsigned parts);

}  // namespace dcc
