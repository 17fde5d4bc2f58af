// Tests Compound TCP against the closed form of its growth, and its rules for queues and marks.
#include "schemes/compound/compound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/schemes/delay_bottleneck.h"

namespace dcc::compound_test {
namespace {

class CompoundTest : public testing::Test {
 protected:
  CompoundTest() { p_.max_window = 100'000'000; }
  void build() { link_.algorithm = std::make_unique<Compound>(link_.host, p_, link_.kMtu); }
  CompoundParameters p_;
  test::DelayBottleneck link_;
};

// The equation dw/dt = w^(3/4) / 8 packets per round trip has the solution w^(1/4) = w(0)^(1/4) + t
// / 32.
TEST_F(CompoundTest, GrowsByTheThreeQuartersPowerWithoutAQueue) {
  p_.initial_window = 1'000'000;
  build();
  link_.begin(1);
  for (int t = 1; t <= 100; ++t) {
    link_.ack(10);
    const double expected = std::pow(std::pow(1000.0, 0.25) + t / 32.0, 4) * 1000;
    // A step per round trip lags the differential equation by less than half the growth of a step.
    ASSERT_NEAR(link_.window(), expected, expected * 0.02) << t;
  }
}

// Below 16 packets w^(3/4) / 8 is less than one packet, by which the loss-based window grows in any
// case.
TEST_F(CompoundTest, ASmallWindowGrowsByOnePacket) {
  p_.initial_window = 10'000;
  build();
  link_.begin(1);
  link_.ack(10);
  EXPECT_NEAR(link_.window(), 11'000, 1e-6);
}

TEST_F(CompoundTest, AQueueOfGammaPacketsShrinksTheWindowByDelay) {
  p_.initial_window = 1'000'000;
  build();
  link_.begin(1);
  for (int t = 0; t < 20; ++t) link_.ack(10);
  const double before = link_.window();
  // Each RTT sample of 20 us moves Compound's smoothed RTT by 3 / w of the difference, where w is
  // the window in packets.
  double rtt = 10;
  double window = before;
  const double by_marks = 1'020'000;
  for (int t = 0; t < 5; ++t) {
    link_.ack(20);
    rtt += std::min(0.25, 3000 / window) * (20 - rtt);
    const double waiting = window * (1 - 10 / rtt);
    if (waiting >= 30'000) break;
    window = link_.window();
  }
  for (int t = 0; t < 60; ++t) link_.ack(20);
  // In equilibrium only the loss-based window is left, which grows by one packet per round trip.
  EXPECT_LT(link_.window(), before);
  EXPECT_GE(link_.window(), by_marks);
}

TEST_F(CompoundTest, AMarkHalvesTheSumAndTheWindowByMarks) {
  p_.initial_window = 100'000;
  build();
  link_.begin(1);
  // of a sum of 100 packets remain 100 / 2 - 100 / 2 in the delay window and 50 in the loss-based
  // window
  link_.ack(10, 0, true);
  EXPECT_NEAR(link_.window(), 50'000, 1e-6);
  p_.beta = Ratio(1, 4);
  build();
  link_.begin(1);
  // of the sum remain 75: 75 - 50 = 25 in the delay window and 50 in the loss-based window
  link_.ack(10, 0, true);
  EXPECT_NEAR(link_.window(), 75'000, 1e-6);
  EXPECT_TRUE(link_.algorithm->needs().marks);
}

}  // namespace
}  // namespace dcc::compound_test
