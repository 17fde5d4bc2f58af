// Compares the subnet manager's discovery with the topology, which the manager does not know, and
// the manager's paths with the routes.
#include "subnet/subnet_manager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "fabric/routing.h"
#include "sim/random.h"
#include "subnet/subnet_agents.h"

namespace dcc::subnet_manager_test {
namespace {

constexpr LinkParameters kLink{BitRate(10'000'000'000), kMicroSecond, 0};

/// Index of the port, among equally good ones, by which a switch forwards to an address of a host.
std::uint32_t index_of(NodeId node, HostId host, unsigned address, std::uint32_t choices) {
  return (static_cast<std::uint32_t>(node) * 7 + host * 3 + address) % choices;
}

/// A topology with its management agents and a manager at host 0. The cables in `down` are down.
struct Subnet {
  explicit Subnet(Topology given, unsigned lmc = 0, std::set<int> without = {})
      : topology(std::move(given)),
        down(std::move(without)),
        routing(topology, gone()),
        agents(topology, access(), kMicroSecond * 3),
        manager(lmc) {}
  std::vector<bool> gone() const {
    std::vector<bool> gone(topology.cables().size(), false);
    for (const int cable : down) gone[static_cast<std::size_t>(cable)] = true;
    return gone;
  }
  SubnetAccess access() {
    SubnetAccess access;
    access.forwards = [this](NodeId node, HostId host, unsigned address) {
      const PortSet ports = routing.ports(node, host);
      return ports.empty() ? -1 : ports[index_of(node, host, address, ports.size())];
    };
    access.is_up = [this](NodeId node, int port) {
      return down.count(topology.plug(node, port).cable) == 0;
    };
    access.set_tables = [this](NodeId node, int port, const VlArbitrationParameters& tables) {
      set_node = node;
      set_port = port;
      set_tables = tables;
      return true;
    };
    return access;
  }
  void sweep() {
    manager.begin();
    while (const std::optional<Mad> mad = manager.next()) {
      manager.answered(agents.carry(topology.node_of(0), *mad, took));
    }
  }
  std::size_t index(NodeId node) const { return *manager.find(SubnetAgents::guid_of(node)); }

  Topology topology;
  std::set<int> down;
  Routing routing;
  SubnetAgents agents;
  SubnetManager manager;
  PicoSeconds took{};
  NodeId set_node = -1;
  int set_port = -1;
  VlArbitrationParameters set_tables;
};

Topology leaf_spine() {
  LeafSpineParameters p;
  p.leaves = 3;
  p.hosts_per_leaf = 2;
  p.spines = 2;
  p.host_link = kLink;
  p.fabric_link = {BitRate(40'000'000'000), kMicroSecond, 0};
  return Topology::leaf_spine(p);
}

/// A random connected graph of switches, some with several cables between them, and hosts.
Topology drawn(std::uint32_t seed) {
  std::mt19937 random(seed);
  Topology topology;
  std::vector<NodeId> switches;
  const unsigned count = 2 + static_cast<unsigned>(random() % 7);
  for (unsigned i = 0; i < count; ++i)
    switches.push_back(topology.add_switch("s" + std::to_string(i)));
  for (unsigned i = 0; i < count; ++i) {
    const NodeId host = topology.add_host("h" + std::to_string(i));
    topology.connect(host, switches[random() % count], kLink);
    if (i > 0) topology.connect(switches[i], switches[random() % i], kLink);
  }
  for (unsigned i = 0; i < count; ++i) {
    const NodeId a = switches[random() % count], b = switches[random() % count];
    if (a != b) topology.connect(a, b, kLink);
  }
  return topology;
}

using End = std::tuple<std::uint64_t, unsigned, std::uint64_t, unsigned, std::uint64_t>;

/// Ends of the cables that the manager discovered: GUID, port, peer's GUID and port, rate.
std::set<End> found(const SubnetManager& manager) {
  std::set<End> ends;
  for (const SubnetManager::Node& node : manager.nodes()) {
    for (unsigned port = 1; port < node.ports.size(); ++port) {
      const SubnetManager::Port& at = node.ports[port];
      if (at.peer_port == 0) continue;
      ends.insert({node.guid, port, manager.nodes()[at.peer].guid, at.peer_port, at.rate});
    }
  }
  return ends;
}

/// Ends of the cables of a topology that are up and reachable from host 0.
std::set<End> expected(const Subnet& subnet) {
  const Topology& topology = subnet.topology;
  std::set<NodeId> reached{topology.node_of(0)};
  for (bool more = true; more;) {
    more = false;
    for (std::size_t c = 0; c < topology.cables().size(); ++c) {
      if (subnet.down.count(static_cast<int>(c)) != 0) continue;
      const Cable& cable = topology.cables()[c];
      if (reached.count(cable.end[0].node) == reached.count(cable.end[1].node)) continue;
      reached.insert({cable.end[0].node, cable.end[1].node});
      more = true;
    }
  }
  std::set<End> ends;
  for (std::size_t c = 0; c < topology.cables().size(); ++c) {
    const Cable& cable = topology.cables()[c];
    if (subnet.down.count(static_cast<int>(c)) != 0 || reached.count(cable.end[0].node) == 0)
      continue;
    for (int side = 0; side < 2; ++side) {
      const CableEnd &here = cable.end[side], &there = cable.end[1 - side];
      ends.insert({SubnetAgents::guid_of(here.node), here.port + 1,
                   SubnetAgents::guid_of(there.node), there.port + 1,
                   cable.link.rate.bits_per_second});
    }
  }
  return ends;
}

TEST(SubnetManager, FindsTheFabricThatItWasNotTold) {
  Subnet subnet(leaf_spine());
  subnet.sweep();
  EXPECT_EQ(subnet.manager.nodes().size(), 11u);
  EXPECT_EQ(subnet.manager.links(), 12u);
  EXPECT_EQ(found(subnet.manager), expected(subnet));
}

TEST(SubnetManager, FindsDrawnFabricsWithCablesThatAreDown) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    Topology topology = drawn(seed);
    std::set<int> down;
    // Takes down cables between switches only, since a host without its cable is no part of the
    // subnet.
    for (std::size_t c = 0; c < topology.cables().size(); ++c) {
      const Cable& cable = topology.cables()[c];
      const bool fabric =
          !topology.node(cable.end[0].node).is_host && !topology.node(cable.end[1].node).is_host;
      if (fabric && mix64(seed * 1000 + c) % 4 == 0) down.insert(static_cast<int>(c));
    }
    Subnet subnet(std::move(topology), 0, down);
    subnet.sweep();
    EXPECT_EQ(found(subnet.manager), expected(subnet)) << seed;
  }
}

TEST(SubnetManager, AddressesOfAHostDifferInTheirLowestBitsOnly) {
  Subnet subnet(leaf_spine(), 2);
  subnet.sweep();
  std::set<unsigned> taken;
  for (const SubnetManager::Node& node : subnet.manager.nodes()) {
    ASSERT_NE(node.lid, 0);
    const unsigned count = node.is_switch ? 1 : 4;
    EXPECT_EQ(node.lid % count, 0u);
    for (unsigned i = 0; i < count; ++i) EXPECT_TRUE(taken.insert(node.lid + i).second);
  }
}

TEST(SubnetManager, PathsAreThoseOfTheForwardingTables) {
  for (const unsigned lmc : {0u, 1u, 2u}) {
    Subnet subnet(leaf_spine(), lmc);
    subnet.sweep();
    unsigned several = 0;
    for (HostId from = 0; from < 6; ++from) {
      for (HostId to = 0; to < 6; ++to) {
        if (from == to) continue;
        std::set<std::string> ways;
        for (unsigned address = 0; address < 1u << lmc; ++address) {
          std::string way, expects;
          NodeId node = subnet.topology.node_of(from);
          int port = 0;
          for (;;) {
            expects += std::to_string(node) + ":" + std::to_string(port + 1) + " ";
            node = subnet.topology.peer(node, port).node;
            if (node == subnet.topology.node_of(to)) break;
            const PortSet ports = subnet.routing.ports(node, to);
            port = ports[index_of(node, to, address, ports.size())];
          }
          for (const SubnetManager::Hop& hop :
               subnet.manager.path(subnet.index(subnet.topology.node_of(from)),
                                   subnet.index(subnet.topology.node_of(to)), address)) {
            way +=
                std::to_string(subnet.manager.nodes()[hop.node].guid - SubnetAgents::kFirstGuid) +
                ":" + std::to_string(hop.port) + " ";
          }
          EXPECT_EQ(way, expects);
          ways.insert(way);
        }
        if (ways.size() > 1) ++several;
      }
    }
    EXPECT_EQ(several > 0, lmc > 0);
  }
}

/// Sweeps again, and sets the tables of `routing` for the discovered subnet.
void sweep_again(Subnet& subnet, const Routing& routing) {
  subnet.manager.begin_again([&](std::size_t node, std::size_t owner, unsigned address) {
    const auto& nodes = subnet.manager.nodes();
    const HostId host = subnet.topology.node(SubnetAgents::node_of(nodes[owner].guid)).host;
    const NodeId at = SubnetAgents::node_of(nodes[node].guid);
    const PortSet ports = routing.ports(at, host);
    if (ports.empty()) return Mad::kNoPort;
    return static_cast<std::uint8_t>(ports[index_of(at, host, address, ports.size())] + 1);
  });
  while (const std::optional<Mad> mad = subnet.manager.next()) {
    subnet.manager.answered(subnet.agents.carry(subnet.topology.node_of(0), *mad, subnet.took));
  }
}

/// Nodes of a path from the sender on; empty if there is no path.
std::vector<std::size_t> nodes_on(const SubnetManager& manager, std::size_t from, std::size_t to) {
  std::vector<std::size_t> nodes;
  for (const SubnetManager::Hop& hop : manager.path(from, to, 0)) nodes.push_back(hop.node);
  return nodes;
}

TEST(SubnetManager, ALaterSweepSetsTablesThatAvoidAFailedCable) {
  Subnet subnet(leaf_spine());
  subnet.sweep();
  const SubnetManager& manager = subnet.manager;
  std::vector<std::uint16_t> lids;
  for (const SubnetManager::Node& node : manager.nodes()) lids.push_back(node.lid);
  const NodeId leaf = subnet.topology.find("leaf0");
  const std::size_t spine0 = subnet.index(subnet.topology.find("spine0"));
  const int cable = subnet.topology.plug(leaf, 2).cable;  // the first cable from leaf0 to a spine
  ASSERT_EQ(manager.links(), 12u);

  subnet.down = {cable};
  const Routing around(subnet.topology, subnet.gone());
  sweep_again(subnet, around);
  EXPECT_EQ(manager.links(), 11u);
  EXPECT_EQ(found(manager), expected(subnet));
  for (std::size_t i = 0; i < lids.size(); ++i) {
    EXPECT_TRUE(manager.nodes()[i].present);
    EXPECT_EQ(manager.nodes()[i].lid, lids[i]) << "addresses stay";
  }
  for (HostId from = 0; from < 6; ++from) {
    for (HostId to = 0; to < 6; ++to) {
      if (from == to) continue;
      const auto path = nodes_on(manager, subnet.index(subnet.topology.node_of(from)),
                                 subnet.index(subnet.topology.node_of(to)));
      EXPECT_FALSE(path.empty());
      const bool by_leaf0 = (from < 2) != (to < 2);
      if (by_leaf0) {
        EXPECT_EQ(std::count(path.begin(), path.end(), spine0), 0) << from << " to " << to;
      }
    }
  }

  // Host 5 is disconnected. It keeps its address, and no path leads to it.
  subnet.down = {subnet.topology.plug(subnet.topology.node_of(5), 0).cable};
  const Routing without(subnet.topology, subnet.gone());
  sweep_again(subnet, without);
  const std::size_t host5 = subnet.index(subnet.topology.node_of(5));
  EXPECT_FALSE(manager.nodes()[host5].present);
  EXPECT_EQ(manager.nodes()[host5].lid, lids[host5]);
  EXPECT_TRUE(nodes_on(manager, subnet.index(subnet.topology.node_of(0)), host5).empty());

  subnet.down = {};
  sweep_again(subnet, subnet.routing);
  EXPECT_TRUE(manager.nodes()[host5].present);
  EXPECT_EQ(found(manager), expected(subnet));
  EXPECT_FALSE(nodes_on(manager, subnet.index(subnet.topology.node_of(0)), host5).empty());
}

// Three hops of 1 us and 290 bytes each (232 ns at 10 Gb/s, 58 ns at 40), in both directions, and
// an agent of 3 us.
TEST(SubnetManager, ADatagramTakesItsHopsBothWaysAndTheAgent) {
  Subnet subnet(leaf_spine());
  subnet.sweep();
  const NodeId spine = subnet.topology.find("spine1");
  const Mad mad = subnet.manager.to_node(subnet.index(spine), Mad::kGet, Mad::kNodeInfo, 0);
  EXPECT_EQ(mad.hop_count(), 2u);
  PicoSeconds took{};
  const std::optional<Mad> answer = subnet.agents.carry(subnet.topology.node_of(0), mad, took);
  ASSERT_TRUE(answer);
  EXPECT_EQ(took, kNanoSecond * (2 * (1000 + 232 + 1000 + 58) + 3000));
  EXPECT_EQ(answer->hop_pointer(), 0u);
  EXPECT_TRUE(answer->returns());
  EXPECT_EQ(answer->method(), Mad::kGetResponse);
  EXPECT_EQ(answer->transaction(), mad.transaction());
  // The fields of NodeInfo by their offsets in the specification: type 2 is a switch, then ports
  // and GUIDs.
  EXPECT_EQ(answer->bytes()[64 + 2], 2);
  EXPECT_EQ(answer->bytes()[64 + 3], 3);
  EXPECT_EQ(answer->get(64 + 12, 8), SubnetAgents::guid_of(spine));
  EXPECT_EQ(answer->bytes()[64 + 36],
            subnet.topology.peer(subnet.topology.find("leaf0"), 3).port + 1);
}

TEST(SubnetManager, WhatLeavesThroughNoCableIsLost) {
  Subnet subnet(leaf_spine(), 0, {0});  // the manager's own cable is down
  PicoSeconds took{};
  Mad mad(Mad::kDirectedRoute, Mad::kGet, Mad::kNodeInfo, 0);
  mad.set_hop_count(1);
  mad.set_initial_path(1, 2);
  EXPECT_FALSE(subnet.agents.carry(subnet.topology.node_of(0), mad, took)) << "no such port";
  mad.set_initial_path(1, 1);
  EXPECT_FALSE(subnet.agents.carry(subnet.topology.node_of(0), mad, took)) << "the cable is down";
  mad.set_hop_count(64);
  EXPECT_FALSE(subnet.agents.carry(subnet.topology.node_of(0), mad, took))
      << "the route is too long";
  subnet.sweep();
  EXPECT_EQ(subnet.manager.nodes().size(), 1u);
}

TEST(SubnetManager, AgentsRefuseWhatTheyDoNotKnow) {
  Subnet subnet(leaf_spine());
  subnet.sweep();
  const auto status = [&](const char* node, Mad::Method method, Mad::Attribute attribute,
                          std::uint32_t modifier) {
    PicoSeconds took{};
    const Mad mad = subnet.manager.to_node(subnet.index(subnet.topology.find(node)), method,
                                           attribute, modifier);
    return subnet.agents.carry(subnet.topology.node_of(0), mad, took)->status();
  };
  EXPECT_EQ(status("leaf0", Mad::kGet, Mad::kPortInfo, 4), Mad::kOk);
  EXPECT_EQ(status("leaf0", Mad::kGet, Mad::kPortInfo, 5), Mad::kInvalidField);
  EXPECT_EQ(status("leaf0", Mad::kSet, Mad::kPortInfo, 0), Mad::kInvalidField) << "LID 0";
  EXPECT_EQ(status("leaf0", Mad::kGet, Mad::kPathRecord, 0), Mad::kUnsupported);
  EXPECT_EQ(status("leaf0", Mad::kSet, Mad::kVlArbitration, vl_modifier(3, 1)), Mad::kInvalidField);
  EXPECT_EQ(status("h0", Mad::kGet, Mad::kLinearForwarding, 0), Mad::kUnsupported);
}

TEST(SubnetManager, TablesOfLanesArriveInTwoHalves) {
  Subnet subnet(leaf_spine());
  subnet.sweep();
  const NodeId leaf = subnet.topology.find("leaf1");
  for (unsigned block = 1; block <= 2; ++block) {
    Mad mad = subnet.manager.to_node(subnet.index(leaf), Mad::kSet, Mad::kVlArbitration,
                                     vl_modifier(block, 2));
    for (unsigned i = 0; i < kVlBlock; ++i) {
      mad.put(64 + 2 * i, 1, (block * 3 + i) % 8);
      mad.put(64 + 2 * i + 1, 1, block * 100 + i);
    }
    PicoSeconds took{};
    EXPECT_EQ(subnet.agents.carry(subnet.topology.node_of(0), mad, took)->status(), Mad::kOk);
  }
  EXPECT_EQ(subnet.set_node, leaf);
  EXPECT_EQ(subnet.set_port, 1);
  ASSERT_EQ(subnet.set_tables.low.size(), 64u);
  EXPECT_EQ(subnet.set_tables.low[1].lane, 4u);
  EXPECT_EQ(subnet.set_tables.low[1].weight, 101u);
  EXPECT_EQ(subnet.set_tables.low[63].lane, (6 + 31) % 8u);
  EXPECT_EQ(subnet.set_tables.low[63].weight, 231u);
}

}  // namespace
}  // namespace dcc::subnet_manager_test
