// Tests errors between two hosts: receiver not ready, receive buffer too short, refused address,
// missing queue pair.
#include <map>
#include <optional>

#include "unit/nic/rdma_hosts.h"
#include "wire/roce_headers.h"

namespace dcc {
namespace {

using namespace test;
using RdmaErrors = RdmaHosts;

TEST_F(RdmaErrors, ASenderWaitsForABufferAsLongAsItIsToldTo) {
  // The next higher code of table 46 stands for 120 us.
  parameters.recovery.not_ready_delay = kMicroSecond * 100;
  build();
  post(0, work(NIC_WQE_SEND, 1, kData, 0, 3'000));
  run(kMicroSecond * 60);
  EXPECT_EQ(count(PacketKind::kNak), 1);
  const auto nak = std::find_if(seen.begin(), seen.end(),
                                [](const Packet& p) { return p.kind == PacketKind::kNak; });
  EXPECT_EQ(nak->nak, NakReason::kNotReady);
  EXPECT_EQ(roce::headers_of(*nak, 0).syndrome, 0x27);  // the code for 0.12 ms in table 46
  EXPECT_EQ(host[1]->nic.counters().receives_missing, 1u);
  post_receive(1, 9, kData + 0x8000, 3'000);
  const std::size_t before = seen.size();
  run(kMicroSecond * 60);
  EXPECT_EQ(seen.size(), before);
  run(kMicroSecond * 60);
  EXPECT_EQ(bytes(1, kData + 0x8000, 3'000), bytes(0, kData, 3'000));
  EXPECT_EQ(reap(0).size(), 1u);
}

TEST_F(RdmaErrors, ASendThatNobodyIsReadyForEndsAfterItsRetriesAndFlushesTheRest) {
  parameters.recovery.not_ready_retries = 2;
  build();
  post(0, work(NIC_WQE_SEND, 1, kData, 0, 100));
  post(0, work(NIC_WQE_RDMA_WRITE, 2, kData, kData, 100));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].status, NIC_CQE_NOT_READY);
  EXPECT_EQ(done[1].status, NIC_CQE_FLUSHED);
  EXPECT_EQ(host[1]->nic.counters().receives_missing, 3u);
}

TEST_F(RdmaErrors, ASendLongerThanItsBufferIsAnErrorAtBothEnds) {
  build();
  post_receive(1, 9, kData + 0x8000, 1'999);
  const auto before = bytes(1, kData + 0x8000 + 1'999, 100);
  post(0, work(NIC_WQE_SEND, 1, kData, 0, 2'000));
  run(kMilliSecond);
  EXPECT_EQ(bytes(1, kData + 0x8000 + 1'999, 100), before);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_REMOTE_INVALID);
  const auto received = reap(1);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].status, NIC_CQE_LENGTH_ERROR);
  EXPECT_EQ(received[0].wr_id, 9u);
}

TEST_F(RdmaErrors, AReadOfWhatIsNotOpenIsRefusedBehindTheAnswersBeforeIt) {
  build();
  post(0, work(NIC_WQE_RDMA_READ, 1, kData + 0x8000, kData, 5'000));
  post(0, work(NIC_WQE_RDMA_READ, 2, kData + 0x8000, kRam - 10, 11));
  post(0, work(NIC_WQE_RDMA_WRITE, 3, kData, kData, 10));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[0].status, NIC_CQE_OK);
  EXPECT_EQ(done[1].status, NIC_CQE_REMOTE_ERROR);
  EXPECT_EQ(done[1].wr_id, 2u);
  EXPECT_EQ(done[2].status, NIC_CQE_FLUSHED);
  EXPECT_EQ(host[1]->nic.counters().mr_violations, 1u);
}

TEST_F(RdmaErrors, AReadIntoWhatIsNotOpenIsALocalError) {
  build();
  post(0, work(NIC_WQE_RDMA_READ, 1, kData - 1, kData, 100));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_LOCAL_ERROR);
  EXPECT_TRUE(seen.empty());
}

TEST_F(RdmaErrors, AWindowOverMemoryThatIsNotThereRefusesReads) {
  build();
  put(1, NIC_MR_LENGTH_OFFSET, kRam);  // the region ends beyond memory
  post(0, work(NIC_WQE_RDMA_READ, 1, kData, kRam - 1'000, 3'000));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_REMOTE_ERROR);
}

TEST_F(RdmaErrors, ADeadWireEndsWorkAfterItsRetries) {
  parameters.recovery.retries = 3;
  build();
  on_wire = [](const Packet&) { return false; };
  post(0, work(NIC_WQE_RDMA_READ, 1, kData, kData, 3'000));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_RETRY_EXCEEDED);
  EXPECT_EQ(count(Operation::kRead), 4);
}

TEST_F(RdmaErrors, ReceiveEntriesAreCheckedAndEndWithTheirQueuePair) {
  build();
  post_receive(0, 1, kData - 1, 100);
  post_receive(0, 2, kData, 0);
  post_receive(0, 3, kData, 100);
  run(kMicroSecond * 10);
  auto done = reap(0);
  ASSERT_EQ(done.size(), 2u);
  for (const nic_cqe& completion : done) EXPECT_EQ(completion.status, NIC_CQE_LOCAL_ERROR);
  put(0, NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_DESTROY);
  run(kMicroSecond * 10);
  done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_FLUSHED);
  EXPECT_EQ(done[0].wr_id, 3u);
}

// Packets that the transmitter has already staged leave after a retransmission timeout. An ACK of
// packets that the receiver buffered may then leave nothing outstanding, and packets sent
// afterwards must start the timer again.
TEST_F(RdmaErrors, PacketsThatLeaveBehindATimeoutDoNotKeepTheTimerFromStarting) {
  parameters.recovery.reorder_window = 8;
  build();
  std::uint64_t overtaken = 0;  // number of runs in which a packet left after the timeout
  for (int early = 100; early <= 1'000; early += 50) {
    std::map<Psn, int> lost;
    std::optional<Psn> first;
    PicoSeconds first_at;
    bool behind = false;
    on_wire = [&](const Packet& packet) {
      if (packet.kind != PacketKind::kData) return true;
      if (!first) {
        first = packet.psn;
        first_at = scheduler.now();
      }
      const Psn at = packet.psn - *first;
      const int again = lost[packet.psn]++;
      const bool is_late = scheduler.now() > first_at + parameters.recovery.timeout;
      if (at == 6 && again == 0 && is_late && lost[*first] == 1) behind = true;
      return !((at == 0 && again == 0) || (at == 4 && again < 2));
    };
    post(0, work(NIC_WQE_RDMA_WRITE, 1, kData, kData, 4'000));
    while (!first) run(kNanoSecond * 10);
    run(kMicroSecond * 49 - kNanoSecond * early);
    post(0, work(NIC_WQE_RDMA_WRITE, 2, kData, kData + 0x4000, 3'000));
    run(kMilliSecond * 20);
    // Many round trips reset the timeout from its doubled value.
    post(0, work(NIC_WQE_RDMA_WRITE, 3, kData, kData, 100'000));
    run(kMilliSecond);
    const auto done = reap(0);
    ASSERT_EQ(done.size(), 3u) << early << " ns";
    EXPECT_EQ(done[1].status, NIC_CQE_OK);
    overtaken += behind ? 1 : 0;
  }
  EXPECT_GT(overtaken, 0u);
}

}  // namespace
}  // namespace dcc
