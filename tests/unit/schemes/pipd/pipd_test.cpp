// Tests PIPD against its closed forms: the cycle of additive increase and multiplicative decrease,
// the mean window for a share of marked round trips, and the convergence of flows to equal windows.
#include "schemes/pipd/pipd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "describe/parameter_error.h"
#include "nic/algorithm/real_rate.h"
#include "unit/schemes/delay_bottleneck.h"

namespace dcc::pipd_test {
namespace {

class PipdTest : public testing::Test {
 protected:
  void build() { link_.algorithm = std::make_unique<Pipd>(link_.host, p_, link_.kMtu); }
  PipdParameters p_;
  test::DelayBottleneck link_;
};

TEST_F(PipdTest, GrowsAndShrinksByPowersOfTheWindow) {
  p_.initial_window = 64'000;  // a window of 64 packets of 1000 bytes
  build();
  link_.begin(1);
  link_.ack(10);
  EXPECT_NEAR(link_.window(), 64'125, 1e-3);  // a window of 64 + 1/8 packets
  link_.ack(10, 0, true);
  EXPECT_NEAR(link_.window(), 64'125 - 500 * std::sqrt(64.125), 1e-3);
  p_.rise = Ratio(1);
  p_.fall = Ratio(0);
  build();
  link_.begin(1);
  link_.ack(10);
  EXPECT_NEAR(link_.window(), 64'000 + 1000.0 / 64, 1e-3);
  const double before = link_.window();
  link_.ack(10, 0, true);
  EXPECT_NEAR(link_.window(), before - 500, 1e-3);
}

// With k = 0 and l = 1 a mark in every m-th round trip makes the window rise and fall with a period
// of m round trips; the maximum of the window is (m - 1) alpha / beta packets.
TEST_F(PipdTest, AdditiveIncreaseAndMultiplicativeDecreaseHaveTheirCycle) {
  p_.rise = Ratio(0);
  p_.fall = Ratio(1);
  build();
  link_.begin(1);
  for (int round = 1; round <= 2000; ++round) {
    link_.ack(10, 0, round % 20 == 0);
    if (round <= 1900 || round % 20 != 19) continue;
    EXPECT_NEAR(link_.window(), 19 * 2'000.0, 1);
  }
}

// The mean window if a share p of the round trips has a mark: alpha (1 - p) = beta p w^(k + l).
// Small steps keep the window close to its mean.
TEST_F(PipdTest, TheMeanWindowFollowsTheShareOfMarks) {
  struct Case {
    Ratio rise, fall;
  };
  for (const Case& one : {Case{Ratio(1, 2), Ratio(1, 2)}, Case{Ratio(1), Ratio(0)},
                          Case{Ratio(1, 4), Ratio(3, 4)}, Case{Ratio(1, 2), Ratio(1)}}) {
    for (const int every : {5, 20, 50}) {
      p_.alpha = Ratio(1, 10);
      p_.beta = Ratio(1, 20);
      p_.rise = one.rise;
      p_.fall = one.fall;
      p_.initial_window = 20'000;
      build();
      link_.begin(1);
      double sum = 0;
      constexpr int kRounds = 200'000;
      for (int round = 1; round <= 2 * kRounds; ++round) {
        link_.ack(10, 0, round % every == 0);
        if (round > kRounds) sum += link_.window();
      }
      const double power = 1 / (static_cast<double>(to_real(one.rise) + to_real(one.fall)));
      const double packets = std::pow(2.0 * (every - 1), power);
      EXPECT_NEAR(sum / kRounds / 1000, packets, 0.03 * packets)
          << "k + l " << 1 / power << ", a mark in " << every;
    }
  }
}

TEST_F(PipdTest, FlowsThatSeeTheSameMarksComeToEqualWindows) {
  build();
  link_.begin(2);
  // makes the second flow's window much smaller
  for (int i = 0; i < 30; ++i) link_.ack(10, 1, true);
  ASSERT_LT(link_.window(1), link_.window(0) / 4);
  for (int round = 0; round < 60'000; ++round) link_.round(link_.queue() > 20'000);
  EXPECT_NEAR(link_.window(0) / link_.window(1), 1, 0.02);
  EXPECT_GT(link_.window(0) + link_.window(1), 0.9 * link_.kProduct);
}

TEST_F(PipdTest, AsksForMarksAndRefusesPowersThatAreBothZero) {
  build();
  EXPECT_TRUE(link_.algorithm->needs().marks);
  p_.rise = p_.fall = Ratio(0);
  EXPECT_THROW(p_.check(1'100), ParameterError);
}

}  // namespace
}  // namespace dcc::pipd_test
