// Tests PowerTCP against values calculated step by step: power from telemetry and delay, rates from
// power (NSDI 2022).
#include "schemes/powertcp/powertcp.h"

#include <gtest/gtest.h>

#include <optional>

#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

using test::FakeHost;
using test::kRateStep;

class PowerTcpTest : public testing::Test {
 protected:
  PowerTcp& begin() {
    p_.base_rtt = kMicroSecond * 8;
    power_.emplace(host_, p_, PicoSeconds{});
    power_->on_flow_start(0, {});
    return *power_;
  }
  /// An ACK with telemetry of one hop of 10 Gb/s, which carries 1250 bytes per µs and 10 000 bytes
  /// in τ.
  void ack(Psn psn, Psn next, int at_us, std::uint64_t tx, Bytes queue) {
    IntStack stack;
    stack.hop[0] = {kMicroSecond * at_us, tx, queue, BitRate(10'000'000'000)};
    AckInfo info;
    info.psn = psn;
    info.next_psn = next;
    info.telemetry = &stack;
    info.telemetry_hops = 1;
    power_->on_ack(0, info);
  }
  void ack_after(Psn psn, Psn next, PicoSeconds later, PicoSeconds rtt) {
    host_.advance(*power_, later);
    AckInfo info;
    info.psn = psn;
    info.next_psn = next;
    info.rtt = rtt;
    power_->on_ack(0, info);
  }
  double power() const { return static_cast<double>(power_->power(0)); }
  PowerTcpParameters p_;
  FakeHost host_{10'000};
  std::optional<PowerTcp> power_;
};

TEST_F(PowerTcpTest, StartsAtLineRateWithOneBandwidthDelayProduct) {
  EXPECT_TRUE(begin().needs().telemetry);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
  EXPECT_EQ(host_.window(0), 10'000);
}

// In 4 µs 5000 bytes were sent and 2000 more queued, so the current is 1.4 times the link rate. The
// voltage is (7000 + 10000)/10000. Smoothed over half of τ the power is 0.5 · 1 + 0.5 · 2.38 =
// 1.69.
TEST_F(PowerTcpTest, WhatCameTimesWhatIsThere) {
  begin();
  ack(0, 10, 100, 0, 5000);  // the first ACK has no predecessor to compare with
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
  ack(5, 12, 104, 5000, 7000);
  EXPECT_NEAR(power(), 1.69, 1e-12);
  const double first = 0.9 * (10'000 * 0.95 / 1.69 + 150) + 0.1 * 10'000;
  EXPECT_NEAR(host_.mbps(0), first, kRateStep);
  EXPECT_EQ(host_.window(0), static_cast<Bytes>(first));  // 1 Mb/s · 8 µs is one byte
  // Packet 6 was sent before the last update, so the rate at that time, which packet 5 changed, is
  // the reference. In 2 µs the queue shrank by the bytes sent. No byte arrived, so the current
  // counts as half of the link rate.
  ack(6, 13, 106, 7500, 4500);
  EXPECT_NEAR(power(), 0.75 * 1.69 + 0.25 * 0.5 * 1.45, 1e-12);
  const double second = 0.9 * (first * 0.95 / power() + 150) + 0.1 * first;
  EXPECT_NEAR(host_.mbps(0), second, kRateStep);
  EXPECT_NEAR(power_->view(0).target.raw / 256.0, first, kRateStep) << "not a round trip later";
  ack(12, 20, 108, 7500, 4500);
  EXPECT_NEAR(power_->view(0).target.raw / 256.0, host_.mbps(0), kRateStep) << "a round trip later";
}

TEST_F(PowerTcpTest, GoesByTheBusiestLink) {
  begin();
  IntStack stack;
  AckInfo info;
  info.telemetry = &stack;
  info.telemetry_hops = 2;
  stack.hop[0] = {kMicroSecond * 10, 0, 0, BitRate(10'000'000'000)};
  stack.hop[1] = {kMicroSecond * 10, 0, 0, BitRate(5'000'000'000)};
  power_->on_ack(0, info);
  // In 8 µs 6000 bytes use 0.6 of the first link and 1.2 of the second link, which queues the 1000
  // bytes beyond its rate.
  stack.hop[0] = {kMicroSecond * 18, 6000, 0, BitRate(10'000'000'000)};
  stack.hop[1] = {kMicroSecond * 18, 5000, 1000, BitRate(5'000'000'000)};
  power_->on_ack(0, info);
  EXPECT_NEAR(power(), 1.2 * 1.2, 1e-12);  // the voltage is (1000 + 5000) / 5000
}

TEST_F(PowerTcpTest, KeepsWithinLineAndLeastRate) {
  p_.r_min = 9'000_Mbps;
  begin();
  ack(0, 10, 100, 0, 0);
  ack(1, 11, 108, 10'000, 100'000);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 9'000);
  for (int i = 1; i < 20; ++i) ack(Psn(10 + i), Psn(30 + i), 108 + 8 * i, 10'000, 0);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
}

// The RTT rises by 2 µs in 4 µs: the current is 1.5 times the link rate and the voltage 10 of 1.05
// · 8 µs. Half of τ is smoothed.
TEST_F(PowerTcpTest, ByDelayTheSlopeIsTheCurrent) {
  p_.variant = PowerTcpParameters::Variant::kDelay;
  EXPECT_FALSE(begin().needs().telemetry);
  ack_after(0, 10, kMicroSecond * 100, kMicroSecond * 8);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000) << "nothing to compare with";
  ack_after(1, 11, kMicroSecond * 4, kMicroSecond * 10);
  EXPECT_NEAR(power(), 0.5 + 0.5 * 1.5 * 10 / 8.4, 1e-12);
  const double rate = 0.7 * (10'000 / power() + 150) + 0.3 * 10'000;
  EXPECT_NEAR(host_.mbps(0), rate, kRateStep);
}

TEST_F(PowerTcpTest, ByDelayAShorterRoundTripIsTheBase) {
  p_.variant = PowerTcpParameters::Variant::kDelay;
  begin();
  ack_after(0, 10, kMicroSecond * 100, kMicroSecond * 5);
  ack_after(1, 11, kMicroSecond * 5, kMicroSecond * 5);
  EXPECT_NEAR(power(), 1 / 1.05, 1e-12) << "a whole base RTT: nothing of the past is left";
  EXPECT_EQ(host_.window(0), 6250) << "10 Gb/s · 5 us";
}

}  // namespace
}  // namespace dcc
