#include "parallel/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace dcc::partition_test {
namespace {

const LinkParameters kHostLink{BitRate(100'000'000'000), kMicroSecond, 20};
const LinkParameters kFabricLink{BitRate(400'000'000'000), kMicroSecond * 2, 20};

Topology tree() {
  FatTreeParameters parameters;  // 5 pods: 4 racks of 16 hosts, 4 aggregation switches; 16 cores
  parameters.host_link = kHostLink;
  parameters.fabric_link = kFabricLink;
  return Topology::fat_tree(parameters);
}

std::vector<Demand> all_to_all(HostId hosts) {
  std::vector<Demand> demands;
  for (HostId a = 0; a < hosts; ++a) {
    for (HostId b = 0; b < hosts; ++b) {
      if (a != b) demands.push_back({a, b, 1});
    }
  }
  return demands;
}

TEST(ExpectedLoad, SpreadsADemandOverItsShortestPaths) {
  const Topology topology = tree();
  const Routing routing(topology);
  // Host 0 is in the first rack, host 16 in the second rack of the same pod, host 64 in the next
  // pod.
  const auto load = expected_load(topology, routing, {{0, 16, 60}, {0, 16, 20}, {0, 64, 160}});
  EXPECT_DOUBLE_EQ(load[static_cast<std::size_t>(topology.node_of(0))], 240);
  EXPECT_DOUBLE_EQ(load[static_cast<std::size_t>(topology.node_of(16))], 80);
  EXPECT_DOUBLE_EQ(load[static_cast<std::size_t>(topology.node_of(64))], 160);
  const NodeId rack = topology.peer(topology.node_of(0), 0).node;
  EXPECT_DOUBLE_EQ(load[static_cast<std::size_t>(rack)], 240);
  // A path has five or seven nodes, and all bytes of the path pass each of these nodes.
  EXPECT_DOUBLE_EQ(std::accumulate(load.begin(), load.end(), 0.0), 80 * 5 + 160 * 7);
  // The load of four aggregation switches and sixteen cores.
  for (int port = 16; port < 20; ++port) {
    const NodeId aggregation = topology.peer(rack, port).node;
    EXPECT_DOUBLE_EQ(load[static_cast<std::size_t>(aggregation)], 80 / 4.0 + 160 / 4.0);
    const NodeId core = topology.peer(aggregation, 4).node;
    EXPECT_DOUBLE_EQ(load[static_cast<std::size_t>(core)], 160 / 16.0);
  }
}

TEST(Divide, HalvesTheLoadAndKeepsHostsWithTheirSwitch) {
  const Topology topology = tree();
  const Routing routing(topology);
  for (const HostId hosts : {60u, 128u, 320u}) {
    const auto load = expected_load(topology, routing, all_to_all(hosts));
    for (const unsigned parts : {2u, 3u}) {
      const NetworkPartition partition = divide(topology, load, parts);
      ASSERT_EQ(partition.count, parts);
      EXPECT_EQ(partition.lookahead, kMicroSecond * 2) << "only fabric links are cut";
      EXPECT_LT(partition.heaviest(parts), hosts == 60 && parts == 3 ? 0.51 : 1.1 / parts)
          << hosts << " hosts, " << parts << " parts";
      std::vector<double> sums(parts);
      for (std::size_t node = 0; node < load.size(); ++node) {
        ASSERT_LT(partition.of_node[node], parts);
        sums[partition.of_node[node]] += load[node];
      }
      const double all = std::accumulate(sums.begin(), sums.end(), 0.0);
      EXPECT_NEAR(*std::max_element(sums.begin(), sums.end()) / all, partition.heaviest(parts),
                  1e-9);
      for (HostId host = 0; host < 320; ++host) {
        const auto node = static_cast<std::size_t>(topology.node_of(host));
        const auto rack = static_cast<std::size_t>(topology.peer(topology.node_of(host), 0).node);
        EXPECT_EQ(partition.of_node[node], partition.of_node[rack]);
      }
    }
  }
}

TEST(Divide, KeepsAPodTogetherWhereTheBalanceAllowsIt) {
  const Topology topology = tree();
  const Routing routing(topology);
  // Two pods exchange no traffic. Each half of the run gets one pod with its aggregation switches.
  std::vector<Demand> demands;
  for (const Demand& one : all_to_all(64)) {
    demands.push_back(one);
    demands.push_back({one.from + 64, one.to + 64, one.bytes});
  }
  const auto load = expected_load(topology, routing, demands);
  const NetworkPartition partition = divide(topology, load, 2);
  ASSERT_EQ(partition.count, 2u);
  EXPECT_DOUBLE_EQ(partition.heaviest(2), 0.5);
  for (const HostId pod : {0u, 1u}) {
    for (HostId host = 64 * pod; host < 64 * (pod + 1); ++host) {
      const NodeId rack = topology.peer(topology.node_of(host), 0).node;
      EXPECT_EQ(partition.of_node[static_cast<std::size_t>(rack)], pod);
      for (int port = 16; port < 20; ++port) {
        const NodeId aggregation = topology.peer(rack, port).node;
        EXPECT_EQ(partition.of_node[static_cast<std::size_t>(aggregation)], pod);
      }
    }
  }
}

TEST(Divide, KnowsTheHeaviestOfGroupsOfNeighbours) {
  NetworkPartition partition;
  partition.count = 5;
  partition.share = {0.1, 0.3, 0.2, 0.15, 0.25};
  EXPECT_DOUBLE_EQ(partition.heaviest(5), 0.3);
  EXPECT_DOUBLE_EQ(partition.heaviest(2), 0.6) << "two, then three";
  EXPECT_DOUBLE_EQ(partition.heaviest(1), 1.0);
}

TEST(Divide, LeavesWholeWhatHasOneSwitchOrOneThatWorks) {
  const Topology star = Topology::star(8, kHostLink);
  const Routing star_routing(star);
  const auto star_load = expected_load(star, star_routing, all_to_all(8));
  EXPECT_EQ(divide(star, star_load, 2).count, 1u);
  EXPECT_EQ(divide(star, star_load, 1).count, 1u);
  const Topology lot = Topology::parking_lot({2, 4}, kHostLink, kFabricLink);
  const Routing lot_routing(lot);
  const auto one_side = expected_load(lot, lot_routing, {{2, 3, 100}, {4, 5, 100}});
  const NetworkPartition whole = divide(lot, one_side, 2);
  EXPECT_EQ(whole.count, 1u);
  EXPECT_EQ(whole.of_node, std::vector<unsigned>(lot.nodes().size(), 0));
  const NetworkPartition both = divide(lot, expected_load(lot, lot_routing, all_to_all(6)), 2);
  EXPECT_EQ(both.count, 2u);
  EXPECT_EQ(both.lookahead, kMicroSecond * 2);
  EXPECT_EQ(divide(lot, std::vector<double>(lot.nodes().size()), 2).count, 1u) << "no load at all";
}

// Two planes without a link between them form one partition, since no lookahead would let one plane
// wait for the other.
TEST(Partition, PartsWithoutALinkBetweenThemAreOne) {
  TopologyParameters parameters;
  parameters.kind = TopologyKind::kLeafSpine;
  parameters.leaf_spine = {2, 3, 2, kHostLink, kFabricLink};
  parameters.ports = 2;
  parameters.port_mode = PortMode::kDualPlane;
  const Topology planes = Topology::of(parameters);
  const std::vector<double> load(planes.nodes().size(), 1.0);
  EXPECT_EQ(divide(planes, load, 2).count, 1u);
  const NetworkPartition four = divide(planes, load, 4);
  EXPECT_EQ(four.count, 4u);
  EXPECT_EQ(four.lookahead, kFabricLink.delay);
}

}  // namespace
}  // namespace dcc::partition_test
