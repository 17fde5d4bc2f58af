// Tests a table of state by number: references to kept entries stay valid, and a dropped entry
// starts again with initial state.
#include "stats/numbered_table.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "sim/random.h"
#include "sim/state_digest.h"

namespace dcc {
namespace {

struct Counted {
  static int alive;
  int value = 7;
  Counted() { ++alive; }
  Counted(const Counted& o) : value(o.value) { ++alive; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
  void add_state(StateDigest& d) const { d(value); }
};
int Counted::alive = 0;

TEST(NumberedTable, WhatIsKeptStaysAndWhatIsDroppedIsAsNew) {
  NumberedTable<Counted> table;
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_FALSE(table.has(5));
  Counted& five = table.keep(5);
  five.value = 55;
  table.keep(6).value = 66;
  for (std::size_t number = 8; number < 400; ++number) table.keep(number);
  EXPECT_EQ(&table[5], &five) << "nothing moves";
  EXPECT_EQ(&table.keep(5), &five);
  EXPECT_EQ(five.value, 55) << "kept again it is as it was";
  table.drop(5);
  EXPECT_FALSE(table.has(5));
  EXPECT_TRUE(table.has(6));
  EXPECT_EQ(table.find(5), nullptr);
  table.drop(5);
  EXPECT_EQ(table.keep(5).value, 7) << "as new";
  EXPECT_EQ(table.size(), 400u) << "above the greatest there ever was";
  table.drop(1'000'000);
}

TEST(NumberedTable, MemoryGoesWithWhatIsDropped) {
  const int before = Counted::alive;
  {
    NumberedTable<Counted> table;
    for (std::size_t number = 0; number < 10'000; ++number) {
      table.keep(number);
      if (number >= 10) table.drop(number - 10);
      EXPECT_LE(Counted::alive - before, 11);
    }
  }
  EXPECT_EQ(Counted::alive, before);
}

TEST(NumberedTable, IsAMap) {
  NumberedTable<std::uint64_t> table;
  std::map<std::size_t, std::uint64_t> model;
  RandomStream random(3, "numbered");
  for (int step = 0; step < 20'000; ++step) {
    // The numbers form a range that moves upwards; now and then a number is far below the range.
    const std::size_t low = static_cast<std::size_t>(step) / 20;
    const std::size_t number =
        random.below(50) == 0 ? random.below(low + 1) : low + random.below(200);
    if (random.below(2) == 0) {
      table.keep(number) = model[number] = random.next_u64();
    } else {
      table.drop(number);
      model.erase(number);
    }
    ASSERT_EQ(table.has(number), model.count(number) == 1);
  }
  std::map<std::size_t, std::uint64_t> visited;
  table.each([&](std::size_t number, std::uint64_t value) { visited[number] = value; });
  EXPECT_EQ(visited, model);
}

// The table grows from one block to several and shrinks again. The test compares the contents after
// every step.
TEST(NumberedTable, IsAMapOfFewToo) {
  NumberedTable<std::uint64_t> table;
  std::map<std::size_t, std::uint64_t> model;
  RandomStream random(5, "numbered");
  std::size_t range = 1;
  for (int step = 0; step < 20'000; ++step) {
    if (step % 100 == 0) range = 1 + random.below(60);
    const std::size_t number = 20 + random.below(range);
    if (random.below(2) == 0) {
      table.keep(number) = model[number] = random.next_u64();
    } else {
      table.drop(number);
      model.erase(number);
    }
    if (random.below(40) == 0) {
      NumberedTable<std::uint64_t> moved(std::move(table));
      table = std::move(moved);
    }
    for (std::size_t i = 0; i < 80; ++i) {
      const auto known = model.find(i);
      const std::uint64_t* const found = table.find(i);
      ASSERT_EQ(found != nullptr, known != model.end()) << i;
      if (found != nullptr) {
        ASSERT_EQ(*found, known->second) << i;
      }
    }
  }
}

TEST(NumberedTable, ItsDigestIsThatOfAVector) {
  NumberedTable<Counted> table;
  table.keep(3).value = 33;
  table.keep(9).value = 99;
  std::vector<Counted> same(10);
  same[3].value = 33;
  same[9].value = 99;
  StateDigest of_table, of_vector;
  of_table(table);
  of_vector(same);
  EXPECT_EQ(of_table.value(), of_vector.value());
}

}  // namespace
}  // namespace dcc
