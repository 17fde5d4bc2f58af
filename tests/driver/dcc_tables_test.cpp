// Compares the controller's rate tables with the same curves in long double.
#include "driver/dcc_tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace dcc_tables_test {
namespace {

long double off_by(std::uint32_t entry, long double exact, int fraction_bits) {
  return std::fabs(static_cast<long double>(entry) - exact * std::ldexp(1.0L, fraction_bits));
}

TEST(DccTables, DcqcnDecreaseIsTheStraightLineExactly) {
  for (std::uint32_t i = 0; i < DCC_DECREASE_ENTRIES; ++i) {
    EXPECT_EQ(dcc_decrease_entry(DCC_POLICY_DCQCN, i), 65536 - 128 * i) << i;
  }
}

TEST(DccTables, ProportionalDecreaseTakesASixteenthAMarkUntilNothingIsLeft) {
  for (std::uint32_t i = 0; i < DCC_DECREASE_ENTRIES; ++i) {
    EXPECT_EQ(dcc_decrease_entry(DCC_POLICY_PROPORTIONAL, i), i < 64 ? 65536 - 1024 * i : 0) << i;
  }
  EXPECT_EQ(dcc_decrease_entry(DCC_POLICY_PROPORTIONAL, 0), 65536u);
  EXPECT_EQ(dcc_decrease_entry(DCC_POLICY_PROPORTIONAL, 4), 61440u);
}

TEST(DccTables, DecayIsWithinOneUnitForEveryGainAndInterval) {
  for (std::uint32_t g : {0u, 1u, 2u, 64u, 255u, 256u, 320u, 1024u, 4096u, 32768u, 65535u}) {
    const long double base = 1.0L - static_cast<long double>(g) / 65536;
    for (std::uint32_t i = 0; i < DCC_DECAY_LO_ENTRIES; ++i) {
      const long double low = std::pow(base, static_cast<long double>(i));
      const long double high = std::pow(base, static_cast<long double>(64 * i));
      EXPECT_LE(off_by(dcc_decay_lo_entry(g, i), low, 16), 0.51L) << "g " << g << " lo " << i;
      EXPECT_LE(off_by(dcc_decay_hi_entry(g, i), high, 16), 0.54L) << "g " << g << " hi " << i;
      EXPECT_LE(dcc_decay_lo_entry(g, i), 65536u);
    }
    EXPECT_EQ(dcc_decay_lo_entry(g, 0), 65536u);
    EXPECT_EQ(dcc_decay_hi_entry(g, 0), 65536u);
  }
}

TEST(DccTables, FactorsAreTheWeightAndItsInverse) {
  for (std::uint32_t w = DCC_WEIGHT_MIN_Q8_8; w <= DCC_WEIGHT_MAX_Q8_8; ++w) {
    const dcc_factor factor = dcc_factor_of_weight(w);
    EXPECT_EQ(factor.f_inc_q8_8, w);
    const long double exact = 256.0L / static_cast<long double>(w);
    EXPECT_LE(off_by(factor.f_dec_q4_12, exact, 12), w == DCC_WEIGHT_MIN_Q8_8 ? 1.0L : 0.5L) << w;
  }
  EXPECT_EQ(dcc_factor_of_weight(256).f_dec_q4_12, 4096);
  EXPECT_EQ(dcc_factor_of_weight(8 * 256).f_dec_q4_12, 512);
}

TEST(DccTables, WeightsOutsideTheRangeSaturate) {
  EXPECT_EQ(dcc_factor_of_weight(0).f_inc_q8_8, DCC_WEIGHT_MIN_Q8_8);
  EXPECT_EQ(dcc_factor_of_weight(1u << 20).f_inc_q8_8, DCC_WEIGHT_MAX_Q8_8);
}

TEST(DccTables, TheLeastWeightIsOneWhileSumAndRangeAllow) {
  const auto unit = [](std::uint64_t least, std::uint64_t greatest, std::uint64_t sum) {
    const dcc_weights weights{least, greatest, sum};
    return dcc_weight_unit(&weights, 480 * 256);
  };
  EXPECT_EQ(unit(1, 8, 15), 256u);
  EXPECT_EQ(unit(15, 120, 225), 256u) << "a common factor changes nothing";
  EXPECT_EQ(unit(1000, 8000, 480'000), 256u);
  EXPECT_EQ(unit(1, 8, 960), 128u) << "the sum is 480 then";
  EXPECT_EQ(unit(1, 1024, 0), 16u) << "1024 units would not fit the table";
  EXPECT_EQ(unit(1, 1, 1'000'000), std::uint32_t{DCC_WEIGHT_MIN_Q8_8});
}

TEST(DccTables, ScaledWeightsKeepTheirRatios) {
  const dcc_weights weights{3, 27, 0};
  EXPECT_EQ(dcc_scaled_weight(3, &weights, 29), 29u);
  EXPECT_EQ(dcc_scaled_weight(9, &weights, 29), 87u);
  EXPECT_EQ(dcc_scaled_weight(27, &weights, 29), 261u);
  EXPECT_EQ(dcc_scaled_weight(4, &weights, 29), 39u) << "rounded half up";
  EXPECT_EQ(dcc_scaled_weight(1, &weights, 29), std::uint32_t{DCC_WEIGHT_MIN_Q8_8});
  EXPECT_EQ(dcc_scaled_weight(1'000'000, &weights, 29), std::uint32_t{DCC_WEIGHT_MAX_Q8_8});
}

TEST(DccTables, ClassesSayWhatAFlowIsEntitledTo) {
  dcc_class classes[DCC_DSCPS];
  dcc_classes_equal(classes);
  for (const dcc_class& c : classes) {
    EXPECT_EQ(c.weight_q8_8, 256);
    EXPECT_EQ(c.floor_q24_8, 0u);
    EXPECT_EQ(c.ceiling_q24_8, UINT32_MAX);
  }
  const dcc_class bounded = dcc_class_of(512, 1000 << 8, 40000 << 8);
  EXPECT_EQ(bounded.weight_q8_8, 512);
  EXPECT_EQ(bounded.floor_q24_8, 1000u << 8);
  EXPECT_EQ(bounded.ceiling_q24_8, 40000u << 8);
}

TEST(DccTables, RanksAreAsFarApartAsTheTableReaches) {
  for (std::uint32_t rank = 0; rank + 1 < DCC_RANKS; ++rank) {
    const dcc_factor low = dcc_factor_of_weight(dcc_class_of_rank(rank).weight_q8_8);
    const dcc_factor high = dcc_factor_of_weight(dcc_class_of_rank(rank + 1).weight_q8_8);
    EXPECT_GE(high.f_inc_q8_8, 15 * low.f_inc_q8_8) << rank;
    EXPECT_GE(low.f_dec_q4_12, 15 * high.f_dec_q4_12) << rank;
    EXPECT_GT(high.f_dec_q4_12, 0) << "even the highest rank is cut: several of them must share";
  }
}

TEST(DccTables, GenerateAgreesWithTheEntries) {
  dcc_config config{};
  config.policy = DCC_POLICY_PROPORTIONAL;
  config.parameters.g = 256;
  dcc_classes_equal(config.classes);
  config.classes[46] = dcc_class_of(2048, 5, 9);
  dcc_tables tables;
  dcc_tables_generate(&tables, &config);
  EXPECT_EQ(tables.factor[46].f_inc_q8_8, 2048);
  EXPECT_EQ(tables.factor[46].f_dec_q4_12, 512);
  EXPECT_EQ(tables.floor[46], 5u);
  EXPECT_EQ(tables.ceiling[46], 9u);
  EXPECT_EQ(tables.floor[45], 0u);
  EXPECT_EQ(tables.decrease[256], dcc_decrease_entry(DCC_POLICY_PROPORTIONAL, 256));
  EXPECT_EQ(tables.decay_hi[63], dcc_decay(256, 64 * 63));
  EXPECT_EQ(tables.decay_lo[63], dcc_decay(256, 63));
}

}  // namespace
}  // namespace dcc_tables_test
