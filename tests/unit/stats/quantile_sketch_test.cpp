// Compares the quantiles of the sketch with a sorted list, for any order of values.
#include "stats/quantile_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/random.h"
#include "stats/time_union.h"

namespace dcc {
namespace {

double nearest_rank(std::vector<double> values, double percent) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()) - 1e-9);
  return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

/// Values over twelve orders of magnitude, many of them equal.
std::vector<double> values_of(std::uint64_t seed, std::size_t count) {
  RandomStream random(seed, "sketch");
  std::vector<double> values;
  while (values.size() < count) {
    const double one = std::exp2(random.next_u32() / 4294967296.0 * 40 - 2);
    values.push_back(one);
    for (std::uint32_t i = random.next_u32() % 3; i != 0; --i)
      values.push_back(std::floor(one) + 1);
  }
  return values;
}

TEST(QuantileSketch, QuantilesAreWithinTheStatedError) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<double> values = values_of(seed, seed * seed * 7);
    QuantileSketch sketch;
    for (const double value : values) sketch.add(value);
    for (const double percent : {0.1, 1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
      const double exact = nearest_rank(values, percent);
      EXPECT_LE(std::abs(sketch.quantile(percent) - exact), QuantileSketch::kError * exact)
          << "seed " << seed << ", " << percent << " %";
    }
  }
}

TEST(QuantileSketch, CountMeanAndExtremesAreExact) {
  const std::vector<double> values = values_of(3, 5000);
  QuantileSketch sketch;
  double sum = 0;
  for (const double value : values) {
    sketch.add(value);
    sum += value;
  }
  EXPECT_EQ(sketch.count(), values.size());
  EXPECT_EQ(sketch.min(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(sketch.max(), *std::max_element(values.begin(), values.end()));
  EXPECT_NEAR(sketch.mean() * static_cast<double>(values.size()) / sum, 1, 1e-12);
}

TEST(QuantileSketch, TheOrderOfValuesAndMergesDoesNotMatter) {
  std::vector<double> values = values_of(5, 3000);
  QuantileSketch forward, merged, odd;
  for (const double value : values) forward.add(value);
  std::reverse(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) (i % 3 == 0 ? odd : merged).add(values[i]);
  merged.merge(odd);
  EXPECT_EQ(merged.mean(), forward.mean());
  for (int percent = 1; percent <= 100; ++percent) {
    EXPECT_EQ(merged.quantile(percent), forward.quantile(percent));
  }
}

TEST(QuantileSketch, OneValueIsItsOwnQuantile) {
  QuantileSketch sketch;
  sketch.add(1.2345, 7);
  EXPECT_EQ(sketch.count(), 7u);
  EXPECT_EQ(sketch.quantile(50), 1.2345);
  EXPECT_NEAR(sketch.mean(), 1.2345, 1e-11);
}

TEST(QuantileSketch, ZeroAndTheGreatestTimeHaveBuckets) {
  QuantileSketch sketch;
  sketch.add(0);
  sketch.add(9.2e18);
  EXPECT_EQ(sketch.min(), 0);
  EXPECT_NEAR(sketch.quantile(100) / 9.2e18, 1, QuantileSketch::kError);
}

TEST(TimeUnion, CountsEachMomentOnceInAnyOrder) {
  RandomStream random(1, "union");
  std::vector<bool> covered(1200, false);
  TimeUnion all;
  for (int i = 0; i < 60; ++i) {
    const auto from = static_cast<std::int64_t>(random.next_u32() % 1000);
    const auto to = from + static_cast<std::int64_t>(random.next_u32() % 20);
    all.add(PicoSeconds(from), PicoSeconds(to));
    for (std::int64_t at = from; at < to; ++at) covered[static_cast<std::size_t>(at)] = true;
    EXPECT_EQ(all.length().count, std::count(covered.begin(), covered.end(), true));
  }
}

}  // namespace
}  // namespace dcc
