// Tests go-back-N between two NICs. The test loses, delays or swaps packets on the link between
// them.
#include <gtest/gtest.h>

#include <vector>

#include "nic/algorithm/listeners.h"
#include "nic/nic_device.h"
#include "unit/nic/nic_pair_test.h"

namespace dcc {
namespace {

class LossyPair : public test::PairTest {};

TEST_F(LossyPair, LosingEverySeventhPacketLosesNothing) {
  parameters.recovery.timeout = kMicroSecond * 50;
  build();
  int n = 0;
  on_wire = [&](Packet&) { return ++n % 7 != 0; };
  for (std::uint64_t id = 1; id <= 20; ++id) post(25'250, id);
  scheduler.run_until(kMilliSecond * 50);
  ASSERT_EQ(done.size(), 20u);
  for (std::uint64_t id = 1; id <= 20; ++id) EXPECT_EQ(done[id - 1].id, id);
  EXPECT_EQ(delivered_bytes, 20 * 25'250);
  EXPECT_GT(nic[0]->counters().retransmits, 0u);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(LossyPair, ALostLastPacketIsRepeatedAfterTheTimeout) {
  parameters.recovery.timeout = kMicroSecond * 100;
  build();
  bool lost = false;
  on_wire = [&](Packet& packet) {
    if (lost || packet.kind != PacketKind::kData || !packet.last) return true;
    lost = true;
    return false;
  };
  post(3'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_GT(done[0].when, kMicroSecond * 100);
  EXPECT_EQ(nic[0]->counters().timeouts, 1u);
}

TEST_F(LossyPair, WithoutRecoveryNothingIsEverRepeated) {
  parameters.recovery.kind = RecoveryParameters::Kind::kNone;
  build();
  scheduler.run_until(kMilliSecond);  // starts late, when the unlimited deadline would overflow
  on_wire = [&](Packet& packet) { return packet.kind != PacketKind::kData || packet.psn != 2; };
  post(10'000);
  scheduler.run_until(kSecond);
  EXPECT_EQ(nic[0]->counters().retransmits, 0u);
  EXPECT_EQ(nic[0]->counters().timeouts, 0u);
  EXPECT_EQ(count(PacketKind::kNak), 1);
  EXPECT_EQ(count(PacketKind::kData), 10);
  EXPECT_EQ(delivered_bytes, 2'000);
  EXPECT_TRUE(done.empty());
}

TEST_F(LossyPair, OneNakAGap) {
  build();
  bool lost = false;
  on_wire = [&](Packet& packet) {
    if (lost || packet.kind != PacketKind::kData || packet.psn != 2) return true;
    lost = true;
    return false;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(count(PacketKind::kNak), 1);
  EXPECT_EQ(delivered_bytes, 100'000);
}

/// An algorithm that records the reported sequence gaps.
class Told final : public Algorithm, public NackListener {
 public:
  std::vector<Psn> expected;
  AlgorithmNeeds needs() const override { return {}; }
  void on_flow_start(FlowNumber, const FlowStart&) override {}
  void on_nack(FlowNumber flow, Psn psn) override {
    EXPECT_EQ(flow, 3u);
    expected.push_back(psn);
  }
  View view(FlowNumber) const override { return {}; }
  AlgorithmCounters counters() const override { return {}; }
};

TEST_F(LossyPair, AnAlgorithmThatListensIsToldOfEachGap) {
  Told told;
  join(*this);
  nic[0]->set_algorithm(&told);
  create_queue_pairs();
  nic[0]->connect_queue_pair(3);
  nic[1]->connect_queue_pair(5);
  bool lost = false;
  on_wire = [&](Packet& packet) {
    if (lost || packet.kind != PacketKind::kData || packet.psn != 2) return true;
    lost = true;
    return false;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(told.expected, std::vector<Psn>{2});
}

// After a gap the receiver sends a NAK for each packet that it buffers, but the algorithm gets a
// single report.
TEST_F(LossyPair, WithSelectiveRepeatAnAlgorithmIsToldOnceForEachRecovery) {
  Told told;
  parameters.recovery.kind = RecoveryParameters::Kind::kSelectiveRepeat;
  parameters.recovery.reorder_window = 64;
  join(*this);
  nic[0]->set_algorithm(&told);
  create_queue_pairs();
  nic[0]->connect_queue_pair(3);
  nic[1]->connect_queue_pair(5);
  std::vector<Psn> to_lose{60, 2};
  on_wire = [&](Packet& packet) {
    if (to_lose.empty() || packet.kind != PacketKind::kData || packet.psn != to_lose.back()) {
      return true;
    }
    to_lose.pop_back();
    return false;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_GT(count(PacketKind::kNak), 2);
  EXPECT_EQ(told.expected, (std::vector<Psn>{2, 60}));
}

/// Delays every eighth packet behind the three packets that follow it.
struct Overtaken {
  Packet* held = nullptr;
  int since = 0;
};

TEST_F(LossyPair, PacketsThatOvertakeAreKeptAndNothingIsRepeated) {
  parameters.recovery.reorder_window = 8;
  build();
  std::vector<Psn> order;
  Overtaken overtaken;
  on_wire = [&](Packet& packet) {
    if (packet.kind != PacketKind::kData) return true;
    if (overtaken.held == nullptr && packet.psn % 8 == 2) {
      overtaken.held = pool.allocate();
      *overtaken.held = packet;
      overtaken.since = 0;
      return false;  // the delayed packet is delivered later
    }
    order.push_back(packet.psn);
    if (overtaken.held != nullptr && ++overtaken.since == 3) {
      order.push_back(overtaken.held->psn);
      nic[1]->receive(std::exchange(overtaken.held, nullptr), 0);
    }
    return true;
  };
  post(64'000);
  scheduler.run_until(kMilliSecond * 3);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(delivered_bytes, 64'000);
  EXPECT_EQ(nic[0]->counters().retransmits, 0u);
  EXPECT_EQ(nic[1]->counters().naks_sent, 0u);
  EXPECT_EQ(nic[1]->counters().acks_sent, 64u);
  EXPECT_EQ(nic[1]->receiver().buffered(), 0u);
  EXPECT_EQ(pool.in_use(), 0);
  // One of eight packets arrived late, after packets with higher numbers.
  const Reordering& reordering = nic[1]->reordering();
  EXPECT_EQ(reordering.depths().count(), 8u);
  EXPECT_EQ(reordering.depths().sum(), 16u);
  EXPECT_EQ(reordering.deepest(), 2u);
  EXPECT_EQ(nic[0]->reordering().depths().count(), 0u);
}

TEST_F(LossyPair, WithoutAReorderWindowALatePacketIsLateAndWhatIsSentAgainIsNot) {
  build();
  Overtaken overtaken;
  on_wire = [&](Packet& packet) {
    if (packet.kind != PacketKind::kData) return true;
    if (overtaken.held == nullptr && packet.psn == 10 && overtaken.since == 0) {
      overtaken.held = pool.allocate();
      *overtaken.held = packet;
      return false;
    }
    if (overtaken.held != nullptr && ++overtaken.since == 5) {
      // the held packet arrives before packet 5
      nic[1]->receive(std::exchange(overtaken.held, nullptr), 0);
    }
    return true;
  };
  post(64'000);
  scheduler.run_until(kMilliSecond * 3);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_GE(nic[0]->counters().retransmits, 4u);
  EXPECT_EQ(nic[1]->reordering().depths().count(), 1u);
  EXPECT_EQ(nic[1]->reordering().deepest(), 4u);
}

TEST_F(LossyPair, LossesAloneMakeNothingLate) {
  build();
  int n = 0;
  on_wire = [&](Packet& packet) { return packet.kind != PacketKind::kData || ++n % 9 != 0; };
  post(64'000);
  scheduler.run_until(kMilliSecond * 3);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_GT(nic[1]->counters().out_of_order, 0u);
  EXPECT_EQ(nic[1]->reordering().depths().count(), 0u);
}

TEST_F(LossyPair, LatePacketsAreCountedWhereNothingIsAcknowledged) {
  parameters.ack = AckMode::kNone;
  parameters.recovery.kind = RecoveryParameters::Kind::kNone;
  build();
  Overtaken overtaken;
  on_wire = [&](Packet& packet) {
    if (overtaken.held == nullptr && packet.psn == 10 && overtaken.since == 0) {
      overtaken.held = pool.allocate();
      *overtaken.held = packet;
      return false;
    }
    if (overtaken.held != nullptr && ++overtaken.since == 3) {
      nic[1]->receive(std::exchange(overtaken.held, nullptr), 0);
    }
    return true;
  };
  post(64'000);
  scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(nic[1]->reordering().depths().count(), 1u);
  EXPECT_EQ(nic[1]->reordering().deepest(), 2u);
}

TEST_F(LossyPair, BeyondTheReorderWindowAnEarlyPacketTellsOfALoss) {
  parameters.recovery.reorder_window = 4;
  build();
  int lost = 0;
  on_wire = [&](Packet& packet) {
    const bool loses = packet.kind == PacketKind::kData && packet.psn == 10 && lost == 0;
    lost += loses ? 1 : 0;
    return !loses;
  };
  post(64'000);
  scheduler.run_until(kMilliSecond * 3);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(delivered_bytes, 64'000);
  EXPECT_EQ(nic[1]->counters().naks_sent,
            1u);  // one NAK, for packet 14; the receiver has buffered three packets
  EXPECT_EQ(nic[0]->counters().timeouts, 0u);
  EXPECT_GE(nic[1]->counters().duplicates, 3u);
  EXPECT_EQ(nic[1]->receiver().buffered(), 0u);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(LossyPair, WhatIsKeptGoesWithItsQueuePair) {
  parameters.recovery.reorder_window = 64;
  build();
  on_wire = [&](Packet& packet) { return packet.kind != PacketKind::kData || packet.psn != 0; };
  post(10'000);
  scheduler.run_until(kMicroSecond * 100);
  EXPECT_EQ(nic[1]->receiver().buffered(), 9u);
  nic[1]->destroy_queue_pair(5);
  EXPECT_EQ(nic[1]->receiver().buffered(), 0u);
  EXPECT_EQ(pool.in_use(), 0);
}

}  // namespace
}  // namespace dcc
