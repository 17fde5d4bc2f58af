// Tests accesses to addresses that are not memory. Every access completes with an error status and
// is counted.
#include "unit/nic/rdma_hosts.h"

namespace dcc {
namespace {

using namespace test;
using RdmaMemory = RdmaHosts;

constexpr std::uint64_t kDevice = 0x40100000;  // an address beyond the memory of these hosts

TEST_F(RdmaMemory, AWriteIsAcknowledgedOnlyIfItsMemoryExists) {
  build();
  put(1, NIC_MR_LENGTH_OFFSET, kRam);  // the region ends beyond memory
  post(0, work(NIC_WQE_RDMA_WRITE, 1, kData, kRam - 1'500, 3'000));
  post(0, work(NIC_WQE_RDMA_WRITE, 2, kData, kData, 10));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].status, NIC_CQE_REMOTE_ERROR) << "the status of a READ to the same place";
  EXPECT_EQ(done[1].status, NIC_CQE_FLUSHED);
  EXPECT_EQ(bytes(1, kRam - 1'500, 1'000), bytes(0, kData, 1'000)) << "the packet before it";
  EXPECT_EQ(host[1]->nic.counters().mr_violations, 1u);
  const DmaFaults& faults = host[1]->rings.dma_faults();
  ASSERT_EQ(faults.count(), 1u);
  EXPECT_EQ(faults.first().address, kRam - 500u);
  EXPECT_EQ(faults.first().qpn, kQpn[1]);
  EXPECT_EQ(host[1]->nic.counters().dma_errors, 1u);
}

TEST_F(RdmaMemory, AtomicsAndReadsOfWhatIsNotThereAreRefused) {
  for (const std::uint8_t opcode : {NIC_WQE_RDMA_READ, NIC_WQE_FETCH_ADD, NIC_WQE_COMPARE_SWAP}) {
    build();
    put(1, NIC_MR_BASE_LO_OFFSET, static_cast<std::uint32_t>(kDevice));
    put(1, NIC_MR_LENGTH_OFFSET, 0x1000);
    post(0, work(opcode, 1, kData, kDevice, 8));
    run(kMilliSecond);
    const auto done = reap(0);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].status, NIC_CQE_REMOTE_ERROR) << int{opcode};
    EXPECT_EQ(host[1]->rings.dma_faults().count(), 1u);
  }
}

