// Tests TIMELY against values calculated step by step: gradient, thresholds, HAI, scaling,
// increases on demand (SIGCOMM 2015).
#include "schemes/timely/timely.h"

#include <gtest/gtest.h>

#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

using test::FakeHost;
using test::kRateStep;

class TimelyTest : public testing::Test {
 protected:
  TimelyTest() {
    p_.ewma = {7, 8};
    p_.additive_step = 10_Mbps;
    p_.segment = 16'000;
    p_.app_limit = 0;
    p_.bursts = false;
    p_.initial_rate = 2_Gbps;
  }
  // Completes a segment. At 2 Gb/s 5000 bytes are sent in the minimum RTT of 20 µs. A segment of 16
  // 000 bytes is less than one completion in that time, so no scaling applies.
  static void complete(Timely& timely, int rtt_us, Bytes bytes = 16'000) {
    AckInfo info;
    info.rtt = kMicroSecond * rtt_us;
    info.newly_acked = bytes;
    timely.on_ack(0, info);
  }
  static double rate(const Timely& timely) { return timely.view(0).rate.raw / 256.0; }
  TimelyParameters p_;
  FakeHost host_{10'000};
};

TEST_F(TimelyTest, RisesBelowTlowWithoutHyperIncrease) {
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 30);  // the first completion only initialises the last RTT
  EXPECT_DOUBLE_EQ(rate(timely), 2000);
  for (int i = 1; i <= 8; ++i) {
    complete(timely, 30 + i);
    EXPECT_DOUBLE_EQ(rate(timely), 2000 + 10 * i) << i;
  }
}

TEST_F(TimelyTest, GradientCutsBetweenTheThresholds) {
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 60);
  // The RTT rises by 70 − 60 = 10 µs: the smoothed difference is 0.875·10 = 8.75 µs, the gradient
  // 8.75/20 = 0.4375, and the rate 2000·(1 − 0.8·0.4375).
  complete(timely, 70);
  EXPECT_NEAR(static_cast<double>(timely.gradient(0)), 0.4375, 1e-12);
  EXPECT_NEAR(rate(timely), 1300, kRateStep);
  // The RTT changes by 66 − 70 = −4 µs: the smoothed difference is 0.125·8.75 − 0.875·4 = −2.40625
  // µs, so the rate takes an additive step.
  complete(timely, 66);
  EXPECT_NEAR(static_cast<double>(timely.gradient(0)), -0.1203125, 1e-12);
  EXPECT_NEAR(rate(timely), 1310, kRateStep);
}

TEST_F(TimelyTest, AStandingQueueIsNoGradient) {
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 100);
  complete(timely, 100);
  EXPECT_DOUBLE_EQ(rate(timely), 2010);
}

TEST_F(TimelyTest, HyperIncreaseAfterFiveNegativeGradients) {
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 100);
  for (int i = 1; i <= 5; ++i) complete(timely, 100 - i);
  EXPECT_NEAR(rate(timely), 2050, kRateStep);
  complete(timely, 94);
  EXPECT_NEAR(rate(timely), 2100, kRateStep) << "5 δ now";
  complete(timely, 120);  // a positive gradient ends HAI
  const double cut = rate(timely);
  complete(timely, 80);
  EXPECT_NEAR(rate(timely), cut + 10, 2 * kRateStep);
}

TEST_F(TimelyTest, AboveThighTheRttItselfCuts) {
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 900);
  // the gradient is negative, but the RTT cuts the rate: 2000·(1 − 0.8·(1 − 500/800)) = 1400
  complete(timely, 800);
  EXPECT_NEAR(rate(timely), 1400, kRateStep);
}

TEST_F(TimelyTest, SteepGradientStopsAtTheMinimum) {
  p_.max_decrease = 1;
  p_.r_min = 50_Mbps;
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 60);
  complete(timely, 160);
  EXPECT_NEAR(rate(timely), 50, kRateStep);
}

TEST_F(TimelyTest, OneCompletionTakesHalfAtTheMost) {
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 60);
  complete(timely, 160);  // the gradient is 4.375, so 1 - 0.8 * 4.375 is negative
  EXPECT_NEAR(rate(timely), 1000, kRateStep);
}

// With exact arithmetic a smoothed difference would halve without end, and a flow at r_min would
// keep its rate for ever. Here 40 us * 7/8 = 35 us is reduced to an eighth each time, and is below
// a nanosecond after six updates.
TEST_F(TimelyTest, WhatTheClockCannotTellApartIsNoGradient) {
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 60);
  complete(timely, 100);
  for (int i = 0; i < 5; ++i) complete(timely, 100);
  EXPECT_GT(timely.gradient(0), 0);
  const double least = rate(timely);
  complete(timely, 100);
  EXPECT_EQ(timely.gradient(0), 0);
  EXPECT_NEAR(rate(timely), least + 10, kRateStep);
}

