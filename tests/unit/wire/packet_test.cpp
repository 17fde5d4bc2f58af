#include "wire/packet.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

namespace dcc {
namespace {

TEST(PacketPool, ReusesWhatWasGivenBack) {
  PacketPool pool;
  Packet* const first = pool.allocate();
  pool.attach_telemetry(*first);
  IntStack* const stack = first->telemetry;
  first->psn = 77;
  EXPECT_EQ(pool.in_use(), 1);
  pool.free(first);
  EXPECT_EQ(pool.in_use(), 0);
  Packet* const second = pool.allocate();
  EXPECT_EQ(second, first);
  EXPECT_EQ(second->psn, 0u);
  EXPECT_EQ(second->telemetry, nullptr);
  pool.attach_telemetry(*second);
  EXPECT_EQ(second->telemetry, stack);
  pool.free(second);
}

// The last block of memory is partly used, and so are its neighbours.
TEST(PacketPool, VisitsThePacketsInUseAndNoOthers) {
  PacketPool pool;
  std::set<const Packet*> in_use;
  const auto visited = [&pool] {
    std::set<const Packet*> packets;
    pool.each_in_use([&](const Packet& packet) { packets.insert(&packet); });
    return packets;
  };
  EXPECT_EQ(visited(), in_use);
  for (int i = 0; i < 900; ++i) {
    Packet* const packet = pool.allocate();
    packet->flow = 7;
    if (i % 3 == 1) {
      pool.free(packet);
    } else {
      in_use.insert(packet);
    }
    ASSERT_EQ(visited(), in_use) << i;
  }
  PacketPool other;
  PacketPool::balance({&pool, &other});
  EXPECT_EQ(visited(), in_use);
}

// Packets are allocated in one pool and freed in another. balance() returns them, so memory is
// bounded.
TEST(PacketPool, BalancesTrafficThatGoesOneWay) {
  PacketPool near;
  PacketPool far;
  const std::vector<PacketPool*> pools{&near, &far};
  std::set<Packet*> packets;
  std::set<IntStack*> stacks;
  std::deque<Packet*> on_the_way;
  for (int i = 0; i < 400'000; ++i) {
    Packet* const packet = near.allocate();
    ASSERT_EQ(packet->telemetry, nullptr);
    near.attach_telemetry(*packet);
    packets.insert(packet);
    stacks.insert(packet->telemetry);
    on_the_way.push_back(packet);
    if (on_the_way.size() > 1'000) {
      far.free(on_the_way.front());
      on_the_way.pop_front();
    }
    if (i % 1'000 == 0) PacketPool::balance(pools);
    ASSERT_EQ(near.in_use() + far.in_use(), static_cast<std::int64_t>(on_the_way.size()));
  }
  EXPECT_LT(packets.size(), 20'000u);
  EXPECT_LT(stacks.size(), 20'000u);
  for (Packet* const packet : on_the_way) far.free(packet);
  EXPECT_EQ(near.in_use() + far.in_use(), 0);
}

TEST(PacketPool, EvensOutManyPoolsAtOnce) {
  std::vector<std::unique_ptr<PacketPool>> pools;
  std::vector<PacketPool*> all;
  for (int p = 0; p < 8; ++p) all.push_back(pools.emplace_back(new PacketPool).get());
  for (std::size_t p = 0; p < 4; ++p) {  // the first four pools send to the last four
    for (int i = 0; i < 8'000; ++i) all[7 - p]->free(all[p]->allocate());
  }
  PacketPool::balance(all);
  std::vector<Packet*> taken;
  for (std::size_t p = 0; p < 4; ++p) {
    const std::size_t before = all[p]->size();
    for (int i = 0; i < 3'000; ++i) taken.push_back(all[p]->allocate());
    EXPECT_EQ(all[p]->size(), before) << "pool " << p << " has been given what it needs";
  }
  for (Packet* const packet : taken) all[0]->free(packet);
}

}  // namespace
}  // namespace dcc
