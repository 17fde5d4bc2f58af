// Tests weighted sequences of ports, and the map of capacities from which the weights come.
#include "schemes/common/weighted_ports.h"

#include <gtest/gtest.h>

#include <map>

#include "fabric/fabric_map.h"
#include "unit/fabric/path_view.h"

namespace dcc::path_choice_test {
namespace {

TEST(WeightedPorts, APortStandsAsOftenAsItsShareAndEvenlyMixed) {
  using Sequence = WeightedPorts::Sequence;
  EXPECT_EQ(WeightedPorts::sequence_of({2, 1}), (Sequence{0, 1, 0}));
  EXPECT_EQ(WeightedPorts::sequence_of({300, 100}), (Sequence{0, 0, 1, 0}));
  EXPECT_EQ(WeightedPorts::sequence_of({7, 7, 7}), (Sequence{0, 1, 2}));
  EXPECT_EQ(WeightedPorts::sequence_of({0, 5}), (Sequence{1}));
  const Sequence sequence = WeightedPorts::sequence_of({100, 100, 40});
  std::map<int, int> count;
  for (const int port : sequence) ++count[port];
  EXPECT_EQ(count, (std::map<int, int>{{0, 5}, {1, 5}, {2, 2}}));
  // Prime rates have no common divisor. The rounded weights are within one part in 256, and every
  // port has a weight.
  const Sequence rounded = WeightedPorts::sequence_of({99'999'999'977u, 49'999'999'967u, 7});
  count.clear();
  for (const int port : rounded) ++count[port];
  EXPECT_EQ(count, (std::map<int, int>{{0, 171}, {1, 85}, {2, 1}}));
}

TEST(FabricMap, CapacityIsTheLeastOfAWayAndTheSumOfWaysThatPart) {
  const Topology topology = three_leaves();
  const Routing routing(topology);
  FabricMap fabric(topology, routing);
  const NodeId leaf0 = topology.find("leaf0");
  const NodeId spine1 = topology.find("spine1");
  EXPECT_EQ(fabric.edges(), 3u);
  EXPECT_EQ(fabric.edge_of(5), 1u);
  EXPECT_EQ(fabric.edge_at(leaf0), 0u);
  EXPECT_EQ(fabric.edge_at(spine1), FabricMap::kNoEdge);
  EXPECT_FALSE(fabric.leads_on(leaf0, 3));
  EXPECT_TRUE(fabric.leads_on(leaf0, 4));
  EXPECT_EQ(fabric.capacity(leaf0, 5, 4), 100'000'000'000u);
  fabric.set_rate(spine1, 1, BitRate(40'000'000'000));  // slows the link from spine1 to leaf1 down
  EXPECT_EQ(fabric.capacity(leaf0, 5, 4), 40'000'000'000u);
  EXPECT_EQ(fabric.capacity(leaf0, 4, 4), 100'000'000'000u);
  EXPECT_EQ(fabric.capacity(leaf0, 5, 8), 100'000'000'000u);
  EXPECT_EQ(fabric.capacity(topology.find("leaf1"), 5, 0), 100'000'000'000u);

  // Two aggregation switches of a pod have two links to the core each. The capacity of the paths
  // over one aggregation switch is the sum of its core links, but at most that of the first link.
  FatTreeParameters tree;
  tree.k = 4;
  tree.fabric_link.rate = BitRate(100'000'000'000);
  const Topology three_tiers = Topology::fat_tree(tree);
  const Routing ways(three_tiers);
  FabricMap map(three_tiers, ways);
  const NodeId agg0 = three_tiers.find("agg0");
  EXPECT_EQ(map.capacity(three_tiers.find("rack0"), 2, 15), 100'000'000'000u);
  map.set_rate(agg0, 2, BitRate(30'000'000'000));
  map.set_rate(agg0, 3, BitRate(20'000'000'000));
  EXPECT_EQ(map.capacity(three_tiers.find("rack0"), 2, 15), 50'000'000'000u);
}

TEST(FabricMap, ParallelLinksShareWhatIsBeyond) {
  // Two links lead from the first leaf to each spine. From spine1 one link leads to the second leaf
  // instead of two.
  const LinkParameters link{BitRate(10'000'000'000), kMicroSecond, 20};
  Topology topology;
  const NodeId host[] = {topology.add_host("h0"), topology.add_host("h1")};
  const NodeId leaf[] = {topology.add_switch("leaf0"), topology.add_switch("leaf1")};
  const NodeId spine[] = {topology.add_switch("spine0"), topology.add_switch("spine1")};
  for (int i = 0; i < 2; ++i) topology.connect(host[i], leaf[i], link);
  for (const NodeId one : spine) {
    for (int i = 0; i < 2; ++i) topology.connect(leaf[0], one, link);
  }
  for (const NodeId one : {spine[0], spine[0], spine[1]}) topology.connect(one, leaf[1], link);
  const Routing routing(topology);
  FabricMap fabric(topology, routing);
  ASSERT_EQ(routing.ports(leaf[0], 1).size(), 4u);
  for (const int port : {1, 2}) EXPECT_EQ(fabric.capacity(leaf[0], port, 1), 10'000'000'000u);
  for (const int port : {3, 4}) EXPECT_EQ(fabric.capacity(leaf[0], port, 1), 5'000'000'000u);
  // Ports share the load by their rates, and no port gets more than its own rate.
  fabric.set_rate(leaf[0], 3, BitRate(40'000'000'000));
  EXPECT_EQ(fabric.capacity(leaf[0], 3, 1), 8'000'000'000u);
  EXPECT_EQ(fabric.capacity(leaf[0], 4, 1), 2'000'000'000u);
  fabric.set_rate(leaf[0], 1, BitRate(1'000'000'000));
  EXPECT_EQ(fabric.capacity(leaf[0], 1, 1), 1'000'000'000u);
  EXPECT_EQ(fabric.capacity(leaf[1], 3, 0), 10'000'000'000u);
}

}  // namespace
}  // namespace dcc::path_choice_test
