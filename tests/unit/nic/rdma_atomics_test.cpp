// Tests compare-and-swap and fetch-and-add between two hosts: each operation is executed exactly
// once despite packet loss.
#include <map>
#include <random>

#include "unit/nic/rdma_hosts.h"
#include "wire/roce_headers.h"
#include "wire/wire_frame.h"
#include "wire/wire_size.h"

namespace dcc::rdma_atomics_test {
namespace {

using namespace test;

class RdmaAtomics : public RdmaHosts {
 protected:
  nic_wqe atomic(std::uint8_t opcode, std::uint64_t id, std::uint64_t local, std::uint64_t remote,
                 std::uint64_t swap_or_add, std::uint64_t compare = 0) const {
    nic_wqe entry = work(opcode, id, local, remote, NIC_ATOMIC_BYTES);
    entry.swap_or_add = swap_or_add;
    entry.compare = compare;
    return entry;
  }
  std::uint64_t word(int at, std::uint32_t address) const {
    return host[at]->ram.get<std::uint64_t>(address);
  }
};

constexpr std::uint32_t kWord = kData + 0x100;
constexpr std::uint32_t kResult = kData + 0x8000;

TEST_F(RdmaAtomics, AnAdditionBringsWhatWasThereAndAddsModuloTwoToTheSixtyFour) {
  build();
  host[1]->ram.put(kWord, std::uint64_t{0xFFFF'FFFF'FFFF'FFF0});
  post(0, atomic(NIC_WQE_FETCH_ADD, 7, kResult, kWord, 0x25));
  run(kMilliSecond);
  EXPECT_EQ(word(1, kWord), 0x15u);
  EXPECT_EQ(word(0, kResult), 0xFFFF'FFFF'FFFF'FFF0u);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].wr_id, 7u);
  EXPECT_EQ(done[0].status, NIC_CQE_OK);
  EXPECT_EQ(done[0].opcode, NIC_CQE_SEND_DONE);
  EXPECT_EQ(done[0].byte_len, 8u);
  EXPECT_TRUE(reap(1).empty());
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].wire_bytes, roce::atomic_request_wire_bytes());
  EXPECT_EQ(seen[1].wire_bytes, roce::atomic_response_wire_bytes());
  EXPECT_EQ(ledger[0].acked_bytes, 8);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(RdmaAtomics, ASwapHappensOnlyWhereTheWordIsWhatItIsComparedWith) {
  build();
  host[1]->ram.put(kWord, std::uint64_t{5});
  post(0, atomic(NIC_WQE_COMPARE_SWAP, 1, kResult, kWord, 9, 4));
  post(0, atomic(NIC_WQE_COMPARE_SWAP, 2, kResult + 8, kWord, 9, 5));
  post(0, atomic(NIC_WQE_COMPARE_SWAP, 3, kResult + 16, kWord, 7, 5));
  run(kMilliSecond);
  EXPECT_EQ(word(1, kWord), 9u);
  EXPECT_EQ(word(0, kResult), 5u);
  EXPECT_EQ(word(0, kResult + 8), 5u);
  EXPECT_EQ(word(0, kResult + 16), 9u);
  EXPECT_EQ(reap(0).size(), 3u);
}

// The operands of a request and the result in its response are headers on the wire.
TEST_F(RdmaAtomics, FramesHoldOperandsAndResult) {
  build();
  host[1]->ram.put(kWord, std::uint64_t{0x1122'3344'5566'7788});
  FrameWriter writer(9216);
  std::vector<roce::Parsed> frames;
  on_wire = [&](const Packet& packet) {
    std::vector<std::uint8_t> bytes(9216);
    const FrameSize size = writer.write(packet, roce::mac_of(packet.source), bytes.data());
    EXPECT_EQ(size.captured + roce::kFcs, packet.wire_bytes);
    frames.push_back(roce::parse(bytes.data(), size.captured));
    return true;
  };
  post(0, atomic(NIC_WQE_COMPARE_SWAP, 1, kResult, kWord, 0x0102'0304'0506'0708, 0x1112));
  run(kMilliSecond);
  ASSERT_EQ(frames.size(), 2u);
  ASSERT_EQ(frames[0].error, roce::ParseError::kNone) << describe(frames[0].error);
  EXPECT_EQ(frames[0].headers.opcode, roce::Opcode::kCompareSwap);
  EXPECT_EQ(frames[0].headers.virtual_address, kWord);
  EXPECT_EQ(frames[0].headers.swap_or_add, 0x0102'0304'0506'0708u);
  EXPECT_EQ(frames[0].headers.compare, 0x1112u);
  ASSERT_EQ(frames[1].error, roce::ParseError::kNone) << describe(frames[1].error);
  EXPECT_EQ(frames[1].headers.opcode, roce::Opcode::kAtomicAcknowledge);
  EXPECT_EQ(frames[1].headers.original, 0x1122'3344'5566'7788u);
  EXPECT_EQ(frames[1].payload_size, 0u);
}

// Runs atomic operations between writes and reads in both directions. Each run loses another
// packet.
TEST_F(RdmaAtomics, LosingAnyOnePacketCarriesNothingOutTwice) {
  std::size_t packets = 0;
  std::map<int, int> operations;
  for (std::size_t lost = 0; lost <= packets; ++lost) {
    SCOPED_TRACE(lost);
    scheduler.run_until(scheduler.now() + kMilliSecond);
    ledger = FlowLedger(2);
    build();
    std::size_t passed = 0;
    on_wire = [&](const Packet& packet) {
      const bool keep = ++passed != lost;
      if (!keep && packet.kind == PacketKind::kData)
        ++operations[static_cast<int>(packet.operation)];
      return keep;
    };
    for (int at = 0; at < 2; ++at) host[at]->ram.put(kWord, std::uint64_t{100});
    for (int at = 0; at < 2; ++at) {
      post(at, atomic(NIC_WQE_FETCH_ADD, 1, kResult, kWord, 1));
      post(at, work(NIC_WQE_RDMA_WRITE, 2, kData + 0x1000, kData + 0x10000, 2'500));
      post(at, atomic(NIC_WQE_COMPARE_SWAP, 3, kResult + 8, kWord, 200, 101));
      post(at, work(NIC_WQE_RDMA_READ, 4, kData + 0x14000, kData + 0x3000, 2'500));
      post(at, atomic(NIC_WQE_FETCH_ADD, 5, kResult + 16, kWord, 3));
      post(at, atomic(NIC_WQE_FETCH_ADD, 6, kResult + 24, kWord, 5));
    }
    run(kMilliSecond * 2);
    if (lost == 0) packets = passed;
    for (int at = 0; at < 2; ++at) {
      SCOPED_TRACE(at);
      EXPECT_EQ(word(1 - at, kWord), 208u);
      EXPECT_EQ(word(at, kResult), 100u);
      EXPECT_EQ(word(at, kResult + 8), 101u);
      EXPECT_EQ(word(at, kResult + 16), 200u);
      EXPECT_EQ(word(at, kResult + 24), 203u);
      EXPECT_EQ(bytes(1 - at, kData + 0x10000, 2'500), bytes(at, kData + 0x1000, 2'500));
      EXPECT_EQ(bytes(at, kData + 0x14000, 2'500), bytes(1 - at, kData + 0x3000, 2'500));
      std::vector<std::uint64_t> ids;
      for (const nic_cqe& done : reap(at)) {
        EXPECT_EQ(done.status, NIC_CQE_OK);
        ids.push_back(done.wr_id);
      }
      // Work items complete in the order in which they were posted.
      EXPECT_EQ(ids, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6}));
    }
    EXPECT_EQ(pool.in_use(), 0);
    for (int at = 0; at < 2; ++at) host[at]->nic.destroy_queue_pair(kQpn[at]);
    run(kMilliSecond);
  }
  EXPECT_GT(packets, 20u);
  for (const Operation operation :
       {Operation::kFetchAdd, Operation::kCompareSwap, Operation::kAtomicResponse}) {
    EXPECT_GT(operations[static_cast<int>(operation)], 0);
  }
}

// Every third packet is lost and the link to the host is slow, so the requester repeats requests
// while the responder is still executing them.
TEST_F(RdmaAtomics, HoweverOftenARequestIsRepeatedItCountsOnce) {
  // DMA latency above the retransmission timeout of 50 us
  parameters.dma.latency = kMicroSecond * 60;
  std::mt19937 chance(7);
  build();
  host[1]->ram.put(kWord, std::uint64_t{0});
  on_wire = [&](const Packet&) { return chance() % 3 != 0; };
  std::uint64_t done = 0;
  for (std::uint64_t posted = 0; posted < 200; ++posted) {
    post(0, atomic(NIC_WQE_FETCH_ADD, posted, kResult, kWord, 1));
    if (posted % 8 != 7) continue;
    for (int wait = 0; wait < 200 && done <= posted; ++wait) {
      run(kMicroSecond * 500);
      for (const nic_cqe& completion : reap(0)) {
        EXPECT_EQ(completion.status, NIC_CQE_OK);
        EXPECT_EQ(completion.wr_id, done++);
      }
    }
    ASSERT_EQ(done, posted + 1);
    EXPECT_EQ(word(0, kResult),
              posted);  // the last operation returned the sum of all earlier ones
  }
  EXPECT_EQ(word(1, kWord), 200u);
  EXPECT_GT(host[0]->nic.counters().retransmits, 50u);
}

TEST_F(RdmaAtomics, AtMostSoManyAreUnderWay) {
  parameters.outstanding_reads = 2;
  build();
  host[1]->ram.put(kWord, std::uint64_t{0});
  int most = 0, out = 0;
  on_wire = [&](const Packet& packet) {
    if (packet.operation == Operation::kFetchAdd) most = std::max(most, ++out);
    if (packet.operation == Operation::kAtomicResponse) --out;
    return true;
  };
  for (std::uint64_t i = 0; i < 10; ++i) {
    post(0, atomic(NIC_WQE_FETCH_ADD, i, kResult, kWord, 1));
  }
  run(kMilliSecond);
  EXPECT_EQ(most, 2);
  EXPECT_EQ(word(1, kWord), 10u);
}

TEST_F(RdmaAtomics, WhatCannotBeIsRefusedWhereItIsSeen) {
  const auto status_of = [&](nic_wqe entry, Service service = Service::kRc) {
    build(service);
    const auto before = host[1]->ram.bytes;
    post(0, entry);
    run(kMilliSecond);
    const auto done = reap(0);
    EXPECT_EQ(done.size(), 1u);
    EXPECT_EQ(host[1]->ram.bytes, before);
    return done.empty() ? -1 : int{done[0].status};
  };
  EXPECT_EQ(status_of(atomic(NIC_WQE_FETCH_ADD, 1, kResult, kWord + 4, 1)), NIC_CQE_REMOTE_INVALID);
  EXPECT_EQ(status_of(atomic(NIC_WQE_FETCH_ADD, 1, kResult, kData - 8, 1)), NIC_CQE_REMOTE_ERROR);
  EXPECT_EQ(status_of(atomic(NIC_WQE_FETCH_ADD, 1, kData - 8, kWord, 1)), NIC_CQE_LOCAL_ERROR);
  EXPECT_EQ(status_of(atomic(NIC_WQE_FETCH_ADD, 1, kResult, kWord, 1), Service::kUc),
            NIC_CQE_LOCAL_ERROR);
  nic_wqe long_one = atomic(NIC_WQE_COMPARE_SWAP, 1, kResult, kWord, 1);
  long_one.length = 16;
  EXPECT_EQ(status_of(long_one), NIC_CQE_LOCAL_ERROR);
}

// The memory region contains an address that host memory refuses. The first NAK, and the responses
// before and after it, are lost.
TEST_F(RdmaAtomics, ARefusalThatIsLostIsRepeatedAndNothingIsCarriedOutTwice) {
  build();
  put(1, NIC_MR_LENGTH_OFFSET, kRam);  // the region ends beyond memory
  host[1]->ram.put(kWord, std::uint64_t{100});
  int answers = 0;
  on_wire = [&](const Packet& packet) {
    const bool answer =
        packet.kind == PacketKind::kNak || packet.operation == Operation::kAtomicResponse;
    return !answer || ++answers > 3;
  };
  post(0, atomic(NIC_WQE_FETCH_ADD, 1, kResult, kWord, 1));
  post(0, atomic(NIC_WQE_FETCH_ADD, 2, kResult + 8, kRam, 1));
  post(0, atomic(NIC_WQE_FETCH_ADD, 3, kResult + 16, kWord, 1));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[0].status, NIC_CQE_OK);
  EXPECT_EQ(word(0, kResult), 100u);
  EXPECT_EQ(done[1].status, NIC_CQE_REMOTE_ERROR);
  EXPECT_EQ(done[2].status, NIC_CQE_FLUSHED);
  EXPECT_LE(word(1, kWord), 102u);
  EXPECT_EQ(host[1]->nic.counters().mr_violations, 1u) << "repeats of a refusal are not counted";
  EXPECT_GE(host[1]->nic.counters().naks_sent, 2u);
  EXPECT_EQ(pool.in_use(), 0);
}

}  // namespace
}  // namespace dcc::rdma_atomics_test
