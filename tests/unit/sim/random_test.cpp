#include "sim/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace dcc {
namespace {

TEST(RandomStream, GivesTheNumbersOfAnIndependentImplementation) {
  // Expected values from a Python transcription of xoshiro256** and splitmix64, which was checked
  // against the authors' vectors (state 1, 2, 3, 4 gives 11520, 0, 1509978240,
  // 1215971899390074240).
  RandomStream random(1, "test", 2);
  EXPECT_EQ(random.next_u64(), 0xb741d8367d0af0d7u);
  EXPECT_EQ(random.next_u64(), 0x8c5072068601af52u);
  EXPECT_EQ(random.next_u64(), 0x8dd58708e29e83c6u);
  EXPECT_EQ(random.next_u64(), 0x475ce1e0e308974bu);
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafu);  // the first output of splitmix64 from seed 0
}

TEST(RandomStream, ExponentialIsTheLogarithmTo32Bits) {
  // The values -ln(u / 2^64) · 2^32, computed with 60 decimal digits, for the first numbers u of
  // the stream.
  RandomStream random(1, "test", 2);
  EXPECT_NEAR(static_cast<double>(random.exponential_q32()), 1435750806.0, 2.0);
  EXPECT_NEAR(static_cast<double>(random.exponential_q32()), 2582533626.0, 2.0);
  EXPECT_NEAR(static_cast<double>(random.exponential_q32()), 2536261674.0, 2.0);
}

TEST(RandomStream, StreamsDifferByEverything) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t index = 0; index < 20; ++index) {
      for (const char* name : {"", "a", "b", "ab", "ba"}) {
        first.insert(RandomStream(seed, name, index).next_u64());
      }
    }
  }
  EXPECT_EQ(first.size(), 2000u);
}

TEST(RandomStream, BelowIsUniformAndInRange) {
  RandomStream random(1, "below");
  for (const std::uint64_t bound : {1u, 2u, 7u, 10u}) {
    std::vector<double> count(bound, 0);
    const double n = 70'000;
    for (int i = 0; i < static_cast<int>(n); ++i) {
      const std::uint64_t drawn = random.below(bound);
      ASSERT_LT(drawn, bound);
      ++count[drawn];
    }
    double chi = 0;
    const double expected = n / static_cast<double>(bound);
    for (const double c : count) chi += (c - expected) * (c - expected) / expected;
    // chi-square with 9 degrees of freedom exceeds this once in 1000
    EXPECT_LT(chi, 27.9) << bound;
  }
  // With a bound of 3/4 of the range, scaling alone would give every third number twice as often.
  const std::uint64_t wide = std::uint64_t{3} << 62;
  int thirds = 0;
  for (int i = 0; i < 30'000; ++i) thirds += random.below(wide) % 3 == 0 ? 1 : 0;
  EXPECT_NEAR(thirds, 10'000, 350);
}

TEST(RandomStream, ChanceIsWhatItSays) {
  RandomStream random(1, "chance");
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) {
    EXPECT_FALSE(random.chance(0));
    EXPECT_TRUE(random.chance(std::uint64_t{1} << 32));
    hits += random.chance(std::uint64_t{1} << 30) ? 1 : 0;
  }
  EXPECT_NEAR(hits, 25'000, 550);
}

TEST(RandomStream, LogarithmAgreesWithLongDouble) {
  RandomStream random(1, "log");
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t x = (random.next_u64() >> random.below(64)) | 1;
    const long double exact = std::log2(static_cast<long double>(x)) * 4294967296.0L;
    EXPECT_NEAR(static_cast<double>(static_cast<long double>(log2_q32(x)) - exact), 0.0, 1.01);
  }
  EXPECT_EQ(log2_q32(1), 0u);
  EXPECT_EQ(log2_q32(1024), std::uint64_t{10} << 32);
  EXPECT_EQ(log2_q32(~std::uint64_t{0}) >> 32, 63u);
}

TEST(RandomStream, ExponentialHasMeanDeviationAndNoMemory) {
  RandomStream random(4, "gaps");
  const int n = 200'000;
  long double sum = 0, squares = 0;
  int beyond_one = 0, beyond_two = 0;
  for (int i = 0; i < n; ++i) {
    const auto gap = static_cast<long double>(random.exponential(1'000'000));
    sum += gap;
    squares += gap * gap;
    beyond_one += gap > 1e6L ? 1 : 0;
    beyond_two += gap > 2e6L ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(sum / n), 1e6, 4 * 1e6 / std::sqrt(n));
  EXPECT_NEAR(static_cast<double>(squares / n), 2e12, 4e12 * 5 / std::sqrt(n));
  EXPECT_NEAR(beyond_one / static_cast<double>(n), std::exp(-1), 0.005);
  EXPECT_NEAR(static_cast<double>(beyond_two) / beyond_one, std::exp(-1), 0.008);
}

}  // namespace
}  // namespace dcc
