// Tests two NICs on a cable: packet order, acknowledgement, pacing, pauses, errors, and release.
#include "nic/nic_device.h"

#include <gtest/gtest.h>

#include <algorithm>

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
  // The message takes the first packet with a RETH, nine full packets, one of 500 bytes, and the
  // delay of the cable. Back come the last ACK and a delay.
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
  scheduler.run_until(kMicroSecond * 100);  // the run ends before a timeout
  EXPECT_EQ(done.size(), 1u);
  EXPECT_EQ(nic[0]->counters().retransmits, 0u);
  // A flow also pauses if its window shrinks below the bytes in flight. It continues when ACKs
  // arrive, without a timeout.
  nic[0]->transmitter().set_window(3, std::numeric_limits<Bytes>::max());
  post(100'000, 2);
  scheduler.run_until(kMicroSecond * 102);
  nic[0]->transmitter().set_window(3, 4'000);
  scheduler.run_until(kMicroSecond * 400);
  EXPECT_EQ(done.size(), 2u);
  EXPECT_EQ(nic[0]->counters().timeouts, 0u);
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

TEST_F(Pair, AStoppedHostWaitsUntilEveryStopHasEnded) {
  build();
  const auto pause = [this](HostId host, bool stop) {
    Packet* const frame = pool.allocate();
    frame->kind = PacketKind::kFlowPause;
    frame->destination = host;
    frame->pause_classes = stop ? 1 : 0;
    nic[0]->receive(frame, 0);
  };
  const auto sends = [this] {
    const auto before = nic[0]->counters().data_sent;
    scheduler.run_until(scheduler.now() + kMicroSecond * 10);
    return nic[0]->counters().data_sent != before;
  };
  pause(1, true);
  post(Bytes{1} << 40);
  EXPECT_FALSE(sends());
  pause(1, true);  // a second pause, which another port of the switch causes
  pause(1, false);
  EXPECT_FALSE(sends());
  pause(1, false);
  EXPECT_TRUE(sends());
  pause(2, true);
  EXPECT_TRUE(sends()) << "packets to another host";
  pause(1, true);
  nic[0]->transmitter().set_carrier(false);
  nic[0]->transmitter().set_carrier(true);
  EXPECT_TRUE(sends()) << "a stop ends with the link";
  pause(1, false);
  EXPECT_TRUE(sends());
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
  scheduler.run_until(kMilliSecond);  // packets for the destroyed queue pair are lost
  nic[1]->destroy_queue_pair(5);
  create_queue_pairs();
  delivered_bytes = 0;
  seen.clear();

  EXPECT_FALSE(nic[0]->transmitter().failed(3));
  post(5'000, 2);
  scheduler.run_until(kMilliSecond * 2);
  EXPECT_TRUE(seen.empty());  // the queue pair is not connected yet
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
  pause(0);  // the resume frame comes once, while the NIC is disabled
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
  nic[0]->transmitter().stop(3);  // a packet of the released flow may still be scheduled
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
