// Tests FAST against its closed forms: the approach to the fixed point, and the shares of flows at
// one bottleneck.
#include "schemes/fast/fast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "unit/schemes/algorithm_host.h"

namespace dcc::fast_test {
namespace {

constexpr double kBaseUs = 10;
constexpr double kBytesPerUs = 12'500;  // bytes per microsecond at 100 Gb/s

class FastTest : public testing::Test {
 protected:
  FastTest() {
    p_.alpha = 10'000;
    p_.initial_window = 50'000;
    p_.max_window = 10'000'000;
  }
  void begin(FlowNumber flows = 1) {
    if (!fast_) fast_.emplace(host_, p_, 1000);
    FlowStart start;
    start.base_rtt = kMicroSecond * 10;
    for (FlowNumber flow = 0; flow < flows; ++flow) fast_->on_flow_start(flow, start);
  }
  /// Ends a round trip of a flow by an ACK.
  void ack(double rtt_us, FlowNumber flow = 0) {
    AckInfo info;
    info.rtt = PicoSeconds{static_cast<std::int64_t>(rtt_us * 1e6)};
    info.psn = info.next_psn = next_++;
    fast_->on_ack(flow, info);
  }
  double window(FlowNumber flow = 0) const { return static_cast<double>(fast_->window(flow)); }

  FastParameters p_;
  test::FakeHost host_{100'000};
  std::optional<Fast> fast_;
  Psn next_ = 1;
};

// With an RTT of twice the base RTT the window is w(n) = 2 alpha + (w(0) - 2 alpha) (1 - gamma /
// 2)^n.
TEST_F(FastTest, ApproachesTheFixedPointGeometrically) {
  begin();
  for (int n = 1; n <= 40; ++n) {
    ack(2 * kBaseUs);
    ASSERT_NEAR(window(), 20'000 + 30'000 * std::pow(0.75, n), 1e-6) << n;
  }
  EXPECT_EQ(host_.window(0), static_cast<Bytes>(window() - 1000) + 1);
}

TEST_F(FastTest, GrowsByHalfOfAlphaARoundTripWithoutAQueueAndAtMostDoubles) {
  begin();
  ack(kBaseUs);
  EXPECT_NEAR(window(), 55'000, 1e-6);
  p_.alpha = 1'000'000;
  fast_.reset();
  begin();
  ack(kBaseUs);
  EXPECT_NEAR(window(), 100'000, 1e-6);
}

TEST_F(FastTest, ChangesOnceARoundTrip) {
  begin();
  AckInfo info;
  info.rtt = kMicroSecond * 10;
  info.next_psn = 50;
  fast_->on_ack(0, info);
  EXPECT_NEAR(window(), 55'000, 1e-6);
  for (info.psn = 1; info.psn < 50; ++info.psn) fast_->on_ack(0, info);
  EXPECT_NEAR(window(), 55'000, 1e-6);
  fast_->on_ack(0, info);
  EXPECT_NEAR(window(), 60'000, 1e-6);
}

// N flows fill the link, keep N alpha in its queue, and get equal shares of the link.
TEST_F(FastTest, FlowsShareABottleneckWithAlphaEachInItsQueue) {
  constexpr FlowNumber kFlows = 4;
  begin(kFlows);
  for (int n = 0; n < 3; ++n) ack(3 * kBaseUs, 0);  // makes the windows unequal at first
  for (int round = 0; round < 400; ++round) {
    double sum = 0;
    for (FlowNumber flow = 0; flow < kFlows; ++flow) sum += window(flow);
    const double queue = std::max(0.0, sum - kBaseUs * kBytesPerUs);
    for (FlowNumber flow = 0; flow < kFlows; ++flow) ack(kBaseUs + queue / kBytesPerUs, flow);
  }
  const double share = kBaseUs * kBytesPerUs / kFlows + 10'000;
  for (FlowNumber flow = 0; flow < kFlows; ++flow) EXPECT_NEAR(window(flow), share, share / 100);
}

TEST_F(FastTest, BelowAPacketTheWindowIsAPace) {
  p_.alpha = 100;
  p_.initial_window = 800;
  begin();
  EXPECT_EQ(host_.window(0), 1);
  EXPECT_NEAR(host_.mbps(0), 800 * 8 / kBaseUs, test::kRateStep);
  ack(100);  // the window becomes 0.5 * 800 + 0.5 * (80 + 100)
  EXPECT_NEAR(window(), 490, 1e-6);
  EXPECT_NEAR(host_.mbps(0), 490 * 8 / 100.0, test::kRateStep);
}

TEST_F(FastTest, KeepsItsWindowWithinItsLimits) {
  p_.min_window = 30'000;
  p_.max_window = 60'000;
  begin();
  for (int n = 0; n < 50; ++n) ack(kBaseUs);
  EXPECT_NEAR(window(), 60'000, 1e-6);
  for (int n = 0; n < 50; ++n) ack(10 * kBaseUs);
  EXPECT_NEAR(window(), 30'000, 1e-6);
}

}  // namespace
}  // namespace dcc::fast_test
