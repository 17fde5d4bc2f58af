// Tests the mean, confidence interval and greatest error of spot checks.
#include "stats/spot_checks.h"

#include <gtest/gtest.h>

namespace dcc {
namespace {

TEST(SpotChecks, SaysNothingWithoutChecksAndNoIntervalWithOne) {
  SpotChecks checks;
  EXPECT_FALSE(checks.mean());
  EXPECT_FALSE(checks.greatest());
  EXPECT_FALSE(checks.interval());
  checks.add(0.25, 0.5);
  EXPECT_EQ(*checks.mean(), 0.25);
  EXPECT_EQ(*checks.greatest(), 0.5);
  EXPECT_FALSE(checks.interval());
}

TEST(SpotChecks, TheIntervalIsStudents) {
  SpotChecks checks;
  for (const double error : {1.0, 2.0, 3.0, 4.0, 5.0}) checks.add(error, 2 * error);
  EXPECT_DOUBLE_EQ(*checks.mean(), 3.0);
  EXPECT_EQ(*checks.greatest(), 10.0);
  // The variance is 2.5, the standard error sqrt(2.5 / 5), and Student's t for 4 degrees of freedom
  // 2.776.
  EXPECT_NEAR(*checks.interval(), 2.776 * std::sqrt(0.5), 1e-12);
}

TEST(SpotChecks, ManyChecksUseTheExpansionOfT) {
  SpotChecks checks;
  for (int i = 0; i < 31; ++i) checks.add(i % 2, 1);
  const double mean = 15.0 / 31;
  const double variance = (15 * (1 - mean) * (1 - mean) + 16 * mean * mean) / 30;
  // Student's t for 30 degrees of freedom is 2.04227, and the series expansion is within 0.1 %.
  EXPECT_NEAR(*checks.interval() / (2.04227 * std::sqrt(variance / 31)), 1, 1e-3);
}

}  // namespace
}  // namespace dcc
