// Tests Homa on one switch of 10 Gb/s against values calculated by hand. 1500 bytes occupy a link
// for 1.2 us, a packet without payload (40 bytes) for 32 ns, and each link adds 0.2 us. RTTbytes
// are seven packets.
#include "schemes/homa/homa.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "describe/parameter_error.h"
#include "unit/schemes/transport_network.h"

namespace dcc::homa_test {
namespace {

using test::TransportStar;

constexpr PicoSeconds kPacket{1'200'000};
constexpr PicoSeconds kControl{32'000};
constexpr PicoSeconds kWire{200'000};
const PicoSeconds kThere = (kPacket + kWire) * 2;
const PicoSeconds kBack = (kControl + kWire) * 2;
constexpr Bytes kPayload = 1460;
constexpr unsigned kWindow = 7;

TransportChoice homa(unsigned overcommitment, std::vector<unsigned> cutoffs, Bytes rtt_bytes) {
  TransportChoice choice;
  choice.choose("homa");
  auto& p = choice.of<HomaParameters>("homa");
  p.framing = {40, 40};
  p.rtt_bytes = rtt_bytes;
  p.overcommitment = overcommitment;
  p.cutoffs = std::move(cutoffs);
  p.timeout = kMilliSecond;
  return choice;
}

SwitchParameters strict() {
  SwitchParameters switches;
  switches.scheduler.kind = EgressSchedulerParameters::Kind::kStrict;
  return switches;
}

struct Star : TransportStar {
  explicit Star(HostId hosts, unsigned overcommitment = 4, std::vector<unsigned> cutoffs = {},
                Bytes rtt_bytes = 10'000, AckMode ack = AckMode::kPerPacket)
      : TransportStar(hosts, homa(overcommitment, std::move(cutoffs), rtt_bytes), strict(),
                      {BitRate(10'000'000'000), PicoSeconds(200'000), 0}, kPayload, 256, ack) {}
};

TEST(Homa, WhatFitsRttBytesNeedsNobody) {
  Star star(2);
  star.send(0, 1, 3 * kPayload);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kThere + kPacket * 2);
  EXPECT_EQ(star.done.at(0).when, kThere + kPacket * 2 + kBack);
  EXPECT_EQ(star.counters().credits_sent, 0u);
  star.expect_all_arrived();
}

TEST(Homa, GrantsKeepTheWireFull) {
  Star star(2);
  star.send(0, 1, 100 * kPayload);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kThere + kPacket * 99);
  EXPECT_EQ(star.counters().credits_sent, 100u - kWindow);
  EXPECT_EQ(star.counters().credits_used, 100u - kWindow);
  star.expect_all_arrived();
}

TEST(Homa, RttBytesOfAPacketAreARoundTripAPacket) {
  Star star(2, 4, {}, 1);
  star.send(0, 1, 30 * kPayload);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kThere + (kThere + kBack) * 29);
  star.expect_all_arrived();
}

// With one grant at a time, the receiver grants all of the shorter message before it grants more of
// the longer one.
TEST(Homa, TheMessageWithLeastToGrantIsGrantedFirst) {
  Star star(3, 1);
  star.send(1, 0, 100 * kPayload);
  star.send(2, 0, 50 * kPayload);
  star.scheduler.run_until(kPacket * 50);
  // The first packet of the long message arrived before the receiver knew the short message, so it
  // got a grant.
  EXPECT_EQ(star.ledger[0].received_bytes, (kWindow + 1) * kPayload);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_LE(star.received_at(1), kThere + kPacket * (50 + kWindow));
  // The receiver's link is idle only for a moment, when the second message gets its first grant.
  EXPECT_LE(star.received_at(0), kThere + kPacket * 149 + kThere + kBack);
  star.expect_all_arrived();
}

TEST(Homa, NoMoreMessagesAreGrantedThanTheOvercommitmentAndOneOfASender) {
  Star star(6, 3);
  std::map<std::uint32_t, Psn> granted;
  star.lose([&](const Packet& packet) {
    if (packet.kind == PacketKind::kCredit) granted[packet.flow] = packet.psn;
    return false;
  });
  for (HostId h = 1; h <= 5; ++h) star.send(h, 0, (100 + h) * kPayload);
  // a shorter message of the same sender
  const std::uint32_t second = star.send(1, 0, 90 * kPayload);
  star.scheduler.run_until(kPacket * 60);
  EXPECT_GT(granted[second], kWindow + 1);
  EXPECT_GT(granted[1], kWindow + 1);
  EXPECT_GT(granted[2], kWindow + 1);
  EXPECT_EQ(granted[0], kWindow + 1) << "one, before its sender's other message was known";
  EXPECT_EQ(granted.size(), 4u);
  star.scheduler.run_until(kMilliSecond * 5);
  EXPECT_EQ(granted.size(), 6u);
  star.expect_all_arrived();
}

// Two messages have grants. Of the two lowest priorities the shorter message gets the higher one.
TEST(Homa, GrantsNameTheLowestPrioritiesThatItTakes) {
  Star star(3, 4);
  std::map<std::uint32_t, std::set<unsigned>> named, sent;
  star.lose([&](const Packet& packet) {
    if (packet.kind == PacketKind::kCredit) named[packet.flow].insert(packet.scheme & 0xFF);
    if (packet.kind == PacketKind::kData) sent[packet.flow].insert(packet.priority);
    return false;
  });
  star.send(1, 0, 200 * kPayload);
  star.send(2, 0, 60 * kPayload);
  star.scheduler.run_until(kPacket * 40);
  EXPECT_EQ(named[0], std::set<unsigned>{0});
  EXPECT_EQ(named[1], std::set<unsigned>{1});
  EXPECT_EQ(sent[0], (std::set<unsigned>{0, 7}));
  EXPECT_EQ(sent[1], (std::set<unsigned>{1, 7}));
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(named[0], std::set<unsigned>{0}) << "alone it has the lowest";
  star.expect_all_arrived();
}

TEST(Homa, UnaskedBytesHaveThePriorityOfTheirMessage) {
  Star star(2, 4, {1000, 5000, 20'000});
  std::map<std::uint32_t, std::set<unsigned>> sent;
  star.lose([&](const Packet& packet) {
    if (packet.kind == PacketKind::kData) sent[packet.flow].insert(packet.priority);
    return false;
  });
  for (const Bytes bytes : {1000, 1001, 5000, 20'000, 20'001}) {
    star.send(0, 1, bytes);
    star.scheduler.run_until(star.scheduler.now() + kMilliSecond);
  }
  EXPECT_EQ(sent[0], std::set<unsigned>{7});
  EXPECT_EQ(sent[1], std::set<unsigned>{6});
  EXPECT_EQ(sent[2], std::set<unsigned>{6});
  EXPECT_EQ(sent[3], (std::set<unsigned>{5, 0}));
  EXPECT_EQ(sent[4], (std::set<unsigned>{4, 0}));
  star.expect_all_arrived();
}

TEST(Homa, AtTheSenderTheMessageWithLeastLeftGoesFirst) {
  Star star(3);
  star.send(0, 1, 100 * kPayload);
  star.scheduler.run_until(kMicroSecond * 24);
  star.send(0, 2, 3 * kPayload);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_LE(star.received_at(1), kMicroSecond * 24 + kPacket * 4 + kThere);
  star.expect_all_arrived();
}

TEST(Homa, AGapIsAskedForAfterTheTimeout) {
  Star star(2);
  int lost = 0;
  star.lose([&](const Packet& packet) {
    return packet.kind == PacketKind::kData && packet.psn >= 20 && packet.psn < 23 && ++lost <= 3;
  });
  star.send(0, 1, 40 * kPayload);
  star.scheduler.run_until(kMicroSecond * 900);
  EXPECT_EQ(star.ledger[0].received_bytes, 37 * kPayload);
  star.scheduler.run_until(kMilliSecond * 4);
  EXPECT_EQ(star.sum_of(&NicCounters::retransmits), 3u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 1u);
  const PicoSeconds last_heard = kThere + kPacket * 39;
  EXPECT_EQ(star.received_at(0), last_heard + kMilliSecond + kBack + kThere + kPacket * 2);
  star.expect_all_arrived();
}

// The message of flow 0 waits in the switch until its receiver requests a resend. The message
// arrives before its sender, which is busy with a shorter message, answers that request.
TEST(Homa, WhatHasArrivedSinceIsNotSentAgain) {
  Star star(5, 4, {300'000}, 500'000);
  bool whole = false;
  std::uint64_t again = 0;  // number of packets sent again before the sender learned of the arrival
  star.lose([&](const Packet& packet) {
    if (packet.flow == 0 && packet.kind == PacketKind::kAck && !whole) {
      whole = true;
      again = star.sum_of(&NicCounters::retransmits);
    }
    return false;
  });
  star.send(1, 0, 400'000);
  for (int i = 0; i < 5; ++i) {
    star.scheduler.run_until(kMicroSecond * (50 + 200 * i));
    star.send(2, 0, 250'000);
  }
  star.scheduler.run_until(kMicroSecond * 1030);
  star.send(1, 3, 250'000);
  star.scheduler.run_until(kMilliSecond * 20);
  EXPECT_GT(again, 0u);
  EXPECT_LE(star.sum_of(&NicCounters::retransmits), again + 2) << "while the ACK was on its way";
  star.expect_all_arrived();
}

TEST(Homa, AMessageThatNobodyHeardOfIsSentAgain) {
  Star star(2);
  int lost = 0;
  star.lose([&](const Packet& packet) { return packet.kind == PacketKind::kData && ++lost <= 7; });
  star.send(0, 1, 7 * kPayload);
  star.scheduler.run_until(kMilliSecond * 9);
  EXPECT_EQ(star.ledger[0].received_bytes, 0);
  star.scheduler.run_until(kMilliSecond * 40);
  EXPECT_EQ(star.sum_of(&NicCounters::retransmits), 7u);
  star.expect_all_arrived();
}

TEST(Homa, MessagesOfAQueuePairFollowEachOther) {
  Star star(2);
  star.send(0, 1, 20 * kPayload);
  star.post(0, 0, 30 * kPayload, 1);
  star.post(0, 0, 100, 2);
  star.scheduler.run_until(kMilliSecond);
  ASSERT_EQ(star.done.size(), 3u);
  for (std::uint64_t id = 0; id < 3; ++id) EXPECT_EQ(star.done[id].id, id);
  EXPECT_EQ(star.ledger[0].received_bytes, 50 * kPayload + 100);
  EXPECT_EQ(star.received_at(0), kThere + kPacket * 49 + PicoSeconds(112'000))
      << "the last message, of 140 bytes on the wire, behind the others without a gap";
  EXPECT_EQ(star.pool.in_use(), 0);
}

TEST(Homa, AFlowWithoutEndFillsTheWire) {
  Star star(2);
  star.send(0, 1, Bytes{1} << 50);
  star.scheduler.run_until(kMilliSecond * 10);
  EXPECT_EQ(star.ledger[0].received_bytes,
            (kMilliSecond * 10 - kThere + kPacket) / kPacket * kPayload);
}

TEST(Homa, AFlowThatIsStoppedEnds) {
  Star star(2);
  star.send(0, 1, 1000 * kPayload);
  star.scheduler.run_until(kMicroSecond * 500);
  star.nics[0]->transmitter().stop(0);
  star.scheduler.run_until(kMicroSecond * 600);
  const Bytes received = star.ledger[0].received_bytes;
  EXPECT_GT(received, 400 * kPayload);
  star.scheduler.run_until(kMilliSecond * 20);
  EXPECT_EQ(star.ledger[0].received_bytes, received);
  EXPECT_EQ(star.ledger[0].acked_bytes, received);
  EXPECT_EQ(star.done.size(), 1u);
  EXPECT_EQ(star.pool.in_use(), 0);
  EXPECT_GT(star.counters().credits_unused, 0u);
}

TEST(Homa, WithoutAcknowledgementsAMessageEndsWhenItHasLeft) {
  Star star(2, 4, {}, 10'000, AckMode::kNone);
  std::uint64_t acks = 0;
  star.lose([&](const Packet& packet) {
    acks += packet.kind == PacketKind::kAck ? 1 : 0;
    return false;
  });
  star.send(0, 1, 20 * kPayload);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.done.at(0).when, kPacket * 19);
  EXPECT_EQ(star.ledger[0].received_bytes, 20 * kPayload);
  EXPECT_EQ(acks, 0u);
  EXPECT_EQ(star.pool.in_use(), 0);
}

TEST(Homa, RefusesMorePrioritiesThanThereAre) {
  HomaParameters parameters;
  parameters.overcommitment = 5;
  parameters.cutoffs = {100, 200};
  EXPECT_NO_THROW(parameters.check());
  parameters.cutoffs = {100, 200, 300};
  EXPECT_THROW(parameters.check(), ParameterError);
  parameters.cutoffs = {200, 100};
  EXPECT_THROW(parameters.check(), ParameterError);
}

class HomaLosses : public testing::TestWithParam<std::uint64_t> {};

// The link loses a twentieth of the packets of every kind.
TEST_P(HomaLosses, EveryByteArrivesOnceAllTheSame) {
  Star star(12, 3, {2000});
  RandomStream random(GetParam(), "losses");
  std::array<std::uint64_t, kPacketKinds> lost{};
  star.lose([&](const Packet& packet) {
    if (!random.chance((std::uint64_t{1} << 32) / 20)) return false;
    ++lost.at(static_cast<std::size_t>(packet.kind));
    return true;
  });
  for (int round = 0; round < 3; ++round) {
    for (HostId h = 1; h < 12; ++h) {
      star.send(h, h % 2, 1 + kPayload * static_cast<Bytes>(20 + h));
    }
    for (HostId h = 2; h < 12; ++h) star.send(0, h, 700);
  }
  star.scheduler.run_until(kMilliSecond * 1000);
  star.expect_all_arrived();
  for (const PacketKind kind :
       {PacketKind::kData, PacketKind::kCredit, PacketKind::kAck, PacketKind::kRequest}) {
    EXPECT_GT(lost.at(static_cast<std::size_t>(kind)), 0u) << static_cast<int>(kind);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, HomaLosses, testing::Values(1, 2, 3, 4, 5));

// Without losses the sender uses every grant.
TEST(Homa, GrantsAreConserved) {
  Star star(10, 2);
  for (HostId h = 1; h < 10; ++h) {
    star.send(h, 0, kPayload * static_cast<Bytes>(10 * h));
    star.send(0, h, kPayload * static_cast<Bytes>(5 * h) + 1);
  }
  star.scheduler.run_until(kMilliSecond * 20);
  star.expect_all_arrived();
  std::uint64_t beyond = 0;
  for (std::uint64_t h = 1; h < 10; ++h) beyond += 10 * h - kWindow;
  // the message of h = 1 has six packets and needs no grant
  for (std::uint64_t h = 2; h < 10; ++h) beyond += 5 * h + 1 - kWindow;
  EXPECT_EQ(star.counters().credits_sent, beyond);
  EXPECT_EQ(star.counters().credits_used, beyond);
  EXPECT_EQ(star.counters().credits_unused, 0u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  EXPECT_EQ(star.device->totals().dropped, 0u);
}

}  // namespace
}  // namespace dcc::homa_test
