#include "wire/tie_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dcc {
namespace {

TEST(TieOrder, IsAnOrderOfAllAtEveryMoment) {
  for (const std::uint32_t count : {1u, 2u, 3u, 18u, 64u, 1000u, 2'229'000u}) {
    const TieOrder order(7, count);
    std::vector<bool> taken(count);
    for (std::uint32_t number = 0; number < count; ++number) {
      const std::uint32_t place = order.place(number, PicoSeconds(12'345));
      ASSERT_LT(place, count);
      ASSERT_FALSE(taken[place]);
      taken[place] = true;
    }
  }
}

// Packets of N links arrive together at 100 000 times. Each link comes first equally often, and
// each link precedes each other link in half of the cases, within five standard deviations of a
// binomial distribution.
TEST(TieOrder, FavoursNobody) {
  constexpr int kMoments = 100'000;
  const auto deviations = [](double p) { return 5 * std::sqrt(kMoments * p * (1 - p)); };
  for (const std::uint32_t count : {16u, 18u, 960u}) {
    const TieOrder order(1, count);
    for (const std::uint32_t meeting : {2u, 3u, 5u, 8u}) {
      std::vector<int> first(meeting);
      std::vector<int> before_next(meeting);
      for (int moment = 0; moment < kMoments; ++moment) {
        // arrival times at the link
        const PicoSeconds when(1'000'000 + std::int64_t{moment} * 87'040);
        std::vector<std::uint32_t> places;
        for (std::uint32_t i = 0; i < meeting; ++i) places.push_back(order.place(2 * i, when));
        ++first[static_cast<std::size_t>(std::min_element(places.begin(), places.end()) -
                                         places.begin())];
        for (std::uint32_t i = 0; i < meeting; ++i) {
          before_next[i] += places[i] < places[(i + 1) % meeting] ? 1 : 0;
        }
      }
      const double even = 1.0 / meeting;
      for (const int times : first) {
        EXPECT_NEAR(times, kMoments * even, deviations(even)) << count << " " << meeting;
      }
      for (const int times : before_next) EXPECT_NEAR(times, kMoments / 2.0, deviations(0.5));
    }
  }
}

TEST(TieOrder, DependsOnSeedAndMomentAlone) {
  const TieOrder one(1, 100), again(1, 100), other(2, 100);
  int differs_by_seed = 0, differs_by_time = 0;
  for (std::uint32_t number = 0; number < 100; ++number) {
    const PicoSeconds when(5'000);
    EXPECT_EQ(one.place(number, when), again.place(number, when));
    differs_by_seed += one.place(number, when) != other.place(number, when) ? 1 : 0;
    differs_by_time += one.place(number, when) != one.place(number, PicoSeconds(5'001)) ? 1 : 0;
  }
  EXPECT_GT(differs_by_seed, 80);
  EXPECT_GT(differs_by_time, 80);
}

}  // namespace
}  // namespace dcc
