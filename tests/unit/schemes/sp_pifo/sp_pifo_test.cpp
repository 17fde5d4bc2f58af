// Tests SP-PIFO: the adaptation of its bounds against values calculated by hand, and its inversions
// against those of a single queue.
#include "schemes/sp_pifo/sp_pifo.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "sim/random.h"

namespace dcc::sp_pifo_test {
namespace {

class SpPifoTest : public testing::Test {
 protected:
  std::unique_ptr<SpPifoPort> make(std::uint32_t queues, Bytes limit = 1'000'000'000) {
    SpPifoParameters p;
    p.queues = queues;
    p.limit = limit;
    return std::make_unique<SpPifoPort>(p);
  }
  bool arrive(SpPifoPort& port, std::uint64_t rank, PacketKind kind = PacketKind::kData) {
    Packet* const packet = pool_.allocate();
    packet->kind = kind;
    packet->scheme = rank;
    packet->wire_bytes = 1000;
    PortDiscipline::EnqueueResult result = port.enqueue(packet);
    const bool kept = result.dropped.empty();
    while (!result.dropped.empty()) pool_.free(result.dropped.pop());
    return kept;
  }
  std::uint64_t leave(SpPifoPort& port) {
    Packet* const packet = port.dequeue();
    const std::uint64_t rank = packet->kind == PacketKind::kData ? packet->scheme : 0;
    pool_.free(packet);
    return rank;
  }
  std::vector<std::uint64_t> drain(SpPifoPort& port) {
    std::vector<std::uint64_t> ranks;
    while (!port.empty()) ranks.push_back(leave(port));
    return ranks;
  }
  /// Number of packets that leave before a waiting packet of a smaller rank, with 20 packets
  /// waiting.
  int inversions(std::uint32_t queues) {
    const auto port = make(queues);
    RandomStream random(7, "ranks");
    std::multiset<std::uint64_t> waiting;
    int count = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t rank = random.below(100);
      arrive(*port, rank);
      waiting.insert(rank);
      if (waiting.size() < 20) continue;
      const std::uint64_t left = leave(*port);
      if (*waiting.begin() < left) ++count;
      waiting.erase(waiting.find(left));
    }
    drain(*port);
    return count;
  }
  PacketPool pool_;
};

// Bounds of two queues (highest priority first) after each arrival: rank 5 → {0, 5}, 2 → {2, 5}, 7
// → {2, 7}, 1 → {1, 6} by push-down, since rank 1 is 1 below the first bound.
TEST_F(SpPifoTest, PushesBoundsUpAndDown) {
  const auto port = make(2);
  for (const std::uint64_t rank : {5, 2, 7, 1, 6}) arrive(*port, rank);
  // Rank 6 is not below the second bound, which is 6. Without the push-down the bound would be 7.
  EXPECT_EQ(drain(*port), (std::vector<std::uint64_t>{2, 1, 5, 7, 6}));
}

TEST_F(SpPifoTest, ControlPacketsComeFirst) {
  const auto port = make(2);
  arrive(*port, 5);
  arrive(*port, 100, PacketKind::kAck);
  EXPECT_EQ(drain(*port), (std::vector<std::uint64_t>{0, 5}));
}

// With as many queues as ranks, packets are perfectly sorted after every rank has occurred once.
TEST_F(SpPifoTest, OneQueueForEachRankSorts) {
  const auto port = make(4);
  // the bounds become 0, 1, 2, 3
  for (const std::uint64_t rank : {3, 2, 1, 0}) arrive(*port, rank);
  drain(*port);
  for (const std::uint64_t rank : {1, 3, 0, 2, 1, 0, 3}) arrive(*port, rank);
  EXPECT_EQ(drain(*port), (std::vector<std::uint64_t>{0, 0, 1, 1, 2, 3, 3}));
}

TEST_F(SpPifoTest, MoreQueuesMakeFewerInversions) {
  // A single queue is a FIFO, so most packets leave before a waiting packet of smaller rank.
  const int one = inversions(1);
  const int eight = inversions(8);
  const int thirty_two = inversions(32);
  EXPECT_GT(one, 15'000);
  EXPECT_LT(eight, one / 2);
  EXPECT_LT(thirty_two, eight);
}

TEST_F(SpPifoTest, DropsWhatFindsNoRoom) {
  const auto port = make(8, 2500);
  EXPECT_TRUE(arrive(*port, 1));
  EXPECT_TRUE(arrive(*port, 1));
  EXPECT_FALSE(arrive(*port, 0));
  drain(*port);
}

}  // namespace
}  // namespace dcc::sp_pifo_test
