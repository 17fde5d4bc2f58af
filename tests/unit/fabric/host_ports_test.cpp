// Tests hosts with several ports: port numbers, the networks that the ports form, and the routes.
#include "fabric/host_ports.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "describe/parameter_error.h"
#include "fabric/routing.h"
#include "fabric/topology.h"

namespace dcc::host_ports_test {
namespace {

constexpr LinkParameters kSlow{BitRate(100'000'000'000), kMicroSecond, 20};
constexpr LinkParameters kFast{BitRate(400'000'000'000), kMicroSecond, 20};

TopologyParameters custom(const std::vector<std::string>& hosts,
                          const std::vector<std::string>& switches,
                          const std::vector<std::pair<std::string, std::string>>& links) {
  TopologyParameters p;
  p.kind = TopologyKind::kCustom;
  for (const std::string& name : hosts) p.nodes.push_back({name, NodeKind::kHost, true});
  for (const std::string& name : switches) p.nodes.push_back({name, NodeKind::kSwitch, true});
  for (const auto& [from, to] : links) p.links.push_back({from, to, kSlow});
  return p;
}

std::string refusal(const TopologyParameters& p) {
  try {
    p.check();
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "";
}

std::string peer_of(const Topology& topology, const std::string& name) {
  return topology.node(topology.peer(topology.find(name), 0).node).name;
}

TEST(HostPorts, OnePortEachNeedsNoTable) {
  const HostPorts ports(std::vector<unsigned>{1, 1, 1});
  EXPECT_FALSE(ports.several());
  EXPECT_EQ(ports.host_of(2), 2u);
  EXPECT_EQ(ports.first_port(2), 2u);
  EXPECT_EQ(ports.ports_of(2), 1u);
  EXPECT_EQ(ports.label(2), "2");
}

TEST(HostPorts, AreNumberedHostByHost) {
  const HostPorts ports(std::vector<unsigned>{2, 1, 3});
  EXPECT_TRUE(ports.several());
  EXPECT_EQ(ports.hosts(), 3u);
  EXPECT_EQ(ports.ports(), 6u);
  const std::vector<HostId> owners{0, 0, 1, 2, 2, 2};
  const std::vector<std::string> labels{"0.0", "0.1", "1", "2.0", "2.1", "2.2"};
  for (HostId port = 0; port < 6; ++port) {
    EXPECT_EQ(ports.host_of(port), owners[port]);
    EXPECT_EQ(ports.label(port), labels[port]);
  }
  EXPECT_EQ(ports.first_port(2), 3u);
  EXPECT_EQ(ports.ports_of(2), 3u);
}

TEST(HostPorts, LinksOfACustomHostAreItsPortsInTheirOrder) {
  const TopologyParameters p =
      custom({"a", "b", "c"}, {"t0", "t1"},
             {{"a", "t1"}, {"t0", "b"}, {"c", "t0"}, {"a", "t0"}, {"t1", "c"}, {"t1", "t0"}});
  EXPECT_EQ(refusal(p), "");
  EXPECT_EQ(p.host_count(), 3u);
  EXPECT_EQ(p.port_count(), 5u);
  const Topology topology = Topology::of(p);
  EXPECT_EQ(topology.hosts(), 5);
  EXPECT_EQ(topology.user_hosts(), 3);
  EXPECT_EQ(peer_of(topology, "a.0"), "t1");
  EXPECT_EQ(peer_of(topology, "a.1"), "t0");
  EXPECT_EQ(peer_of(topology, "b"), "t0");
  EXPECT_EQ(peer_of(topology, "c.0"), "t0");
  EXPECT_EQ(peer_of(topology, "c.1"), "t1");
  EXPECT_EQ(topology.wire_name(topology.find("a.1"), 0), "a.1->t0");
}

/// Two switches without a cable between them form two networks that share their hosts.
TEST(HostPorts, PortsInSeparateNetworksDoNotReachEachOther) {
  const TopologyParameters p =
      custom({"a", "b"}, {"t0", "t1"}, {{"a", "t0"}, {"a", "t1"}, {"b", "t0"}, {"b", "t1"}});
  EXPECT_EQ(refusal(p), "");
  const Topology topology = Topology::of(p);
  EXPECT_TRUE(topology.has_one_way());
  const Routing routing(topology);
  for (HostId from = 0; from < 4; ++from) {
    for (HostId to = 0; to < 4; ++to) {
      EXPECT_EQ(routing.reaches(from, to), from % 2 == to % 2) << from << ' ' << to;
    }
  }
  EXPECT_EQ(routing.links(0, 2), 2);
  EXPECT_EQ(routing.one_way(1, 3, 1000),
            kMicroSecond * 2 + serialization_time(1020, kSlow.rate) * 2);
}

TEST(HostPorts, ACableBetweenTwoHostsIsANetworkOfItsOwn) {
  const TopologyParameters p =
      custom({"a", "b", "c"}, {"s"}, {{"a", "b"}, {"a", "s"}, {"b", "s"}, {"c", "s"}});
  EXPECT_EQ(refusal(p), "");
  const Topology topology = Topology::of(p);
  const Routing routing(topology);
  const HostId a = 0, b = 2, c = 4;  // numbers of the first ports of the hosts a, b and c
  EXPECT_TRUE(routing.reaches(a, b));
  EXPECT_EQ(routing.links(a, b), 1);
  EXPECT_FALSE(routing.reaches(a, c));
  EXPECT_FALSE(routing.reaches(c, b));
  EXPECT_TRUE(routing.reaches(a + 1, c));
}

// The only switch's table lists single hosts, because the order of its ports differs from the order
// of the hosts.
TEST(HostPorts, ASwitchKnowsNoWayToACableBetweenHosts) {
  const Topology topology = Topology::of(
      custom({"a", "b", "c"}, {"s"}, {{"c", "s"}, {"a", "s"}, {"b", "s"}, {"a", "b"}}));
  const Routing routing(topology);
  const HostId c = 4;
  EXPECT_TRUE(routing.reaches(c, 0));
  EXPECT_TRUE(routing.reaches(c, 2));
  EXPECT_FALSE(routing.reaches(c, 1));
  EXPECT_FALSE(routing.reaches(c, 3));
  EXPECT_TRUE(routing.reaches(1, 3));
}

TEST(HostPorts, HostsThatOnlyAnotherHostJoinsAreRefused) {
  EXPECT_EQ(refusal(custom({"a", "b", "c"}, {}, {{"a", "b"}, {"b", "c"}})),
            "no way from host 'a' to 'c' but through another host (rings: kind: torus) or a "
            "switch that does not forward");
  EXPECT_EQ(refusal(custom({"a", "b", "c"}, {"s", "t"},
                           {{"a", "s"}, {"b", "s"}, {"b", "t"}, {"c", "t"}})),
            "no way from host 'a' to 'c' but through another host (rings: kind: torus) or a "
            "switch that does not forward");
  // Three hosts of which each two share a cable need no host that relays packets.
  EXPECT_EQ(refusal(custom({"a", "b", "c"}, {}, {{"a", "b"}, {"b", "c"}, {"c", "a"}})), "");
  EXPECT_EQ(refusal(custom({"a", "b"}, {"s"}, {{"a", "s"}})), "host 'b' has no link");
}

TEST(HostPorts, ASwitchThatDoesNotForwardJoinsItsOwnHosts) {
  TopologyParameters p =
      custom({"a", "b", "c"}, {"n", "s"},
             {{"a", "n"}, {"b", "n"}, {"a", "s"}, {"b", "s"}, {"c", "s"}, {"n", "s"}});
  p.nodes[3].forwards = false;
  EXPECT_EQ(refusal(p), "");
  const Topology topology = Topology::of(p);
  const Routing routing(topology);
  EXPECT_EQ(routing.links(0, 2), 2);  // path from port a.0 to port b.0 through switch n
  EXPECT_TRUE(routing.reaches(0, 3));
}

std::vector<TopologyParameters> named_shapes() {
  std::vector<TopologyParameters> list(7);
  list[0].hosts = 5;
  list[1].kind = TopologyKind::kParkingLot;
  list[2].kind = TopologyKind::kFatTree;
  list[2].fat_tree.k = 4;
  list[3].kind = TopologyKind::kLeafSpine;
  list[3].leaf_spine = {3, 4, 2, {}, kFast};
  list[4].kind = TopologyKind::kRail;
  list[4].rail.units = 2;
  list[4].rail.rails = 2;
  list[4].rail.servers = 3;
  list[4].rail.spines = 2;
  list[5].kind = TopologyKind::kTorus;
  list[5].torus.dimensions = {3, 4};
  list[6].kind = TopologyKind::kDragonfly;
  list[6].dragonfly.groups = 3;
  list[6].dragonfly.routers = 2;
  return list;
}

/// The name of a node in the network with one port per host.
std::string plain(std::string name) {
  if (const auto dot = name.find('.'); dot != std::string::npos) name.resize(dot);
  if (name[0] == 'p') name.erase(0, name.find('_') + 1);
  return name;
}

/// The nodes of the first path, named as in the network with one port per host.
std::vector<std::string> path(const Topology& topology, const Routing& routing, HostId from,
                              HostId to) {
  std::vector<std::string> names;
  NodeId here = topology.node_of(from);
  while (here != topology.node_of(to)) {
    names.push_back(plain(topology.node(here).name));
    here = topology.peer(here, routing.ports(here, to).front()).node;
  }
  return names;
}

// Each plane has the same paths, port by port, as the network with one port per host, and no path
// leads to the other plane.
TEST(DualPlane, EachPlaneIsTheNetworkOfOnePort) {
  for (TopologyParameters p : named_shapes()) {
    const Topology one = Topology::of(p);
    const Routing of_one(one);
    p.ports = 3;
    p.port_mode = PortMode::kDualPlane;
    ASSERT_EQ(refusal(p), "");
    const Topology planes = Topology::of(p);
    const Routing routing(planes);
    ASSERT_NE(planes.structure(), nullptr) << name_of(p.kind);
    ASSERT_EQ(planes.hosts(), 3 * one.hosts());
    ASSERT_EQ(planes.switches(), 3 * one.switches());
    ASSERT_EQ(planes.cables().size(), 3 * one.cables().size());
    EXPECT_LE(planes.cables().size() - static_cast<std::size_t>(planes.hosts()), p.fabric_cables());
    for (HostId from = 0; from < static_cast<HostId>(planes.hosts()); ++from) {
      for (HostId to = 0; to < static_cast<HostId>(planes.hosts()); ++to) {
        ASSERT_EQ(routing.reaches(from, to), from % 3 == to % 3) << name_of(p.kind);
        if (from % 3 != to % 3) continue;
        ASSERT_EQ(path(planes, routing, from, to), path(one, of_one, from / 3, to / 3));
      }
    }
    EXPECT_EQ(routing.longest_base_rtt(1000, 64), of_one.longest_base_rtt(1000, 64));
  }
}

TEST(Bond, PortsOfAHostAreBesideEachOtherAtItsSwitch) {
  for (TopologyParameters p : named_shapes()) {
    const Topology one = Topology::of(p);
    p.ports = 2;
    ASSERT_EQ(refusal(p), "");
    const Topology bonded = Topology::of(p);
    const Routing routing(bonded);
    ASSERT_NE(bonded.structure(), nullptr);
    ASSERT_EQ(bonded.hosts(), 2 * one.hosts());
    ASSERT_EQ(bonded.switches(), one.switches());
    for (HostId host = 0; host < static_cast<HostId>(one.hosts()); ++host) {
      const std::string name = one.node(one.node_of(host)).name;
      for (const char* const port : {".0", ".1"}) {
        EXPECT_EQ(peer_of(bonded, name + port), peer_of(one, name));
      }
      EXPECT_EQ(bonded.node(bonded.node_of(2 * host + 1)).name, name + ".1");
      EXPECT_EQ(routing.links(2 * host, 2 * host + 1), 2);
    }
  }
}

TEST(HostPorts, TooManyPortsAreRefused) {
  TopologyParameters p;
  p.kind = TopologyKind::kLeafSpine;
  p.leaf_spine.leaves = 1024;
  p.leaf_spine.hosts_per_leaf = 1024;
  p.leaf_spine.spines = 1;
  EXPECT_EQ(refusal(p), "");
  p.ports = 2;
  EXPECT_EQ(refusal(p), "2097152 ports of hosts; at most 1048576");
}

}  // namespace
}  // namespace dcc::host_ports_test
