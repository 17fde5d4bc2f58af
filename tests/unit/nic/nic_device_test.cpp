// Two NICs on a cable: packet order, acknowledgement, loss, notification, pacing, pauses, errors.
#include "nic/nic_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "unit/nic/nic_pair_test.h"
#include "wire/wire_size.h"

namespace dcc {
namespace {

class Pair : public test::PairTest {};

TEST_F(Pair, CompletesOnceAtTheLastAcknowledgement) {
  build();
  post(10'500);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, Status::kOk);
  EXPECT_EQ(delivered_bytes, 10'500);
  // First packet with RETH, nine full packets, one of 500 bytes, one delay; the last ACK, one
  // delay.
  const Bytes wire = roce::data_wire_bytes(1000, true, false) +
                     9 * roce::data_wire_bytes(1000, false, false) +
                     roce::data_wire_bytes(500, false, false) + 11 * 20;
  const Bytes ack = roce::ack_wire_bytes() + 20;
  EXPECT_EQ(done[0].when.count, (wire + ack) * 80 + 2 * kMicroSecond.count);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(Pair, AcknowledgesPerMessageWhenAskedTo) {
  parameters.ack = AckMode::kPerMessage;
  build();
  post(10'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(count(PacketKind::kAck), 1);
  EXPECT_EQ(done.size(), 1u);
}

TEST_F(Pair, AWindowWithinAMessageOpensWithoutWaitingForItsEnd) {
  parameters.ack = AckMode::kPerMessage;
  build();
  nic[0]->transmitter().set_window(3, 4'000);
  post(20'000);
  scheduler.run_until(kMicroSecond * 100);  // before any timeout
  EXPECT_EQ(done.size(), 1u);
  EXPECT_EQ(nic[0]->counters().retransmits, 0u);
  // A window that shrinks below the bytes in flight stops the flow, too.
  nic[0]->transmitter().set_window(3, std::numeric_limits<Bytes>::max());
  post(100'000, 2);
  scheduler.run_until(kMicroSecond * 102);
  nic[0]->transmitter().set_window(3, 4'000);
  scheduler.run_until(kMicroSecond * 400);
  EXPECT_EQ(done.size(), 2u);
  EXPECT_EQ(nic[0]->counters().timeouts, 0u);
}

TEST_F(Pair, LosingEverySeventhPacketLosesNothing) {
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

TEST_F(Pair, ALostLastPacketIsRepeatedAfterTheTimeout) {
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

TEST_F(Pair, WithoutRecoveryNothingIsEverRepeated) {
  parameters.recovery.kind = RecoveryParameters::Kind::kNone;
  build();
  scheduler.run_until(kMilliSecond);  // a deadline after a late start would overflow
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

TEST_F(Pair, OneNakAGap) {
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

/// Delays one packet of every eight behind the three packets that follow it.
struct Overtaken {
  Packet* held = nullptr;
  int since = 0;
};

TEST_F(Pair, PacketsThatOvertakeAreKeptAndNothingIsRepeated) {
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
      return false;  // the copy arrives later
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
  // One of eight packets arrived late, behind the packet that had overtaken it.
  const Reordering& reordering = nic[1]->reordering();
  EXPECT_EQ(reordering.depths().count(), 8u);
  EXPECT_EQ(reordering.depths().sum(), 16u);
  EXPECT_EQ(reordering.deepest(), 2u);
  EXPECT_EQ(nic[0]->reordering().depths().count(), 0u);
}

TEST_F(Pair, WithoutAReorderWindowALatePacketIsLateAndWhatIsSentAgainIsNot) {
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
      nic[1]->receive(std::exchange(overtaken.held, nullptr), 0);  // before the fifth packet
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

TEST_F(Pair, LossesAloneMakeNothingLate) {
  build();
  int n = 0;
  on_wire = [&](Packet& packet) { return packet.kind != PacketKind::kData || ++n % 9 != 0; };
  post(64'000);
  scheduler.run_until(kMilliSecond * 3);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_GT(nic[1]->counters().out_of_order, 0u);
  EXPECT_EQ(nic[1]->reordering().depths().count(), 0u);
}

TEST_F(Pair, LatePacketsAreCountedWhereNothingIsAcknowledged) {
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

TEST_F(Pair, BeyondTheReorderWindowAnEarlyPacketTellsOfALoss) {
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
            1u);  // one NAK, for packet 14; three packets were buffered
  EXPECT_EQ(nic[0]->counters().timeouts, 0u);
  EXPECT_GE(nic[1]->counters().duplicates, 3u);
  EXPECT_EQ(nic[1]->receiver().buffered(), 0u);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(Pair, WhatIsKeptGoesWithItsQueuePair) {
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

TEST_F(Pair, CnpsAreSpacedAndMayCarryTheirMarks) {
  parameters.cnp.interval = kMicroSecond * 4;
  parameters.cnp.carry_marks = true;
  build();
  std::uint64_t marked = 0, told = 0, sent = 0, arrived = 0;
  PicoSeconds last{-kSecond.count};
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData) {
      EXPECT_EQ(packet.ecn, Ecn::kEct0);
      // Of three packets one is not marked; all three count as packets.
      if (++sent % 3 != 0) {
        packet.ecn = Ecn::kCe;
        ++marked;
      }
    } else if (packet.kind == PacketKind::kCnp && packet.cnp_marks != 0) {
      EXPECT_GE((scheduler.now() - last).count, (kMicroSecond * 4 - kNanoSecond * 200).count);
      last = scheduler.now();
      told += packet.cnp_marks;
      EXPECT_GE(packet.cnp_packets, packet.cnp_marks);
      arrived += packet.cnp_packets;
      EXPECT_EQ(packet.dscp, 48);
      EXPECT_EQ(packet.ecn, Ecn::kEct0);
      EXPECT_EQ(packet.destination_qpn, 3u);
    }
    return true;
  };
  post(1'000'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_GT(told, 600u);
  EXPECT_LE(told, marked);
  EXPECT_LE(marked - told, 47u);  // marks of the last interval are not reported yet
  EXPECT_LE(arrived, sent);
  EXPECT_LE(sent - arrived, 70u);
}

TEST_F(Pair, TheFirstUnmarkedPacketAfterMarkedOnesOnlyBringsAnAllClear) {
  parameters.cnp.interval = kMicroSecond;
  parameters.cnp.carry_marks = true;
  build();
  std::uint64_t sent = 0;
  std::vector<std::pair<int, std::uint32_t>> cnps;  // marks, packets
  on_wire = [&](Packet& packet) {
    // Twice 40 marked packets and 40 unmarked ones; then every other packet is marked.
    if (packet.kind == PacketKind::kData) {
      const bool marked = sent < 160 ? sent / 40 % 2 == 0 : sent % 2 == 0;
      if (marked) packet.ecn = Ecn::kCe;
      ++sent;
    } else if (packet.kind == PacketKind::kCnp) {
      cnps.emplace_back(packet.cnp_marks, packet.cnp_packets);
    }
    return true;
  };
  post(300'000);
  scheduler.run_until(kMilliSecond);
  int clears = 0;
  for (std::size_t i = 0; i < cnps.size(); ++i) {
    if (cnps[i].first != 0) continue;
    ++clears;
    ASSERT_GT(i, 0u);
    EXPECT_EQ(cnps[i].second, 0u);
    EXPECT_NE(cnps[i - 1].first, 0);
    EXPECT_EQ(static_cast<std::uint32_t>(cnps[i - 1].first), cnps[i - 1].second);
  }
  // The first CNP of the second marked group counts unmarked packets before it, the next CNP counts
  // marked packets only. With every other packet marked no CNP counts marked packets only.
  EXPECT_EQ(clears, 2);
}

TEST_F(Pair, WithoutCarriedMarksThereIsNoAllClear) {
  parameters.cnp.interval = kMicroSecond;
  build();
  std::uint64_t sent = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData && ++sent <= 20) packet.ecn = Ecn::kCe;
    if (packet.kind == PacketKind::kCnp) {
      EXPECT_EQ(packet.cnp_marks, 1);
    }
    return true;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_GT(count(PacketKind::kCnp), 0);
}

TEST_F(Pair, WhatIsAgreedWithTheSenderComesBeforeTheNicsOwnSettings) {
  parameters.cnp.interval = kMicroSecond;
  parameters.cnp.carry_marks = true;
  build();
  CnpProfile plain;
  plain.wanted = true;
  plain.cnp.interval = kMicroSecond * 50;
  plain.cnp.dscp = 20;
  plain.cnp.priority = 5;
  std::vector<HostId> asked;
  nic[1]->receiver().set_cnp_profiles([&](HostId sender) -> const CnpProfile& {
    asked.push_back(sender);
    return plain;
  });
  int cnps = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData) packet.ecn = Ecn::kCe;
    if (packet.kind == PacketKind::kCnp) {
      ++cnps;
      EXPECT_EQ(packet.cnp_marks, 1);
      EXPECT_EQ(packet.cnp_packets, 0u);
      EXPECT_EQ(packet.dscp, 20);
      EXPECT_EQ(packet.priority, 5);
    }
    return true;
  };
  post(1'000'000);  // 87 us at line rate
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(cnps, 2);
  ASSERT_FALSE(asked.empty());
  for (const HostId sender : asked) EXPECT_EQ(sender, 0u);
  plain.wanted = false;
  post(1'000'000, 2);
  scheduler.run_until(kMilliSecond * 2);
  EXPECT_EQ(cnps, 2);
}

TEST_F(Pair, DataAreEctWhereTheQueuePairIsCapable) {
  build();
  int data = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData) {
      ++data;
      EXPECT_EQ(packet.ecn, Ecn::kEct0);
    }
    return true;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_GT(data, 0);
}

TEST_F(Pair, ACnpLeavesWithTheEcnFieldThatIsSet) {
  for (const auto& [set, field] : {std::pair{CnpParameters::Ecn::kEct0, Ecn::kEct0},
                                   std::pair{CnpParameters::Ecn::kEct1, Ecn::kEct1}}) {
    parameters.cnp.ecn = set;
    build();
    int cnps = 0;
    on_wire = [&, field = field](Packet& packet) {
      if (packet.kind == PacketKind::kData) packet.ecn = Ecn::kCe;
      if (packet.kind == PacketKind::kCnp) {
        ++cnps;
        EXPECT_EQ(packet.ecn, field);
      }
      return true;
    };
    post(100'000);
    scheduler.run_until(scheduler.now() + kMilliSecond);
    EXPECT_GT(cnps, 0);
  }
}

// The filter of the sender: a CNP with the other ECT code point is none; a switch's mark passes.
TEST_F(Pair, ASenderKnowsACnpByItsEcnField) {
  parameters.cnp.interval = kMicroSecond * 10;
  parameters.cnp.accept = CnpParameters::Accept::kEct1;
  build();
  bool marked = false;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData || (marked && packet.kind == PacketKind::kCnp)) {
      packet.ecn = Ecn::kCe;
    }
    return true;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  const NicCounters& counted = nic[0]->counters();
  EXPECT_EQ(counted.cnps_received, 0u);
  EXPECT_GT(counted.cnps_refused, 0u);
  marked = true;
  post(100'000, 2);
  scheduler.run_until(kMilliSecond * 2);
  EXPECT_GT(counted.cnps_received, 0u);
}

TEST_F(Pair, PacesAtTheRateGiven) {
  build();
  nic[0]->transmitter().set_rate(3, Rate::from(BitRate(10'000'000'000)));
  post(Bytes{1} << 40);
  scheduler.run_until(kMilliSecond);
  const double gbps = static_cast<double>(ledger[0].sent_wire_bits) / 1e6;
  EXPECT_NEAR(gbps, 10.0, 0.02);
}

TEST_F(Pair, ARateOfZeroWaitsAndAnotherRateWakesIt) {
  build();
  post(2'000);
  scheduler.run_until(kMicroSecond);
  nic[0]->transmitter().set_rate(3, Rate(0));
  post(2'000, 2);
  scheduler.run_until(kMilliSecond);
  const Bytes before = delivered_bytes;
  EXPECT_LT(before, 4'000);
  nic[0]->transmitter().set_rate(3, Rate::from(BitRate(1'000'000'000)));
  scheduler.run_until(kMilliSecond * 2);
  EXPECT_EQ(delivered_bytes, 4'000);
}

TEST_F(Pair, WindowHoldsBackAndReopens) {
  build();
  nic[0]->transmitter().set_window(3, 4'000);
  Bytes most = 0;
  on_wire = [&](Packet&) {
    most = std::max<Bytes>(most, ledger[0].posted_bytes - ledger[0].acked_bytes);
    return true;
  };
  post(50'000);
  scheduler.run_until(kMicroSecond * 2);  // no ACK has arrived yet
  EXPECT_EQ(nic[0]->counters().data_sent, 4u);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(delivered_bytes, 50'000);
}

TEST_F(Pair, PausedPriorityStopsAndGoesOn) {
  build();
  post(Bytes{1} << 40);
  scheduler.run_until(kMicroSecond * 10);
  nic[0]->transmitter().on_pause(1u << 0);
  const auto sent = nic[0]->counters().data_sent;
  scheduler.run_until(kMicroSecond * 20);
  EXPECT_EQ(nic[0]->counters().data_sent, sent);
  nic[0]->transmitter().on_pause(0);
  scheduler.run_until(kMicroSecond * 30);
  EXPECT_GT(nic[0]->counters().data_sent, sent);
  EXPECT_EQ(nic[0]->transmitter().paused_time(), kMicroSecond * 10);
}

TEST_F(Pair, RefusedAddressFailsTheQueuePairAndFlushesTheRest) {
  build();
  accept = false;
  post(5'000, 1);
  post(5'000, 2);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].status, Status::kRemoteError);
  EXPECT_EQ(done[1].status, Status::kFlushed);
  post(100, 3);
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[2].status, Status::kFlushed);
  EXPECT_EQ(delivered_bytes, 0);
}

TEST_F(Pair, AQueuePairCreatedAgainIsAsNew) {
  build();
  post(5'000, 1);
  scheduler.run_until(kMicroSecond);
  nic[0]->destroy_queue_pair(3);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, Status::kFlushed);
  scheduler.run_until(kMilliSecond);  // packets on the wire are lost
  nic[1]->destroy_queue_pair(5);
  create_queue_pairs();
  delivered_bytes = 0;
  seen.clear();

  EXPECT_FALSE(nic[0]->transmitter().failed(3));
  post(5'000, 2);
  scheduler.run_until(kMilliSecond * 2);
  EXPECT_TRUE(seen.empty());  // not connected yet
  EXPECT_EQ(done.size(), 1u);
  nic[0]->connect_queue_pair(3);
  nic[1]->connect_queue_pair(5);
  scheduler.run_until(kMilliSecond * 3);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[1].id, 2u);
  EXPECT_EQ(done[1].status, Status::kOk);
  EXPECT_EQ(delivered_bytes, 5'000);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(Pair, ADisabledPortStillHearsItsNeighboursPauses) {
  build();
  const auto pause = [this](std::uint16_t classes) {
    Packet* const frame = pool.allocate();
    frame->kind = PacketKind::kPause;
    frame->pause_classes = classes;
    nic[0]->receive(frame, 0);
  };
  pause(1);
  nic[0]->set_enabled(false);
  pause(0);  // a resume frame is sent once
  nic[0]->set_enabled(true);
  post(1'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(done.size(), 1u);
  EXPECT_EQ(nic[0]->counters().pauses_received, 2u);
  EXPECT_EQ(nic[0]->counters().not_enabled, 0u);
}

TEST_F(Pair, PacketsForNobodyAreCountedAndDropped) {
  build();
  on_wire = [&](Packet& packet) {
    packet.destination_qpn = 77;
    return true;
  };
  post(1'000);
  scheduler.run_until(kMicroSecond * 50);
  EXPECT_EQ(nic[1]->counters().unknown_qp, 1u);
  EXPECT_TRUE(done.empty());
}

TEST_F(Pair, AQueuePairRestsWhenAllIsAcknowledgedAndIsForgottenWithoutATrace) {
  parameters.ack = AckMode::kPerPacket;
  build();
  EXPECT_TRUE(nic[0]->is_quiescent(3)) << "nothing was posted";
  post(5000);
  EXPECT_FALSE(nic[0]->is_quiescent(3));
  scheduler.run_until(kMicroSecond);
  EXPECT_FALSE(nic[0]->is_quiescent(3)) << "not all is acknowledged";
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(ledger[0].acked_bytes, 5000);
  EXPECT_TRUE(nic[0]->is_quiescent(3));
  EXPECT_TRUE(nic[1]->is_quiescent(5));
  std::size_t under_way = 0;
  pool.each_in_use([&](const Packet&) { ++under_way; });
  EXPECT_EQ(under_way, 0u);
  nic[0]->release(3);
  nic[1]->release(5);
  EXPECT_FALSE(nic[0]->transmitter().exists(3));
  nic[0]->transmitter().stop(3);  // a paced packet may still be scheduled
  create_queue_pairs();
  nic[0]->connect_queue_pair(3);
  nic[1]->connect_queue_pair(5);
  post(2000);
  scheduler.run_until(kMilliSecond * 2);
  EXPECT_EQ(ledger[0].acked_bytes, 7000) << "a new one begins anew";
  EXPECT_EQ(nic[0]->counters().unknown_qp + nic[1]->counters().unknown_qp, 0u);
}

TEST_F(Pair, WhatWaitsForAnEarlierPacketKeepsTheReceiverFromRest) {
  parameters.ack = AckMode::kPerPacket;
  parameters.recovery.reorder_window = 16;
  parameters.recovery.timeout = kMilliSecond;
  bool lost = false;
  on_wire = [&](Packet& packet) {
    if (lost || packet.kind != PacketKind::kData) return true;
    lost = true;
    return false;
  };
  build();
  post(5000);
  scheduler.run_until(kMicroSecond * 100);
  EXPECT_FALSE(nic[1]->is_quiescent(5));
  std::size_t under_way = 0;
  pool.each_in_use([&](const Packet& packet) { under_way += packet.flow == 0 ? 1 : 0; });
  EXPECT_EQ(under_way, nic[1]->receiver().buffered()) << "it lies in the receiver";
  scheduler.run_until(kMilliSecond * 3);
  EXPECT_TRUE(nic[1]->is_quiescent(5));
}

}  // namespace
}  // namespace dcc
