// Tests the queue of packets that wait for their payload.
#include "nic/payload_staging.h"

#include <gtest/gtest.h>

namespace dcc::payload_staging_test {
namespace {

class PayloadStagingTest : public testing::Test {
 protected:
  PayloadStagingTest() {
    DmaParameters dma;
    dma.latency = kNanoSecond * 80;
    dma.rate = 100_Gbps;  // 1000 bytes take 80 ns
    staging.set_limit(dma, 500);
  }
  Packet* packet(std::uint32_t wire_bytes = 500) {
    Packet* const made = pool.allocate();
    made->wire_bytes = wire_bytes;
    return made;
  }
  PacketPool pool;
  PayloadStaging staging;
};

TEST_F(PayloadStagingTest, HoldsWhatCoversTheDmaLatencyAndTwoPackets) {
  int packets = 0;
  for (; staging.has_room(); ++packets) staging.push(packet(), true);
  EXPECT_EQ(packets, 4);
  staging.payload_arrived();
  staging.pop_ready();
  EXPECT_TRUE(staging.has_room());
}

TEST_F(PayloadStagingTest, PacketsLeaveInOrderWhenTheirPayloadIsThere) {
  Packet* const first = packet();
  Packet* const second = packet();
  staging.push(first, true);
  staging.push(second, true);
  EXPECT_EQ(staging.front_ready(), nullptr);
  EXPECT_EQ(staging.oldest_pending(), first);
  staging.payload_arrived();
  EXPECT_EQ(staging.oldest_pending(), second);
  EXPECT_EQ(staging.pop_ready(), first);
  EXPECT_EQ(staging.front_ready(), nullptr);
}

TEST_F(PayloadStagingTest, PacketsWithoutPayloadWaitForThoseBeforeThem) {
  Packet* const data = packet();
  Packet* const request = packet(64);
  staging.push(data, true);
  staging.push(request, false);
  EXPECT_EQ(staging.front_ready(), nullptr);
  staging.payload_arrived();
  EXPECT_EQ(staging.pop_ready(), data);
  EXPECT_EQ(staging.pop_ready(), request);
  EXPECT_EQ(staging.size(), 0u);
}

TEST_F(PayloadStagingTest, AFailedReadRemovesItsPacketOnly) {
  Packet* const lost = packet();
  Packet* const request = packet(64);
  Packet* const data = packet();
  staging.push(lost, true);
  staging.push(request, false);
  staging.push(data, true);
  EXPECT_EQ(staging.remove_pending(), lost);
  EXPECT_EQ(staging.front_ready(), request);
  EXPECT_EQ(staging.oldest_pending(), data);
}

}  // namespace
}  // namespace dcc::payload_staging_test
