// Tests two NICs with real payload: ICRC, and DMA reads that fail.
#include <gtest/gtest.h>

#include "nic/host/host_link.h"
#include "nic/nic_device.h"
#include "unit/nic/fake_host.h"
#include "unit/nic/nic_pair_test.h"

namespace dcc {
namespace {

/// Two NICs of which the sender reads its payload from 100 KB of memory.
class RealPayload : public test::PairTest {
 protected:
  void build() {
    parameters.payload = NicParameters::Payload::kReal;
    PairTest::build();
    nic[0]->transmitter().set_dma(&host);
  }
  test::FakeMemory memory{100'000};
  HostLink host{scheduler, memory, {}, 5};
};

TEST_F(RealPayload, CorruptedPayloadIsSeenByItsIcrcAndSentAgain) {
  build();
  int n = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData && ++n == 4) packet.payload->front() ^= 1;
    return true;
  };
  post(20'000);
  scheduler.run_until(kMilliSecond * 20);
  EXPECT_EQ(nic[1]->counters().icrc_errors, 1u);
  EXPECT_EQ(delivered_bytes, 20'000);
  EXPECT_EQ(done.size(), 1u);
}

TEST_F(RealPayload, UnreadablePayloadEndsWithALocalError) {
  build();
  WorkItem item;
  item.id = 9;
  item.bytes = 2'000;
  item.local_address = 99'000;
  nic[0]->transmitter().post(3, item);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, Status::kLocalError);
}

TEST_F(RealPayload, WhatFollowsUnreadablePayloadIsFlushedAndTheRestGoesOn) {
  build();
  WorkItem item;
  item.bytes = 3'000;  // the second packet of the work item is outside memory
  item.local_address = 99'000;
  nic[0]->transmitter().post(3, item);
  post(2'000, 7);
  QueuePairConfig there;
  there.remote_host = 1;
  there.remote_qpn = 5;
  there.flow = 1;
  nic[0]->create_queue_pair(4, there);
  nic[0]->connect_queue_pair(4);
  item.id = 8;
  item.bytes = 1'000;
  item.local_address = 0;
  nic[0]->transmitter().post(4, item);
  scheduler.run_until(kMicroSecond * 5);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].status, Status::kLocalError);
  EXPECT_EQ(done[1].status, Status::kFlushed);
  EXPECT_EQ(done[1].id, 7u);
  EXPECT_EQ(nic[0]->transmitter().staged(), 0u);
  // Only packets on the wire count as sent: the packet that could be read, and the packet of the
  // other queue pair.
  EXPECT_EQ(nic[0]->counters().data_sent, seen_data());
  EXPECT_EQ(seen_data(), 2u);
  EXPECT_EQ(ledger[1].packets, 1u);
}

TEST_F(RealPayload, WorkFailsBehindItsReadablePacketsAndNothingAfterThemIsSent) {
  build();
  WorkItem item;
  item.bytes = 3'000;  // the third packet of the work item is outside memory
  item.local_address = 98'000;
  nic[0]->transmitter().post(3, item);
  scheduler.run_until(kNanoSecond * 250);  // all reads are in progress, and none has ended
  ASSERT_EQ(nic[0]->transmitter().staged(), 3u);
  nic[0]->transmitter().on_pause(0xFF);
  post(1'000, 7);
  scheduler.run_until(kMicroSecond);
  EXPECT_TRUE(done.empty()) << "the first two packets wait for the wire";
  EXPECT_EQ(nic[0]->transmitter().staged(), 2u);
  nic[0]->transmitter().on_pause(0);
  scheduler.run_until(kMicroSecond * 5);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].status, Status::kLocalError);
  EXPECT_EQ(done[1].status, Status::kFlushed);
  EXPECT_EQ(seen_data(), 2u);
  EXPECT_EQ(nic[0]->transmitter().staged(), 0u);
}

TEST_F(RealPayload, WithoutAcknowledgementsWorkIsDoneWhenItsBytesHaveBeenRead) {
  parameters.ack = AckMode::kNone;
  build();
  post(1'000);
  scheduler.run_until(kNanoSecond * 300);
  EXPECT_TRUE(done.empty());
  scheduler.run_until(kMicroSecond);
  // A DMA read takes a request of 24 bytes, the latency, and 1000 bytes at 256 Gb/s.
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].when.count, 750 + 300'000 + 31'250);
}

}  // namespace
}  // namespace dcc
