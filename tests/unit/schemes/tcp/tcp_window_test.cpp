// Tests TCP's window laws against their closed forms and against values computed by hand, and the
// arithmetic of the retransmission timeout.
#include "schemes/tcp/tcp_window.h"

#include <gtest/gtest.h>

#include <cmath>

#include "schemes/tcp/rto_estimator.h"

namespace dcc::tcp_window_test {
namespace {

using Growth = TcpWindowParameters::Growth;

TcpWindowParameters parameters(Growth growth, unsigned initial = 10) {
  TcpWindowParameters p;
  p.growth = growth;
  p.initial_window = initial;
  return p;
}

constexpr PicoSeconds kRtt = kMilliSecond * 100;

TEST(TcpWindow, CubeRootsAreExactToTheLastDigits) {
  EXPECT_DOUBLE_EQ(cube_root(27), 3);
  EXPECT_DOUBLE_EQ(cube_root(0.001), 0.1);
  EXPECT_DOUBLE_EQ(cube_root(1e12), 1e4);
  EXPECT_EQ(cube_root(0), 0);
  for (double x = 1e-9; x < 1e15; x *= 7.3) EXPECT_NEAR(cube_root(x) / std::cbrt(x), 1, 1e-15);
}

TEST(TcpWindow, SlowStartAddsASegmentAnAck) {
  const TcpWindowParameters p = parameters(Growth::kNewReno);
  TcpWindow window(p);
  for (int ack = 0; ack < 10; ++ack) window.acknowledged(1, kRtt, {});
  EXPECT_EQ(window.segments(), 20) << "doubled in a round trip";
  window.acknowledged(7, kRtt, {});
  EXPECT_EQ(window.segments(), 21) << "a segment, whatever the ACK covers (RFC 5681)";
}

TEST(TcpWindow, NewRenoHalvesAndAddsASegmentARoundTrip) {
  const TcpWindowParameters p = parameters(Growth::kNewReno, 40);
  TcpWindow window(p);
  window.lost(40);
  EXPECT_EQ(window.segments(), 20);
  EXPECT_FALSE(window.in_slow_start());
  for (int ack = 0; ack < 20; ++ack) window.acknowledged(1, kRtt, {});
  EXPECT_NEAR(window.segments(), 21, 0.03);
  window.lost(2);
  EXPECT_EQ(window.segments(), 2) << "half of what was under way, but not less than two";
}

TEST(TcpWindow, ATimeoutLeavesOneSegmentAndHalfAThresholdOnce) {
  const TcpWindowParameters p = parameters(Growth::kNewReno, 40);
  TcpWindow window(p);
  window.timed_out(40, false);
  EXPECT_EQ(window.segments(), 1);
  EXPECT_EQ(window.threshold(), 20);
  window.timed_out(1, true);
  EXPECT_EQ(window.threshold(), 20) << "RFC 5681, (4): held for a segment sent again";
}

// After a cut from 100 segments 70 segments remain, K = cbrt(100 * 0.3 / 0.4) = 4.2172 s, and at
// time t the window is 0.4 (t - K)^3 + 100.
TEST(TcpWindow, CubicFollowsItsClosedForm) {
  TcpWindowParameters p = parameters(Growth::kCubic, 100);
  p.reno_friendly = false;
  TcpWindow window(p);
  window.lost(100);
  EXPECT_DOUBLE_EQ(window.segments(), 70);
  EXPECT_DOUBLE_EQ(window.cubic_max(), 100);
  // For twelve seconds the ACKs of each round trip are spread evenly over it.
  PicoSeconds now{};
  double worst = 0;
  while (to_seconds(now) < 12) {
    window.acknowledged(1, kRtt, now);
    const double closed = 0.4 * std::pow(to_seconds(now) - 4.217163326508746, 3) + 100;
    if (to_seconds(now) > 0.5) worst = std::max(worst, std::fabs(window.segments() / closed - 1));
    now +=
        PicoSeconds(static_cast<std::int64_t>(static_cast<double>(kRtt.count) / window.segments()));
  }
  EXPECT_NEAR(window.cubic_k(), 4.2172, 5e-5);
  EXPECT_DOUBLE_EQ(window.cubic_at(0), 70);
  EXPECT_NEAR(window.cubic_at(2), 95.6403, 1e-4);  // 0.4 * -2.217163^3 is -4.3597
  EXPECT_NEAR(window.cubic_at(10), 177.3540, 1e-4);
  EXPECT_LT(worst, 0.01) << "a step towards where the law is a round trip later";
}

TEST(TcpWindow, CubicConvergesFastWhenCutBeforeItCameBack) {
  const TcpWindowParameters p = parameters(Growth::kCubic, 100);
  TcpWindow window(p);
  window.lost(100);
  EXPECT_DOUBLE_EQ(window.cubic_max(), 100);
  window.lost(70);  // a loss at 70, below 100, sets Wmax to 70 * 1.7 / 2
  EXPECT_DOUBLE_EQ(window.cubic_max(), 59.5);
  EXPECT_DOUBLE_EQ(window.segments(), 49);
  TcpWindowParameters slow = p;
  slow.fast_convergence = false;
  TcpWindow other(slow);
  other.lost(100);
  other.lost(70);
  EXPECT_DOUBLE_EQ(other.cubic_max(), 70);
}

// In short round trips NewReno's line is above the cubic curve. It rises by 3 * 0.3 / 1.7 = 0.529
// segments per round trip up to the window before the cut, and then by one segment.
TEST(TcpWindow, CubicIsNeverSlowerThanNewReno) {
  const TcpWindowParameters p = parameters(Growth::kCubic, 20);
  TcpWindow window(p);
  window.lost(20);
  PicoSeconds now{};
  constexpr PicoSeconds kShort = kMicroSecond * 100;
  double before = window.segments();
  int rounds = 0;
  while (window.segments() < 19.4) {
    before = window.segments();
    const int acks = static_cast<int>(before);
    for (int i = 0; i < acks; ++i) window.acknowledged(1, kShort, now);
    now += kShort;
    ++rounds;
    EXPECT_NEAR(window.segments() - before, 0.5294 * acks / before, 0.02);
  }
  EXPECT_NEAR(rounds, 5.4 / 0.515, 1.1);
  while (window.segments() < 21) window.acknowledged(1, kShort, now);
  before = window.segments();
  for (int i = 0; i < 21; ++i) window.acknowledged(1, kShort, now);
  EXPECT_NEAR(window.segments() - before, 1, 0.05);
}

TEST(TcpWindow, AfterATimeoutTheCurveBeginsAtItsFlatPoint) {
  TcpWindowParameters p = parameters(Growth::kCubic, 100);
  p.reno_friendly = false;
  TcpWindow window(p);
  window.timed_out(100, false);
  EXPECT_EQ(window.segments(), 1);
  EXPECT_DOUBLE_EQ(window.threshold(), 70);
  while (window.in_slow_start()) window.acknowledged(1, kRtt, {});
  window.acknowledged(1, kRtt, {});
  EXPECT_EQ(window.cubic_k(), 0);
  EXPECT_NEAR(window.cubic_max(), 70, 1e-9);
}

TEST(TcpWindow, DctcpCutsByHalfTheShareOfMarks) {
  const TcpWindowParameters p = parameters(Growth::kDctcp, 64);
  TcpWindow window(p);
  for (int round = 0; round < 400; ++round) {
    window.count_marks(30, false);
    window.count_marks(10, true);
    window.round_over();
  }
  EXPECT_NEAR(window.share_of_marks(), 0.25, 1e-9);
  window.marked(64);
  EXPECT_NEAR(window.segments(), 64 * (1 - 0.125), 1e-6);
  window.count_marks(16, true);
  window.round_over();
  EXPECT_NEAR(window.share_of_marks(), 0.25 * 15 / 16 + 1.0 / 16, 1e-9);
}

TEST(TcpWindow, RestMovesTheCurveAndALongOneForgetsTheWindow) {
  const TcpWindowParameters p = parameters(Growth::kCubic, 10);
  TcpWindow window(p);
  for (int i = 0; i < 90; ++i) window.acknowledged(1, kRtt, {});
  EXPECT_EQ(window.segments(), 100);
  window.rested(kMilliSecond, false);
  EXPECT_EQ(window.segments(), 100);
  window.rested(kSecond, true);
  EXPECT_EQ(window.segments(), 10);
}

// RFC 6298: the first measurement R gives the timeout R + 4 R/2. Later RTTVAR is weighted by 3/4
// and SRTT by 7/8.
TEST(RtoEstimator, IsSmoothedRoundTripAndFourDeviations) {
  RtoEstimator timer(kSecond, kMicroSecond, kSecond * 60, kMicroSecond);
  EXPECT_EQ(timer.timeout(), kSecond);
  timer.measured(kMilliSecond * 80);
  EXPECT_EQ(timer.timeout(), kMilliSecond * 240);
  timer.measured(kMilliSecond * 160);
  // The deviation is 40 + (80 - 40) / 4 = 50, the smoothed RTT 80 + 80 / 8 = 90.
  EXPECT_EQ(timer.timeout(), kMilliSecond * 290);
  timer.back_off();
  EXPECT_EQ(timer.timeout(), kMilliSecond * 580);
  for (int i = 0; i < 20; ++i) timer.back_off();
  EXPECT_EQ(timer.timeout(), kSecond * 60);
}

TEST(RtoEstimator, IsNeverBelowTheLeast) {
  RtoEstimator timer(kMicroSecond, kMilliSecond * 200, kSecond * 60, kMilliSecond);
  EXPECT_EQ(timer.timeout(), kMilliSecond * 200);
  timer.measured(kMicroSecond * 10);
  EXPECT_EQ(timer.timeout(), kMilliSecond * 200);
}

TEST(RtoEstimator, IsLongerThanASteadyRoundTrip) {
  RtoEstimator timer(kSecond, kMicroSecond, kSecond * 60, kMilliSecond);
  for (int i = 0; i < 100; ++i) timer.measured(kMilliSecond * 80);
  EXPECT_EQ(timer.timeout(), kMilliSecond * 81);
}

}  // namespace
}  // namespace dcc::tcp_window_test
