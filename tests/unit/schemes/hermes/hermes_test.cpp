// Tests Hermes at one edge switch: the states that ACKs give to paths, and flows that change path
// because of them.
#include "schemes/hermes/hermes.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "unit/switch/test_devices.h"

namespace dcc::hermes_test {
namespace {

using State = Hermes::State;

/// Topology with leaf0 and its four hosts. Ports 4 … 7 of leaf0 lead to four spines, which lead to
/// leaf1.
Topology two_leaves() {
  LeafSpineParameters p;
  p.leaves = 2;
  p.spines = 4;
  p.hosts_per_leaf = 4;
  return Topology::leaf_spine(p);
}

class HermesEdge : public testing::Test, private PathView {
 protected:
  HermesEdge()
      : topology(two_leaves()),
        routing(topology),
        fabric(topology, routing),
        hermes(parameters(), {*this, 8, 77, 5, 3}) {
    hermes.join(fabric, topology.find("leaf0"));
  }
  static HermesParameters parameters() {
    HermesParameters p;
    p.sent = 10'000;
    return p;
  }
  /// Delivers an ACK of a packet that left through `port` a time `rtt` ago.
  void hear(int port, PicoSeconds rtt, bool marked, std::uint32_t flow = 900) {
    Packet ack;
    ack.kind = PacketKind::kAck;
    ack.source = 4;
    ack.destination = 0;
    ack.flow = flow;
    ack.sent = time - rtt;
    ack.ce_echo = marked;
    ack.overlay.uplink.echo = static_cast<std::uint8_t>(port + 1);
    EXPECT_EQ(hermes.choose(ack, PortSet::consecutive(0, 1)), 0u);
  }
  void good(int port) { hear(port, kMicroSecond * 20, false); }
  void bad(int port) {
    for (int i = 0; i < 40; ++i) hear(port, kMicroSecond * 300, true);
  }
  /// The port that the flow's next packet takes.
  int send(std::uint32_t flow, Psn psn, std::uint32_t bytes = 1000) {
    Packet packet;
    packet.source = 0;
    packet.destination = 4;
    packet.flow = flow;
    packet.psn = psn;
    packet.wire_bytes = bytes;
    const int port = up[hermes.choose(packet, up)];
    EXPECT_EQ(packet.overlay.uplink.number, port + 1);
    return port;
  }

