// Tests datagrams and unreliable connections: completions contain the sender, and lost packets are
// not retransmitted.
#include <map>

#include "unit/nic/rdma_hosts.h"
#include "wire/wire_size.h"

namespace dcc {
namespace {

using namespace test;
using RdmaUnreliable = RdmaHosts;

TEST_F(RdmaUnreliable, DatagramsCarryTheirSenderAndNeedABuffer) {
  build(Service::kUd);
  post_receive(1, 9, kData + 0x8000, 40 + 700);
  post(0, work(NIC_WQE_SEND, 1, kData, 0, 700));
  // This message is lost, since the receiver has posted no buffer.
  post(0, work(NIC_WQE_SEND, 2, kData, 0, 700));
  post(0, work(NIC_WQE_SEND, 3, kData, 0, 1'001));  // one byte more than fits into a packet
  post(0, work(NIC_WQE_RDMA_READ, 4, kData, kData, 10));
  run(kMilliSecond);
  const auto received = reap(1);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].byte_len, 740u);
  EXPECT_EQ(received[0].immediate, kQpn[0]);
  EXPECT_EQ(bytes(1, kData + 0x8000 + 40, 700), bytes(0, kData, 700));
  const auto header = bytes(1, kData + 0x8000 + 20, 20);
  EXPECT_EQ(header[0], 0x45);  // first byte of the IPv4 header
  EXPECT_EQ(header[12], 10);   // first byte of the sender's address 10.0.0.1
  EXPECT_EQ(header[15], 1);
  std::map<std::uint64_t, int> status;
  for (const nic_cqe& done : reap(0)) status[done.wr_id] = done.status;
  EXPECT_EQ(
      status,
      (std::map<std::uint64_t, int>{
          {1, NIC_CQE_OK}, {2, NIC_CQE_OK}, {3, NIC_CQE_LOCAL_ERROR}, {4, NIC_CQE_LOCAL_ERROR}}));
  EXPECT_EQ(host[1]->nic.counters().receives_missing, 1u);
  EXPECT_EQ(seen.size(), 2u);  // the receiver has sent no ACK
  EXPECT_EQ(seen[0].wire_bytes, roce::send_wire_bytes(700, false, true));
}

TEST_F(RdmaUnreliable, AnUnreliableConnectionLosesMessagesWhole) {
  build(Service::kUc);
  for (std::uint32_t i = 0; i < 3; ++i) post_receive(1, 50 + i, kData + 0x8000 + i * 0x1000, 4096);
  int data = 0;
  on_wire = [&](const Packet&) { return ++data != 5; };  // loses one packet of the second message
  for (std::uint32_t i = 0; i < 3; ++i) post(0, work(NIC_WQE_SEND, i, kData + i * 5'000, 0, 3'000));
  run(kMilliSecond);
  EXPECT_EQ(reap(0).size(), 3u);
  const auto received = reap(1);
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[1].wr_id, 51u);  // the message takes the buffer of the lost message
  EXPECT_EQ(bytes(1, kData + 0x8000, 3'000), bytes(0, kData, 3'000));
  EXPECT_EQ(bytes(1, kData + 0x9000, 3'000), bytes(0, kData + 10'000, 3'000));
  EXPECT_EQ(count(PacketKind::kAck) + count(PacketKind::kNak), 0);
}

}  // namespace
}  // namespace dcc
