// Tests the credit queue of ExpressPass with its token bucket. Credits of 84 bytes leave one per
// time of 1622 bytes, which is 1297.6 ns at 10 Gb/s.
#include "schemes/expresspass/credit_queue.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "schemes/expresspass/credit_port.h"
#include "sim/scheduler.h"

namespace dcc {
namespace {

constexpr PicoSeconds kGap{1'297'600};

struct Queue {
  Queue() { queue.attach(BitRate(10'000'000'000), 20); }
  Packet* credit() {
    Packet* const packet = pool.allocate();
    packet->kind = PacketKind::kCredit;
    packet->wire_bytes = 64;
    return packet;
  }
  PacketPool pool;
  RandomStream random{1, "credits"};
  CreditQueue queue{CreditQueueParameters{}};
};

TEST(CreditQueue, AfterAPauseTwoLeaveInARowThenAtTheirPace) {
  Queue q;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(q.queue.push(q.credit(), q.random), nullptr);
  EXPECT_EQ(q.queue.bytes(), 5 * 64);
  const PicoSeconds start = kMilliSecond;
  PicoSeconds now = start;
  std::vector<PicoSeconds> left;
  while (!q.queue.empty()) {
    now = std::max(now, q.queue.ready_at());
    left.push_back(now);
    q.pool.free(q.queue.pop(now));
  }
  EXPECT_EQ(left, (std::vector<PicoSeconds>{start, start, start + kGap, start + kGap * 2,
                                            start + kGap * 3}));
  EXPECT_EQ(q.pool.in_use(), 0);
}

TEST(CreditQueue, WhenItIsFullOneOfAllIsDroppedByLot) {
  std::set<std::uint64_t> dropped;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Queue q;
    q.random = RandomStream(seed, "credits");
    for (std::uint64_t i = 0; i < 9; ++i) {
      Packet* const packet = q.credit();
      packet->scheme = i;
      Packet* const lost = q.queue.push(packet, q.random);
      ASSERT_EQ(lost != nullptr, i == 8);
      if (lost != nullptr) dropped.insert(lost->scheme);
    }
    EXPECT_EQ(q.queue.bytes(), 8 * 64);
  }
  EXPECT_EQ(dropped.size(), 9u) << "each of the nine was it once";
}

TEST(CreditPort, CreditsGoBeforeDataAsFastAsTheBucketLetsThem) {
  Scheduler clock;
  clock.run_until(kMilliSecond);
  Queue q;
  CreditPort port(CreditPortParameters{}, {q.random, clock});
  LinkParameters link;
  link.rate = BitRate(10'000'000'000);
  link.overhead = 20;
  port.attach(link);
  std::vector<Packet*> packets;
  for (int i = 0; i < 3; ++i) {
    Packet* const data = q.pool.allocate();
    data->wire_bytes = 1518;
    packets.push_back(data);
    EXPECT_TRUE(port.enqueue(data).dropped.empty());
    EXPECT_TRUE(port.enqueue(q.credit()).dropped.empty());
  }
  std::vector<PacketKind> kinds;
  for (int i = 0; i < 5; ++i) {
    Packet* const packet = port.dequeue();
    ASSERT_NE(packet, nullptr);
    kinds.push_back(packet->kind);
  }
  using Kind = PacketKind;
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::kCredit, Kind::kCredit, Kind::kData, Kind::kData,
                                      Kind::kData}));
  EXPECT_EQ(port.dequeue(), nullptr) << "the third credit waits";
  EXPECT_FALSE(port.empty());
  EXPECT_EQ(port.ready_at(), kMilliSecond + kGap);
  clock.run_until(port.ready_at());
  EXPECT_EQ(port.dequeue()->kind, PacketKind::kCredit);
  EXPECT_TRUE(port.empty());
  EXPECT_EQ(port.bytes(), 0);
}

TEST(CreditPort, DataHasABoundAndWhatIsTakenElsewhereDoesNotWait) {
  Scheduler clock;
  Queue q;
  CreditPortParameters parameters;
  parameters.data_limit = 3000;
  CreditPort port(parameters, {q.random, clock});
  const auto data = [&] {
    Packet* const packet = q.pool.allocate();
    packet->wire_bytes = 1500;
    return packet;
  };
  EXPECT_TRUE(port.enqueue(data()).dropped.empty());
  EXPECT_TRUE(port.enqueue(data()).dropped.empty());
  EXPECT_FALSE(port.enqueue(data()).dropped.empty());
  for (int i = 0; i < 4; ++i) port.enqueue(q.credit());
  for (int i = 0; i < 6; ++i) {
    ASSERT_FALSE(port.empty());
    EXPECT_NE(port.evict(), nullptr);
  }
  EXPECT_TRUE(port.empty());
}

}  // namespace
}  // namespace dcc
