// Tests the differences of counters between two snapshots of a run.
#include "debug/snapshot.h"

#include <gtest/gtest.h>

namespace dcc::vp {
namespace {

Snapshot snapshot(std::uint64_t n) {
  Snapshot s;
  s.wires = {{{n, 2 * n, 3 * n, kMicroSecond * static_cast<std::int64_t>(n)},
              kMilliSecond * static_cast<std::int64_t>(n)}};
  s.cnps_received = {4 * n, 5 * n, 6 * n};
  s.by_name = {8 * n};
  LinkCounters link;
  link.lost = 7 * n;
  s.counters.add(link);
  return s;
}

TEST(Snapshot, TheWindowIsTheDifferenceOfEverything) {
  const Snapshot window = snapshot(5).since(snapshot(2));
  ASSERT_EQ(window.wires.size(), 1u);
  EXPECT_EQ(window.wires[0].link.packets, 3u);
  EXPECT_EQ(window.wires[0].link.bytes, 6u);
  EXPECT_EQ(window.wires[0].link.lost, 9u);
  EXPECT_EQ(window.wires[0].link.busy, kMicroSecond * 3);
  EXPECT_EQ(window.wires[0].pause, kMilliSecond * 3);
  EXPECT_EQ(window.cnps_received, (std::vector<std::uint64_t>{12, 15, 18}));
  EXPECT_EQ(window.by_name, std::vector<std::uint64_t>{24});
  EXPECT_EQ(window.counters.of(&LinkCounters::lost), 21u);
}

TEST(Snapshot, NothingIsCountedInNoTime) {
  const Snapshot window = snapshot(9).since(snapshot(9));
  EXPECT_EQ(window.wires[0].link.busy, PicoSeconds(0));
  EXPECT_EQ(window.counters.of(&LinkCounters::lost), 0u);
}

TEST(Snapshot, EverythingSoManyTimesAndTogether) {
  const Snapshot twice_and_a_half = snapshot(2).times({kMicroSecond * 5, kMicroSecond * 2});
  const Snapshot all = twice_and_a_half.plus(snapshot(1));
  EXPECT_EQ(all.wires[0].link.packets, 5u + 1);
  EXPECT_EQ(all.wires[0].link.bytes, 10u + 2);
  EXPECT_EQ(all.wires[0].link.lost, 15u + 3);
  EXPECT_EQ(all.wires[0].link.busy, kMicroSecond * 6);
  EXPECT_EQ(all.wires[0].pause, kMilliSecond * 6);
  EXPECT_EQ(all.cnps_received, (std::vector<std::uint64_t>{24, 30, 36}));
  EXPECT_EQ(all.by_name, std::vector<std::uint64_t>{48});
  EXPECT_EQ(all.counters.of(&LinkCounters::lost), 42u);
}

}  // namespace
}  // namespace dcc::vp
