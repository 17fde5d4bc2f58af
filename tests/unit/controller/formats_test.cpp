#include "controller/formats.h"

#include <gtest/gtest.h>

namespace dcc {
namespace {

TEST(Mul16, RoundsHalfUp) {
  EXPECT_EQ(mul16(3, 32768), 2u);  // 1.5 is rounded up to 2
  EXPECT_EQ(mul16(1, 32767), 0u);  // a fraction just below one half is rounded down
  EXPECT_EQ(mul16(65536, 65536), 65536u);
  EXPECT_EQ(mul16(100'000u << 8, 983), 383'984u);  // 25 600 000 · 983 / 65536 = 383 984.375
}

TEST(Mul16, DoesNotOverflowAtTheTopOfTheFormats) {
  EXPECT_EQ(mul16(0xFFFFFFFFu, 0xFFFFu), 0xFFFEFFFFu);  // 2^32 − 2^16 − 1 + 2^-16 is rounded
}

TEST(CountEvent, StaysAt255) {
  EXPECT_EQ(count_event(0), 1);
  EXPECT_EQ(count_event(254), 255);
  EXPECT_EQ(count_event(255), 255);
}

// A multiplication by the reciprocal replaces the division by the alpha interval. The result must
// be exact for every Δ, also next to multiples of the interval.
TEST(AlphaReciprocal, DividesExactlyForEveryDelta) {
  for (std::uint32_t k = 2; k <= 4096; k += k < 70 ? 1 : 61) {
    const std::uint64_t recip = alpha_reciprocal(k);
    for (std::uint64_t quotient = 0; quotient * k <= kMaxDelta; ++quotient) {
      ASSERT_EQ(quotient * k * recip >> 32, quotient) << "K " << k;
      const std::uint64_t last = quotient * k + k - 1;
      if (last > kMaxDelta) break;
      ASSERT_EQ(last * recip >> 32, quotient) << "K " << k;
    }
  }
}

TEST(AlphaReciprocal, OfOneTickCountsOneLess) {
  EXPECT_EQ(std::uint64_t{1000} * alpha_reciprocal(1) >> 32, 999u);
}

}  // namespace
}  // namespace dcc
