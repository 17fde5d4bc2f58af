#include "fabric/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "describe/parameter_error.h"

namespace dcc::topology_test {
namespace {

constexpr LinkParameters kHost{BitRate(100'000'000'000), kMicroSecond, 20};
constexpr LinkParameters kFabric{BitRate(400'000'000'000), kMicroSecond * 2, 20};

std::string peer_name(const Topology& topology, const std::string& node, int port) {
  return topology.node(topology.peer(topology.find(node), port).node).name;
}

std::string error_of(void (*build)()) {
  try {
    build();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Topology, StarHasHostsOnPortsOfTheirNumber) {
  const Topology star = Topology::star(9, kHost);
  EXPECT_EQ(star.hosts(), 9);
  EXPECT_EQ(star.nodes().size(), 10u);
  EXPECT_EQ(star.cables().size(), 9u);
  for (int h = 0; h < 9; ++h) {
    EXPECT_EQ(peer_name(star, "s0", h), "h" + std::to_string(h));
    EXPECT_EQ(star.wire_name(star.find("s0"), h), "s0->h" + std::to_string(h));
    EXPECT_EQ(star.wire_name(star.node_of(static_cast<HostId>(h)), 0),
              "h" + std::to_string(h) + "->s0");
  }
}

TEST(Topology, ParkingLotOfThePaperHasTwoAndFourHosts) {
  const Topology lot = Topology::parking_lot({2, 4}, kHost, kFabric);
  EXPECT_EQ(lot.hosts(), 6);
  EXPECT_EQ(peer_name(lot, "h1", 0), "s0");
  EXPECT_EQ(peer_name(lot, "h2", 0), "s1");
  EXPECT_EQ(peer_name(lot, "h5", 0), "s1");
  EXPECT_EQ(peer_name(lot, "s0", 2), "s1");
  EXPECT_EQ(lot.link(lot.find("s0"), 2).rate, kFabric.rate);
  EXPECT_EQ(lot.link(lot.find("s0"), 0).rate, kHost.rate);
}

TEST(Topology, FatTreeOfTheReferenceIsWiredAsTheReferenceSays) {
  FatTreeParameters parameters;
  const Topology tree = Topology::fat_tree(parameters);
  EXPECT_EQ(tree.hosts(), 320);
  EXPECT_EQ(tree.nodes().size(), 320u + 20 + 20 + 16);
  EXPECT_EQ(tree.cables().size(), 320u + 20 * 4 + 20 * 4);
  for (HostId h = 0; h < 320; ++h) {
    EXPECT_EQ(tree.node(tree.peer(tree.node_of(h), 0).node).name, "rack" + std::to_string(h / 16));
    EXPECT_EQ(tree.peer(tree.node_of(h), 0).port, static_cast<int>(h % 16));
  }
  for (int rack = 0; rack < 20; ++rack) {
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(peer_name(tree, "rack" + std::to_string(rack), 16 + i),
                "agg" + std::to_string(rack / 4 * 4 + i));
    }
  }
  for (int agg = 0; agg < 20; ++agg) {
    std::set<std::string> cores;
    for (int port = 4; port < 8; ++port)
      cores.insert(peer_name(tree, "agg" + std::to_string(agg), port));
    std::set<std::string> expected;
    for (int c = 0; c < 4; ++c) expected.insert("core" + std::to_string(4 * (agg % 4) + c));
    EXPECT_EQ(cores, expected);
  }
  for (int core = 0; core < 16; ++core) {
    const NodeId id = tree.find("core" + std::to_string(core));
    EXPECT_EQ(tree.node(id).ports, 5);
    for (int pod = 0; pod < 5; ++pod) {
      EXPECT_EQ(tree.node(tree.peer(id, pod).node).name,
                "agg" + std::to_string(4 * pod + core / 4));
      EXPECT_EQ(tree.link(id, pod).rate, BitRate(400'000'000'000));
    }
  }
  tree.check_connected();
}

TEST(Topology, BothEndsOfACableKnowEachOther) {
  const Topology tree = Topology::fat_tree(FatTreeParameters{});
  for (NodeId node = 0; node < static_cast<NodeId>(tree.nodes().size()); ++node) {
    for (int port = 0; port < tree.node(node).ports; ++port) {
      const CableEnd there = tree.peer(node, port);
      const CableEnd back = tree.peer(there.node, there.port);
      EXPECT_EQ(back.node, node);
      EXPECT_EQ(back.port, port);
    }
  }
}

TEST(Topology, ParallelCablesHaveNamesOfTheirOwn) {
  Topology topology;
  const NodeId h = topology.add_host("x");
  const NodeId a = topology.add_switch("a");
  const NodeId b = topology.add_switch("b");
  topology.connect(h, a, kHost);
  topology.connect(a, b, kHost);
  topology.connect(a, b, kHost);
  EXPECT_EQ(topology.wire_name(a, 1), "a->b");
  EXPECT_EQ(topology.wire_name(a, 2), "a->b#1");
  EXPECT_EQ(topology.wire_name(b, 1), "b->a#1");
}

TEST(Topology, RefusesWhatCannotBe) {
  EXPECT_EQ(error_of([] { Topology::star(0, kHost); }), "topology: a star needs at least one host");
  EXPECT_EQ(error_of([] {
              Topology t;
              const NodeId h = t.add_host("h"), s = t.add_switch("s"), r = t.add_switch("r");
              t.connect(h, s, kHost);
              t.connect(h, r, kHost);
            }),
            "topology: host h has more than one cable at a port");
  EXPECT_EQ(error_of([] {
              Topology t;
              const NodeId s = t.add_switch("s");
              t.connect(s, s, kHost);
            }),
            "topology: a cable connects s with itself");
  EXPECT_EQ(error_of([] {
              Topology t;
              t.connect(t.add_switch("s"), 7, kHost);
            }),
            "topology: a cable ends at a node that does not exist");
  EXPECT_EQ(error_of([] {
              Topology t;
              t.connect(t.add_host("a"), t.add_host("b"), LinkParameters{BitRate(0), {}, 0});
            }),
            "topology: the cable between a and b has no rate");
  EXPECT_EQ(error_of([] {
              Topology t;
              t.add_host("a");
              t.add_host("b");
              t.check_connected();
            }),
            "topology: there is no way from a to b");
  EXPECT_EQ(error_of([] {
              FatTreeParameters p;
              p.cores = 15;
              Topology::fat_tree(p);
            }),
            "topology: the core switches of a fat tree must divide evenly among the 4 aggregation "
            "switches of a pod");
}

TEST(Topology, AFatTreeOfKPortsNeedsAnEvenNumber) {
  TopologyParameters p;
  p.kind = TopologyKind::kFatTree;
  p.fat_tree.k = 4;
  EXPECT_NO_THROW(p.check());
  p.fat_tree.k = 5;
  EXPECT_THROW(p.check(), ParameterError);
}

TEST(Topology, AMillionHostsAndNotOneMore) {
  TopologyParameters p;
  p.kind = TopologyKind::kLeafSpine;
  p.leaf_spine.leaves = 1;
  p.leaf_spine.hosts_per_leaf = 1'048'576;
  EXPECT_NO_THROW(p.check());
  ++p.leaf_spine.hosts_per_leaf;
  try {
    p.check();
    FAIL() << "1048577 hosts are accepted";
  } catch (const ParameterError& error) {
    EXPECT_STREQ(error.what(), "1048577 hosts; at most 1048576");
  }
  // A fat tree at full bisection: the switches have two cables to other switches for each host.
  p.leaf_spine = {};
  p.leaf_spine.leaves = 2048;
  p.leaf_spine.spines = 1024;
  EXPECT_NO_THROW(p.check());
  p.leaf_spine.spines = 1025;
  EXPECT_THROW(p.check(), ParameterError);
}

TEST(Topology, ARailHasAPortOfEveryServerOfItsUnit) {
  RailParameters p;
  p.units = 2;
  p.rails = 4;
  p.servers = 3;
  p.spines = 2;
  const Topology rail = Topology::rail(p);
  for (unsigned u = 0; u < 2; ++u) {
    for (unsigned r = 0; r < 4; ++r) {
      const NodeId node = rail.find("u" + std::to_string(u) + "_rail" + std::to_string(r));
      ASSERT_GE(node, 0);
      EXPECT_EQ(rail.node(node).ports, 3 + 2);
      for (unsigned s = 0; s < 3; ++s) {
        EXPECT_EQ(rail.peer(rail.node_of((u * 4 + r) * 3 + s), 0).node, node);
      }
    }
  }
  EXPECT_EQ(rail.node(rail.find("spine1")).ports, 8);
  EXPECT_THROW(Topology::rail(RailParameters{0, 1, 1, 1, {}, {}}), std::invalid_argument);
}

TEST(Topology, ATorusIsTheSameFromEveryRouterAndAMeshHasAnEdge) {
  TorusParameters p;
  p.dimensions = {4, 3, 2};
  p.hosts_per_router = 2;
  const Topology torus = Topology::torus(p);
  EXPECT_EQ(torus.switches(), 24);
  for (const TopologyNode& node : torus.nodes()) {
    if (!node.is_host) {
      EXPECT_EQ(node.ports, 2 + 2 + 2 + 1) << node.name << ": of two routers one cable";
    }
  }
  EXPECT_EQ(torus.peer(torus.node_of(2 * (4 * 3 + 2 * 4 + 1)), 0).node, torus.find("r1_2_1"));
  p.wrap = false;
  const Topology mesh = Topology::torus(p);
  EXPECT_EQ(mesh.node(mesh.find("r0_0_0")).ports, 2 + 3);
  EXPECT_EQ(mesh.node(mesh.find("r1_1_0")).ports, 2 + 2 + 2 + 1);
  p.dimensions = {1};
  EXPECT_THROW(Topology::torus(p), std::invalid_argument);
}

TEST(Topology, APacketTakesTheLatencyOfEachSwitchOnce) {
  TopologyParameters p;
  p.kind = TopologyKind::kParkingLot;
  p.hosts_per_switch = {1, 0, 1};
  const auto delay = [&] {
    PicoSeconds sum;
    const Topology topology = Topology::of(p);
    for (const Cable& cable : topology.cables()) sum += cable.link.delay;
    return sum;
  };
  const PicoSeconds without = delay();
  p.switch_latency = kNanoSecond * 300;
  EXPECT_EQ(delay() - without, kNanoSecond * 900) << "three switches between the two hosts";
}

TEST(Topology, ADragonflysGroupsAreAllCabledOnce) {
  // a balanced dragonfly: groups of 4 routers, each with 2 hosts and 2 links to other groups
  DragonflyParameters p;
  const Topology dragonfly = Topology::dragonfly(p);
  EXPECT_EQ(dragonfly.hosts(), 72);
  std::map<std::pair<int, int>, int> cables;
  for (const Cable& cable : dragonfly.cables()) {
    const TopologyNode& a = dragonfly.node(cable.end[0].node);
    const TopologyNode& b = dragonfly.node(cable.end[1].node);
    if (a.is_host || b.is_host) continue;
    ++cables[std::minmax(a.switch_no / 4, b.switch_no / 4)];
  }
  for (int a = 0; a < 9; ++a) {
    for (int b = a; b < 9; ++b) EXPECT_EQ((cables[{a, b}]), a == b ? 6 : 1);
  }
  for (const TopologyNode& node : dragonfly.nodes()) {
    if (!node.is_host) {
      EXPECT_EQ(node.ports, 2 + 3 + 2) << node.name;
    }
  }
}

}  // namespace
}  // namespace dcc::topology_test
