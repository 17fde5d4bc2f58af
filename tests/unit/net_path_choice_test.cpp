// Load balancing, kind by kind, against choices worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include "net/balancing/conga.h"
#include "net/balancing/weighted_ports.h"
#include "net/fabric_map.h"
#include "net/path_choice.h"
#include "net/routing_parameters.h"
#include "net_test_devices.h"

namespace dcc::path_choice_test {
namespace {

using Kind = RoutingParameters::Kind;

/// A switch of which only what a choice may ask exists.
class FakeSwitch final : public PathView {
 public:
  PicoSeconds now() const override { return time; }
  Bytes backlog(int port) const override { return backlogs[static_cast<std::size_t>(port)]; }
  Bytes drain(int port, int priority) const override {
    const auto p = static_cast<std::size_t>(port);
    return backlogs[p] + (priority < 7 ? 0 : -above[p]);
  }
  BitRate rate(int) const override { return BitRate(100'000'000'000); }

  PathContext context(std::uint64_t index = 3, int ports = 8) const {
    return {*this, ports, 77, 5, index};
  }

  PicoSeconds time{};
  std::array<Bytes, 8> backlogs{};
  std::array<Bytes, 8> above{};  // of those, what priority 7 does not wait for
};

std::unique_ptr<PathChoice> make(Kind kind, const FakeSwitch& view, RoutingParameters p = {}) {
  p.kind = kind;
  return make_path_choice(p, view.context());
}

Packet packet_of(std::uint32_t flow, HostId source = 1, HostId destination = 9) {
  Packet packet;
  packet.flow = flow;
  packet.source = source;
  packet.destination = destination;
  return packet;
}

const PortSet kFour = PortSet::consecutive(4, 4);

/// leaf0, leaf1 and leaf2 with four hosts each, two spines; ports 4 and 5 of a leaf lead up.
Topology three_leaves() {
  LeafSpineParameters p;
  p.leaves = 3;
  p.spines = 2;
  p.hosts_per_leaf = 4;
  p.fabric_link.rate = BitRate(100'000'000'000);
  return Topology::leaf_spine(p);
}

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
  // Prime rates have no small common measure: within one part in 256, and nobody is left out.
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
  fabric.set_rate(spine1, 1, BitRate(40'000'000'000));  // down to leaf1
  EXPECT_EQ(fabric.capacity(leaf0, 5, 4), 40'000'000'000u);
  EXPECT_EQ(fabric.capacity(leaf0, 4, 4), 100'000'000'000u);
  EXPECT_EQ(fabric.capacity(leaf0, 5, 8), 100'000'000'000u);
  EXPECT_EQ(fabric.capacity(topology.find("leaf1"), 5, 0), 100'000'000'000u);

  // Two aggregation switches of a pod with two ways to the core each: a rack's way over one of
  // them is as wide as both together, but no wider than the first link.
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
  // Two links from the first leaf to either spine; from spine1 one to the second leaf, not two.
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
  // By their rates; none has more than its own.
  fabric.set_rate(leaf[0], 3, BitRate(40'000'000'000));
  EXPECT_EQ(fabric.capacity(leaf[0], 3, 1), 8'000'000'000u);
  EXPECT_EQ(fabric.capacity(leaf[0], 4, 1), 2'000'000'000u);
  fabric.set_rate(leaf[0], 1, BitRate(1'000'000'000));
  EXPECT_EQ(fabric.capacity(leaf[0], 1, 1), 1'000'000'000u);
  EXPECT_EQ(fabric.capacity(leaf[1], 3, 0), 10'000'000'000u);
}

TEST(PathChoice, WeightsLeaveFlowsWhereTheHashPutThemWhileAllPortsAreAlike) {
  const Topology topology = three_leaves();
  const Routing routing(topology);
  FabricMap fabric(topology, routing);
  const FakeSwitch view;
  const auto wcmp = make(Kind::kWcmp, view);
  wcmp->join(fabric, topology.find("leaf0"));
  const PortSet up = PortSet::consecutive(4, 2);
  for (std::uint32_t flow = 0; flow < 1000; ++flow) {
    const Packet packet = packet_of(flow, 0, 4);
    ASSERT_EQ(wcmp->peek(packet, up), scaled_down(flow_hash(packet, 77), 2));
  }
  // 100 : 25 over the two: a fifth of the flows on the second.
  fabric.set_rate(topology.find("spine1"), 1, BitRate(25'000'000'000));
  wcmp->routes_changed();
  int second = 0;
  for (std::uint32_t flow = 0; flow < 10'000; ++flow) {
    second += wcmp->peek(packet_of(flow, 0, 4), up) == 1 ? 1 : 0;
  }
  EXPECT_NEAR(second, 2000, 4 * 40);  // four deviations: sqrt(10000 · 0.2 · 0.8)
}

TEST(PathChoice, FlowsInTurnKeepTheirPort) {
  const FakeSwitch view;
  const auto turns = make(Kind::kPerFlow, view);
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
  EXPECT_EQ(port(40, 9, 1), 0u);  // the way back is a flow of its own
  EXPECT_EQ(port(17, 9, 1), 1u);
  for (int again = 0; again < 3; ++again) EXPECT_EQ(port(99, 2, 9), 2u);
  EXPECT_EQ(port(40, 1, 9), 0u);
}

TEST(PathChoice, RandomPacketsAreUniformAndTheSameForTheSameSeed) {
  const FakeSwitch view;
  const auto one = make(Kind::kRps, view);
  const auto same = make(Kind::kRps, view);
  RoutingParameters p;
  p.kind = Kind::kRps;
  const auto other = make_path_choice(p, view.context(4));
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
  EXPECT_LT(chi, 16.3);  // three degrees of freedom: passed one time in a thousand
  EXPECT_NEAR(differ, 30'000, 4 * 87);
}

TEST(PathChoice, AFlowletKeepsItsWayUntilTheFlowPauses) {
  FakeSwitch view;
  RoutingParameters p;
  p.flowlet.gap = kMicroSecond * 50;
  const auto letflow = make(Kind::kLetflow, view, p);
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
      view.time += kMicroSecond * 50 - PicoSeconds(1);  // just no gap
    }
    view.time += PicoSeconds(1);
  }
  EXPECT_GT(moves, 25);
  letflow->routes_changed();  // so the next one is a first packet
  Packet packet = packet_of(1);
  EXPECT_EQ(letflow->choose(packet, kFour), draws.below(4));
}

TEST(PathChoice, DrillTakesTheShorterOfWhatItDrewAndRemembersTheBest) {
  FakeSwitch view;
  view.backlogs = {0, 0, 0, 0, 9000, 7000, 3000, 8000};  // of kFour: 4 … 7
  RoutingParameters p;
  p.drill = {1, 1};
  const auto drill = make(Kind::kDrill, view, p);
  RandomStream draws(5, "routing", 3);
  std::uint32_t best = 0;
  for (int i = 0; i < 100; ++i) {
    const auto drawn = static_cast<std::uint32_t>(draws.below(4));
    if (i == 0 || view.backlogs[4 + drawn] < view.backlogs[4 + best]) best = drawn;
    Packet packet = packet_of(1);
    ASSERT_EQ(drill->peek(packet, kFour), best);
    ASSERT_EQ(drill->choose(packet, kFour), best);
  }
  EXPECT_EQ(best, 2u);  // once found it is kept
  view.backlogs[6] = 7500;
  view.backlogs[5] = 7400;
  p.drill = {64, 0};  // nothing remembered; that 64 draws of four miss one: 1e-8
  const auto many = make(Kind::kDrill, view, p);
  Packet packet = packet_of(1);
  EXPECT_EQ(many->choose(packet, kFour), 1u);
}

/// How often each of kFour was chosen for packets of a priority, all of which were peeked.
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
  const auto detail = make(Kind::kDetail, view);
  // Below 16 KB a port is favoured, however much waits; from there to 64 KB it is second.
  view.backlogs = {0, 0, 0, 0, 15'999, 16'000, 0, 64'000};  // of kFour: 4 … 7
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
  const auto detail = make(Kind::kDetail, view);
  view.backlogs = {0, 0, 0, 0, 20'000, 70'000, 20'000, 20'000};
  view.above = {0, 0, 0, 0, 0, 70'000, 0, 0};  // all of port 5 is of lower priorities
  EXPECT_EQ(chosen_of(*detail, 7, 100), (std::array<int, 4>{0, 100, 0, 0}));
  EXPECT_EQ(chosen_of(*detail, 6, 1000)[1], 0);
}

TEST(PathChoice, DetailHasThresholdsOfItsOwn) {
  FakeSwitch view;
  RoutingParameters p;
  p.detail = {1000, 2000};
  const auto detail = make(Kind::kDetail, view, p);
  view.backlogs = {0, 0, 0, 0, 1000, 2000, 999, 1999};
  EXPECT_EQ(chosen_of(*detail, 0, 100), (std::array<int, 4>{0, 0, 100, 0}));
}

TEST(PathChoice, DrillHashesFlowsToComponentsByCapacity) {
  const Topology topology = three_leaves();
  const Routing routing(topology);
  FabricMap fabric(topology, routing);
  fabric.set_rate(topology.find("spine1"), 1, BitRate(25'000'000'000));
  FakeSwitch view;
  view.backlogs[4] = 1000;  // the wider way is the longer queue: no reason to leave it
  const auto drill = make(Kind::kDrill, view);
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
  Packet elsewhere = packet_of(1, 0, 8);  // leaf2: both ways alike, so the queue decides
  int shorter = 0;
  for (int i = 0; i < 100; ++i) shorter += drill->choose(elsewhere, up) == 1 ? 1 : 0;
  EXPECT_GT(shorter, 95);
}

TEST(PathChoice, PrestoSendsCellsInTurn) {
  const FakeSwitch view;
  RoutingParameters p;
  p.presto.cell = 4000;
  p.presto.mtu = 1000;
  const auto presto = make(Kind::kPresto, view, p);
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
  EXPECT_EQ(second, 10);  // 100 : 50
}

Packet ack_of(const Packet& data, std::uint8_t tag, bool marked = false) {
  Packet ack = packet_of(data.flow, data.destination, data.source);
  ack.kind = PacketKind::kAck;
  ack.overlay.feedback_tag = tag;
  ack.cnp_marks = marked ? 1 : 0;
  return ack;
}

class RepsEdge : public testing::Test {
 protected:
  RepsEdge() : topology(three_leaves()), routing(topology), fabric(topology, routing) {
    parameters.kind = Kind::kReps;
    parameters.reps.kept = 3;
    parameters.reps.warm_up = 2;
    reps = make_path_choice(parameters, view.context());
    reps->join(fabric, topology.find("leaf0"));
  }
  /// The tag that the flow's next packet to the second leaf goes with.
  std::uint8_t next_tag(std::uint32_t flow = 6) {
    Packet packet = packet_of(flow, 0, 4);
    const std::uint32_t peeked = reps->peek(packet, up);
    const std::uint32_t way = reps->choose(packet, up);
    EXPECT_EQ(way, peeked);
    EXPECT_EQ(way, scaled_down(mix64(flow_hash(packet, 77) ^ packet.overlay.tag), 2));
    return packet.overlay.tag;
  }
  void acknowledge(std::uint8_t tag, bool marked = false) {
    Packet ack = ack_of(packet_of(6, 0, 4), tag, marked);
    EXPECT_EQ(reps->choose(ack, PortSet::consecutive(0, 1)), 0u);
  }

  FakeSwitch view;
  Topology topology;
  Routing routing;
  FabricMap fabric;
  RoutingParameters parameters;
  std::unique_ptr<PathChoice> reps;
  const PortSet up = PortSet::consecutive(4, 2);
};

TEST_F(RepsEdge, WhatCameBackIsUsedAgainOnceTheOldestFirst) {
  RandomStream draws(5, "routing", 3);
  const auto drawn = [&] { return 1 + draws.below(255); };
  acknowledge(200);
  EXPECT_EQ(next_tag(), drawn());  // the warm-up draws, whatever is there
  EXPECT_EQ(next_tag(), drawn());
  acknowledge(201);
  acknowledge(99, true);  // came by a way that marks
  acknowledge(0);         // a packet that went without
  EXPECT_EQ(next_tag(), 200);
  EXPECT_EQ(next_tag(), 201);
  EXPECT_EQ(next_tag(), drawn());
  for (const std::uint8_t tag : {10, 11, 12, 13, 14}) acknowledge(tag);
  for (const std::uint8_t tag : {12, 13, 14}) EXPECT_EQ(next_tag(), tag);
  EXPECT_EQ(next_tag(7), drawn());  // another flow has its own
  acknowledge(15);
  reps->routes_changed();
  EXPECT_EQ(next_tag(), drawn());
}

TEST_F(RepsEdge, OnlyTheSendersEdgeSetsAndLearns) {
  parameters.reps.warm_up = 0;
  const auto far = make_path_choice(parameters, view.context());
  far->join(fabric, topology.find("leaf1"));
  const auto spine = make_path_choice(parameters, view.context(9));
  spine->join(fabric, topology.find("spine0"));
  Packet packet = packet_of(6, 0, 4);
  packet.overlay.tag = 44;
  far->choose(packet, PortSet::consecutive(0, 1));
  EXPECT_EQ(packet.overlay.tag, 44);
  EXPECT_EQ(spine->choose(packet, up), scaled_down(mix64(flow_hash(packet, 77) ^ 44u), 2));
  EXPECT_EQ(packet.overlay.tag, 44);
  // ACKs themselves go by the flow's hash, and the switch they leave takes nothing from them.
  Packet ack = ack_of(packet, 44);
  EXPECT_EQ(far->choose(ack, up), scaled_down(flow_hash(ack, 77), 2));
  EXPECT_EQ(ack.overlay.tag, 0);
  EXPECT_EQ(ack.overlay.feedback_tag, 44);
}

TEST(RateEstimator, FollowsTheRateOfALinkInEighths) {
  const CongaParameters parameters;  // 16 us, a tenth: a full link of 100 Gb/s comes to 2 MB
  const BitRate rate(100'000'000'000);
  RateEstimator use;
  EXPECT_EQ(use.metric(rate, PicoSeconds(0), parameters), 0u);
  use.sent(1'000'000, PicoSeconds(0), parameters);
  EXPECT_EQ(use.metric(rate, PicoSeconds(0), parameters), 4u);          // 1 / 2
  EXPECT_EQ(use.metric(rate, kMicroSecond * 15, parameters), 4u);       // no decay yet
  EXPECT_EQ(use.metric(rate, kMicroSecond * 16, parameters), 3u);       // 0.9 / 2 = 3.6 / 8
  EXPECT_EQ(use.metric(rate, kMicroSecond * 16 * 6, parameters), 2u);   // 0.531 / 2 = 2.1 / 8
  EXPECT_EQ(use.metric(rate, kMicroSecond * 16 * 7, parameters), 1u);   // 0.478 / 2 = 1.9 / 8
  EXPECT_EQ(use.metric(rate, kMicroSecond * 16 * 14, parameters), 0u);  // 0.229 / 2 = 0.9 / 8
  EXPECT_EQ(use.metric(rate, kMilliSecond * 900, parameters), 0u);
  use.sent(1'000'000'000, kMilliSecond * 900, parameters);
  EXPECT_EQ(use.metric(rate, kMilliSecond * 900, parameters), 7u);
  // A link that sends 75 % of its rate for long is at 6 of 8: between what a period's bytes add
  // (0.075 · 2 MB) and what its end takes away.
  RateEstimator busy;
  for (int us = 0; us < 3200; ++us) busy.sent(9'375, kMicroSecond * us, parameters);
  EXPECT_GE(busy.metric(rate, kMicroSecond * 3199, parameters), 5u);
  EXPECT_LE(busy.metric(rate, kMicroSecond * 3199, parameters), 6u);
}

class CongaPair : public testing::Test {
 protected:
  CongaPair()
      : topology(three_leaves()),
        routing(topology),
        fabric(topology, routing),
        leaf0(parameters(), view.context(0, 6)),
        leaf1(parameters(), view.context(1, 6)),
        spine(parameters(), view.context(2, 3)) {
    leaf0.join(fabric, topology.find("leaf0"));
    leaf1.join(fabric, topology.find("leaf1"));
    spine.join(fabric, topology.find("spine1"));
  }
  static RoutingParameters parameters() {
    RoutingParameters p;
    p.flowlet.gap = kMicroSecond * 500;
    return p;
  }

  FakeSwitch view;
  Topology topology;
  Routing routing;
  FabricMap fabric;
  Conga leaf0, leaf1, spine;
  const PortSet up = PortSet::consecutive(4, 2);
  const PortSet down = PortSet::consecutive(0, 1);
};

TEST_F(CongaPair, NewsOfAWayComesBackAndTheNextFlowletGoesTheOther) {
  // Until one goes over spine1, the second way up.
  std::uint32_t flow = 0;
  Packet there = packet_of(flow, 0, 4);
  while (leaf0.peek(there, up) != 1) there = packet_of(++flow, 0, 4);
  ASSERT_EQ(leaf0.choose(there, up), 1u);
  EXPECT_EQ(there.overlay.tag, 2);
  EXPECT_EQ(there.overlay.congestion, 0);
  EXPECT_EQ(there.overlay.feedback_tag, 0);  // nothing heard from there yet
  leaf0.departs(there, 5);
  EXPECT_EQ(there.overlay.congestion, 0);
  // The spine's link down has 1.25 MB of the 2 MB that mean a full link behind it: 5 of 8.
  Packet others;
  others.wire_bytes = 1'250'000;
  spine.departs(others, 1);
  EXPECT_EQ(spine.choose(there, PortSet::consecutive(1, 1)), 0u);
  spine.departs(there, 1);
  EXPECT_EQ(there.overlay.congestion, 5);
  EXPECT_EQ(leaf1.choose(there, down), 0u);
  EXPECT_EQ(there.overlay.tag, 0);  // what hosts get has no overlay

  Packet back = packet_of(900, 4, 0);
  leaf1.choose(back, up);
  EXPECT_EQ(back.overlay.feedback_tag, 2);
  EXPECT_EQ(back.overlay.feedback, 5);
  EXPECT_EQ(leaf0.congestion_to(1, 5), 0u);
  leaf0.choose(back, down);
  EXPECT_EQ(leaf0.congestion_to(1, 5), 5u);
  EXPECT_EQ(leaf0.congestion_to(1, 4), 0u);
  EXPECT_EQ(leaf0.congestion_to(2, 5), 0u);  // another leaf, another way down

  // The flowlet goes on where it was; after a pause, and for everybody new, the other way is best.
  EXPECT_EQ(leaf0.choose(there, up), 1u);
  view.time = kMicroSecond * 500;
  EXPECT_EQ(leaf0.choose(there, up), 0u);
  for (std::uint32_t other = 1000; other < 1100; ++other) {
    Packet packet = packet_of(other, 0, 4);
    ASSERT_EQ(leaf0.peek(packet, up), 0u);
    ASSERT_EQ(leaf0.choose(packet, up), 0u);
  }
  // News fades: a step for every 10 ms.
  view.time = kMilliSecond * 10;
  EXPECT_EQ(leaf0.congestion_to(1, 5), 4u);
  view.time = kMilliSecond * 50;
  EXPECT_EQ(leaf0.congestion_to(1, 5), 0u);
}

TEST_F(CongaPair, AFlowOnlyMovesToABetterWay) {
  for (std::uint32_t flow = 0; flow < 20; ++flow) {
    Packet packet = packet_of(flow, 0, 4);
    const std::uint32_t way = leaf0.choose(packet, up);
    view.time += kMilliSecond;  // a gap, and all estimates at rest
    ASSERT_EQ(leaf0.choose(packet, up), way);
  }
  // The own link counts as well: 1 MB just sent through one is 4 of 8.
  Packet packet = packet_of(3, 0, 4);
  const std::uint32_t way = leaf0.choose(packet, up);
  Packet load;
  load.wire_bytes = 1'000'000;
  leaf0.departs(load, static_cast<int>(4 + way));
  view.time += kMicroSecond * 500;  // 0.9^31 of it is left: nothing
  EXPECT_EQ(leaf0.choose(packet, up), way);
  view.time += kMicroSecond * 500;
  leaf0.departs(load, static_cast<int>(4 + way));
  EXPECT_EQ(leaf0.choose(packet, up), 1 - way);
}

TEST_F(CongaPair, WhatChangedIsToldFirstThenAllInTurn) {
  const auto arrive = [&](std::uint8_t tag, std::uint8_t congestion) {
    Packet packet = packet_of(1, 0, 4);
    packet.overlay = {tag, congestion, 0, 0};
    leaf1.choose(packet, down);
  };
  const auto told = [&] {
    Packet packet = packet_of(900, 4, 0);
    leaf1.choose(packet, up);
    return std::pair<int, int>(packet.overlay.feedback_tag, packet.overlay.feedback);
  };
  arrive(1, 3);
  arrive(2, 6);
  EXPECT_EQ(told(), std::make_pair(1, 3));
  EXPECT_EQ(told(), std::make_pair(2, 6));
  EXPECT_EQ(told(), std::make_pair(1, 3));
  arrive(1, 4);  // changed, though it is the other's turn
  EXPECT_EQ(told(), std::make_pair(1, 4));
  EXPECT_EQ(told(), std::make_pair(2, 6));
}

/// Nodes that a packet passes where every switch chooses symmetrically.
std::vector<NodeId> way_of(const Topology& topology, const Routing& routing,
                           const FabricMap& fabric, const Packet& packet) {
  const FakeSwitch view;
  RoutingParameters parameters;
  parameters.kind = Kind::kSymmetric;
  std::vector<NodeId> way{topology.node_of(packet.source)};
  const NodeId end = topology.node_of(packet.destination);
  while (way.back() != end && way.size() < 20) {
    const NodeId here = way.back();
    const PortSet ports = routing.ports(here, packet.destination);
    const auto choice =
        make_path_choice(parameters, view.context(static_cast<std::uint64_t>(here)));
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

// At the sender's switch it is the first number, beyond it the second.
TEST(PathChoice, TheSourceSaysBothWaysUp) {
  FatTreeParameters tree;
  tree.k = 4;
  const Topology topology = Topology::fat_tree(tree);
  const Routing routing(topology);
  const FabricMap fabric(topology, routing);
  const FakeSwitch view;
  RoutingParameters parameters;
  parameters.kind = Kind::kSource;
  std::set<NodeId> cores;
  for (std::uint8_t first = 0; first < 2; ++first) {
    for (std::uint8_t second = 0; second < 2; ++second) {
      NodeId here = topology.peer(topology.node_of(0), 0).node;
      for (int step = 0; step < 2; ++step) {
        const PortSet ports = routing.ports(here, 12);
        ASSERT_EQ(ports.size(), 2u);
        const auto choice =
            make_path_choice(parameters, view.context(static_cast<std::uint64_t>(here)));
        choice->join(fabric, here);
        Packet packet = packet_of(1, 0, 12);
        packet.overlay = {static_cast<std::uint8_t>(1 + first), 0,
                          static_cast<std::uint8_t>(1 + second), 0};
        const std::uint32_t way = choice->choose(packet, ports);
        EXPECT_EQ(way, step == 0 ? first : second);
        here = topology.peer(here, ports[way]).node;
      }
      cores.insert(here);
    }
  }
  EXPECT_EQ(cores.size(), 4u) << "each way leads to a core of its own";
}

/// Everything arrives, whatever chooses; and kinds that see queues keep them shorter.
TEST(PathChoice, EveryKindDeliversEverything) {
  std::map<Kind, Bytes> longest;
  for (const auto& [kind, name] : EnumTable<Kind>::kNames) {
    SwitchParameters parameters;
    parameters.ecn.enabled = false;
    parameters.routing.kind = kind;
    parameters.routing.flowlet.gap = kMicroSecond;
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
    EXPECT_GT(sent, 1000u) << name;
    EXPECT_EQ(got, sent) << name;
    EXPECT_EQ(net.pool.in_use(), 0) << name;
    EXPECT_EQ(net.drops(), 0u) << name;
  }
  EXPECT_LE(longest[Kind::kDrill], longest[Kind::kRps]);
  EXPECT_LE(longest[Kind::kDetail], longest[Kind::kRps]);
}

// 20 packets of priority 2 for port 4 of a switch, as many of priority 5 for port 5: one of
// priority 5 has nothing before it at port 4 alone, one of 6 nowhere anything, one of 2 at both.
TEST(PathChoice, ASwitchTellsWhatGoesBeforeAPacketByPriority) {
  std::map<int, std::array<int, 2>> chosen;  // by priority: times that port 4, port 5
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SwitchParameters parameters;
    parameters.ecn.enabled = false;
    parameters.routing.kind = Kind::kDetail;
    parameters.routing.detail = {1000, 2000};
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

TEST(PathChoice, MoreWaysUpThanTagsAreRefused) {
  LeafSpineParameters p;
  p.leaves = 2;
  p.spines = 256;
  p.hosts_per_leaf = 1;
  const Topology topology = Topology::leaf_spine(p);
  const Routing routing(topology);
  const FabricMap fabric(topology, routing);
  FakeSwitch view;
  Conga conga(RoutingParameters{}, {view, 257, 1, 1, 1});
  EXPECT_THROW(conga.join(fabric, topology.find("leaf0")), std::invalid_argument);
}

}  // namespace
}  // namespace dcc::path_choice_test
