// Tests Braid's law against values computed by hand, and Braid's sender on one switch of 10 Gb/s. A
// packet of 4096 bytes occupies a link for 3.328 us, a packet without payload for 51.2 ns, and each
// link adds 1 us.
#include "schemes/braid/braid.h"

#include <gtest/gtest.h>

#include <map>

#include "unit/schemes/transport_network.h"

namespace dcc::braid_test {
namespace {

constexpr Bytes kFull = 1000;

/// A flow with a window of 100 packets on path 0 of `count` paths, and what its host knows of these
/// paths.
struct Law {
  explicit Law(unsigned count) : paths(count), flow(100'000, 0) { law.memory = kMilliSecond; }
  void know(unsigned path, long double share) { paths.add(path, share, law, now); }
  bool hear(Psn psn, Psn next, bool marked) {
    return flow.heard({psn, next, kFull, marked}, kFull, 1'000'000, paths, law, now, random);
  }
  double window() const { return static_cast<double>(flow.window()); }
  double alpha() const { return static_cast<double>(flow.alpha()); }
  BraidLawParameters law;
  BraidPaths paths;
  BraidFlow flow;
  RandomStream random{1, "law"};
  PicoSeconds now{};
};

TEST(BraidLaw, CutsByHalfOfAlphaOnceARoundAndAddsAPacketARound) {
  Law one(1);
  EXPECT_FALSE(one.hear(0, 100, true)) << "there is no other path";
  EXPECT_DOUBLE_EQ(one.window(), 50'000) << "alpha begins at 1";
  one.hear(1, 100, true);
  EXPECT_DOUBLE_EQ(one.window(), 50'000) << "once until packet 100 is acknowledged";
  one.hear(100, 150, false);
  EXPECT_DOUBLE_EQ(one.window(), 50'000 + 1000.0 * 1000 / 50'000);
  // In the round from packet 1 to packet 100 one of two ACKs was marked.
  EXPECT_DOUBLE_EQ(one.alpha(), 1 + (0.5 - 1) / 16);
}

// The congestion stays on the path that the flow leaves, so the cut depends on the path that the
// flow takes.
TEST(BraidLaw, TheCutIsThatOfTheBetterPath) {
  for (const double share : {0.0, 0.5}) {
    Law two(2);
    two.know(1, share);
    EXPECT_TRUE(two.hear(0, 100, true));
    EXPECT_EQ(two.flow.path(), 1u);
    EXPECT_DOUBLE_EQ(two.window(), 100'000 * (1 - share / 2));
    EXPECT_DOUBLE_EQ(two.alpha(), share);
  }
}

TEST(BraidLaw, OnAPathThatNobodyKnowsTheCutStands) {
  Law two(2);
  EXPECT_TRUE(two.hear(0, 100, true));
  EXPECT_EQ(two.flow.path(), 1u);
  EXPECT_DOUBLE_EQ(two.window(), 50'000);
  EXPECT_DOUBLE_EQ(two.alpha(), 1);
}

// If all paths have marks, a link that all paths share is congested.
TEST(BraidLaw, StaysWhereAllPathsAreAlike) {
  Law three(3);
  three.know(1, 0.95);
  three.know(2, 1);
  EXPECT_FALSE(three.hear(0, 100, true)) << "better by less than a sixteenth";
  EXPECT_EQ(three.flow.path(), 0u);
  EXPECT_DOUBLE_EQ(three.window(), 50'000);
}

TEST(BraidLaw, WhatIsKnownOfAPathIsForgotten) {
  Law two(2);
  two.know(1, 1);
  two.now = kMilliSecond * 2;
  EXPECT_TRUE(two.hear(0, 100, true)) << "nothing is known of path 1 any more";
}

TEST(BraidLaw, MarksOfTheOldPathCountNoMore) {
  Law two(2);
  two.know(1, 0.5);
  ASSERT_TRUE(two.hear(0, 100, true));
  for (Psn psn = 1; psn < 100; ++psn) EXPECT_FALSE(two.hear(psn, 150, true));
  EXPECT_DOUBLE_EQ(two.window(), 75'000);
  two.hear(100, 150, true);
  EXPECT_DOUBLE_EQ(two.window(), 75'000 * (1 - 0.5 / 2)) << "alpha is the path's share";
}

TEST(BraidLaw, ApartEachMarkedRoundMovesAndTheCutStands) {
  Law two(2);
  two.law.joined = false;
  two.know(1, 0);
  EXPECT_TRUE(two.hear(0, 100, true));
  EXPECT_DOUBLE_EQ(two.window(), 50'000);
  EXPECT_DOUBLE_EQ(two.alpha(), 1);
  EXPECT_TRUE(two.hear(100, 200, true));
  EXPECT_EQ(two.flow.path(), 0u);
}

TEST(BraidLaw, ANewFlowTakesTheBetterOfTwoPaths) {
  Law three(3);
  for (const unsigned path : {0u, 1u}) three.know(path, 1);
  int third = 0;
  for (int i = 0; i < 9000; ++i) {
    third += first_path(three.paths, three.law, three.now, three.random) == 2 ? 1 : 0;
  }
  EXPECT_NEAR(third, 5000, 200) << "5/9: one of two draws of three is path 2";
}

constexpr PicoSeconds kPacket{3'328'000};
constexpr Bytes kPayload = 4096;
const PicoSeconds kThere = (kPacket + kMicroSecond) * 2;

struct Star : test::TransportStar {
  Star() : TransportStar(3, braid(), {}, {10_Gbps, kMicroSecond, 0}, 4096) {}
  static TransportChoice braid() {
    TransportChoice choice;
    choice.choose("braid");
    choice.of<BraidParameters>("braid").thresholds = {8 * 4096, 16 * 4096};
    return choice;
  }
};

// The bandwidth-delay product is 3.2 packets, so four packets in flight fill the link.
TEST(Braid, AFlowFillsTheWire) {
  Star star;
  star.send(0, 1, kPayload * 100);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kPacket * 99 + kThere);
  star.expect_all_arrived();
}

// At 200 us the long message has sent 60 packets and has the lowest priority.
TEST(Braid, AShortMessageGoesBeforeTheRestOfALongOne) {
  Star star;
  star.send(0, 1, kPayload * 100);
  star.scheduler.run_until(kPacket * 60 - PicoSeconds(1000));
  star.send(0, 1, kPayload * 8);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(1), kPacket * 67 + kThere) << "behind the sixty";
  EXPECT_EQ(star.received_at(0), kPacket * 107 + kThere);
  star.expect_all_arrived();
}

TEST(Braid, PacketsLosePriorityWithTheBytesBeforeThem) {
  Star star;
  std::map<Psn, int> priority;
  star.lose([&](const Packet& p) {
    if (p.kind == PacketKind::kData) priority[p.psn] = p.priority;
    return false;
  });
  star.send(0, 1, kPayload * 20);
  star.scheduler.run_until(kMilliSecond);
  for (Psn psn = 0; psn < 20; ++psn) {
    EXPECT_EQ(priority[psn], psn < 8 ? 7 : psn < 16 ? 6 : 5) << psn;
  }
}

TEST(Braid, ALostPacketIsSentAgainAfterTheTimeout) {
  Star star;
  int data = 0;
  star.lose(
      [&](const Packet& p) { return p.kind == PacketKind::kData && p.psn == 2 && ++data == 1; });
  star.send(0, 1, kPayload * 20);
  star.scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(star.received_at(0), kPacket * 2 + kMilliSecond + kThere);
  EXPECT_EQ(star.sum_of(&NicCounters::retransmits), 1u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 1u);
  star.expect_all_arrived();
}

}  // namespace
}  // namespace dcc::braid_test
