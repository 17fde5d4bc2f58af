#include "stats/log_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace dcc {
namespace {

TEST(LogHistogram, EmptyIsZero) {
  const LogHistogram h;
  EXPECT_EQ(h.count(), 0u);
  EXPECT_EQ(h.quantile(500), 0u);
}

TEST(LogHistogram, SmallValuesAreExact) {
  LogHistogram h;
  for (std::uint64_t v = 0; v < 64; ++v) h.add(v);
  EXPECT_EQ(h.sum(), 63u * 64 / 2);
  for (unsigned per_mille = 1; per_mille <= 1000; ++per_mille) {
    const std::uint64_t rank = (64 * per_mille + 999) / 1000;  // the rank-th smallest is rank - 1
    EXPECT_EQ(h.quantile(per_mille), rank - 1);
  }
}

TEST(LogHistogram, AgainstASortedListOverTheWholeRange) {
  LogHistogram h;
  std::vector<std::uint64_t> values;
  std::uint64_t state = 99;
  std::uint64_t sum = 0;
  for (int i = 0; i < 50'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t v = (state >> 17) >> (i % 46);
    values.push_back(v);
    sum += v;
    h.add(v);
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(h.sum(), sum);
  for (const unsigned per_mille : {1u, 10u, 100u, 500u, 900u, 990u, 999u, 1000u}) {
    const std::uint64_t exact = values[(values.size() * per_mille + 999) / 1000 - 1];
    EXPECT_LE(h.quantile(per_mille), exact);
    EXPECT_GE(h.quantile(per_mille) + exact / 32 + 1, exact) << per_mille;
  }
}

TEST(LogHistogram, MergeIsTheSameAsAddingAll) {
  LogHistogram a;
  LogHistogram b;
  LogHistogram both;
  for (std::uint64_t v = 1; v < 1'000'000; v += v / 7 + 1) {
    (v % 2 == 0 ? a : b).add(v);
    both.add(v);
  }
  a.merge(b);
  EXPECT_EQ(a.count(), both.count());
  EXPECT_EQ(a.sum(), both.sum());
  for (unsigned p = 0; p <= 1000; ++p) EXPECT_EQ(a.quantile(p), both.quantile(p));
}

TEST(LogHistogram, TheGreatestValuesStayInTheLastBucket) {
  LogHistogram h;
  h.add(~std::uint64_t{0} >> 1);
  EXPECT_EQ(h.count(), 1u);
  EXPECT_GT(h.quantile(500), std::uint64_t{1} << 46);
}

TEST(LogHistogram, WhatWasAddedSinceIsRepeated) {
  LogHistogram h;
  h.add(1000);
  const LogHistogram earlier = h;
  for (int i = 0; i < 10; ++i) h.add(50);
  h.add(7);
  h.repeat_since(earlier, {kMicroSecond * 5, kMicroSecond * 2});
  EXPECT_EQ(h.count(), 1u + 35 + 4);  // 2.5 of the one are 3: to the nearest
  EXPECT_EQ(h.sum(), 1000u + 507 + 1268);
  EXPECT_EQ(h.quantile(500), 50u);
}

}  // namespace
}  // namespace dcc