TEST_F(RdmaMemory, PayloadAndDestinationsThatAreNotThereAreLocalErrors) {
  build();
  post(0, work(NIC_WQE_RDMA_WRITE, 1, kDevice, kData, 3'000));
  run(kMilliSecond);
  auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_LOCAL_ERROR);
  EXPECT_EQ(host[0]->rings.dma_faults().first().address, kDevice);
  EXPECT_EQ(host[0]->rings.dma_faults().first().number, 1u);
  // Now the memory region begins at kDevice, an address without memory: both work requests fail.
  put(0, NIC_MR_BASE_LO_OFFSET, static_cast<std::uint32_t>(kDevice));
  post(0, work(NIC_WQE_RDMA_READ, 2, kDevice, kData, 100));
  post_receive(0, 3, kDevice, 100);
  run(kMilliSecond);
  done = reap(0);
  ASSERT_EQ(done.size(), 2u);
  for (const nic_cqe& completion : done) EXPECT_EQ(completion.status, NIC_CQE_LOCAL_ERROR);
  EXPECT_EQ(host[0]->rings.dma_faults().count(), 3u);
}

TEST_F(RdmaMemory, PayloadThatIsNotThereFailsItsOwnRequestAndNoneBefore) {
  build();
  post(0, work(NIC_WQE_RDMA_WRITE, 1, kData, kData, 3'000));
  post(0, work(NIC_WQE_RDMA_WRITE, 2, kRam - 1'000, kData, 3'000));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].status, NIC_CQE_OK);
  EXPECT_EQ(done[1].wr_id, 2u);
  EXPECT_EQ(done[1].status, NIC_CQE_LOCAL_ERROR);
}

TEST_F(RdmaMemory, RingsThatAreNotThereEndNothingButTheirOwnWork) {
  build();
  put(0, NIC_SQ_BASE_LO_OFFSET, static_cast<std::uint32_t>(kDevice));
  put(0, NIC_SQ_TAIL_OFFSET, ++host[0]->sent);
  put(0, NIC_RQ_BASE_LO_OFFSET, static_cast<std::uint32_t>(kDevice));
  put(0, NIC_RQ_TAIL_OFFSET, ++host[0]->received);
  run(kMilliSecond);
  auto done = reap(0);
  ASSERT_EQ(done.size(), 2u);
  for (const nic_cqe& completion : done) EXPECT_EQ(completion.status, NIC_CQE_LOCAL_ERROR);
  put(0, NIC_IRQ_STATUS_OFFSET, ~0u);
  put(0, NIC_SQ_BASE_LO_OFFSET, kSendRing);
  put(0, NIC_CQ_BASE_LO_OFFSET, static_cast<std::uint32_t>(kDevice));
  post(0, work(NIC_WQE_RDMA_WRITE, 7, kData, kData, 100));
  run(kMilliSecond);
  std::uint32_t status = 0;
  host[0]->rings.registers().read(NIC_IRQ_STATUS_OFFSET, status);
  EXPECT_NE(status & NIC_IRQ_STATUS_SQ_ERROR_MASK, 0u) << "the completion is nowhere";
  EXPECT_EQ(host[0]->rings.dma_faults().count(), 3u);
}

TEST_F(RdmaMemory, ARefusalWhoseNakIsLostIsRepeated) {
  build();
  post_receive(1, 8, kData + 0x8000, 100);
  post_receive(1, 9, kData + 0x9000, 9'000);
  bool lost = false;
  on_wire = [&](const Packet& packet) {
    const bool drop = !lost && packet.kind == PacketKind::kNak;
    lost = lost || drop;
    return !drop;
  };
  post(0, work(NIC_WQE_SEND, 1, kData, 0, 500));
  run(kMilliSecond);
  EXPECT_TRUE(lost);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_REMOTE_INVALID);
  EXPECT_EQ(reap(1).size(), 1u) << "the second buffer is not touched";
}

TEST_F(RdmaMemory, DatagramsToConnectedQueuePairsAreDropped) {
  build();
  put(0, NIC_QP_SERVICE_OFFSET, NIC_QP_SERVICE_SERVICE_UD);
  put(0, NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_CREATE);
  post_receive(1, 9, kData, 4'000);
  post(0, work(NIC_WQE_SEND, 1, kData, 0, 500));
  run(kMilliSecond);
  EXPECT_EQ(reap(0).size(), 1u) << "nobody tells the sender of a datagram";
  EXPECT_TRUE(reap(1).empty());
  EXPECT_EQ(host[1]->nic.counters().unknown_qp, 1u);
}

TEST_F(RdmaMemory, WorkWithoutAnotherEndFailsAfterTheRetriesOfASender) {
  parameters.recovery.retries = 2;
  waits_for_peer = false;
  build();
  // creates the queue pair anew, without a peer
  put(0, NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_CREATE);
  post(0, work(NIC_WQE_RDMA_WRITE, 1, kData, kData, 100));
  post(0, work(NIC_WQE_SEND, 2, kData, 0, 100));
  run(kMicroSecond * 140);
  EXPECT_TRUE(reap(0).empty()) << "three times 50 us are not over";
  run(kMicroSecond * 20);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].status, NIC_CQE_RETRY_EXCEEDED);
  EXPECT_EQ(done[1].status, NIC_CQE_FLUSHED);
  EXPECT_EQ(given_up_, 1);
}

}  // namespace
}  // namespace dcc
