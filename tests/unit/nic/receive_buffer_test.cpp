// Tests a host whose memory is slower than its port: payload waits in the NIC, and the NIC pauses
// the switch.
#include "nic/receive_buffer.h"

#include "unit/nic/rdma_hosts.h"

namespace dcc {
namespace {

using namespace test;

class ReceiveBufferHosts : public RdmaHosts {
 protected:
  ReceiveBufferHosts() {
    parameters.dma.rate = 25_Gbps;  // the DMA has a quarter of the port's rate
    parameters.receive_buffer.size = 32'768;
    parameters.link_delay = kMicroSecond;
    parameters.recovery.timeout = kMilliSecond;
  }
  /// Sends 60 KB, more than the receive buffer holds, with all packets to the same address.
  void send() {
    for (int i = 0; i < 4; ++i) post(0, work(NIC_WQE_RDMA_WRITE, 1, kData, kData, 15'000));
  }
  // The sender's memory is so fast that the link is full.
  void build_with_fast_sender() {
    build();
    ASSERT_NE(host[1]->rings.receive_buffer(), nullptr);
  }
  Bytes most() { return host[1]->rings.receive_buffer()->most(); }
};

TEST(ReceiveBuffer, ExistsOnlyWhereMemoryIsSlowerThanThePort) {
  NicParameters p;
  p.payload = NicParameters::Payload::kReal;
  EXPECT_FALSE(p.has_slow_memory()) << "the defaults";
  p.dma.rate = p.line_rate;
  EXPECT_FALSE(p.has_slow_memory());
  p.dma.rate = BitRate(p.line_rate.bits_per_second - 1);
  EXPECT_TRUE(p.has_slow_memory());
  p.payload = NicParameters::Payload::kVirtual;
  EXPECT_FALSE(p.has_slow_memory());
}

TEST(ReceiveBuffer, PausesBelowTheHeadroomAndResumesTwoPacketsLower) {
  NicParameters p;
  p.receive_buffer.size = 40'000;
  p.link_delay = kMicroSecond;
  p.pfc_priorities = 0x08;
  std::vector<unsigned> frames;
  ReceiveBuffer buffer(p, [&](unsigned priorities) { frames.push_back(priorities); });
  // The cable holds 25 000 bytes at 100 Gb/s in both directions. Three packets and the pause frame
  // are added.
  EXPECT_GT(p.pause_headroom(), 28'000);
  EXPECT_LT(p.pause_headroom(), 29'000);
  Packet packet{};
  packet.payload_bytes = 1'000;
  const auto limit = static_cast<int>((40'000 - p.pause_headroom()) / 1'000);
  for (int i = 0; i < limit; ++i) buffer.enter(packet);
  EXPECT_TRUE(frames.empty());
  buffer.enter(packet);
  EXPECT_EQ(frames, (std::vector<unsigned>{0x08}));
  // The headroom holds the packets that still arrive after the NIC has paused the switch.
  for (int i = 0; i < 28; ++i) {
    ASSERT_TRUE(buffer.has_room(1'000)) << i;
    buffer.enter(packet);
  }
  EXPECT_EQ(frames.size(), 1u);
  while (frames.size() == 1) buffer.leave();
  EXPECT_EQ(frames.back(), 0u);
  EXPECT_LE(buffer.backlog(), 40'000 - p.pause_headroom() - 2'000);
  EXPECT_GT(buffer.backlog(), 40'000 - p.pause_headroom() - 4'000);
}

TEST_F(ReceiveBufferHosts, BytesCountWhenTheyAreInMemory) {
  build_with_fast_sender();
  // 15 000 bytes take 4.8 us at 25 Gb/s, which is also what the sender's own DMA takes.
  post(0, work(NIC_WQE_RDMA_WRITE, 1, kData, kData + 0x8000, 15'000));
  run(kMicroSecond * 7);
  const std::uint64_t received = host[1]->nic.counters().bytes_received;
  EXPECT_GT(received, 0u);
  const auto at = static_cast<std::uint32_t>(received);
  EXPECT_EQ(bytes(1, kData + 0x8000, at), bytes(0, kData, at)) << "memory has all that counts";
  run(kMilliSecond);
  EXPECT_EQ(host[1]->nic.counters().bytes_received, 15'000u);
  EXPECT_EQ(ledger[0].received_bytes, 15'000);
}

TEST_F(ReceiveBufferHosts, PayloadThatFindsNoRoomIsLostAndRepeated) {
  parameters.receive_buffer.when_full = ReceiveBufferParameters::WhenFull::kDrop;
  parameters.receive_buffer.size = 4'096;
  parameters.dma.rate = 99_Gbps;
  build();
  // Another DMA client keeps the link to the host busy.
  struct Nobody final : DmaClient {
    void dma_done(std::uint32_t, bool) override {}
  } nobody;
  const std::vector<std::uint8_t> other(0x8000);
  host[1]->link.write(0x8000, other.data(), 0x8000, nobody, 0);
  send();
  run(kMilliSecond * 20);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 4u);
  for (const nic_cqe& completion : done) EXPECT_EQ(completion.status, NIC_CQE_OK);
  EXPECT_GT(host[1]->nic.counters().receive_discards, 0u);
  EXPECT_EQ(host[1]->nic.counters().bytes_received, 60'000u);
  EXPECT_LE(most(), 4'096);
}

TEST_F(ReceiveBufferHosts, ASenderIsAskedToTryAgainLater) {
  parameters.receive_buffer.when_full = ReceiveBufferParameters::WhenFull::kNotReady;
  parameters.receive_buffer.size = 4'096;
  parameters.dma.rate = 99_Gbps;
  build();
  struct Nobody final : DmaClient {
    void dma_done(std::uint32_t, bool) override {}
  } nobody;
  const std::vector<std::uint8_t> other(0x8000);
  host[1]->link.write(0x8000, other.data(), 0x8000, nobody, 0);
  send();
  run(kMilliSecond * 20);
  EXPECT_EQ(reap(0).size(), 4u);
  EXPECT_EQ(host[1]->nic.counters().receive_discards, 0u);
  EXPECT_EQ(host[1]->nic.counters().receives_missing, 0u) << "a buffer was posted";
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [](const Packet& p) {
    return p.kind == PacketKind::kNak && p.nak == NakReason::kNotReady;
  }));
}

TEST_F(ReceiveBufferHosts, TheNicPausesItsNeighbour) {
  parameters.pfc_priorities = 0xFF;
  parameters.dma.rate = 99_Gbps;
  build();
  struct Nobody final : DmaClient {
    void dma_done(std::uint32_t, bool) override {}
  } nobody;
  const std::vector<std::uint8_t> other(0x10000);
  host[1]->link.write(0x8000, other.data(), 0x10000, nobody, 0);
  send();
  run(kMilliSecond);
  EXPECT_EQ(reap(0).size(), 4u);
  EXPECT_EQ(host[1]->nic.counters().receive_discards, 0u) << "lossless";
  // A pause frame stops all priorities at once. A pause and its end are two frames.
  const std::uint64_t pauses = host[1]->nic.counters().pauses_sent / 8;
  EXPECT_GT(pauses, 0u);
  EXPECT_EQ(count(PacketKind::kPause), static_cast<int>(2 * pauses));
  EXPECT_EQ(host[0]->nic.counters().pauses_received, 2 * pauses);
  EXPECT_GT(host[0]->nic.transmitter().paused_time(), PicoSeconds{});
}

}  // namespace
}  // namespace dcc
