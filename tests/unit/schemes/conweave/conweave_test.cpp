// Tests ConWeave against values worked out by hand: the decisions of the source edge switch from
// replies, the packets that the destination edge switch holds back, and a network in which flows
// change path and no packet overtakes another.
#include "schemes/conweave/conweave.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "stats/counter_sum.h"
#include "unit/switch/test_devices.h"

namespace dcc::conweave_test {
namespace {

using News = ConweaveHeader::News;

/// Topology with hosts 0 … 3 at leaf0 and 4 … 7 at leaf1. The ports 4 … 7 of the leaves lead to
/// four spines.
Topology two_leaves(int spines = 4) {
  LeafSpineParameters p;
  p.leaves = 2;
  p.spines = spines;
  p.hosts_per_leaf = 4;
  return Topology::leaf_spine(p);
}

class ConweaveEdge : public testing::Test, private PathView, private PathActions {
 protected:
  explicit ConweaveEdge(int spines = 4)
      : topology(two_leaves(spines)),
        routing(topology),
        fabric(topology, routing),
        here({}, {*this, 8, 77, 5, 3, this}),
        there({}, {*this, 8, 78, 5, 4, this}),
        up(PortSet::consecutive(4, spines)) {
    here.join(fabric, topology.find("leaf0"));
    there.join(fabric, topology.find("leaf1"));
    clock.run_until(kMilliSecond);
  }
  ~ConweaveEdge() override {
    for (Packet* packet : went) pool.free(packet);
    for (Packet* packet : sent) pool.free(packet);
  }

  Packet* packet_of(Psn psn, std::uint32_t flow = 6) {
    Packet* const packet = pool.allocate();
    packet->source = 0;
    packet->destination = 4;
    packet->flow = flow;
    packet->psn = psn;
    packet->wire_bytes = 1000;
    packet->ecn = Ecn::kEct0;
    return packet;
  }
  /// ConWeave header of the flow's next packet when it leaves leaf0.
  ConweaveHeader leave(std::uint32_t flow = 6) {
    Packet* const packet = packet_of(0, flow);
    const std::uint32_t ahead = here.peek(*packet, up);
    EXPECT_EQ(here.choose(*packet, up), ahead);
    const ConweaveHeader header = ConweaveHeader::of(packet->overlay);
    EXPECT_EQ(header.way, ahead + 1);
    pool.free(packet);
    return header;
  }
  void hear(News news, std::uint8_t epoch, std::uint8_t way = 1, std::uint32_t flow = 6) {
    Packet* const packet = pool.allocate();
    packet->kind = PacketKind::kPathNews;
    packet->source = 4;
    packet->destination = 0;
    packet->flow = flow;
    ConweaveHeader header;
    header.way = way;
    header.epoch = epoch;
    packet->overlay = header.packed();
    packet->immediate = static_cast<std::uint32_t>(news);
    EXPECT_EQ(here.choose(*packet, PortSet::consecutive(0, 1)), PathChoice::kKept);
  }
  /// Delivers a packet to leaf1. order() then lists the numbers of the packets that leaf1 has
  /// forwarded to the host.
  void come(Psn psn, const ConweaveHeader& header, Ecn ecn = Ecn::kEct0) {
    Packet* const packet = packet_of(psn);
    packet->overlay = header.packed();
    packet->ecn = ecn;
    const std::uint32_t way = there.choose(*packet, PortSet::consecutive(0, 1));
    if (way == PathChoice::kKept) return;
    EXPECT_EQ(way, 0u);
    went.push_back(packet);
  }
  static ConweaveHeader old_way(std::uint8_t epoch, std::uint16_t stamp = 0) {
    ConweaveHeader header;
    header.way = 2;
    header.epoch = epoch;
    header.stamp = stamp;
    return header;
  }
  static ConweaveHeader tail(std::uint8_t epoch, std::uint16_t stamp = 0) {
    ConweaveHeader header = old_way(epoch, stamp);
    header.tail = true;
    return header;
  }
  static ConweaveHeader rerouted(std::uint8_t epoch, std::uint16_t stamp = 0) {
    ConweaveHeader header = old_way(epoch, stamp);
    header.way = 3;
    header.rerouted = true;
    return header;
  }
  std::vector<Psn> order() const {
    std::vector<Psn> list;
    for (const Packet* packet : went) {
      EXPECT_EQ(packet->overlay.bytes[0], 0);  // packets to hosts carry no overlay
      list.push_back(packet->psn);
    }
    return list;
  }
  void pass(PicoSeconds time) { clock.run_until(clock.now() + time); }