  PicoSeconds now() const override { return time; }
  Bytes backlog(int) const override { return 0; }
  Bytes drain(int, int) const override { return 0; }
  BitRate rate(int) const override { return BitRate(10'000'000'000); }

  PicoSeconds time = kMilliSecond;
  Topology topology;
  Routing routing;
  FabricMap fabric;
  Hermes hermes;
  const PortSet up = PortSet::consecutive(4, 4);
};

TEST_F(HermesEdge, AWayIsGoodBadOrBetween) {
  // the state of a path without measurements is grey
  EXPECT_EQ(hermes.state_of(1, 4), State::kGrey);
  good(4);
  EXPECT_EQ(hermes.state_of(1, 4), State::kGood);
  EXPECT_EQ(hermes.state_of(1, 5), State::kGrey);
  hear(5, kMicroSecond * 60, false);  // the RTT equals the lower bound
  EXPECT_EQ(hermes.state_of(1, 5), State::kGrey);
  hear(6, kMicroSecond * 300, false);  // a long RTT without marks
  EXPECT_EQ(hermes.state_of(1, 6), State::kGrey);
  bad(7);
  EXPECT_EQ(hermes.state_of(1, 7), State::kBad);
  time += kMicroSecond * 320;
  EXPECT_EQ(hermes.state_of(1, 7), State::kBad);
  time += PicoSeconds(1);
  EXPECT_EQ(hermes.state_of(1, 7), State::kGrey);  // the measurement has expired
}

TEST_F(HermesEdge, MarksAreAMovingShare) {
  good(4);
  // Each ACK has a weight of an eighth: 1 − (7/8)^n exceeds 0.4 with the fourth ACK.
  for (int i = 0; i < 3; ++i) hear(4, kMicroSecond * 20, true);
  EXPECT_EQ(hermes.state_of(1, 4), State::kGood);
  hear(4, kMicroSecond * 20, true);
  EXPECT_EQ(hermes.state_of(1, 4), State::kGrey);
}

TEST_F(HermesEdge, NewFlowsTakeTheGoodWayThatIsUsedLeast) {
  good(5);
  good(6);
  bad(7);
  const int first = send(1, 0, 9000);
  EXPECT_TRUE(first == 5 || first == 6);
  EXPECT_EQ(send(2, 0), 11 - first);
  // The flow keeps its path while that path is good, whatever the state of other paths.
  for (Psn psn = 1; psn < 30; ++psn) EXPECT_EQ(send(1, psn), first);
}

TEST_F(HermesEdge, AFlowLeavesABadWayOnlyWhenThatPaysForSure) {
  good(5);
  ASSERT_EQ(send(1, 0), 5);
  Psn psn = 1;
  const auto stays = [&](bool better_there) {
    for (int i = 0; i < 20; ++i) {
      time += kMicroSecond * 110;
      bad(5);
      if (better_there) good(6);
      if (send(1, psn++, 100) != 5) return false;
    }
    return true;
  };
  EXPECT_TRUE(stays(true));  // the flow has sent 3 of the required 10 KB
  send(1, psn++, 9000);
  time += kMilliSecond;
  EXPECT_TRUE(stays(false));  // the measurements of the other paths have expired
  int thoughts = 0;
  int port = 5;
  for (; port == 5 && thoughts < 50; ++thoughts) {
    time += kMicroSecond * 110;
    bad(5);
    good(6);
    port = send(1, psn++, 100);
    if (port != 5) break;
    EXPECT_EQ(send(1, psn++, 100), 5);  // only one decision per interval
  }
  EXPECT_EQ(port, 6);
  EXPECT_LT(thoughts, 20);  // 20 intervals without a move: 2^-20
  // A flow that moved stays on its new path until it has sent `sent` bytes there, even if that path
  // turns bad.
  time += kMicroSecond * 110;
  bad(6);
  good(4);
  EXPECT_EQ(send(1, psn++, 100), 6);
}

TEST_F(HermesEdge, AFastFlowStays) {
  good(5);
  ASSERT_EQ(send(1, 0, 10'000), 5);
  for (Psn psn = 1; psn < 400; ++psn) {  // the flow sends 8 of 10 Gb/s
    time += kMicroSecond;
    bad(5);
    good(6);
    ASSERT_EQ(send(1, psn, 1000), 5);
  }
}

TEST_F(HermesEdge, AWayThatSwallowsPacketsIsLeftAfterThreeRoundsMore) {
  good(5);
  ASSERT_EQ(send(1, 0), 5);
  send(1, 1);
  for (int back = 0; back < 3; ++back) {
    EXPECT_EQ(send(1, 0), 5);
    EXPECT_EQ(send(1, 1), 5);
  }
  hear(5, kMicroSecond * 20, false, 1);  // an ACK restarts the count of timeouts
  for (int back = 0; back < 3; ++back) EXPECT_EQ(send(1, 0), 5);
  EXPECT_NE(send(1, 0), 5);
  EXPECT_EQ(hermes.state_of(1, 5), State::kFailed);
  EXPECT_NE(send(2, 0), 5);  // the failure holds for all flows of the rack
  time += kMilliSecond * 10;
  EXPECT_NE(hermes.state_of(1, 5), State::kFailed);
}

TEST_F(HermesEdge, AWayThatLosesAPacketInFiftyIsFailedWhileItIsNotCongested) {
  good(5);
  Psn psn = 0;
  for (int i = 0; i < 1200 && hermes.state_of(1, 5) != State::kFailed; ++i) {
    hear(5, kMicroSecond * 20, false, 1);
    if (i % 50 == 49) --psn;
    send(1, psn++);
  }
  EXPECT_EQ(hermes.state_of(1, 5), State::kFailed);
  hermes.routes_changed();
  EXPECT_EQ(hermes.state_of(1, 5), State::kGrey);
}

TEST_F(HermesEdge, WhatEndsHereGoesItsWayByHash) {
  Packet ack;
  ack.kind = PacketKind::kAck;
  ack.source = 0;
  ack.destination = 4;
  ack.flow = 5;
  EXPECT_EQ(hermes.choose(ack, up), scaled_down(flow_hash(ack, 77), 4));
  EXPECT_EQ(ack.overlay.uplink.number, 0);
}

/// The edge switches at both ends, with probes. The test delivers the packets that `here` sends.
class HermesProbes : public testing::Test, private PathView, private PathActions {
 protected:
  HermesProbes()
      : topology(two_leaves()),
        routing(topology),
        fabric(topology, routing),
        here(parameters(), {*this, 8, 77, 5, 3, this}),
        there(parameters(), {*this, 8, 78, 5, 4, this}) {
    here.join(fabric, topology.find("leaf0"));
    there.join(fabric, topology.find("leaf1"));
    clock.run_until(kMilliSecond);
  }
  ~HermesProbes() override {
    for (Packet* packet : sent) pool.free(packet);
  }
  static HermesParameters parameters() {
    HermesParameters p;
    p.probe_interval = kMicroSecond * 500;
    p.age = kMilliSecond * 2;
    return p;
  }
  /// Sends a data packet of a flow to the other rack. Returns the packet's port.
  int send(std::uint32_t flow) {
    Packet packet;
    packet.source = 0;
    packet.destination = 4;
    packet.flow = flow;
    packet.priority = 3;
    packet.psn = next_++;
    packet.wire_bytes = 1000;
    return up[here.choose(packet, up)];
  }
  /// Returns the ports of the probes that left. The answers to these probes arrive after
  /// `rtt[port]`, and are marked if `marks` is true.
  std::set<int> answer(const std::array<PicoSeconds, 8>& rtt, bool marks = false) {
    std::set<int> ports;
    std::vector<Packet*> probes;
    probes.swap(sent);
    for (Packet* probe : probes) {
      EXPECT_EQ(probe->kind, PacketKind::kPathNews);
      EXPECT_EQ(probe->ecn, Ecn::kEct0);  // switches mark a probe like data
      EXPECT_EQ(probe->priority, 3);      // probes wait in the queue of data
      EXPECT_EQ(fabric.edge_of(probe->destination), 1u);
      const int port = up[here.choose(*probe, up)];
      EXPECT_TRUE(ports.insert(port).second) << "two probes of one path";
      if (marks) probe->ecn = Ecn::kCe;
      probe->sent = clock.now() - rtt[static_cast<std::size_t>(port)];
      EXPECT_EQ(there.choose(*probe, PortSet::consecutive(0, 1)), PathChoice::kKept);
    }
    std::vector<Packet*> answers;
    answers.swap(sent);
    for (Packet* packet : answers) {
      EXPECT_EQ(here.choose(*packet, PortSet::consecutive(0, 1)), PathChoice::kKept);
    }
    return ports;
  }
  void pass(PicoSeconds time) { clock.run_until(clock.now() + time); }

  PicoSeconds now() const override { return clock.now(); }
  Bytes backlog(int) const override { return 0; }
  Bytes drain(int, int) const override { return 0; }
  BitRate rate(int) const override { return BitRate(10'000'000'000); }
  Scheduler& scheduler() override { return clock; }
  std::uint32_t rank() const override { return 7; }
  bool detain(Packet*, int) override { return false; }
  void release(Packet*, int) override {}
  Packet* allocate() override { return pool.allocate(); }
  void send(Packet* packet) override { sent.push_back(packet); }
  void consume(Packet* packet) override { pool.free(packet); }

  static std::array<PicoSeconds, 8> all(PicoSeconds rtt) {
    std::array<PicoSeconds, 8> list;
    list.fill(rtt);
    return list;
  }
  Psn next_ = 0;
  Scheduler clock;
  PacketPool pool;
  std::vector<Packet*> sent;
  Topology topology;
  Routing routing;
  FabricMap fabric;
  Hermes here, there;
  const PortSet up = PortSet::consecutive(4, 4);
};

TEST_F(HermesProbes, TwoPathsByLotAndTheBestOneInEachInterval) {
  std::array<PicoSeconds, 8> rtt = all(kMicroSecond * 80);
  rtt[6] = kMicroSecond * 20;
  constexpr int kRounds = 400;
  int best = 0;
  for (int i = 0; i < kRounds; ++i) {
    send(1);
    pass(kMicroSecond * 500);
    const std::set<int> ports = answer(rtt);
    EXPECT_GE(ports.size(), 2u);
    EXPECT_LE(ports.size(), 3u);
    best += static_cast<int>(ports.count(6));
  }
  // Once port 6 was drawn, it is the best port, which is always probed. Two of four ports are drawn
  // per interval, so the best port adds a third probe in half of the intervals. The mean is 2.5
  // probes per interval.
  EXPECT_GT(best, kRounds - 12);
  EXPECT_NEAR(static_cast<double>(here.probes_sent()) / kRounds, 2.5, 0.1);
  EXPECT_EQ(there.probes_sent(), 0u);
}

TEST_F(HermesProbes, ShowTheStateOfPathsThatCarryNoData) {
  const int port = send(1);
  for (int i = 0; i < 40; ++i) {
    send(1);
    pass(kMicroSecond * 500);
    answer(all(kMicroSecond * 20));
  }
  for (int other = 4; other < 8; ++other) EXPECT_EQ(here.state_of(1, other), State::kGood);
  // The round trips and marks of the probes indicate congested paths.
  for (int i = 0; i < 80; ++i) {
    send(1);
    pass(kMicroSecond * 500);
    answer(all(kMicroSecond * 300), true);
  }
  for (int other = 4; other < 8; ++other) {
    if (other == port) continue;
    EXPECT_EQ(here.state_of(1, other), State::kBad) << other;
  }
}

TEST_F(HermesProbes, EndWhenNoDataLeaveForOtherRacks) {
  send(1);
  pass(kMilliSecond * 20);
  EXPECT_EQ(here.probes_sent(), 2u);
  EXPECT_TRUE(clock.empty());
  send(1);
  pass(kMicroSecond * 500);
  EXPECT_EQ(here.probes_sent(), 4u);
}

}  // namespace
}  // namespace dcc::hermes_test
