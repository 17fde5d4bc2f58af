// Tests PDQ on one switch of 10 Gb/s against values calculated by hand. A packet of 4096 bytes
// occupies a link for 3.328 us, a packet without payload for 51.2 ns, and each link adds 1 us.
#include "schemes/pdq/pdq.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "schemes/pdq/preemptive_rate.h"
#include "unit/schemes/transport_network.h"

namespace dcc::pdq_test {
namespace {

using test::TransportStar;

constexpr PicoSeconds kPacket{851'200};
constexpr PicoSeconds kHeader{51'200};
constexpr PicoSeconds kWire = kMicroSecond * 5;
constexpr Bytes kPayload = 1000;
const PicoSeconds kThere = (kPacket + kWire) * 2;
const PicoSeconds kAsking = (kHeader + kWire) * 4;
const PicoSeconds kRtt = kThere + (kHeader + kWire) * 2;

struct Star : TransportStar {
  explicit Star(HostId hosts, bool early_termination = false)
      : TransportStar(hosts, pdq(early_termination), {}, {10_Gbps, kMicroSecond * 5, 0}, 1000) {}
  static TransportChoice pdq(bool early_termination = false) {
    TransportChoice choice;
    choice.choose("pdq");
    choice.of<PdqParameters>("pdq").early_termination = early_termination;
    return choice;
  }
  std::uint64_t drops() const { return device->totals().dropped; }
  void run() {
    scheduler.run_until(scheduler.now() + kSecond);
    expect_all_arrived();
  }
  double mean_arrival(std::uint32_t flows) const {
    double sum = 0;
    for (std::uint32_t flow = 0; flow < flows; ++flow) sum += to_seconds(received_at(flow));
    return sum / flows;
  }
};

// The probe and its reply take a round trip. Then every data packet carries a request, and a probe
// follows each round trip.
TEST(Pdq, OneSenderAsksAndThenFillsTheWire) {
  Star star(2);
  star.send(0, 1, kPayload * 100);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kAsking + kHeader * 4 + kPacket * 99 + kThere);
  EXPECT_EQ(star.sum_of(&NicCounters::retransmits), 0u);
  star.expect_all_arrived();
}

// Each of 180 flows sends a probe every three round trips, together more than 1 Gb/s carries.
TEST(Pdq, ProbesLeaveTheLinkToData) {
  TransportStar star(10, Star::pdq(), {}, {1_Gbps, kMicroSecond, 20}, 1000);
  for (int round = 0; round < 20; ++round) {
    for (HostId h = 1; h <= 9; ++h) star.send(h, 0, 1000);
  }
  star.scheduler.run_until(kMilliSecond * 8);  // the link needs 1.6 ms for the flows
  star.expect_all_arrived();
  EXPECT_EQ(star.device->totals().dropped, 0u);
}

// Five flows of equal size from five hosts are sent one after the other, and the link is hardly
// ever idle. The probes of paused flows take a hundredth of the link.
TEST(Pdq, FlowsOfOneSizeFollowEachOther) {
  Star star(6);
  for (HostId h = 1; h <= 5; ++h) star.send(h, 0, kPayload * 1000);
  star.run();
  std::vector<PicoSeconds> ends;
  for (std::uint32_t flow = 0; flow < 5; ++flow) ends.push_back(star.received_at(flow));
  std::sort(ends.begin(), ends.end());
  for (std::int64_t i = 0; i < 5; ++i) {
    const PicoSeconds alone = kAsking + kPacket * (1000 * i + 999) + kThere;
    const PicoSeconds end = ends[static_cast<std::size_t>(i)];
    EXPECT_GE(end + kRtt, alone) << i << ": the next begins early, and may be the last to end";
    EXPECT_LT(end * 100, alone * 101 + kRtt * 200) << i;
  }
  EXPECT_EQ(star.drops(), 0u);
}

// The example of figure 1 of the paper: flows of sizes 1, 2 and 3. With equal sharing they take 3,
// 5 and 6 units, 4.67 on average. One after the other they take 1, 3 and 6. Here the least critical
// flow requests first, so two flows are interrupted. Their packets in flight delay the others by
// some round trips.
TEST(Pdq, ShortestFirstSavesThreeTenths) {
  Star star(4);
  const PicoSeconds unit = kPacket * 2000;
  star.send(1, 0, kPayload * 6000);
  star.send(2, 0, kPayload * 4000);
  star.send(3, 0, kPayload * 2000);
  star.run();
  EXPECT_LT(star.received_at(2) * 100, unit * 101 + kRtt * 600);
  EXPECT_LT(star.received_at(1) * 100, unit * 303 + kRtt * 600);
  EXPECT_LT(star.received_at(0) * 100, unit * 606 + kRtt * 600);
  EXPECT_NEAR(star.mean_arrival(3) / to_seconds(unit), 10. / 3, 0.1);
}

// The same flows have deadlines that leave 3 % and some round trips, so all deadlines can be met in
// this order.
TEST(Pdq, EarliestDeadlineFirstMeetsThemAll) {
  Star star(4);
  const PicoSeconds unit = kPacket * 2060;
  star.send(1, 0, kPayload * 2000, unit * 6 + kRtt * 3);
  star.send(2, 0, kPayload * 4000, unit * 2 + kRtt * 3);
  star.send(3, 0, kPayload * 6000, unit * 5 + kRtt * 3);
  star.run();
  EXPECT_LE(star.received_at(1), unit * 2 + kRtt * 3);
  EXPECT_LE(star.received_at(2), unit * 5 + kRtt * 3);
  EXPECT_LE(star.received_at(0), unit * 6 + kRtt * 3);
  EXPECT_GT(star.received_at(0), star.received_at(2)) << "the shortest, but last";
}

// A longer flow with a deadline is sent before a shorter flow without one, which continues
// afterwards.
TEST(Pdq, ADeadlineGoesBeforeASize) {
  Star star(3);
  star.send(1, 0, kPayload * 2000);
  const PicoSeconds start = kMicroSecond * 200;
  star.scheduler.run_until(start);
  star.send(2, 0, kPayload * 4000, kSecond);
  star.run();
  EXPECT_LE(star.received_at(1) * 100, (start + kAsking + kPacket * 4000) * 101 + kRtt * 200);
  EXPECT_GT(star.received_at(0), star.received_at(1));
  EXPECT_LT(star.received_at(0) * 100, (kAsking + kPacket * 6000) * 101 + kRtt * 300);
}

// Only one of two flows can meet its deadline, so PDQ gives up the other flow's deadline for good.
TEST(Pdq, WhoCannotMeetItsDeadlineMakesWay) {
  Star star(3);
  const PicoSeconds soon = kPacket * 2000 + kRtt;
  star.send(1, 0, kPayload * 2100, soon - kMicroSecond);  // a deadline that cannot be met
  star.send(2, 0, kPayload * 1900, soon);
  star.run();
  EXPECT_LE(star.received_at(1), soon);
  EXPECT_GT(star.received_at(0), soon);
}

// One of two flows can no longer meet its deadline while it waits. With early termination it sends
// nothing more, and the link is free when the other flow ends. Otherwise it sends all its data
// late.
TEST(Pdq, AHopelessFlowIsTerminatedEarly) {
  for (const bool early : {false, true}) {
    Star star(3, early);
    const PicoSeconds soon = kPacket * 2000 + kRtt * 5;
    star.send(1, 0, kPayload * 2000, soon);
    star.send(2, 0, kPayload * 2000, soon + kRtt);
    star.scheduler.run_until(kPacket * 6000);
    EXPECT_LE(star.received_at(0), soon) << early;
    const FlowRecord& hopeless = star.ledger[1];
    if (early) {
      EXPECT_LT(hopeless.received_bytes, kPayload * 100);
      EXPECT_FALSE(FlowLedger::finished(hopeless));
      EXPECT_EQ(hopeless.posted_bytes, hopeless.received_bytes) << "nothing waits";
      EXPECT_EQ(star.pool.in_use(), 0);
    } else {
      EXPECT_EQ(hopeless.received_bytes, kPayload * 2000);
    }
  }
}

// Short flows interrupt a long flow. Some of the short flows end within two round trips, and the
// long flow uses all of the link that they leave.
TEST(Pdq, ABurstOfShortFlowsPassesALongOne) {
  Star star(31);
  star.send(30, 0, kPayload * 4000);
  const PicoSeconds start = kMicroSecond * 500;
  star.scheduler.run_until(start);
  for (HostId h = 1; h <= 29; ++h) star.send(h, 0, kPayload * 20);
  Bytes longest = 0;
  while (star.scheduler.now() < kMilliSecond * 2) {
    star.scheduler.run_until(star.scheduler.now() + kMicroSecond);
    longest = std::max(longest, star.device->queue_bytes(0));
  }
  star.run();
  for (std::uint32_t flow = 1; flow <= 29; ++flow) {
    EXPECT_LT(star.received_at(flow), start + kPacket * 580 + kRtt * 4) << flow;
  }
  EXPECT_LT(star.received_at(0) * 100, (kAsking + kPacket * 4580) * 102 + kRtt * 200);
  EXPECT_EQ(star.drops(), 0u);
  EXPECT_LT(longest, 1064 * 26 * 5) << "round trips' worth";
}

// The flows of one host are sent one after the other, too. A flow that its own NIC pauses sends no
// requests.
TEST(Pdq, AHostSendsItsMostCriticalFlow) {
  Star star(4);
  std::vector<std::uint32_t> asked(3);
  star.lose([&](const Packet& packet) {
    if (packet.kind == PacketKind::kRequest && star.scheduler.now() < kPacket * 900) {
      ++asked[packet.flow];
    }
    return false;
  });
  star.send(0, 1, kPayload * 3000);
  star.send(0, 2, kPayload * 1000);
  star.send(0, 3, kPayload * 2000);
  star.run();
  EXPECT_LT(star.received_at(1) * 100, kPacket * 101'000 + kRtt * 300);
  EXPECT_LT(star.received_at(2) * 100, kPacket * 303'000 + kRtt * 300);
  EXPECT_LT(star.received_at(0) * 100, kPacket * 606'000 + kRtt * 300);
  EXPECT_EQ(asked[2], 0u);
  EXPECT_GT(asked[1], 20u) << "it sends, and hears from all ports each round trip";
}

// The host of a paused flow sends to another host meanwhile, until the other flow has less data
// left.
TEST(Pdq, WhatPausesLeavesItsHostToOthers) {
  Star star(4);
  star.send(1, 0, kPayload * 2000);
  star.send(2, 0, kPayload * 3000);
  star.send(2, 3, kPayload * 4000);
  star.run();
  EXPECT_LT(star.received_at(0) * 100, kPacket * 202'000 + kRtt * 800);
  EXPECT_LT(star.received_at(2) * 100, kPacket * 404'000 + kRtt * 800);
  EXPECT_LT(star.received_at(1) * 100, kPacket * 707'000 + kRtt * 800);
}

// All replies are lost for a while. The sender repeats its request at growing intervals, and the
// next reply lets it continue.
TEST(Pdq, WhoIsNotAnsweredAsksAgain) {
  Star star(2);
  star.send(0, 1, kPayload * 400);
  const PicoSeconds to = kMilliSecond * 16;
  star.lose([&](const Packet& packet) {
    return star.scheduler.now() < to && packet.kind == PacketKind::kCredit;
  });
  star.scheduler.run_until(to);
  EXPECT_EQ(star.ledger[0].received_bytes, 0);
  // Probes follow after 1 ms, 2 ms and so on. The fifth interval ends after 31 ms.
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 4u);
  star.run();
}

// All packets are lost for a while. After the first timeout the sender sends probes only.
TEST(Pdq, WhoHearsNothingStopsSending) {
  Star star(2);
  star.send(0, 1, kPayload * 20'000);
  const PicoSeconds from = kMilliSecond, to = kMilliSecond * 20;
  std::uint64_t data = 0;
  star.lose([&](const Packet& packet) {
    const PicoSeconds now = star.scheduler.now();
    if (now > from + kMilliSecond * 2 && now < to && packet.kind == PacketKind::kData) ++data;
    return now > from && now < to;
  });
  star.scheduler.run_until(to);
  EXPECT_EQ(data, 0u);
  star.run();
}

// A flow changes its path, and no port on the new path knows the flow that paused this one. The
// sender must send a new request instead of sending data past all ports.
TEST(Pdq, WhoWasPausedByAPortThatIsGoneAsksAnew) {
  Star star(3);
  constexpr std::uint64_t kGone = 12345;
  star.send(0, 2, kPayload * 2000);
  std::uint64_t waiting = 0;
  bool told = false;
  star.lose([&](const Packet& packet) {
    if (packet.telemetry == nullptr) return false;
    SchedulingHeader header = SchedulingHeaderOn::read(packet);
    if (packet.kind == PacketKind::kData) {
      EXPECT_EQ(header.paused_by, 0u);
    } else if (packet.kind == PacketKind::kRequest) {
      waiting += header.paused_by == kGone ? 1 : 0;
    } else if (!told) {
      told = true;
      header.paused_by = kGone;
      header.rate = {};
      SchedulingHeaderOn::write(const_cast<Packet&>(packet), header);
    }
    return false;
  });
  star.run();
  EXPECT_EQ(waiting, 2u) << "one probe, on two wires";
}

TEST(Pdq, MoreWorkOnARestingQueuePairIsAskedForAnew) {
  Star star(2);
  star.send(0, 1, kPayload * 3);
  star.scheduler.run_until(kMicroSecond * 200);
  ASSERT_EQ(star.done.size(), 1u);
  star.post(0, 0, kPayload * 3, 7);
  star.scheduler.run_until(kMicroSecond * 400);
  ASSERT_EQ(star.done.size(), 2u);
  EXPECT_EQ(star.received_at(0), kMicroSecond * 200 + kAsking + kHeader + kPacket * 2 + kThere);
}

TEST(Pdq, AFlowThatIsStoppedMakesWayAtOnce) {
  Star star(3);
  star.send(0, 2, kPayload * 4000);
  star.send(1, 2, kPayload * 8000);
  star.scheduler.run_until(kMilliSecond);
  star.nics[0]->transmitter().stop(0);
  const Bytes other = star.ledger[1].received_bytes;
  star.scheduler.run_until(kMilliSecond + kRtt * 4);
  const Bytes received = star.ledger[0].received_bytes;
  EXPECT_GT(received, kPayload * 1050);
  EXPECT_GT(star.ledger[1].received_bytes, other + kPayload * 26) << "the other sends";
  star.scheduler.run_until(kSecond);
  EXPECT_EQ(star.ledger[0].received_bytes, received);
  EXPECT_EQ(star.ledger[0].acked_bytes, received);
  EXPECT_EQ(star.ledger[1].acked_bytes, kPayload * 8000);
  EXPECT_EQ(star.pool.in_use(), 0);
}

}  // namespace
}  // namespace dcc::pdq_test