TEST_F(TimelyTest, SeveralCompletionsInAMinimumRttShareTheChange) {
  p_.segment = 1000;  // 20 µs at 2 Gb/s are five segments of 1000 bytes
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 30, 1000);
  complete(timely, 31, 1000);
  EXPECT_NEAR(rate(timely), 2002, kRateStep);
}

TEST_F(TimelyTest, ACompletionIsASegment) {
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 30);
  complete(timely, 30, 15'999);
  EXPECT_DOUBLE_EQ(rate(timely), 2000);
  complete(timely, 30, 1);
  EXPECT_DOUBLE_EQ(rate(timely), 2010);
}

TEST_F(TimelyTest, OnceARoundTripWhenAskedTo) {
  p_.update = TimelyParameters::Update::kRoundTrip;
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  const auto ack = [&](Psn psn, Psn next) {
    AckInfo info;
    info.rtt = kMicroSecond * 30;
    info.newly_acked = 1000;
    info.psn = psn;
    info.next_psn = next;
    timely.on_ack(0, info);
  };
  ack(0, 3);
  ack(1, 4);
  ack(2, 5);
  EXPECT_DOUBLE_EQ(rate(timely), 2000);
  ack(3, 6);
  EXPECT_DOUBLE_EQ(rate(timely), 2010);
}

TEST_F(TimelyTest, RisesWaitForTheNextPacketCutsDoNot) {
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 60);
  complete(timely, 59);
  EXPECT_DOUBLE_EQ(rate(timely), 2010);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 2000);
  SentInfo sent;
  sent.payload_bytes = 1000;
  sent.wire_bytes = 1062;
  timely.on_sent(0, sent);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 2010);
  complete(timely, 70);
  EXPECT_LT(host_.mbps(0), 2000);
}

TEST_F(TimelyTest, AnApplicationBelowEightyPercentDoesNotRaiseItsRate) {
  p_.app_limit = Ratio(4, 5);
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  SentInfo segment;
  segment.payload_bytes = 16'000;
  segment.wire_bytes = 16'000;  // the segment takes 64 µs at 2 Gb/s
  complete(timely, 30);
  host_.advance(timely, kMicroSecond * 81);  // the flow used 79 % of its rate
  timely.on_sent(0, segment);
  complete(timely, 30);
  EXPECT_DOUBLE_EQ(rate(timely), 2000);
  host_.advance(timely, kMicroSecond * 79);  // the flow used 81 % of its rate
  timely.on_sent(0, segment);
  complete(timely, 30);
  EXPECT_DOUBLE_EQ(rate(timely), 2010);
}

TEST_F(TimelyTest, PatchedFormSteersToTlow) {
  p_.variant = TimelyParameters::Variant::kPatched;
  p_.beta = Ratio(8, 1000);
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  complete(timely, 100);
  // The gradient 0 gives w = 1/2, and the error is (100 − 50)/50 = 1: 10·0.5 + 2000·(1 −
  // 0.008·0.5·1) = 1997.
  complete(timely, 100);
  EXPECT_NEAR(rate(timely), 1997, kRateStep);
  // The RTT rises by 8 µs: the gradient 0.35 is above 1/4, so w = 1, and the rate is 1997·(1 −
  // 0.008·1.16).
  complete(timely, 108);
  EXPECT_NEAR(rate(timely), 1997 * (1 - 0.008 * 1.16), kRateStep);
}

TEST_F(TimelyTest, AsksForBurstsAndCapsWhatIsOut) {
  p_.bursts = true;
  p_.outstanding = 64'000;
  Timely timely(host_, p_);
  timely.on_flow_start(0, {});
  EXPECT_EQ(timely.needs().burst, 16'000);
  EXPECT_EQ(timely.needs().burst_rate, Rate{});
  EXPECT_EQ(host_.window(0), 64'000);
  p_.burst_rate = 5_Gbps;
  EXPECT_EQ(Timely(host_, p_).needs().burst_rate, Rate::from(5_Gbps));
}

TEST_F(TimelyTest, WaitingInTheNicBelongsToTheRttUnlessItIsTheWires) {
  EXPECT_TRUE(Timely(host_, p_).needs().rtt_from_due);
  p_.timestamp = TimelyParameters::Timestamp::kWire;
  EXPECT_FALSE(Timely(host_, p_).needs().rtt_from_due);
}

}  // namespace
}  // namespace dcc