  PicoSeconds now() const override { return clock.now(); }
  Bytes backlog(int) const override { return 0; }
  Bytes drain(int, int) const override { return 0; }
  BitRate rate(int) const override { return BitRate(100'000'000'000); }
  Scheduler& scheduler() override { return clock; }
  std::uint32_t rank() const override { return 7; }
  bool detain(Packet* packet, int port) override {
    EXPECT_EQ(port, 0);
    if (room) return true;
    pool.free(packet);
    return false;
  }
  void release(Packet* packet, int port) override {
    EXPECT_EQ(port, 0);
    went.push_back(packet);
  }
  Packet* allocate() override { return pool.allocate(); }
  void send(Packet* packet) override { sent.push_back(packet); }
  void consume(Packet* packet) override {
    ++taken;
    pool.free(packet);
  }

  Scheduler clock;
  PacketPool pool;
  Topology topology;
  Routing routing;
  FabricMap fabric;
  Conweave here, there;
  const ConweaveParameters defaults;
  std::vector<Packet*> went;  // packets forwarded to the host
  std::vector<Packet*> sent;  // packets sent to the other edge switch
  int taken = 0;
  bool room = true;
  const PortSet up;
};

TEST_F(ConweaveEdge, AHeaderIsWhatWasWritten) {
  for (unsigned i = 0; i < 256; ++i) {
    ConweaveHeader header;
    header.way = static_cast<std::uint8_t>(i);
    header.epoch = static_cast<std::uint8_t>(i % ConweaveHeader::kEpochs);
    header.rerouted = (i & 1) != 0;
    header.request = (i & 2) != 0;
    header.tail = (i & 4) != 0;
    header.stamp = static_cast<std::uint16_t>(i * 257);
    const ConweaveHeader read = ConweaveHeader::of(header.packed());
    EXPECT_EQ(read.way, header.way);
    EXPECT_EQ(read.epoch, header.epoch);
    EXPECT_EQ(read.rerouted, header.rerouted);
    EXPECT_EQ(read.request, header.request);
    EXPECT_EQ(read.tail, header.tail);
    EXPECT_EQ(read.stamp, header.stamp);
  }
}

TEST_F(ConweaveEdge, AnAnswerInTimeBeginsAnEpochOnTheSameWay) {
  const ConweaveHeader first = leave();
  EXPECT_TRUE(first.request);
  EXPECT_FALSE(leave().request);  // an epoch has only one request
  pass(defaults.reply);
  hear(News::kReply, first.epoch);
  EXPECT_EQ(taken, 1);
  const ConweaveHeader next = leave();
  EXPECT_TRUE(next.request);
  EXPECT_FALSE(next.tail);
  EXPECT_EQ(next.epoch, (first.epoch + 1) % 32);
  EXPECT_EQ(next.way, first.way);
  // A reply to the request of a past epoch is ignored.
  hear(News::kReply, first.epoch);
  EXPECT_EQ(leave().epoch, next.epoch);
}

TEST_F(ConweaveEdge, ALateAnswerMovesWhatFollowsATail) {
  std::set<std::uint8_t> ways;
  for (std::uint32_t flow = 10; flow < 40; ++flow) {
    const ConweaveHeader first = leave(flow);
    pass(defaults.reply);
    EXPECT_FALSE(leave(flow).tail);  // the reply is not late yet
    pass(PicoSeconds(1));
    const std::uint16_t stamp = ConweaveHeader::stamp_of(clock.now());
    const ConweaveHeader last = leave(flow);
    EXPECT_TRUE(last.tail);
    EXPECT_FALSE(last.rerouted);
    EXPECT_EQ(last.way, first.way);
    EXPECT_EQ(last.stamp, stamp);
    pass(kMicroSecond * 10);
    hear(News::kReply, first.epoch, 1, flow);  // the reply comes too late
    const ConweaveHeader moved = leave(flow);
    EXPECT_TRUE(moved.rerouted);
    EXPECT_FALSE(moved.tail);
    EXPECT_EQ(moved.epoch, first.epoch);
    EXPECT_EQ(moved.stamp, stamp);  // the stamp is that of the tail packet
    ways.insert(static_cast<std::uint8_t>((moved.way - first.way + 4) % 4));
    // The flow may change path again only after the destination edge has received all packets of
    // the old path.
    pass(kMicroSecond * 100);
    EXPECT_TRUE(leave(flow).rerouted);
    hear(News::kClear, first.epoch, 1, flow);
    const ConweaveHeader settled = leave(flow);
    EXPECT_TRUE(settled.request);
    EXPECT_FALSE(settled.rerouted);
    EXPECT_EQ(settled.epoch, (first.epoch + 1) % 32);
    EXPECT_EQ(settled.way, moved.way);
  }
  EXPECT_EQ(ways.size(), 4u);  // all four paths were drawn
  EXPECT_GT(here.counters().rerouted, 15u);
  EXPECT_LT(here.counters().rerouted, 30u);
}

TEST_F(ConweaveEdge, FlowsKeepOffAWayOfWhichAMarkWasTold) {
  const auto on_way_2 = [this](std::uint32_t first) {
    int count = 0;
    for (std::uint32_t flow = first; flow < first + 1000; ++flow) count += leave(flow).way == 2;
    return count;
  };
  EXPECT_GT(on_way_2(1000), 200);  // expected are 250 of 1000 flows
  hear(News::kNotify, 0, 2);
  EXPECT_TRUE(here.is_busy(1, 2));
  EXPECT_FALSE(here.is_busy(1, 1));
  EXPECT_LT(on_way_2(2000), 100);  // both draws give the busy path in 1 of 16 cases
  pass(defaults.path_busy - PicoSeconds(1));
  EXPECT_TRUE(here.is_busy(1, 2));
  pass(PicoSeconds(1));
  EXPECT_FALSE(here.is_busy(1, 2));
  EXPECT_GT(on_way_2(3000), 200);
}

/// An edge switch with more uplinks than a header can number. ConWeave uses the first 255 of them.
class ConweaveWideEdge : public ConweaveEdge {
 protected:
  ConweaveWideEdge() : ConweaveEdge(300) {}
};

TEST_F(ConweaveWideEdge, WaysAreAsManyAsCanBeToldApart) {
  hear(News::kNotify, 0, 255);
  pass(defaults.path_busy);
  std::set<int> ways;
  for (std::uint32_t flow = 0; flow < 5000; ++flow) ways.insert(leave(flow).way);
  EXPECT_EQ(*ways.begin(), 1);
  EXPECT_EQ(ways.size(), 255u);
}

TEST_F(ConweaveEdge, AFlowThatPausedGoesAnywhereAtOnce) {
  ConweaveHeader last = leave();
  std::map<std::uint8_t, int> ways;
  for (int i = 0; i < 100; ++i) {
    pass(defaults.inactive);  // the reply is late, so the next packet is a tail packet
    EXPECT_FALSE(leave().request);
    pass(defaults.inactive + PicoSeconds(1));
    const ConweaveHeader next = leave();
    EXPECT_TRUE(next.request);
    EXPECT_FALSE(next.rerouted);
    EXPECT_EQ(next.epoch, (last.epoch + 1) % 32);
    ++ways[next.way];
    last = next;
  }
  for (std::uint8_t way = 1; way <= 4; ++way) EXPECT_GT(ways[way], 10);
}

TEST_F(ConweaveEdge, OtherRoutesBeginAnEpochToo) {
  const ConweaveHeader first = leave();
  here.routes_changed();
  const ConweaveHeader next = leave();
  EXPECT_TRUE(next.request);
  EXPECT_EQ(next.epoch, (first.epoch + 1) % 32);
}

TEST_F(ConweaveEdge, RequestsTailsAndMarksAreAnswered) {
  ConweaveHeader header = old_way(9);
  header.request = true;
  come(0, header);
  come(1, tail(9));
  come(2, rerouted(9), Ecn::kCe);
  ASSERT_EQ(sent.size(), 3u);
  const News expected[] = {News::kReply, News::kClear, News::kNotify};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sent[i]->kind, PacketKind::kPathNews);
    EXPECT_EQ(sent[i]->immediate, static_cast<std::uint32_t>(expected[i]));
    EXPECT_EQ(sent[i]->source, 4u);
    EXPECT_EQ(sent[i]->destination, 0u);
    EXPECT_EQ(sent[i]->flow, 6u);
    EXPECT_EQ(sent[i]->wire_bytes, 64u);
    EXPECT_EQ(ConweaveHeader::of(sent[i]->overlay).epoch, 9);
    EXPECT_EQ(ConweaveHeader::of(sent[i]->overlay).way, i == 2 ? 3 : 2);
  }
  EXPECT_EQ(order(), (std::vector<Psn>{0, 1, 2}));
  EXPECT_EQ(there.counters().held, 0u);
}

TEST_F(ConweaveEdge, WhatCameByTheNewWayWaitsForTheTail) {
  come(0, old_way(1));
  come(3, rerouted(1));
  come(4, rerouted(1));
  come(1, old_way(1));
  EXPECT_EQ(order(), (std::vector<Psn>{0, 1}));
  come(2, tail(1));
  EXPECT_EQ(order(), (std::vector<Psn>{0, 1, 2}));  // the tail packet leaves before packets 3 and 4
  come(5, rerouted(1));                             // arrives at the same time as the tail packet
  pass(PicoSeconds(0));
  EXPECT_EQ(order(), (std::vector<Psn>{0, 1, 2, 3, 4, 5}));
  come(6, rerouted(1));
  EXPECT_EQ(order().back(), 6u);
  EXPECT_EQ(there.counters().held, 3u);
  EXPECT_EQ(there.counters().released_by_tail, 1u);
  EXPECT_EQ(there.counters().released_by_time, 0u);
  EXPECT_EQ(there.counters().late, 0u);
}

TEST_F(ConweaveEdge, ItWaitsAsLongAsTheTailShouldTake) {
  come(0, old_way(1, 0xFFF0));  // a time stamp that is about to wrap
  pass(kMicroSecond);
  come(9, rerouted(1, 0x0010));  // the tail left 32 steps of 65.536 ns after the first packet
  const PicoSeconds wait(32 * 65'536 + 16'000'000 - 1'000'000);
  pass(wait - PicoSeconds(1));
  EXPECT_EQ(order(), (std::vector<Psn>{0}));
  // Another packet of the old path, 16 steps after the first one, extends the wait.
  come(1, old_way(1, 0x0000));
  const PicoSeconds more(16 * 65'536 + 16'000'000);
  pass(more - PicoSeconds(1));
  EXPECT_EQ(order(), (std::vector<Psn>{0, 1}));
  pass(PicoSeconds(1));
  EXPECT_EQ(order(), (std::vector<Psn>{0, 1, 9}));
  EXPECT_EQ(there.counters().released_by_time, 1u);
  // Packets of the old path that arrive now count as late, and no other packet waits for them.
  come(10, rerouted(1, 0x0010));
  come(2, tail(1, 0x0010));
  EXPECT_EQ(order(), (std::vector<Psn>{0, 1, 9, 10, 2}));
  EXPECT_EQ(there.counters().late, 1u);
}

TEST_F(ConweaveEdge, WithNothingOfTheOldWayItWaitsTheTimeForThat) {
  come(9, rerouted(1));
  pass(defaults.wait_unknown - PicoSeconds(1));
  EXPECT_TRUE(order().empty());
  pass(PicoSeconds(1));
  EXPECT_EQ(order(), (std::vector<Psn>{9}));
}

TEST_F(ConweaveEdge, ANewEpochComesBehindWhatWaits) {
  come(0, old_way(31));
  come(2, rerouted(31));
  come(3, old_way(0));  // a packet whose epoch number has wrapped to 0
  EXPECT_EQ(order(), (std::vector<Psn>{0, 2, 3}));
  // A packet of the previous epoch arrives late and changes nothing.
  come(1, old_way(31));
  come(5, rerouted(0));
  EXPECT_EQ(order(), (std::vector<Psn>{0, 2, 3, 1}));
  EXPECT_EQ(there.counters().late, 1u);
  come(4, tail(0));
  pass(PicoSeconds(0));
  EXPECT_EQ(order(), (std::vector<Psn>{0, 2, 3, 1, 4, 5}));
  // After a pause longer than `inactive` every epoch number begins a new epoch.
  pass(defaults.inactive + PicoSeconds(1));
  come(6, old_way(20));
  come(8, rerouted(20));
  EXPECT_EQ(order().size(), 7u);
  come(7, tail(20));
  pass(PicoSeconds(0));
  EXPECT_EQ(order().back(), 8u);
}

TEST_F(ConweaveEdge, WhatFindsNoRoomIsLost) {
  come(0, old_way(1));
  room = false;
  come(2, rerouted(1));
  room = true;
  come(3, rerouted(1));
  come(1, tail(1));
  pass(PicoSeconds(0));
  EXPECT_EQ(order(), (std::vector<Psn>{0, 1, 3}));
}

TEST_F(ConweaveEdge, AnswersOfHostsGoByHash) {
  Packet ack;
  ack.kind = PacketKind::kAck;
  ack.flow = 3;
  ack.source = 1;
  ack.destination = 5;
  EXPECT_EQ(here.choose(ack, up), scaled_down(flow_hash(ack, 77), 4));
  EXPECT_EQ(ack.overlay.bytes[0], 0);
}

/// In a network of three tiers the remainder of the path number chooses the links after the first
/// one, equally for all flows between two edge switches. All paths are used.
TEST(ConweaveTree, WaysOfTwoEdgesArePathsOfTheTree) {
  FatTreeParameters p;
  p.k = 4;
  test::TestNetwork net(Topology::fat_tree(p), SwitchParameters{});
  struct Clock final : PathView {
    PicoSeconds now() const override { return PicoSeconds(0); }
    Bytes backlog(int) const override { return 0; }
    Bytes drain(int, int) const override { return 0; }
    BitRate rate(int) const override { return BitRate(100'000'000'000); }
  } clock;
  const NodeId edge = net.topology.peer(net.topology.node_of(0), 0).node;
  const HostId far = static_cast<HostId>(net.topology.hosts() - 1);
  const auto at = [&](NodeId node) {
    auto choice = std::make_unique<Conweave>(ConweaveParameters{}, PathContext{clock, 4, 7, 5, 3});
    choice->join(net.fabric, node);
    return choice;
  };
  const auto first = at(edge);
  std::map<std::uint8_t, std::pair<int, int>> path;
  for (std::uint32_t flow = 0; flow < 200; ++flow) {
    Packet packet;
    packet.flow = flow;
    packet.source = flow % 2;
    packet.destination = far;
    const PortSet up = net.routing.ports(edge, far);
    const int port = up[first->choose(packet, up)];
    const NodeId above = net.topology.peer(edge, port).node;
    const PortSet on = net.routing.ports(above, far);
    const std::pair<int, int> links{port, on[at(above)->choose(packet, on)]};
    const auto [known, is_new] = path.emplace(packet.overlay.bytes[0], links);
    EXPECT_EQ(known->second, links);
  }
  std::set<std::pair<int, int>> different;
  for (const auto& [way, links] : path) different.insert(links);
  EXPECT_EQ(path.size(), 4u);
  EXPECT_EQ(different.size(), 4u);
}

/// Three senders at line rate share four paths, one of which has a quarter of the rate. Flows leave
/// that path, and no packet arrives out of order. Spraying of single packets reorders many.
TEST(ConweaveNetwork, FlowsMoveAndNoPacketOvertakesAnother) {
  for (const bool conweave : {true, false}) {
    SwitchParameters parameters;
    parameters.routing.choose(conweave ? "conweave" : "rps");
    test::TestNetwork net(two_leaves(), parameters);
    const NodeId spine = net.topology.find("spine3");
    for (std::size_t cable = 0; cable < net.topology.cables().size(); ++cable) {
      for (int side = 0; side < 2; ++side) {
        const CableEnd& from = net.topology.cables()[cable].end[side];
        if (from.node != spine) continue;
        net.links[2 * cable + static_cast<std::size_t>(side)]->set_rate(BitRate(25'000'000'000));
        net.at(spine).set_rate(from.port, BitRate(25'000'000'000));
      }
    }
    for (HostId host = 0; host < 8; ++host) net.host[host]->keep = true;
    for (const HostId host : {0u, 1u, 2u, 4u, 5u, 6u}) {
      net.host[host]->blast((host + 4) % 8, 1000);
    }
    net.scheduler.run_until(kMilliSecond);
    for (HostId host = 0; host < 8; ++host) net.host[host]->stop();
    net.scheduler.run_until(kMilliSecond * 5);
    std::uint64_t overtook = 0;
    std::uint64_t packets = 0;
    for (HostId host = 0; host < 8; ++host) {
      Psn next = 0;
      for (const auto& seen : net.host[host]->seen) {
        overtook += seen.psn < next ? 1u : 0u;
        next = std::max(next, seen.psn + 1);
      }
      packets += net.host[host]->packets;
      EXPECT_EQ(net.host[host]->packets, net.host[(host + 4) % 8]->sent);
    }
    EXPECT_EQ(net.pool.in_use(), 0);
    EXPECT_EQ(net.drops(), 0u);
    SwitchCounters totals;
    for (const char* leaf : {"leaf0", "leaf1"}) {
      EXPECT_EQ(net.at(leaf).buffer().used(), 0);
      add_to(totals, net.at(leaf).totals());
    }
    EXPECT_EQ(totals.path_news_sent, totals.path_news_taken);
    if (conweave) {
      EXPECT_EQ(overtook, 0u);
      EXPECT_GT(totals.path_news_sent, 100u);
    } else {
      EXPECT_GT(overtook, packets / 10);
      EXPECT_EQ(totals.path_news_sent, 0u);
    }
  }
}

}  // namespace
}  // namespace dcc::conweave_test
