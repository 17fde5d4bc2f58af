#include "controller/flow_table.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <stdexcept>

namespace dcc {
namespace {

TEST(FlowTable, HandsOutLowestFirstThenFirstReleasedFirst) {
  FlowTable table(4);
  EXPECT_EQ(table.bind(100), 0u);
  EXPECT_EQ(table.bind(200), 1u);
  EXPECT_EQ(table.bind(300), 2u);
  table.release(1);
  table.release(0);
  EXPECT_EQ(table.bind(400), 3u);  // slots that were never used are taken before released slots
  EXPECT_EQ(table.bind(500), 1u);
  EXPECT_EQ(table.bind(600), 0u);
  EXPECT_EQ(table.bind(700), FlowTable::kNoSlot);
  EXPECT_EQ(table.match(700), FlowTable::kNoSlot);
}

TEST(FlowTable, ReadsTheFlowOfASlot) {
  FlowTable table(2);
  table.bind(0xFFFFFF);
  table.bind(0);
  EXPECT_EQ(table.read(0), 0xFFFFFFu);
  EXPECT_EQ(table.read(1), 0u);
  table.release(0);
  EXPECT_EQ(table.read(0), FlowTable::kNoFlow);
  EXPECT_EQ(table.match(0xFFFFFF), FlowTable::kNoSlot);
  EXPECT_EQ(table.match(0), 1u);
}

TEST(FlowTable, ResetRestoresTheOrder) {
  FlowTable table(3);
  table.bind(1);
  table.bind(2);
  table.release(0);
  table.reset();
  EXPECT_EQ(table.free_slots(), 3u);
  EXPECT_EQ(table.match(2), FlowTable::kNoSlot);
  EXPECT_EQ(table.bind(9), 0u);
  EXPECT_EQ(table.bind(8), 1u);
}

TEST(FlowTable, RefusesImpossibleSizes) {
  EXPECT_THROW(FlowTable(0), std::invalid_argument);
  EXPECT_THROW(FlowTable(16385), std::invalid_argument);
  EXPECT_EQ(FlowTable(16384).free_slots(), 16384u);
}

/// Pair of the number of slots and the number of flow numbers in use.
using Shape = std::pair<std::uint32_t, std::uint32_t>;
class FlowTableShapes : public testing::TestWithParam<Shape> {};

TEST_P(FlowTableShapes, AgreesWithAMap) {
  const auto [slots, numbers] = GetParam();
  FlowTable table(slots);
  std::map<std::uint32_t, SlotIndex> oracle;
  std::deque<SlotIndex> free;
  for (SlotIndex i = 0; i < slots; ++i) free.push_back(i);
  std::mt19937 random(slots);
  // Flow numbers at a fixed distance collide in a bad hash function.
  const std::uint32_t stride = (1u << 24) / numbers;
  for (int i = 0; i < 60'000; ++i) {
    const std::uint32_t flow = random() % numbers * stride;
    const auto bound = oracle.find(flow);
    ASSERT_EQ(table.match(flow), bound == oracle.end() ? FlowTable::kNoSlot : bound->second);
    if (bound == oracle.end()) {
      const SlotIndex slot = table.bind(flow);
      if (free.empty()) {
        ASSERT_EQ(slot, FlowTable::kNoSlot);
        continue;
      }
      ASSERT_EQ(slot, free.front());
      free.pop_front();
      oracle[flow] = slot;
    } else if (random() % 4 != 0) {
      table.release(bound->second);
      free.push_back(bound->second);
      oracle.erase(bound);
    }
    ASSERT_EQ(table.free_slots(), free.size());
  }
  for (const auto& [flow, slot] : oracle) {
    ASSERT_EQ(table.match(flow), slot);
    ASSERT_EQ(table.read(slot), flow);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FlowTableShapes,
                         testing::Values(Shape{1, 3}, Shape{3, 7}, Shape{16, 24}, Shape{16, 4096},
                                         Shape{1000, 1500}, Shape{1024, 65536}));

}  // namespace
}  // namespace dcc
