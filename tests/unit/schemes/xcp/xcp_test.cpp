// Tests XCP on one switch of 10 Gb/s. A packet of 1000 bytes occupies a link for 851.2 ns, a packet
// without payload for 51.2 ns, and each link adds 1 us.
#include "schemes/xcp/xcp.h"

#include <gtest/gtest.h>

#include "unit/schemes/transport_network.h"

namespace dcc::xcp_test {
namespace {

constexpr PicoSeconds kPacket{851'200};
constexpr PicoSeconds kWire = kMicroSecond;
constexpr Bytes kPayload = 1000;
const PicoSeconds kThere = (kPacket + kWire) * 2;

struct Star : test::TransportStar {
  explicit Star(HostId hosts)
      : TransportStar(hosts, xcp(), {}, {10_Gbps, kMicroSecond, 0}, kPayload) {}
  static TransportChoice xcp() {
    TransportChoice choice;
    choice.choose("xcp");
    return choice;
  }
  Bytes received(std::uint32_t flow) { return ledger[flow].received_bytes; }
};

// The spare capacity falls to 0.6 of its value in every second round trip. After 20 round trips
// (130 us) less than 1 % is spare, and until then the flow loses less than 6 round trips of the
// line rate.
TEST(Xcp, OneSenderFillsTheWire) {
  Star star(2);
  star.send(0, 1, kPayload * 2000);
  star.scheduler.run_until(kMilliSecond * 4);
  star.expect_all_arrived();
  const PicoSeconds ideal = kPacket * 1999 + kThere;
  EXPECT_GE(star.received_at(0), ideal);
  EXPECT_LT(star.received_at(0) * 100, ideal * 104);
}

TEST(Xcp, FlowsShareTheLinkEquallyAndTheQueueStaysEmpty) {
  Star star(5);
  for (HostId h = 1; h <= 4; ++h) star.send(h, 0, kPayload * 10'000);
  star.scheduler.run_until(kMilliSecond);
  Bytes before[4];
  for (std::uint32_t flow = 0; flow < 4; ++flow) before[flow] = star.received(flow);
  Bytes longest = 0;
  while (star.scheduler.now() < kMilliSecond * 3) {
    star.scheduler.run_until(star.scheduler.now() + kMicroSecond);
    longest = std::max(longest, star.device->queue_bytes(0));
  }
  // In 2 ms 1000 of 1064 bytes on the link are payload.
  const double ideal = 2.5e6 * 1000 / 1064;
  for (std::uint32_t flow = 0; flow < 4; ++flow) {
    EXPECT_NEAR(static_cast<double>(star.received(flow) - before[flow]) * 4 / ideal, 1, 0.05)
        << flow;
  }
  EXPECT_LT(longest, 12 * 1064);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
}

// A flow that joins a full link gets its share by shuffling: 1 − 0.9^n of the share after n round
// trips.
TEST(Xcp, WhoJoinsAFullLinkGetsItsShare) {
  Star star(3);
  star.send(1, 0, kPayload * 10'000);
  star.scheduler.run_until(kMilliSecond);
  star.send(2, 0, kPayload * 10'000);
  star.scheduler.run_until(kMilliSecond * 2);
  const Bytes first = star.received(0), second = star.received(1);
  star.scheduler.run_until(kMilliSecond * 3);
  EXPECT_NEAR(static_cast<double>(star.received(1) - second) /
                  static_cast<double>(star.received(0) - first),
              1, 0.08);
}

TEST(Xcp, LostPacketsAreSentAgain) {
  Star star(3);
  int count = 0;
  star.lose([&](const Packet&) { return ++count % 50 == 0; });
  star.send(1, 0, kPayload * 300);
  star.send(2, 0, kPayload * 300);
  star.scheduler.run_until(kSecond);
  star.expect_all_arrived();
}

// All packets in flight time out together when the switch loses everything for 20 us. The flow then
// has the link again as quickly as at first (OneSenderFillsTheWire), within 130 us. If answers to
// earlier packets cut the new window, it would be the shortest one, and it would stay so if the
// port took the gaps between packets for a pause.
TEST(Xcp, AFlowThatBeginsAnewFillsTheWireAgain) {
  Star star(2);
  star.lose([&](const Packet& packet) {
    return packet.kind == PacketKind::kData && star.scheduler.now() > kMicroSecond * 500 &&
           star.scheduler.now() < kMicroSecond * 520;
  });
  star.send(0, 1, kPayload * 10'000);
  star.scheduler.run_until(kMicroSecond * 1700);
  const Bytes before = star.received(0);
  star.scheduler.run_until(kMicroSecond * 2700);
  const double ideal = 1.25e6 * 1000 / 1064;
  EXPECT_GT(static_cast<double>(star.received(0) - before), 0.97 * ideal);
}

TEST(Xcp, ACrowdEndsWithoutALoss) {
  Star star(17);
  for (HostId h = 1; h <= 16; ++h) star.send(h, 0, kPayload * 400);
  star.scheduler.run_until(kMilliSecond * 10);
  star.expect_all_arrived();
  EXPECT_EQ(star.device->totals().dropped, 0u);
}

}  // namespace
}  // namespace dcc::xcp_test
