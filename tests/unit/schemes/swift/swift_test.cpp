// Tests Swift against values calculated step by step: target delays by window, growth, one cut per
// round trip, and pacing below a packet.
#include "schemes/swift/swift.h"

#include <gtest/gtest.h>

#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

using test::FakeHost;
using test::kRateStep;

class SwiftTest : public testing::Test {
 protected:
  SwiftTest() { p_.initial_window = 4000; }
  Swift& begin() {
    swift_.emplace(host_, p_, 1000);
    FlowStart start;
    start.base_rtt = kMicroSecond * 8;
    swift_->on_flow_start(0, start);
    return *swift_;
  }
  void ack(double rtt_us, Bytes bytes = 1000) {
    AckInfo info;
    info.rtt = PicoSeconds{static_cast<std::int64_t>(rtt_us * 1e6)};
    info.newly_acked = bytes;
    swift_->on_ack(0, info);
  }
  double window() const { return static_cast<double>(swift_->window(0)); }
  SwiftParameters p_;
  FakeHost host_{100'000};
  std::optional<Swift> swift_;
};

// Flow scaling with a = 100 / (1/sqrt(0.1) - 1/sqrt(100)) = 32.65543 us and b = -a/10 = -3.265543
// us.
TEST_F(SwiftTest, SmallWindowsHaveLongerTargets) {
  const Swift& swift = begin();
  const auto us = [&](double packets) {
    return static_cast<double>(swift.target(packets * 1000).count) / 1e6;
  };
  EXPECT_NEAR(us(1), 20 + 32.65543 - 3.265543, 1e-5);
  EXPECT_NEAR(us(4), 20 + 32.65543 / 2 - 3.265543, 1e-5);
  EXPECT_NEAR(us(0.1), 120, 1e-6);
  EXPECT_NEAR(us(0.01), 120, 1e-6) << "not beyond its range";
  EXPECT_NEAR(us(100), 20, 1e-6);
  EXPECT_NEAR(us(400), 20, 1e-6) << "not below the base";
}

TEST_F(SwiftTest, MayCountWholePackets) {
  p_.whole_packets = true;
  const Swift& swift = begin();
  const auto us = [&](double packets) {
    return static_cast<double>(swift.target(packets * 1000).count) / 1e6;
  };
  EXPECT_NEAR(us(1.999), 20 + 32.65543 - 3.265543, 1e-5);
  EXPECT_NEAR(us(4), 20 + 32.65543 / 2 - 3.265543, 1e-5);
  EXPECT_NEAR(us(0.999), 120, 1e-6) << "none fits: all of the range";
  EXPECT_NEAR(us(100.5), 20, 1e-6);
}

TEST_F(SwiftTest, GrowsByOnePacketAWindowBelowTheTarget) {
  begin();
  EXPECT_EQ(host_.window(0), 3001) << "in flight + a packet <= window";
  ack(33.06);  // the target delay of four packets is 33.0622 us
  EXPECT_DOUBLE_EQ(window(), 4250);
  EXPECT_EQ(host_.window(0), 3251);
  ack(10, 4250);
  EXPECT_DOUBLE_EQ(window(), 5250);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 100'000);
}

// A base RTT of 300 us and a packet time of 80 ns exceed all target delays of 20 to 120 us, so the
// window would fall to 10 B.
TEST_F(SwiftTest, TargetsBelowTheDelayOfAnEmptyNetworkMakeWay) {
  swift_.emplace(host_, p_, 1000);
  FlowStart start;
  start.base_rtt = kMicroSecond * 300;
  swift_->on_flow_start(0, start);
  ack(300.08 + 13.06);  // flow scaling adds 32.65543 / sqrt(4) - 3.265543 us
  EXPECT_DOUBLE_EQ(window(), 4250);
  ack(300.08 + 13.06);
  EXPECT_LT(window(), 4250) << "13.06 us are above the target of 4.25 packets";
}

// The target delay is 33.06217 us and the delay is twice that, so 1 - 0.8 / 2 of the window is
// left.
TEST_F(SwiftTest, CutsByHowFarTheDelayIsAboveOnceARoundTrip) {
  Swift& swift = begin();
  const double twice = 2 * static_cast<double>(swift.target(4000).count) / 1e6;
  ack(twice);
  EXPECT_NEAR(window(), 2400, 1e-3);
  host_.advance(swift, kMicroSecond * 10);
  ack(twice);
  EXPECT_NEAR(window(), 2400, 1e-3) << "the smoothed RTT is 8 + 7/8 ... us, longer than that";
  host_.advance(swift, kMicroSecond * 20);
  ack(twice);
  EXPECT_LT(window(), 2400);
}

TEST_F(SwiftTest, OneDecreaseTakesHalfAtTheMost) {
  begin();
  ack(10'000);
  EXPECT_DOUBLE_EQ(window(), 2000);
}

TEST_F(SwiftTest, BelowAPacketTheWindowIsAPace) {
  p_.initial_window = 1000;
  begin();
  EXPECT_EQ(host_.window(0), 1);
  ack(1000);  // the window is cut to 500 bytes; the smoothed RTT is 8 + (1000 - 8)/8 = 132 us
  EXPECT_DOUBLE_EQ(window(), 500);
  EXPECT_EQ(host_.window(0), 1) << "one packet alone";
  EXPECT_NEAR(host_.mbps(0), 500 * 8.0 / 132, kRateStep);
  ack(10, 100);  // the window grows by all acknowledged bytes, not by a share of them
  EXPECT_DOUBLE_EQ(window(), 600);
  EXPECT_NEAR(host_.mbps(0), 600 * 8.0 / (132 + (10 - 132) / 8.0), kRateStep);
}

TEST_F(SwiftTest, KeepsItsWindowWithinItsBounds) {
  p_.initial_window = 1000;
  p_.min_window = 900;
  p_.max_window = 1500;
  Swift& swift = begin();
  ack(10'000);
  EXPECT_DOUBLE_EQ(window(), 900);
  host_.advance(swift, kMilliSecond);
  for (int i = 0; i < 10; ++i) ack(5);
  EXPECT_DOUBLE_EQ(window(), 1500);
}

TEST_F(SwiftTest, RefusesAScalingWithoutARange) {
  p_.scaling_min = p_.scaling_max;
  EXPECT_THROW(p_.check(1500), ParameterError);
}

}  // namespace
}  // namespace dcc
