// Tests NDP on one switch of 10 Gb/s against values calculated by hand. A packet of 9000 bytes
// occupies a link for 7.2512 us, a packet without payload for 51.2 ns, and each link adds 1 us.
#include "schemes/ndp/ndp.h"

#include <gtest/gtest.h>

#include "schemes/ndp/trimming.h"
#include "unit/schemes/transport_network.h"

namespace dcc::ndp_test {
namespace {

using test::TransportStar;

constexpr PicoSeconds kPacket{7'251'200};
constexpr PicoSeconds kHeader{51'200};
constexpr PicoSeconds kWire = kMicroSecond;
// Time of a data packet over two links, and of a packet without payload back over two links.
const PicoSeconds kThere = (kPacket + kWire) * 2;
const PicoSeconds kBack = (kHeader + kWire) * 2;

TransportChoice ndp(unsigned window) {
  TransportChoice choice;
  choice.choose("ndp");
  choice.of<NdpParameters>("ndp").initial_window = window;
  return choice;
}

struct Star : TransportStar {
  explicit Star(HostId hosts, unsigned window = 23, SwitchParameters switches = {})
      : TransportStar(hosts, ndp(window), switches, {BitRate(10'000'000'000), kMicroSecond, 0},
                      9000) {}
};

TEST(Ndp, OneSenderFillsTheWire) {
  Star star(2);
  star.send(0, 1, 450'000);
  star.scheduler.run_until(kMilliSecond * 10);
  EXPECT_EQ(star.received_at(0), kThere + kPacket * 49);
  EXPECT_EQ(star.done.at(0).when, kThere + kPacket * 49 + kBack);
  EXPECT_EQ(star.sum_of(&NicCounters::retransmits), 0u);
  star.expect_all_arrived();
}

TEST(Ndp, AWindowOfOneIsARoundTripAPacket) {
  Star star(2, 1);
  star.send(0, 1, 270'000);
  star.scheduler.run_until(kMilliSecond * 10);
  EXPECT_EQ(star.received_at(0), kThere + (kThere + kBack) * 29);
  star.expect_all_arrived();
  // The first packet needs no PULL, and after the last packet has arrived the receiver sends none.
  EXPECT_EQ(star.counters().credits_sent, 29u);
  EXPECT_EQ(star.counters().credits_used, 29u);
}

// Ten senders send one packet each. Eight packets wait, two are trimmed, pulled and sent again.
// Their headers, NACKs and PULLs pass while data drains. The port is therefore never idle, and the
// last byte arrives as if one sender had sent all.
TEST(Ndp, WhatIsTrimmedIsPulledBeforeThePortRunsDry) {
  Star star(16);
  for (HostId h = 1; h <= 15; ++h) star.send(h, 0, 9000);
  star.scheduler.run_until(kMilliSecond);  // a run of one timeout
  star.expect_all_arrived();
  const SwitchCounters totals = star.device->totals();
  EXPECT_EQ(totals.trimmed, 6u) << "one passes, eight wait";
  EXPECT_EQ(totals.trimmed_bytes, 6u * 9000u);
  EXPECT_EQ(totals.dropped, 0u);
  EXPECT_EQ(star.sum_of(&NicCounters::retransmits), 6u);
  EXPECT_EQ(star.sum_of(&NicCounters::naks_sent), 6u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  PicoSeconds last{};
  for (std::uint32_t flow = 0; flow < 15; ++flow) last = std::max(last, star.received_at(flow));
  EXPECT_EQ(last, kThere + kPacket * 14 + kHeader * 6) << "15 packets and 6 headers, no gap";
}

TEST(Ndp, PullsOfAllFlowsTakeTurns) {
  Star star(9);
  for (HostId h = 1; h <= 8; ++h) star.send(h, 0, 9000 * 100);
  star.scheduler.run_until(kMilliSecond * 2);
  Bytes least = INT64_MAX, most = 0;
  for (std::uint32_t flow = 0; flow < 8; ++flow) {
    least = std::min(least, star.ledger[flow].received_bytes);
    most = std::max(most, star.ledger[flow].received_bytes);
  }
  // PULLs are fair. Of the initial windows one packet passes and eight wait in the queue, which may
  // belong to any flow.
  EXPECT_LE(most - least, 9000 * 9);
  EXPECT_GT(least, 9000 * 28) << "2 ms are 275 packets";
  star.scheduler.run_until(kMilliSecond * 20);
  star.expect_all_arrived();
  EXPECT_EQ(star.counters().credits_used + star.counters().credits_unused,
            star.counters().credits_sent)
      << "nothing was lost";
  PicoSeconds last{};
  for (std::uint32_t flow = 0; flow < 8; ++flow) last = std::max(last, star.received_at(flow));
  // Published incasts complete within 0.6 % of the time that the link needs.
  EXPECT_LT(last * 1000, (kPacket * 800 + kThere) * 1006);
}

// A round of PULLs takes 240 x 7.2 us, longer than the timeout of 1 ms, but no packet is lost.
TEST(Ndp, ASenderThatIsOwedAPullDoesNotTimeOut) {
  Star star(13);
  for (int round = 0; round < 20; ++round) {
    for (HostId h = 1; h <= 12; ++h) star.send(h, 0, 9000 * 25);
  }
  star.scheduler.run_until(kMilliSecond * 60);
  star.expect_all_arrived();
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  PicoSeconds last{};
  for (std::uint32_t flow = 0; flow < 240; ++flow) last = std::max(last, star.received_at(flow));
  // The headers of trimmed packets of the initial windows use the same link.
  EXPECT_LT(last * 1000, (kPacket * 240 * 25 + kHeader * 240 * 23 + kThere) * 1002);
}

// All PULLs of half a millisecond are lost. Every packet in flight has been answered, so no later
// answer can carry the PULL count.
TEST(Ndp, ALastPullThatIsLostIsRepeated) {
  Star star(3);
  int pulls = 0;
  star.lose([&](const Packet& packet) {
    if (star.scheduler.now() < kMicroSecond * 100 || star.scheduler.now() > kMicroSecond * 600) {
      return false;
    }
    const bool lost = packet.kind == PacketKind::kCredit;
    pulls += lost ? 1 : 0;
    return lost;
  });
  star.send(1, 0, 9000 * 100);
  star.send(2, 0, 9000 * 100);
  star.scheduler.run_until(kMilliSecond * 10);
  EXPECT_GT(pulls, 0);
  star.expect_all_arrived();
}

TEST(Ndp, HeadersThatFindNoRoomComeBack) {
  SwitchParameters switches;
  switches.discipline.of<TrimmingParameters>("trimming").header_queue = 64 * 3;
  switches.discipline.of<TrimmingParameters>("trimming").data_packets = 2;
  Star star(16, 23, switches);
  for (HostId h = 1; h <= 15; ++h) star.send(h, 0, 9000 * 5);
  star.scheduler.run_until(kMilliSecond * 50);
  EXPECT_GT(star.device->totals().returned, 0u);
  star.expect_all_arrived();
}

// The initial window of sixty packets leaves without PULLs, the other packets leave by PULLs, and
// one packet is sent twice. If most answers are ACKs the repeated packet needs no PULL. If no
// answer is an ACK it needs one.
TEST(Ndp, WhatComesBackAmongAcksGoesAgainUnasked) {
  for (const bool among_acks : {true, false}) {
    Star star(2);
    bool lost = false;
    const Psn which = among_acks ? 40 : 0;
    star.lose([&](const Packet& packet) {
      if (packet.kind != PacketKind::kData || packet.psn != which || lost) return false;
      return lost = true;
    });
    const std::uint32_t flow = star.send(0, 1, 9000 * 60);
    while (!lost) star.scheduler.run_until(star.scheduler.now() + kMicroSecond);
    Packet* const header = star.pool.allocate();
    header->kind = PacketKind::kReturned;
    header->psn = which;
    header->destination_qpn = flow;
    star.transports[0]->receive(header);
    star.scheduler.run_until(kMilliSecond * 20);
    star.expect_all_arrived();
    EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
    EXPECT_EQ(star.sum_of(&NicCounters::retransmits), 1u);
    EXPECT_EQ(star.counters().credits_used, among_acks ? 60u - 23 : 61u - 23);
  }
}

TEST(Ndp, MoreWorkOnTheSameQueuePairBeginsAgain) {
  Star star(2);
  star.send(0, 1, 9000 * 3);
  star.scheduler.run_until(kMicroSecond * 200);
  EXPECT_EQ(star.done.size(), 1u);
  star.post(0, 0, 9000 * 3, 7);
  star.scheduler.run_until(kMicroSecond * 400);
  ASSERT_EQ(star.done.size(), 2u);
  EXPECT_EQ(star.done[1].id, 7u);
  EXPECT_EQ(star.done[1].when, kMicroSecond * 200 + kThere + kPacket * 2 + kBack);
  EXPECT_EQ(star.ledger[0].received_bytes, 9000 * 6);
}

class NdpLosses : public testing::TestWithParam<std::uint64_t> {};

// Links lose a twentieth of the packets of every kind, while many senders cause trimming.
TEST_P(NdpLosses, EveryByteArrivesOnceAllTheSame) {
  SwitchParameters switches;
  switches.discipline.of<TrimmingParameters>("trimming").header_queue = 64 * 8;
  Star star(12, 10, switches);
  RandomStream random(GetParam(), "losses");
  std::array<std::uint64_t, kPacketKinds> lost{};
  star.lose([&](const Packet& packet) {
    if (!random.chance((std::uint64_t{1} << 32) / 20)) return false;
    ++lost.at(static_cast<std::size_t>(packet.kind));
    return true;
  });
  for (int round = 0; round < 3; ++round) {
    for (HostId h = 1; h < 12; ++h) star.send(h, h % 2, 1 + 9000 * static_cast<Bytes>(5 + h));
    for (HostId h = 2; h < 12; ++h) star.send(0, h, 4500);
  }
  star.scheduler.run_until(kMilliSecond * 200);
  star.expect_all_arrived();
  for (const PacketKind kind : {PacketKind::kData, PacketKind::kAck, PacketKind::kNak,
                                PacketKind::kTrimmed, PacketKind::kCredit}) {
    EXPECT_GT(lost.at(static_cast<std::size_t>(kind)), 0u) << static_cast<int>(kind);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, NdpLosses, testing::Values(1, 2, 3, 4, 5));

}  // namespace
}  // namespace dcc::ndp_test
