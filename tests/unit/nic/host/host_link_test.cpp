// Tests the completion times of DMA requests that compete for the link to the host. The expected
// times are computed by hand.
#include "nic/host/host_link.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "unit/nic/fake_host.h"

namespace dcc {
namespace {

// 8 Gb/s are one byte per nanosecond, so each time below is a sum of byte counts and latencies.
constexpr std::int64_t kLatency = 100;
constexpr std::int64_t kRequest = HostLink::kReadRequestBytes;

class HostLinkTest : public ::testing::Test, public DmaClient {
 protected:
  struct End {
    std::uint32_t tag;
    std::int64_t ns;
    bool ok;
    bool operator==(const End& b) const { return tag == b.tag && ns == b.ns && ok == b.ok; }
    friend void PrintTo(const End& e, std::ostream* out) {
      *out << "tag " << e.tag << " at " << e.ns << (e.ok ? "" : " failed");
    }
  };

  void dma_done(std::uint32_t tag, bool ok) override {
    EXPECT_EQ(scheduler.now().count % kNanoSecond.count, 0);
    ends.push_back({tag, scheduler.now() / kNanoSecond, ok});
  }
  void build(std::uint32_t outstanding) {
    link.emplace_back(std::make_unique<HostLink>(
        scheduler, memory,
        DmaParameters{kNanoSecond * kLatency, BitRate(8'000'000'000), outstanding}, 0));
  }
  void read(std::uint32_t tag, std::uint32_t bytes) {
    link.back()->read(0, buffer, bytes, *this, tag);
  }
  void write(std::uint32_t tag, std::uint32_t bytes) {
    link.back()->write(0, buffer, bytes, *this, tag);
  }
  void at(std::int64_t ns) { scheduler.run_until(kNanoSecond * ns); }
  std::vector<End> all() {
    scheduler.run_until(scheduler.now() + kMilliSecond);
    return ends;
  }

  Scheduler scheduler;
  test::FakeMemory memory{4096};
  std::vector<std::unique_ptr<HostLink>> link;
  std::uint8_t buffer[4096] = {};
  std::vector<End> ends;
};

TEST_F(HostLinkTest, ARequestAloneTakesItsBytesAndTheLatency) {
  build(64);
  read(1, 512);
  EXPECT_EQ(all(), (std::vector<End>{{1, kRequest + kLatency + 512, true}}));
  ends.clear();
  write(2, 32);
  EXPECT_EQ(all(), (std::vector<End>{{2, 1'000'000 + 32 + kLatency, true}}));
}

TEST_F(HostLinkTest, PayloadAndDescriptorsShareTheWayFromTheHost) {
  build(64);
  read(1, 1000);  // payload: requested at 24 ns, data from 124 to 1124 ns
  // descriptors: requested at 48 ns, data could begin at 148 ns but begins at 1124 ns
  read(2, 512);
  at(1100);
  // requested at 1124 ns, data could begin at 1224 ns, but the link is busy until 1636 ns
  read(3, 100);
  EXPECT_EQ(all(), (std::vector<End>{{1, 1124, true}, {2, 1636, true}, {3, 1736, true}}));
}

TEST_F(HostLinkTest, PayloadAndCompletionsShareTheWayToTheHost) {
  build(64);
  write(1, 1000);  // payload: the link sends its bytes from 0 to 1000 ns
  write(2, 32);    // completion: the link sends its bytes from 1000 to 1032 ns
  at(2000);
  write(3, 32);
  EXPECT_EQ(all(), (std::vector<End>{{1, 1100, true}, {2, 1132, true}, {3, 2132, true}}));
}

TEST_F(HostLinkTest, AReadsRequestWaitsBehindWrites) {
  build(64);
  write(1, 1000);  // write: the link sends its bytes from 0 to 1000 ns
  read(2, 512);    // read: request sent from 1000 to 1024 ns; data arrives from 1124 ns on
  write(3, 32);    // write: waits for the read request; sent from 1024 to 1056 ns
  EXPECT_EQ(all(), (std::vector<End>{{1, 1100, true}, {3, 1156, true}, {2, 1636, true}}));
}

TEST_F(HostLinkTest, DirectionsDoNotHoldUpEachOther) {
  build(64);
  read(1, 4000);   // read: data from 124 to 4124 ns
  write(2, 1000);  // write: waits for the 24 bytes of the read request
  EXPECT_EQ(all(), (std::vector<End>{{2, 1124, true}, {1, 4124, true}}));
}

TEST_F(HostLinkTest, ReadsBeyondTheLimitWaitForOneToEndAndWritesDoNotWaitForThem) {
  build(2);
  read(1, 10);   // read 1: data ends at 134 ns
  read(2, 10);   // read 2: requested at 48 ns, data from 148 to 158 ns
  read(3, 10);   // read 3: requested from 134 to 158 ns, after read 1; data from 258 to 268 ns
  read(4, 10);   // read 4: requested from 158 to 182 ns, after read 2; data from 282 to 292 ns
  write(5, 32);  // write: waits for the requests of reads 1 and 2; sent from 48 to 80 ns
  EXPECT_EQ(all(),
            (std::vector<End>{
                {1, 134, true}, {2, 158, true}, {5, 180, true}, {3, 268, true}, {4, 292, true}}));
}

TEST_F(HostLinkTest, AReadSeesTheWriteBeforeIt) {
  build(64);
  std::uint8_t seen = 0;
  const std::uint8_t written = 77;
  link.back()->write(9, &written, 1, *this, 1);
  link.back()->read(9, &seen, 1, *this, 2);
  buffer[0] = 78;
  EXPECT_EQ(all().size(), 2u);
  EXPECT_EQ(seen, 77);
}

TEST_F(HostLinkTest, AddressesOutsideMemoryFailAndMoveNothing) {
  build(64);
  buffer[0] = 5;
  link.back()->read(4095, buffer, 2, *this, 1);
  link.back()->write(4096, buffer, 1, *this, 2);
  EXPECT_EQ(all(), (std::vector<End>{{2, kRequest + 1 + kLatency, false},
                                     {1, kRequest + kLatency + 2, false}}));
  EXPECT_EQ(buffer[0], 5);
}

TEST_F(HostLinkTest, WhatIsForgottenKeepsTheLinkBusyAndDoesNothing) {
  build(1);
  memory.bytes[0] = 9;
  read(1, 100);   // a read in progress: data from 124 to 224 ns
  read(2, 1000);  // a read that waits and is then cancelled
  buffer[0] = 3;
  write(3, 1);  // the written byte has left at 25 ns
  link.back()->cancel(*this);
  read(4, 10);  // after read 1: requested from 224 to 248 ns, data from 348 to 358 ns
  EXPECT_EQ(all(), (std::vector<End>{{4, 358, true}}));
  EXPECT_EQ(memory.bytes[0], 9);
  EXPECT_EQ(buffer[0], 9);  // only the last read has written the buffer
}

TEST_F(HostLinkTest, AtomicOperationsCarryTheirOperandsAndChangeMemoryInTheirTurn) {
  build(64);
  memory.put(64, std::uint64_t{40});
  std::uint64_t found[4] = {};
  const std::uint64_t written = 41;
  link.back()->fetch_add(64, 3, &found[0], *this, 1);  // requested at 32 ns, completes at 140 ns
  // requested at 72 ns, completes at 180 ns
  link.back()->compare_swap(64, 43, 50, &found[1], *this, 2);
  // requested at 112 ns, completes at 220 ns
  link.back()->compare_swap(64, 43, 60, &found[2], *this, 3);
  link.back()->read(64, &found[3], 8, *this, 4);   // requested at 136 ns, completes at 244 ns
  link.back()->write(128, &written, 8, *this, 5);  // sent at 144 ns, completes at 244 ns too
  // the end of the 64-bit word is outside memory
  link.back()->fetch_add(4092, 1, buffer, *this, 6);
  EXPECT_EQ(all(), (std::vector<End>{{1, 140, true},
                                     {2, 180, true},
                                     {3, 220, true},
                                     {5, 244, true},
                                     {4, 244, true},
                                     {6, 284, false}}));
  EXPECT_EQ(found[0], 40u);
  EXPECT_EQ(found[1], 43u);
  EXPECT_EQ(found[2], 50u);
  EXPECT_EQ(found[3], 50u);
  EXPECT_EQ(memory.get<std::uint64_t>(64), 50u);
}

}  // namespace
}  // namespace dcc
