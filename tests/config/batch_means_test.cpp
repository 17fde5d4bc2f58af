#include "measure/batch_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dcc::vp {
namespace {

std::vector<double> noise(std::size_t count, unsigned seed, double memory) {
  std::mt19937 random(seed);
  std::vector<double> values;
  double state = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // The sum of twelve uniform random numbers has variance 1, and is the same with every standard
    // library.
    double draw = -6;
    for (int k = 0; k < 12; ++k) draw += static_cast<double>(random()) / 4294967296.0;
    state = memory * state + draw;
    values.push_back(10 + state);
  }
  return values;
}

TEST(BatchMeans, AConstantSeriesHasNoWidth) {
  EXPECT_EQ(batch_means_half(std::vector<double>(100, 7.3)), 0.0);
}

TEST(BatchMeans, FewSamplesGiveNoInterval) {
  EXPECT_FALSE(batch_means_half(std::vector<double>(31, 1.0)));
  EXPECT_TRUE(batch_means_half(std::vector<double>(32, 1.0)));
}

TEST(BatchMeans, ATrendGivesNoInterval) {
  std::vector<double> rising;
  for (int i = 0; i < 640; ++i) rising.push_back(i);
  EXPECT_FALSE(batch_means_half(rising));
}

// A 95 % confidence interval by batch means covers the true mean in 95 % of independent series,
// also if neighbouring samples are correlated. The test requires 90 % of 400 series, four standard
// deviations of 1.1 % below 95 %.
TEST(BatchMeans, CoversTheMean) {
  for (const double memory : {0.0, 0.8}) {
    int covered = 0;
    int given = 0;
    for (unsigned seed = 1; seed <= 400; ++seed) {
      const std::vector<double> values = noise(1600, seed, memory);
      const std::optional<double> half = batch_means_half(values);
      if (!half) continue;
      ++given;
      double sum = 0;
      for (const double value : values) sum += value;
      if (std::abs(sum / 1600 - 10) <= *half) ++covered;
    }
    EXPECT_GE(given, 360) << memory;
    EXPECT_GE(covered, given * 90 / 100) << memory;
  }
}

}  // namespace
}  // namespace dcc::vp
