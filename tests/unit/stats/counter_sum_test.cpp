// Tests sums of counter structs: every counter is added to its own sum.
#include "stats/counter_sum.h"

#include <gtest/gtest.h>

namespace dcc {
namespace {

struct Three {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t third = 0;
};

TEST(CounterSum, EveryCounterIsAddedToItsOwn) {
  Three sum{1, 10, ~std::uint64_t{0} - 5};
  add_to(sum, Three{2, 30, 4});
  add_to(sum, Three{4, 500, 1});
  EXPECT_EQ(sum.first, 7u);
  EXPECT_EQ(sum.second, 540u);
  EXPECT_EQ(sum.third, ~std::uint64_t{0});
}

}  // namespace
}  // namespace dcc
