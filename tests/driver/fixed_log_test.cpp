// Compares the integer logarithm and power functions with long double.
#include "app/fixed_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace fixed_log_test {
namespace {

TEST(FixedLog, WithinTwoUnitsBelowTheExactValue) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    std::uint64_t x = random() >> random() % 64;
    if (i < 4096) x = i;
    if (x == 0) x = 1;
    const long double exact = std::log2(static_cast<long double>(x)) * 65536;
    const long double short_by = exact - fixed_log2(x);
    ASSERT_GE(short_by, -1e-9L) << x;
    ASSERT_LE(short_by, 2.0L) << x;
  }
  EXPECT_EQ(fixed_log2(1), 0);
  EXPECT_EQ(fixed_log2(std::uint64_t{1} << 63), 63 << 16);
}

TEST(FixedLog, PowerIsWithinItsRelativeError) {
  for (std::int32_t y = -16 * 65536; y < 32 * 65536; y += 7) {
    const long double exact = std::exp2(static_cast<long double>(y) / 65536);
    ASSERT_NEAR(static_cast<double>(fixed_exp2(y)), static_cast<double>(exact),
                0.5 + static_cast<double>(exact) / 16384)
        << y;
  }
  EXPECT_EQ(fixed_exp2(0), 1u);
  EXPECT_EQ(fixed_exp2(8 << 16), 256u);
  EXPECT_EQ(fixed_exp2(31 << 16), 1u << 31);
  EXPECT_EQ(fixed_exp2(32 << 16), UINT32_MAX);
  EXPECT_EQ(fixed_exp2(INT32_MAX), UINT32_MAX);
  EXPECT_EQ(fixed_exp2(INT32_MIN), 0u);
}

TEST(FixedLog, PowerUndoesTheLogarithm) {
  for (std::uint32_t x = 256; x < 1u << 24; x += 1 + x / 50) {
    const double back = fixed_exp2(fixed_log2(x));
    ASSERT_NEAR(back, x, 1 + x * 1e-4) << x;
  }
}

}  // namespace
}  // namespace fixed_log_test
