// Tests selective repeat of RoCE: which packets are retransmitted, and when.
#include "nic/recovery/selective_repeat.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "nic/nic_device.h"
#include "unit/nic/nic_pair_test.h"

namespace dcc {
namespace {

class SelectivePair : public test::PairTest {
 public:
  void build_selective(unsigned window = 256) {
    parameters.recovery.kind = RecoveryParameters::Kind::kSelectiveRepeat;
    parameters.recovery.reorder_window = window;
    build();
  }
  /// Loses the first transmission of each packet in `numbers`.
  void lose_once(std::set<Psn> numbers) {
    on_wire = [this, numbers](Packet& packet) {
      if (packet.kind != PacketKind::kData) return true;
      return ++sendings[packet.psn] > 1 || numbers.count(packet.psn) == 0;
    };
  }
  std::map<Psn, int> sendings;
};

TEST_F(SelectivePair, OnlyTheLostPacketsGoOutAgain) {
  build_selective();
  lose_once({3, 4, 17, 40});
  post(100'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(delivered_bytes, 100'000);
  EXPECT_EQ(nic[0]->counters().retransmits, 4u);
  EXPECT_EQ(nic[0]->counters().timeouts, 0u);
  for (const auto& [psn, times] : sendings) {
    EXPECT_EQ(times, psn == 3 || psn == 4 || psn == 17 || psn == 40 ? 2 : 1) << psn;
  }
  EXPECT_EQ(pool.in_use(), 0);
}

// Go-back-N retransmits all packets in flight after the same loss.
TEST_F(SelectivePair, RepeatsLessThanGoBackN) {
  build();
  lose_once({3, 4, 17, 40});
  post(100'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_GT(nic[0]->counters().retransmits, 8u);
}

TEST_F(SelectivePair, APacketLostTwiceWaitsForTheTimeout) {
  parameters.recovery.timeout = kMicroSecond * 100;
  build_selective();
  on_wire = [this](Packet& packet) {
    if (packet.kind != PacketKind::kData) return true;
    return ++sendings[packet.psn] > 2 || packet.psn != 5;
  };
  post(30'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_GT(done[0].when, kMicroSecond * 100);
  EXPECT_EQ(nic[0]->counters().timeouts, 1u);
  EXPECT_EQ(nic[0]->counters().retransmits, 2u);
}

// The receiver acknowledges packets 6 to 27 when packet 5 arrives at last, 100 us after they were
// sent. The sender must not take this time for a round trip, so the next timeout is as long as the
// first.
TEST_F(SelectivePair, ATimeoutDoesNotLengthenTheNextOne) {
  parameters.recovery.timeout = kMicroSecond * 100;
  build_selective();
  on_wire = [this](Packet& packet) {
    if (packet.kind != PacketKind::kData) return true;
    ++sendings[packet.psn];
    return sendings[packet.psn] > (packet.psn == 5 ? 2 : packet.psn == 28 ? 3 : 0);
  };
  post(30'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(nic[0]->counters().timeouts, 2u);
  EXPECT_GT(done[0].when, kMicroSecond * 200);
  EXPECT_LT(done[0].when, kMicroSecond * 220);
}

// The sender knows from NAKs that the receiver has packets 6 to 29. Packet 5 arrives as well and is
// acknowledged. All other ACKs are lost, and no further ACK would come by itself.
TEST_F(SelectivePair, LostAcknowledgementsOfPacketsThatAreKnownToHaveArrived) {
  parameters.recovery.timeout = kMicroSecond * 100;
  build_selective();
  int lost = 0;
  on_wire = [this, &lost](Packet& packet) {
    if (packet.kind == PacketKind::kAck) return packet.psn <= 5 || ++lost > 24;
    return packet.kind != PacketKind::kData || ++sendings[packet.psn] > 1 || packet.psn != 5;
  };
  post(30'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(lost, 25);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(nic[0]->counters().timeouts, 1u);
  EXPECT_EQ(nic[0]->counters().retransmits, 2u);
}

using Kind = RecoveryParameters::Kind;

/// The packets that a pair of NICs sends to deliver 100 packets, some of which are lost at their
/// first transmission.
struct Ends final : SelectivePair {
  Ends(Kind sender, Kind receiver, unsigned window = 256, std::set<Psn> lost = {3, 4, 17, 40}) {
    const auto recovery = [window](Kind kind) {
      RecoveryParameters to;
      to.kind = kind;
      to.reorder_window = to.is_selective() ? window : 0;
      return to;
    };
    parameters.recovery = recovery(sender);
    recovery_of_second = recovery(receiver);
    peers.going_back = {sender != Kind::kSelectiveRepeat, receiver != Kind::kSelectiveRepeat};
    peers_of_both = &peers;
    build();
    lose_once(std::move(lost));
    post(100'000);
    scheduler.run_until(kMilliSecond);
    EXPECT_EQ(delivered_bytes, 100'000);
    EXPECT_EQ(pool.in_use(), 0);
  }
  void TestBody() override {}
  std::vector<Psn> sent() const {
    std::vector<Psn> numbers;
    for (const Packet& packet : seen) {
      if (packet.kind == PacketKind::kData) numbers.push_back(packet.psn);
    }
    return numbers;
  }
  PicoSeconds end() const { return done.at(0).when; }
  int naks() const { return count(PacketKind::kNak); }
  std::uint64_t repeated() const { return nic[0]->counters().retransmits; }

  PeerNics peers;
};

TEST(SelectiveEnds, GoBackWhereOneEndOnlyRepeatsSelectively) {
  const Ends plain(Kind::kGoBackN, Kind::kGoBackN);
  const Ends from_selective(Kind::kSelectiveRepeat, Kind::kGoBackN);
  const Ends to_selective(Kind::kGoBackN, Kind::kSelectiveRepeat);
  const Ends both(Kind::kSelectiveRepeat, Kind::kSelectiveRepeat);
  EXPECT_GT(plain.repeated(), 8u);
  EXPECT_EQ(from_selective.sent(), plain.sent());
  EXPECT_EQ(to_selective.sent(), plain.sent());
  EXPECT_EQ(to_selective.naks(), plain.naks());
  EXPECT_EQ(both.repeated(), 4u);
}

// A go-back-N receiver buffers no out-of-order packets. Towards such a receiver the sender ignores
// its window of out-of-order packets, and retransmits all packets from the lost one on after a
// timeout.
TEST(SelectiveEnds, ASelectiveSenderGoesBackAsOthersDoTowardsAHostThatGoesBack) {
  const std::set<Psn> tail{98, 99};
  const Ends plain(Kind::kGoBackN, Kind::kGoBackN, 2, tail);
  const Ends from_selective(Kind::kSelectiveRepeat, Kind::kGoBackN, 2, tail);
  const Ends both(Kind::kSelectiveRepeat, Kind::kSelectiveRepeat, 2, tail);
  EXPECT_EQ(plain.nic[0]->counters().timeouts, 1u);
  EXPECT_EQ(plain.repeated(), 2u);
  EXPECT_EQ(from_selective.sent(), plain.sent());
  EXPECT_EQ(from_selective.end(), plain.end());
  EXPECT_GT(both.end(), plain.end()) << "two packets wait for an ACK at a time";
}

// No packet arrives after the lost end of a message, so only the timer detects the loss. One
// timeout suffices for all lost packets.
TEST_F(SelectivePair, ALostTailIsRepeatedAfterOneTimeout) {
  parameters.recovery.timeout = kMicroSecond * 100;
  build_selective();
  lose_once({25, 26, 27, 28, 29});
  post(30'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(nic[0]->counters().timeouts, 1u);
  EXPECT_EQ(nic[0]->counters().retransmits, 5u);
}

TEST_F(SelectivePair, NoMorePacketsAreUnderWayThanTheReceiverKeeps) {
  parameters.recovery.timeout = kMilliSecond;
  build_selective(4);
  std::uint64_t most = 0, acked = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kAck) acked = packet.psn + 1;
    if (packet.kind == PacketKind::kData) most = std::max(most, packet.psn + 1 - acked);
    return packet.kind != PacketKind::kData || packet.psn != 9 || ++sendings[9] > 1;
  };
  post(50'000);
  scheduler.run_until(kMilliSecond * 5);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(most, 4u);
  EXPECT_EQ(nic[0]->counters().retransmits, 1u);
}

TEST_F(SelectivePair, LosingEveryFifthPacketLosesNothing) {
  parameters.recovery.timeout = kMicroSecond * 50;
  build_selective();
  int n = 0;
  on_wire = [&](Packet&) { return ++n % 5 != 0; };
  for (std::uint64_t id = 1; id <= 20; ++id) post(25'250, id);
  scheduler.run_until(kMilliSecond * 100);
  ASSERT_EQ(done.size(), 20u);
  for (std::uint64_t id = 1; id <= 20; ++id) EXPECT_EQ(done[id - 1].id, id);
  EXPECT_EQ(delivered_bytes, 20 * 25'250);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(SelectivePair, OvertakenPacketsAreKeptAndAnswered) {
  build_selective();
  Packet* held = nullptr;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData && packet.psn == 6 && ++sendings[6] == 1) {
      held = pool.allocate();
      *held = packet;
      held->next = nullptr;
      return false;
    }
    if (packet.kind == PacketKind::kData && packet.psn == 9 && held != nullptr) {
      nic[1]->receive(std::exchange(held, nullptr), 0);
    }
    return true;
  };
  post(20'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(delivered_bytes, 20'000);
  EXPECT_EQ(pool.in_use(), 0);
}

// A late NAK for an out-of-order packet that was already acknowledged must not count for the packet
// that now has the same place in the window.
TEST_F(SelectivePair, ANakThatComesTooLateIsIgnored) {
  parameters.recovery.timeout = kMicroSecond * 100;
  build_selective(4);
  Packet late;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kNak && packet.remote_address == 5) late = packet;
    if (packet.kind != PacketKind::kData) return true;
    if (packet.psn != 4 && packet.psn != 9) return true;
    if (++sendings[packet.psn] > 1) return true;
    if (packet.psn == 9) {
      Packet* const nak = pool.allocate();
      *nak = late;
      nak->next = nullptr;
      nic[0]->receive(nak, 0);
    }
    return false;
  };
  post(20'000);
  scheduler.run_until(kMilliSecond * 5);
  EXPECT_EQ(late.remote_address, 5u);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(nic[0]->counters().timeouts, 0u);
}

TEST_F(SelectivePair, OneCnpGoesWithAllNaksOfAGap) {
  parameters.cnp.with_nak = true;
  build_selective();
  lose_once({3});
  post(50'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_GT(count(PacketKind::kNak), 1);
  EXPECT_EQ(count(PacketKind::kCnp), 1);
}

TEST_F(SelectivePair, OneAckForSeveralPackets) {
  parameters.ack_every = 8;
  build();
  post(100'500);  // 101 packets: 12 ACKs for eight packets each, and one for the last packet
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(count(PacketKind::kAck), 13);
}

TEST_F(SelectivePair, AWindowHoldsBackWhatIsUnderWayAndAsksForEachAck) {
  parameters.ack_every = 8;
  parameters.window.limit = WindowParameters::Limit::kBytes;
  parameters.window.bytes = 5'000;
  build();
  std::uint64_t most = 0, acked = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kAck) acked = packet.psn + 1;
    if (packet.kind == PacketKind::kData) most = std::max(most, packet.psn + 1 - acked);
    return true;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(most, 5u);
  EXPECT_EQ(count(PacketKind::kAck), 100);
}

TEST_F(SelectivePair, AWindowThatFollowsTheRateShrinksWithIt) {
  parameters.window.limit = WindowParameters::Limit::kBytes;
  parameters.window.bytes = 8'000;
  parameters.window.follows_rate = true;
  build();
  const Rate line = nic[0]->transmitter().line_rate();
  nic[0]->transmitter().set_rate(3, Rate{line.raw / 4});
  std::uint64_t most = 0, acked = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kAck) acked = packet.psn + 1;
    if (packet.kind == PacketKind::kData) most = std::max(most, packet.psn + 1 - acked);
    return true;
  };
  post(50'000);
  scheduler.run_until(kMilliSecond * 2);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_LE(most, 2u);
}

}  // namespace
}  // namespace dcc
