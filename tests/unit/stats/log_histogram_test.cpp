#include "stats/log_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
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
    const std::uint64_t rank = (64 * per_mille + 999) / 1000;  // a rank of n has the value n - 1
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
    EXPECT_LE(h.quantile(per_mille), exact + exact / 32) << per_mille;
    EXPECT_GE(h.quantile(per_mille) + exact / 32, exact) << per_mille;
  }
}

/// Compares all quantiles with those of the sorted values. A quantile must be in the bucket of the
/// exact value, whose width is at most 1/32 of the value.
void expect_brackets(const char* name, std::vector<std::uint64_t> values) {
  LogHistogram h;
  for (const std::uint64_t value : values) h.add(value);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(h.min(), values.front()) << name;
  EXPECT_EQ(h.max(), values.back()) << name;
  EXPECT_EQ(h.quantile(1000), values.back()) << name;
  EXPECT_LE(h.sum(), h.quantile(1000) * h.count()) << name << ": the mean is above the maximum";
  std::uint64_t former = 0;
  for (unsigned per_mille = 1; per_mille <= 1000; ++per_mille) {
    const std::uint64_t exact = values[(values.size() * per_mille + 999) / 1000 - 1];
    const std::uint64_t found = h.quantile(per_mille);
    EXPECT_LE(found, exact + exact / 32) << name << " " << per_mille;
    EXPECT_GE(found + exact / 32, exact) << name << " " << per_mille;
    EXPECT_GE(found, values.front()) << name << " " << per_mille;
    EXPECT_LE(found, values.back()) << name << " " << per_mille;
    EXPECT_GE(found, former) << name << " " << per_mille << ": quantiles fall";
    former = found;
  }
}

TEST(LogHistogram, QuantilesBracketTheExactOnes) {
  expect_brackets("one value", {4'127});
  expect_brackets("constant", std::vector<std::uint64_t>(1000, 4'127));
  std::vector<std::uint64_t> values(990, 4'101);
  values.insert(values.end(), 10, 4'250);  // values of the next bucket
  expect_brackets("two points", values);
  values.assign(500, 4'100);
  values.insert(values.end(), 500, 4'220);  // values of the same bucket, [4096, 4223]
  expect_brackets("two points in a bucket", values);
  values.clear();
  for (std::uint64_t v = 1'000; v < 11'000; ++v) values.push_back(v);
  expect_brackets("uniform", values);
  values.clear();
  for (int i = 1; i <= 5'000; ++i) values.push_back(static_cast<std::uint64_t>(1e9 / i / i));
  expect_brackets("heavy tail", values);
}

TEST(LogHistogram, AConstantIsExact) {
  LogHistogram h;
  for (int i = 0; i < 100; ++i) h.add(4'127);
  for (const unsigned per_mille : {1u, 500u, 990u, 999u, 1000u}) {
    EXPECT_EQ(h.quantile(per_mille), 4'127u);
  }
}

TEST(LogHistogram, AUniformBucketIsInterpolatedCloserThanItsWidth) {
  LogHistogram h;
  for (std::uint64_t v = 0; v < 200'000; ++v) h.add(100'000 + v);
  // The bucket is 4096 or 8192 wide. For evenly spread values interpolation leaves an error of one
  // step.
  EXPECT_NEAR(static_cast<double>(h.quantile(500)), 199'999, 2);
  EXPECT_NEAR(static_cast<double>(h.quantile(990)), 297'999, 2);
}

TEST(LogHistogram, BucketsEndAtTheGreatestValue) {
  LogHistogram h;
  h.add(10);
  h.add(4'100);
  h.add(4'127);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  h.each([&](std::uint64_t greatest, std::uint64_t count) { found.emplace_back(greatest, count); });
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(found, (Pairs{{10, 1}, {4'127, 2}}));
}

TEST(LogHistogram, NumbersOfSeveralHistogramsGiveTheirSum) {
  LogHistogram a;
  LogHistogram b;
  const LogHistogram empty;
  a.add(4'127);
  b.add(70);
  std::vector<std::int64_t> numbers = a.counts();
  for (const LogHistogram* other : {&empty, const_cast<const LogHistogram*>(&b)}) {
    const std::vector<std::int64_t> more = other->counts();
    numbers.insert(numbers.end(), more.begin(), more.end());
  }
  const LogHistogram sum = LogHistogram::of(numbers);
  EXPECT_EQ(sum.count(), 2u);
  EXPECT_EQ(sum.min(), 70u);
  EXPECT_EQ(sum.max(), 4'127u);
  EXPECT_EQ(LogHistogram::of(empty.counts()).quantile(500), 0u);
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
  EXPECT_EQ(h.count(), 1u + 35 + 4);  // 2.5 counts are rounded to 3
  EXPECT_EQ(h.sum(), 1000u + 507 + 1268);
  EXPECT_EQ(h.quantile(500), 50u);
}

}  // namespace
}  // namespace dcc
