// Tests D3 against values calculated by hand, on one switch of 10 Gb/s. A packet of 4096 bytes
// occupies a link for 3.328 us, a packet without payload for 51.2 ns, and each link adds 1 us.
#include "schemes/d3/d3.h"

#include <gtest/gtest.h>

#include "schemes/d3/explicit_rate.h"
#include "unit/schemes/transport_network.h"

namespace dcc::d3_test {
namespace {

using test::TransportStar;

constexpr PicoSeconds kPacket{3'328'000};
constexpr PicoSeconds kHeader{51'200};
constexpr PicoSeconds kWire = kMicroSecond;
constexpr Bytes kPayload = 4096;
const PicoSeconds kThere = (kPacket + kWire) * 2;
const PicoSeconds kAsking = (kHeader + kWire) * 4;

struct Star : TransportStar {
  explicit Star(HostId hosts) : TransportStar(hosts, d3(), {}, {10_Gbps, kMicroSecond, 0}, 4096) {}
  static TransportChoice d3() {
    TransportChoice choice;
    choice.choose("d3");
    return choice;
  }
  std::uint64_t drops() const { return device->totals().dropped; }
};

// The first request and its reply take a round trip. Later requests and replies travel with data
// and ACKs.
TEST(D3, OneSenderAsksAndThenFillsTheWire) {
  Star star(2);
  star.send(0, 1, kPayload * 100);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kAsking + kPacket * 99 + kThere);
  EXPECT_EQ(star.sum_of(&NicCounters::retransmits), 0u);
  star.expect_all_arrived();
}

// Two flows without deadlines share the link, and both complete with the last packets.
TEST(D3, FlowsWithoutDeadlineShareAlike) {
  Star star(3);
  star.send(0, 2, kPayload * 200);
  star.send(1, 2, kPayload * 200);
  star.scheduler.run_until(kMilliSecond * 2);
  star.expect_all_arrived();
  const double apart = to_seconds(star.received_at(1) - star.received_at(0));
  EXPECT_NEAR(apart, 0, 50e-6) << "the second got nothing for some round trips";
  EXPECT_LT(star.received_at(1) * 100, (kAsking + kPacket * 399 + kThere) * 103);
  EXPECT_EQ(star.drops(), 0u);
}

// A flow of 1 MB with a deadline of 2 ms needs 4 Gb/s. Eight other flows would take 9/10 of the
// link.
TEST(D3, ADeadlineThatCanBeMetIsMetInACrowd) {
  Star star(10);
  for (HostId h = 1; h <= 8; ++h) star.send(h, 0, kPayload * 500);
  star.scheduler.run_until(kMicroSecond * 200);
  const PicoSeconds deadline = star.scheduler.now() + kMilliSecond * 2;
  const std::uint32_t urgent = star.send(9, 0, 1'000'000, deadline);
  star.scheduler.run_until(kSecond);
  star.expect_all_arrived();
  EXPECT_LE(star.received_at(urgent), deadline);
  EXPECT_GE(star.received_at(urgent), deadline - kMicroSecond * 600) << "and not much sooner";
  EXPECT_EQ(star.drops(), 0u);
}

// Each of two flows needs 6 Gb/s. The flow whose request came first meets its deadline, although
// the other flow's deadline is earlier.
TEST(D3, WhoAsksFirstIsServedFirst) {
  Star star(3);
  const PicoSeconds late = kMilliSecond * 4;
  star.send(1, 0, 2'900'000, late);
  star.scheduler.run_until(kMicroSecond * 50);
  const PicoSeconds soon = kMilliSecond * 2;
  star.send(2, 0, 1'400'000, soon);
  star.scheduler.run_until(kSecond);
  star.expect_all_arrived();
  EXPECT_LE(star.received_at(0), late);
  EXPECT_GT(star.received_at(1), soon);
}

TEST(D3, ACrowdIsServedWithoutALossAndWithAShortQueue) {
  Star star(17);
  for (HostId h = 1; h <= 16; ++h) star.send(h, 0, kPayload * 100);
  Bytes longest = 0;
  for (int i = 1; i < 6000; ++i) {
    star.scheduler.run_until(kMicroSecond * i);
    longest = std::max(longest, star.device->queue_bytes(0));
  }
  star.expect_all_arrived();
  EXPECT_EQ(star.drops(), 0u);
  EXPECT_LT(longest, 4160 * 24)
      << "each flow's first packet, and what changes hands in a round trip";
  PicoSeconds last{};
  for (std::uint32_t flow = 0; flow < 16; ++flow) last = std::max(last, star.received_at(flow));
  EXPECT_LT(last * 100, (kAsking + kPacket * 1600 + kThere) * 108);
}

// Each of 45 flows sends a request per round trip, which together would need more than 1 Gb/s.
TEST(D3, RequestsLeaveTheLinkToData) {
  TransportStar star(10, Star::d3(), {}, {1_Gbps, kMicroSecond, 20}, 1000);
  for (int round = 0; round < 5; ++round) {
    for (HostId h = 1; h <= 9; ++h) star.send(h, 0, 20'000);
  }
  star.scheduler.run_until(kMilliSecond * 25);  // the link needs 7.9 ms for the flows
  star.expect_all_arrived();
}

// Round trips take 0.8 ms, while a port's control interval is 0.1 ms.
TEST(D3, GrantsLastAcrossALongWay) {
  TransportStar star(3, Star::d3(), {}, {10_Gbps, kMicroSecond * 200, 20}, 1000);
  star.send(1, 0, 1'000'000);
  star.send(2, 0, 1'000'000);
  star.scheduler.run_until(kMilliSecond * 20);
  star.expect_all_arrived();
}

// All replies are lost for a while. The leases expire, the senders stop, and the next reply lets
// them continue.
TEST(D3, WhoIsNotAnsweredSendsNothingAndAsksAgain) {
  Star star(2);
  star.send(0, 1, kPayload * 400);
  const PicoSeconds from = kMicroSecond * 100, to = kMilliSecond;
  star.lose([&](const Packet& packet) {
    return star.scheduler.now() > from && star.scheduler.now() < to &&
           packet.telemetry != nullptr && packet.kind != PacketKind::kData;
  });
  star.scheduler.run_until(kMicroSecond * 320);  // a lease expires after two intervals of 100 us
  const Bytes received = star.ledger[0].received_bytes;
  EXPECT_LT(received, kPayload * 100);
  star.scheduler.run_until(to);
  EXPECT_EQ(star.ledger[0].received_bytes, received);
  star.scheduler.run_until(kSecond);
  star.expect_all_arrived();
}

TEST(D3, MoreWorkOnARestingQueuePairIsAskedForAnew) {
  Star star(2);
  star.send(0, 1, kPayload * 3);
  star.scheduler.run_until(kMicroSecond * 200);
  ASSERT_EQ(star.done.size(), 1u);
  star.post(0, 0, kPayload * 3, 7);
  star.scheduler.run_until(kMicroSecond * 400);
  ASSERT_EQ(star.done.size(), 2u);
  EXPECT_EQ(star.received_at(0), kMicroSecond * 200 + kAsking + kPacket * 2 + kThere);
}

}  // namespace
}  // namespace dcc::d3_test
