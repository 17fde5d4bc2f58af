#include "controller/rate_tables.h"

#include <gtest/gtest.h>

namespace dcc {
namespace {

constexpr RateTable kAll[] = {RateTable::kFactor,  RateTable::kFloor,   RateTable::kCeiling,
                              RateTable::kDecayHi, RateTable::kDecayLo, RateTable::kDecrease};

TEST(RateTables, DecreaseNothingUntilTheDecreaseTableIsWritten) {
  RateTables tables;
  EXPECT_FALSE(tables.can_decrease());
  tables.write(RateTable::kFactor, 3, 0);
  tables.write(RateTable::kDecrease, 256, kOne16);
  EXPECT_FALSE(tables.can_decrease());
  tables.write(RateTable::kDecrease, 256, kOne16 - 1);
  EXPECT_TRUE(tables.can_decrease());
}

TEST(RateTables, KeepsEveryEntryByItself) {
  RateTables tables;
  for (const RateTable table : kAll) {
    for (std::uint32_t i = 0; i < entries(table); ++i) {
      ASSERT_TRUE(tables.write(table, i, 1000 * static_cast<std::uint32_t>(table) + i));
    }
  }
  for (const RateTable table : kAll) {
    for (std::uint32_t i = 0; i < entries(table); ++i) {
      ASSERT_EQ(tables.read(table, i), 1000 * static_cast<std::uint32_t>(table) + i);
    }
  }
}

TEST(RateTables, RefusesEntriesBeyondTheTable) {
  RateTables tables;
  for (const RateTable table : kAll) {
    EXPECT_FALSE(tables.write(table, entries(table), 1));
    EXPECT_EQ(tables.read(table, entries(table)), 0u);
  }
}

TEST(RateTables, FractionsAboveOneAreStoredAsOne) {
  RateTables tables;
  tables.write(RateTable::kDecrease, 256, 65537);
  tables.write(RateTable::kDecayHi, 0, 0xFFFFFFFF);
  tables.write(RateTable::kDecayLo, 63, 70000);
  EXPECT_EQ(tables.decrease(256), 65536u);
  EXPECT_EQ(tables.decay_hi(0), 65536u);
  EXPECT_EQ(tables.decay_lo(63), 65536u);
}

TEST(RateTables, FactorWordIsIncreaseBelowDecrease) {
  RateTables tables;
  tables.write(RateTable::kFactor, 46, 0x02000800);
  EXPECT_EQ(tables.increase_factor(46), 0x0800u);
  EXPECT_EQ(tables.decrease_factor(46), 0x0200u);
}

TEST(RateTables, AreNeutralBeforeTheyAreLoaded) {
  const RateTables tables;
  EXPECT_EQ(tables.increase_factor(0), 256u);
  EXPECT_EQ(tables.decrease_factor(63), 4096u);
  EXPECT_EQ(tables.decrease(256), 65536u);
  EXPECT_EQ(tables.floor(5), 0u);
  EXPECT_EQ(tables.ceiling(5), 0xFFFFFFFFu);
}

TEST(RateTables, SharedContentsStayApartForWriters) {
  RateTables one;
  RateTables other;
  RateTables different;
  EXPECT_TRUE(one.write(RateTable::kFloor, 3, 77));
  EXPECT_TRUE(other.write(RateTable::kFloor, 3, 77));
  different.share_with(one);  // tables with different contents are not shared
  EXPECT_EQ(different.floor(3), 0u);
  other.share_with(one);
  EXPECT_TRUE(other.write(RateTable::kDecrease, 256, 5));
  EXPECT_EQ(other.decrease(256), 5u);
  EXPECT_EQ(one.decrease(256), kOne16);
  other.share_with(one);  // the tables have become different, so they are not shared
  EXPECT_EQ(other.decrease(256), 5u);
  RateTables untouched;
  EXPECT_EQ(untouched.floor(3), 0u);
}

}  // namespace
}  // namespace dcc
