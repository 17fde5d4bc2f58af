// Tests Vegas against its fixed points: alpha to beta packets of each flow in the queue.
#include "schemes/vegas/vegas.h"

#include <gtest/gtest.h>

#include "describe/parameter_error.h"
#include "unit/schemes/delay_bottleneck.h"

namespace dcc::vegas_test {
namespace {

class VegasTest : public testing::Test {
 protected:
  void build() { link_.algorithm = std::make_unique<Vegas>(link_.host, p_, link_.kMtu); }
  VegasParameters p_;
  test::DelayBottleneck link_;
};

TEST_F(VegasTest, GrowsByAPacketWithoutAQueueAndShrinksByOneAboveBeta) {
  p_.initial_window = 50'000;
  build();
  link_.begin(1);
  link_.ack(10);  // the queue is empty
  EXPECT_NEAR(link_.window(), 51'000, 1e-6);
  link_.ack(10.5);  // 51 (1 - 10 / 10.5) = 2.43 packets wait, between alpha and beta
  EXPECT_NEAR(link_.window(), 51'000, 1e-6);
  link_.ack(12);  // 8.5 packets wait, more than beta
  EXPECT_NEAR(link_.window(), 50'000, 1e-6);
}

// The least RTT of a round trip counts, and not the RTT of a burst's last packet.
TEST_F(VegasTest, GoesByTheLeastRttOfTheRoundTrip) {
  p_.initial_window = 50'000;
  build();
  link_.begin(1);
  AckInfo info;
  info.next_psn = 50;
  info.rtt = kMicroSecond * 10;
  link_.algorithm->on_ack(0, info);  // the first ACK ends a round trip
  info.psn = 1;
  info.rtt = kMicroSecond * 10;
  link_.algorithm->on_ack(0, info);
  info.psn = 50;
  info.rtt = kMicroSecond * 20;
  link_.algorithm->on_ack(0, info);
  EXPECT_NEAR(link_.window(), 52'000, 1e-6);
}

TEST_F(VegasTest, KeepsTwoToFourPacketsOfEachFlowInTheQueue) {
  for (const FlowNumber flows : {1u, 2u, 8u, 32u}) {
    build();
    link_.begin(flows);
    for (int round = 0; round < 3000; ++round) link_.round();
    // All flows measure the same RTT. Each has its share of the path and alpha to beta packets in
    // the queue.
    EXPECT_GE(link_.queue(), flows * 2'000.0 - 1e-6) << flows;
    EXPECT_LE(link_.queue(), flows * 5'000.0 + 1e-6) << flows;
    for (int round = 0; round < 100; ++round) {
      link_.round();
      ASSERT_LE(link_.queue(), flows * 5'000.0 + 1e-6) << flows;
    }
  }
}

TEST_F(VegasTest, RefusesBetaBelowAlpha) {
  p_.beta = 1;
  EXPECT_THROW(p_.check(1000), ParameterError);
}

}  // namespace
}  // namespace dcc::vegas_test
