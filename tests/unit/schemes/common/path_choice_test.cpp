// Compares each load balancer with choices worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "fabric/balancers.h"
#include "fabric/fabric_map.h"
#include "schemes/conga/conga.h"
#include "schemes/detail/detail.h"
#include "schemes/drill/drill.h"
#include "schemes/letflow/letflow.h"
#include "schemes/presto/presto.h"
#include "unit/fabric/path_view.h"
#include "unit/switch/test_devices.h"

namespace dcc::path_choice_test {
namespace {

TEST(PathChoice, WeightsLeaveFlowsWhereTheHashPutThemWhileAllPortsAreAlike) {
  const Topology topology = three_leaves();
  const Routing routing(topology);
  FabricMap fabric(topology, routing);
  const FakeSwitch view;
  const auto wcmp = make("wcmp", view);
  wcmp->join(fabric, topology.find("leaf0"));
  const PortSet up = PortSet::consecutive(4, 2);
  for (std::uint32_t flow = 0; flow < 1000; ++flow) {
    const Packet packet = packet_of(flow, 0, 4);
    ASSERT_EQ(wcmp->peek(packet, up), scaled_down(flow_hash(packet, 77), 2));
  }
  // With links of 100 and 25 Gb/s a fifth of the flows takes the second link.
  fabric.set_rate(topology.find("spine1"), 1, BitRate(25'000'000'000));
  wcmp->routes_changed();
  int second = 0;
  for (std::uint32_t flow = 0; flow < 10'000; ++flow) {
    second += wcmp->peek(packet_of(flow, 0, 4), up) == 1 ? 1 : 0;
  }
  EXPECT_NEAR(second, 2000, 4 * 40);  // four standard deviations of sqrt(10000 · 0.2 · 0.8)
}

TEST(PathChoice, FlowsInTurnKeepTheirPort) {
  const FakeSwitch view;
  const auto turns = make("per_flow", view);
  const PortSet three = PortSet::consecutive(0, 3);
  const auto port = [&](std::uint32_t flow, HostId source, HostId destination) {
    Packet packet = packet_of(flow, source, destination);
    const std::uint32_t peeked = turns->peek(packet, three);
    EXPECT_EQ(turns->choose(packet, three), peeked);
    return peeked;
  };
  EXPECT_EQ(port(40, 1, 9), 0u);
  EXPECT_EQ(port(17, 1, 9), 1u);
  EXPECT_EQ(port(99, 2, 9), 2u);
  EXPECT_EQ(port(40, 9, 1), 0u);  // the opposite direction counts as a separate flow
  EXPECT_EQ(port(17, 9, 1), 1u);
  for (int again = 0; again < 3; ++again) EXPECT_EQ(port(99, 2, 9), 2u);
  EXPECT_EQ(port(40, 1, 9), 0u);
}

TEST(PathChoice, RandomPacketsAreUniformAndTheSameForTheSameSeed) {
  const FakeSwitch view;
  const auto one = make("rps", view);
  const auto same = make("rps", view);
  BalancerChoice p;
  p.choose("rps");
  const auto other = p.make(view.context(4));
  RandomStream expected(5, "routing", 3);
  std::array<int, 4> count{};
  int differ = 0;
  for (int i = 0; i < 40'000; ++i) {
    Packet packet = packet_of(1);
    const std::uint32_t peeked = one->peek(packet, kFour);
    const std::uint32_t port = one->choose(packet, kFour);
    ASSERT_EQ(port, peeked);
    ASSERT_EQ(port, expected.below(4));
    ASSERT_EQ(same->choose(packet, kFour), port);
    differ += other->choose(packet, kFour) != port ? 1 : 0;
    ++count[port];
  }
  double chi = 0;
  for (const int n : count) chi += (n - 10'000.0) * (n - 10'000.0) / 10'000.0;
  EXPECT_LT(chi, 16.3);  // chi-square with three degrees of freedom exceeds this once in 1000
  EXPECT_NEAR(differ, 30'000, 4 * 87);
}

TEST(PathChoice, AFlowletKeepsItsWayUntilTheFlowPauses) {
  FakeSwitch view;
  BalancerChoice p;
  p.of<LetflowParameters>("letflow").flowlet.gap = kMicroSecond * 50;
  const auto letflow = make("letflow", view, p);
  RandomStream draws(5, "routing", 3);
  std::uint32_t way = 0;
  int moves = 0;
  for (int flowlet = 0; flowlet < 50; ++flowlet) {
    const std::uint32_t drawn = static_cast<std::uint32_t>(draws.below(4));
    moves += drawn != way ? 1 : 0;
    way = drawn;
    for (int i = 0; i < 5; ++i) {
      Packet packet = packet_of(1);
      ASSERT_EQ(letflow->peek(packet, kFour), way);
      ASSERT_EQ(letflow->choose(packet, kFour), way);
      // the gap is 1 ps too short for a new flowlet
      view.time += kMicroSecond * 50 - PicoSeconds(1);
    }
    view.time += PicoSeconds(1);
  }
  EXPECT_GT(moves, 25);
  letflow->routes_changed();  // after a route change the next packet begins a flowlet
  Packet packet = packet_of(1);
  EXPECT_EQ(letflow->choose(packet, kFour), draws.below(4));
}

TEST(PathChoice, DrillTakesTheShorterOfWhatItDrewAndRemembersTheBest) {
  FakeSwitch view;
  // queue lengths at the ports 4 to 7 (kFour)
  view.backlogs = {0, 0, 0, 0, 9000, 7000, 3000, 8000};
  BalancerChoice p;
  auto& samples = p.of<DrillParameters>("drill").samples;
  auto& memory = p.of<DrillParameters>("drill").memory;
  samples = 1;
  memory = 1;
  const auto drill = make("drill", view, p);
  RandomStream draws(5, "routing", 3);
  std::uint32_t best = 0;
  for (int i = 0; i < 100; ++i) {
    const auto drawn = static_cast<std::uint32_t>(draws.below(4));
    if (i == 0 || view.backlogs[4 + drawn] < view.backlogs[4 + best]) best = drawn;
    Packet packet = packet_of(1);
    ASSERT_EQ(drill->peek(packet, kFour), best);
    ASSERT_EQ(drill->choose(packet, kFour), best);
  }
  EXPECT_EQ(best, 2u);  // DRILL remembers the best port
  view.backlogs[6] = 7500;
  view.backlogs[5] = 7400;
  samples = 64;
  memory = 0;  // no remembered port; 64 draws of four ports miss one with the probability 1e-8
  const auto many = make("drill", view, p);
  Packet packet = packet_of(1);
  EXPECT_EQ(many->choose(packet, kFour), 1u);
}

/// Number of packets of one priority that each port of kFour gets. Every choice is peeked first.
std::array<int, 4> chosen_of(PathChoice& choice, std::uint8_t priority, int packets) {
  std::array<int, 4> count{};
  for (int i = 0; i < packets; ++i) {
    Packet packet = packet_of(1);
    packet.priority = priority;
    const std::uint32_t peeked = choice.peek(packet, kFour);
    const std::uint32_t port = choice.choose(packet, kFour);
    EXPECT_EQ(port, peeked);
    ++count[port];
  }
  return count;
}

TEST(PathChoice, DetailDrawsAmongPortsOfTheBestClass) {
  FakeSwitch view;
  const auto detail = make("detail", view);
  // A port with less than 16 KB is favoured, whatever its exact length. A port with up to 64 KB is
  // second choice.
  view.backlogs = {0, 0, 0, 0, 15'999, 16'000, 0, 64'000};  // queue lengths at the ports 4 to 7
  std::array<int, 4> count = chosen_of(*detail, 0, 10'000);
  EXPECT_NEAR(count[0], 5000, 4 * 50);
  EXPECT_EQ(count[1] + count[3], 0);
  view.backlogs = {0, 0, 0, 0, 64'000, 16'000, 63'999, 90'000};
  count = chosen_of(*detail, 0, 10'000);
  EXPECT_NEAR(count[1], 5000, 4 * 50);
  EXPECT_EQ(count[0] + count[3], 0);
  view.backlogs = {0, 0, 0, 0, 64'000, 200'000, 70'000, 90'000};
  count = chosen_of(*detail, 0, 40'000);
  for (const int n : count) EXPECT_NEAR(n, 10'000, 4 * 87) << "the longest is as good as any";
}

TEST(PathChoice, DetailLooksAtWhatGoesBeforeThePacket) {
  FakeSwitch view;
  const auto detail = make("detail", view);
  view.backlogs = {0, 0, 0, 0, 20'000, 70'000, 20'000, 20'000};
  view.above = {0, 0, 0, 0, 0, 70'000, 0, 0};  // all bytes at port 5 have lower priorities
  EXPECT_EQ(chosen_of(*detail, 7, 100), (std::array<int, 4>{0, 100, 0, 0}));
  EXPECT_EQ(chosen_of(*detail, 6, 1000)[1], 0);
}

TEST(PathChoice, DetailHasThresholdsOfItsOwn) {
  FakeSwitch view;
  BalancerChoice p;
  p.of<DetailParameters>("detail").favoured_below = 1000;
  p.of<DetailParameters>("detail").avoided_from = 2000;
  const auto detail = make("detail", view, p);
  view.backlogs = {0, 0, 0, 0, 1000, 2000, 999, 1999};
  EXPECT_EQ(chosen_of(*detail, 0, 100), (std::array<int, 4>{0, 0, 100, 0}));
}

TEST(PathChoice, DrillHashesFlowsToComponentsByCapacity) {
  const Topology topology = three_leaves();
  const Routing routing(topology);
  FabricMap fabric(topology, routing);
  fabric.set_rate(topology.find("spine1"), 1, BitRate(25'000'000'000));
  FakeSwitch view;
  view.backlogs[4] = 1000;  // the longer queue at the wider path is no reason to leave it
  const auto drill = make("drill", view);
  drill->join(fabric, topology.find("leaf0"));
  const PortSet up = PortSet::consecutive(4, 2);
  int narrow = 0;
  for (std::uint32_t flow = 0; flow < 10'000; ++flow) {
    Packet packet = packet_of(flow, 0, 4);
    const std::uint32_t way = drill->choose(packet, up);
    ASSERT_EQ(drill->choose(packet, up), way);
    narrow += way == 1 ? 1 : 0;
  }
  EXPECT_NEAR(narrow, 2000, 4 * 40);
  Packet elsewhere = packet_of(1, 0, 8);  // both paths to leaf2 are equal, so the queue decides
  int shorter = 0;
  for (int i = 0; i < 100; ++i) shorter += drill->choose(elsewhere, up) == 1 ? 1 : 0;
  EXPECT_GT(shorter, 95);
}

TEST(PathChoice, PrestoSendsCellsInTurn) {
  const FakeSwitch view;
  BalancerChoice p;
  p.of<PrestoParameters>("presto").cell = 4000;
  const auto presto = make("presto", view, p);
  Packet packet = packet_of(6);
  const std::uint32_t first = presto->peek(packet, kFour);
  EXPECT_EQ(first, scaled_down(flow_hash(packet, 77), 4));
  for (packet.psn = 0; packet.psn < 64; ++packet.psn) {
    ASSERT_EQ(presto->peek(packet, kFour), (first + packet.psn / 4) % 4);
  }
  packet.kind = PacketKind::kAck;
  EXPECT_EQ(presto->peek(packet, kFour), first);

  const Topology topology = three_leaves();
  const Routing routing(topology);
  FabricMap fabric(topology, routing);
  fabric.set_rate(topology.find("spine1"), 1, BitRate(50'000'000'000));
  presto->join(fabric, topology.find("leaf0"));
  int second = 0;
  for (Psn cell = 0; cell < 30; ++cell) {
    Packet one = packet_of(6, 0, 4);
    one.psn = 4 * cell;
    second += presto->peek(one, PortSet::consecutive(4, 2)) == 1 ? 1 : 0;
  }
  EXPECT_EQ(second, 10);  // ports with capacities of 100 and 50 Gb/s share 2 : 1
}

/// Nodes that a packet passes if every switch chooses with the symmetric balancer.
std::vector<NodeId> way_of(const Topology& topology, const Routing& routing,
                           const FabricMap& fabric, const Packet& packet) {
  const FakeSwitch view;
  BalancerChoice parameters;
  parameters.choose("symmetric");
  std::vector<NodeId> way{topology.node_of(packet.source)};
  const NodeId end = topology.node_of(packet.destination);
  while (way.back() != end && way.size() < 20) {
    const NodeId here = way.back();
    const PortSet ports = routing.ports(here, packet.destination);
    const auto choice = parameters.make(view.context(static_cast<std::uint64_t>(here)));
    choice->join(fabric, here);
    const int port = ports.size() == 1 ? ports.front() : ports[choice->peek(packet, ports)];
    way.push_back(topology.peer(here, port).node);
  }
  return way;
}

TEST(PathChoice, TheSymmetricWayBackIsTheWayThereReversed) {
  FatTreeParameters tree;
  tree.k = 4;
  const Topology networks[] = {three_leaves(), Topology::fat_tree(tree)};
  for (const Topology& topology : networks) {
    const Routing routing(topology);
    const FabricMap fabric(topology, routing);
    const auto hosts = static_cast<HostId>(topology.hosts());
    std::map<NodeId, int> passed;
    for (std::uint32_t flow = 0; flow < 400; ++flow) {
      const HostId from = flow % hosts;
      const HostId to = (from + 1 + flow / hosts) % hosts;
      if (from == to) continue;
      const std::vector<NodeId> there =
          way_of(topology, routing, fabric, packet_of(flow, from, to));
      std::vector<NodeId> back = way_of(topology, routing, fabric, packet_of(flow, to, from));
      std::reverse(back.begin(), back.end());
      ASSERT_EQ(there, back) << "flow " << flow;
      for (const NodeId node : there) ++passed[node];
    }
    for (NodeId node = 0; node < static_cast<NodeId>(topology.nodes().size()); ++node) {
      EXPECT_GT(passed[node], 5) << topology.node(node).name << " is used as well";
    }
  }
}

// The sender's switch uses the first number of the path in the packet, the next switch uses the
// second number.
TEST(PathChoice, TheSourceSaysBothWaysUp) {
  FatTreeParameters tree;
  tree.k = 4;
  const Topology topology = Topology::fat_tree(tree);
  const Routing routing(topology);
  const FabricMap fabric(topology, routing);
  const FakeSwitch view;
  BalancerChoice parameters;
  parameters.choose("source");
  std::set<NodeId> cores;
  for (std::uint8_t first = 0; first < 2; ++first) {
    for (std::uint8_t second = 0; second < 2; ++second) {
      NodeId here = topology.peer(topology.node_of(0), 0).node;
      for (int step = 0; step < 2; ++step) {
        const PortSet ports = routing.ports(here, 12);
        ASSERT_EQ(ports.size(), 2u);
        const auto choice = parameters.make(view.context(static_cast<std::uint64_t>(here)));
        choice->join(fabric, here);
        Packet packet = packet_of(1, 0, 12);
        packet.overlay = {
            {static_cast<std::uint8_t>(1 + first), 0, static_cast<std::uint8_t>(1 + second), 0}};
        const std::uint32_t way = choice->choose(packet, ports);
        EXPECT_EQ(way, step == 0 ? first : second);
        here = topology.peer(here, ports[way]).node;
      }
      cores.insert(here);
    }
  }
  EXPECT_EQ(cores.size(), 4u) << "each way leads to a core of its own";
}

/// A rack's switch in a fat tree with k = 4. The switch has two ports up, and two more ports lead
/// up from the next switch.
struct PermutationAtARack {
  PermutationAtARack() { parameters.choose("permutation"); }
  std::unique_ptr<PathChoice> at(NodeId node) const {
    auto choice = parameters.make(view.context(3, 4));
    choice->join(fabric, node);
    return choice;
  }

  static Topology tree() {
    FatTreeParameters parameters;
    parameters.k = 4;
    return Topology::fat_tree(parameters);
  }
  const Topology topology = tree();
  const Routing routing{topology};
  const FabricMap fabric{topology, routing};
  const FakeSwitch view;
  BalancerChoice parameters;
  const NodeId rack = topology.peer(topology.node_of(0), 0).node;
};

TEST(PathChoice, PermutationTakesEveryWayOnceARound) {
  const PermutationAtARack fabric;
  const auto choice = fabric.at(fabric.rack);
  std::map<NodeId, std::unique_ptr<PathChoice>> beyond;
  const PortSet ports = fabric.routing.ports(fabric.rack, 12);
  std::set<std::vector<int>> orders;
  std::vector<std::uint32_t> flows{1, 2};
  std::map<std::uint32_t, std::vector<int>> round;
  for (int packet_no = 0; packet_no < 4 * 60; ++packet_no) {
    for (const std::uint32_t flow : flows) {  // the rounds of different flows are independent
      Packet packet = packet_of(flow, 0, 12);
      const std::uint32_t peeked = choice->peek(packet, ports);
      EXPECT_EQ(packet.overlay.route.first_port, 0);
      const std::uint32_t way = choice->choose(packet, ports);
      EXPECT_EQ(way, peeked);
      const NodeId next = fabric.topology.peer(fabric.rack, ports[way]).node;
      auto& there = beyond[next];
      if (there == nullptr) {
        there = fabric.at(next);
      }
      const PortSet up = fabric.routing.ports(next, 12);
      const NodeId core = fabric.topology.peer(next, up[there->choose(packet, up)]).node;
      round[flow].push_back(core);
      if (round[flow].size() < 4) continue;
      EXPECT_EQ(std::set<int>(round[flow].begin(), round[flow].end()).size(), 4u)
          << "each way leads to a core of its own";
      orders.insert(round[flow]);
      round[flow].clear();
    }
  }
  EXPECT_EQ(orders.size(), 24u) << "all orders come, 120 times drawn";
}

TEST(PathChoice, PermutationWithinAPodHasFewerWaysAndOfWhatComesBackNone) {
  const PermutationAtARack fabric;
  const auto choice = fabric.at(fabric.rack);
  const PortSet ports = fabric.routing.ports(fabric.rack, 2);  // ports to the other rack of the pod
  std::set<std::uint32_t> taken;
  for (int i = 0; i < 2; ++i) {
    Packet packet = packet_of(1, 0, 2);
    taken.insert(choice->choose(packet, ports));
    EXPECT_EQ(packet.overlay.route.second_port, 1) << "one way on from there";
  }
  EXPECT_EQ(taken, (std::set<std::uint32_t>{0, 1}));
  // A packet from another rack follows the path in its header and keeps it.
  Packet passing = packet_of(1, 12, 2);
  passing.overlay = {{1, 0, 2, 0}};
  EXPECT_EQ(choice->choose(passing, ports), 1u);
  EXPECT_EQ(passing.overlay.route.first_port, 1);
  EXPECT_EQ(passing.overlay.route.second_port, 2);
}

/// Every load balancer delivers all packets, and balancers that see queues keep the queues shorter.
TEST(PathChoice, EveryKindDeliversEverything) {
  std::map<std::string, Bytes> longest;
  std::vector<std::string> kinds{"ecmp"};
  for (const auto& entry : Balancers::all()) kinds.push_back(entry.name);
  for (const std::string& kind : kinds) {
    SwitchParameters parameters;
    parameters.ecn.enabled = false;
    parameters.routing.choose(kind);
    parameters.routing.of<LetflowParameters>("letflow").flowlet.gap = kMicroSecond;
    parameters.routing.of<CongaParameters>("conga").flowlet.gap = kMicroSecond;
    test::TestNetwork net(three_leaves(), parameters, 11);
    for (HostId h = 0; h < 4; ++h) net.host[h]->blast(4 + h, 1000);
    for (int us = 1; us <= 100; ++us) {
      net.scheduler.run_until(kMicroSecond * us);
      for (int port = 4; port < 6; ++port) {
        longest[kind] = std::max(longest[kind], net.at("leaf0").queue_bytes(port));
      }
    }
    for (HostId h = 0; h < 4; ++h) net.host[h]->stop();
    net.scheduler.run_until(kMilliSecond * 2);
    std::uint64_t sent = 0, got = 0;
    for (HostId h = 0; h < 4; ++h) {
      sent += net.host[h]->sent;
      got += net.host[4 + h]->packets;
    }
    EXPECT_GT(sent, 1000u) << kind;
    EXPECT_EQ(got, sent) << kind;
    EXPECT_EQ(net.pool.in_use(), 0) << kind;
    EXPECT_EQ(net.drops(), 0u) << kind;
  }
  EXPECT_LE(longest["drill"], longest["rps"]);
  EXPECT_LE(longest["detail"], longest["rps"]);
}

// At port 4 of a switch 20 packets of priority 2 wait, at port 5 20 packets of priority 5. For a
// packet of priority 5 only port 4 is free of earlier packets, for priority 6 both ports are, for
// priority 2 neither is.
TEST(PathChoice, ASwitchTellsWhatGoesBeforeAPacketByPriority) {
  std::map<int, std::array<int, 2>> chosen;  // numbers of choices of ports 4 and 5, by priority
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SwitchParameters parameters;
    parameters.ecn.enabled = false;
    parameters.routing.choose("detail");
    parameters.routing.of<DetailParameters>("detail").favoured_below = 1000;
    parameters.routing.of<DetailParameters>("detail").avoided_from = 2000;
    test::TestNetwork net(three_leaves(), parameters, seed);
    SwitchDevice& leaf = net.at("leaf0");
    for (const auto& [port, priority] : {std::pair{4, 2}, std::pair{5, 5}}) {
      RouteTable one_way(12);
      one_way.set_block(0, 1, 12, static_cast<std::uint32_t>(port));
      leaf.set_routes(one_way);
      for (int i = 0; i < 20; ++i) {
        leaf.receive(net.host[0]->make(4, 1000, static_cast<std::uint8_t>(priority)), 0);
      }
    }
    leaf.set_routes(net.routing.table(net.topology.find("leaf0")));
    for (const std::uint8_t priority : {2, 5, 6}) {
      Packet packet = packet_of(1, 0, 4);
      packet.priority = priority;
      ++chosen[priority][static_cast<std::size_t>(leaf.route_of(packet) - 4)];
    }
    net.scheduler.run_until(kMilliSecond);
    EXPECT_EQ(net.pool.in_use(), 0);
  }
  EXPECT_EQ(chosen[5], (std::array<int, 2>{20, 0}));
  for (const int priority : {2, 6}) {
    EXPECT_GT(chosen[priority][0], 0) << priority;
    EXPECT_GT(chosen[priority][1], 0) << priority;
  }
}

TEST(PathChoice, PermutationRefusesMoreWaysUpThanTags) {
  LeafSpineParameters p;
  p.leaves = 2;
  p.spines = 256;
  p.hosts_per_leaf = 1;
  const Topology topology = Topology::leaf_spine(p);
  const Routing routing(topology);
  const FabricMap fabric(topology, routing);
  const FakeSwitch view;
  BalancerChoice permuted;
  permuted.choose("permutation");
  const auto permutation = permuted.make({view, 257, 1, 1, 1});
  EXPECT_THROW(permutation->join(fabric, topology.find("leaf0")), std::invalid_argument);
}

}  // namespace
}  // namespace dcc::path_choice_test
