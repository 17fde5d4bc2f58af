#include "controller/slot_bitmap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace dcc {
namespace {

class SlotBitmapSizes : public testing::TestWithParam<std::uint32_t> {};

TEST_P(SlotBitmapSizes, AgreesWithASortedSet) {
  const std::uint32_t size = GetParam();
  SlotBitmap bitmap(size);
  std::set<std::uint32_t> oracle;
  std::mt19937 random(size);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint32_t member = random() % size;
    // The set alternates between filling and emptying, so that both dense and sparse sets occur.
    if (random() % 8 < ((i / 2500) % 2 == 0 ? 6u : 2u)) {
      bitmap.insert(member);
      oracle.insert(member);
    } else {
      bitmap.erase(member);
      oracle.erase(member);
    }
    ASSERT_EQ(bitmap.contains(member), oracle.count(member) == 1);
    ASSERT_EQ(bitmap.empty(), oracle.empty());
    ASSERT_EQ(bitmap.least(), oracle.empty() ? SlotBitmap::kNone : *oracle.begin());
    const std::uint32_t from = random() % (size + 2);
    const auto next = oracle.lower_bound(from);
    ASSERT_EQ(bitmap.least_from(from), next == oracle.end() ? SlotBitmap::kNone : *next);
  }
  bitmap.clear();
  EXPECT_TRUE(bitmap.empty());
  for (std::uint32_t i = 0; i < size; ++i) ASSERT_FALSE(bitmap.contains(i));
}

INSTANTIATE_TEST_SUITE_P(All, SlotBitmapSizes,
                         testing::Values(1, 2, 63, 64, 65, 128, 1024, 4096, 4097, 16384, 20000));

}  // namespace
}  // namespace dcc
