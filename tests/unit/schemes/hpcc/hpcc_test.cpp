// Tests HPCC against values calculated step by step: utilisation from telemetry, and windows from
// the utilisation (SIGCOMM 2019, algorithm 1).
#include "schemes/hpcc/hpcc.h"

#include <gtest/gtest.h>

#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

using test::FakeHost;
using test::kRateStep;

class HpccTest : public testing::Test {
 protected:
  HpccTest() {
    parameters_.eta = Ratio(95, 100);
    parameters_.max_stage = 2;
    parameters_.w_ai_rate = 50_Mbps;
    parameters_.base_rtt = kMicroSecond * 8;
    parameters_.r_min = 100_Mbps;
  }
  /// An ACK with telemetry of one hop of 10 Gb/s, which carries 1250 bytes per µs.
  void ack(Hpcc& hpcc, Psn psn, Psn next, int at_us, std::uint64_t tx, Bytes queue) {
    IntStack stack;
    stack.hop[0] = {kMicroSecond * at_us, tx, queue, BitRate(10'000'000'000)};
    AckInfo info;
    info.psn = psn;
    info.next_psn = next;
    info.telemetry = &stack;
    info.telemetry_hops = 1;
    hpcc.on_ack(0, info);
  }
  HpccParameters parameters_;
  FakeHost host_{10'000};  // a NIC of 10 Gb/s, at which 8 µs are 10 000 bytes
};

TEST_F(HpccTest, StartsAtLineRateWithOneBandwidthDelayProduct) {
  Hpcc hpcc(host_, parameters_, {});
  hpcc.on_flow_start(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
  EXPECT_EQ(host_.window(0), 10'000);
}

TEST_F(HpccTest, FullLinkAndAQueueCutTheWindow) {
  Hpcc hpcc(host_, parameters_, {});
  hpcc.on_flow_start(0, {});
  ack(hpcc, 0, 10, 100, 0, 5000);  // the first ACK only initialises the record L
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
  // In 4 µs 5000 more bytes were sent, so the link was full: u = min(5000, 7000)/10000 + 1 = 1.5.
  // With τ/T = 4/8 follow U = 0.5·1 + 0.5·1.5 = 1.25 and W = 10000·0.95/1.25 + 50 = 7650 Mb/s.
  ack(hpcc, 5, 12, 104, 5000, 7000);
  EXPECT_NEAR(static_cast<double>(hpcc.utilisation(0)), 1.25, 1e-12);
  EXPECT_NEAR(host_.mbps(0), 7650, kRateStep);
  EXPECT_EQ(host_.window(0), 7650);
  // Packet 5 was sent before the last update, so Wc is still the line rate. After 2 µs at half load
  // without a queue u = 0.5, τ/T = 1/4, U = 0.75·1.25 + 0.25·0.5 = 1.0625; W = 10000·0.95/1.0625 +
  // 50.
  ack(hpcc, 6, 13, 106, 6250, 0);
  EXPECT_NEAR(host_.mbps(0), 10'000 * 0.95 / 1.0625 + 50, kRateStep);
}

TEST_F(HpccTest, UpdatesTheReferenceOncePerRoundTrip) {
  Hpcc hpcc(host_, parameters_, {});
  hpcc.on_flow_start(0, {});
  ack(hpcc, 0, 10, 100, 0, 5000);
  ack(hpcc, 10, 20, 104, 5000, 5000);  // U = 1.25 sets Wc to 7650 Mb/s
  EXPECT_NEAR(hpcc.view(0).target.raw / 256.0, 7650, kRateStep);
  ack(hpcc, 11, 21, 108, 10'000, 5000);  // U = 1.375 applies to the same Wc
  EXPECT_NEAR(host_.mbps(0), 7650 * 0.95 / 1.375 + 50, kRateStep);
  EXPECT_NEAR(hpcc.view(0).target.raw / 256.0, 7650, kRateStep);
}

TEST_F(HpccTest, AddsForMaxStageRoundsBelowTheTargetThenMultiplies) {
  Hpcc hpcc(host_, parameters_, {});
  hpcc.on_flow_start(0, {0, 0, {}, Rate::from(BitRate(2'000'000'000))});
  ack(hpcc, 0, 1, 100, 0, 0);
  // The ACKs are 8 µs apart and report 4000 bytes each. So τ = T, and U = 4000/10000 = 0.4 at once.
  ack(hpcc, 1, 2, 108, 4000, 0);
  EXPECT_NEAR(host_.mbps(0), 2050, kRateStep);
  ack(hpcc, 2, 3, 116, 8000, 0);
  EXPECT_NEAR(host_.mbps(0), 2100, kRateStep);
  ack(hpcc, 3, 4, 124, 12'000, 0);  // incStage has reached maxStage: 2100·0.95/0.4 + 50
  EXPECT_NEAR(host_.mbps(0), 2100 * 0.95 / 0.4 + 50, kRateStep);
  ack(hpcc, 4, 5, 132, 16'000, 0);  // incStage is 0 again, so additive steps follow
  EXPECT_NEAR(host_.mbps(0), 2100 * 0.95 / 0.4 + 100, kRateStep);
}

TEST_F(HpccTest, MultipliesFromTheTargetUtilisationOn) {
  // In 8 µs, which is T, 9400 bytes are U = 0.94, an additive step. 9600 bytes are U = 0.96, a
  // multiplicative step.
  for (const std::uint64_t bytes : {9400u, 9600u}) {
    FakeHost host{10'000};
    Hpcc hpcc(host, parameters_, {});
    hpcc.on_flow_start(0, {0, 0, {}, Rate::from(BitRate(2'000'000'000))});
    ack(hpcc, 0, 1, 100, 0, 0);
    ack(hpcc, 1, 2, 108, bytes, 0);
    const double expected = bytes == 9400 ? 2050 : 2000 * 0.95 / 0.96 + 50;
    EXPECT_NEAR(host.mbps(0), expected, kRateStep) << bytes;
  }
}

TEST_F(HpccTest, WhatIsOlderThanARoundTripIsForgotten) {
  Hpcc hpcc(host_, parameters_, {});
  hpcc.on_flow_start(0, {});
  ack(hpcc, 0, 1, 100, 0, 0);
  ack(hpcc, 1, 2, 116, 8000, 0);  // 16 µs are 2 T and count as T: U = 8000/20 000
  EXPECT_NEAR(static_cast<double>(hpcc.utilisation(0)), 0.4, 1e-12);
}

TEST_F(HpccTest, TheBusiestLinkCounts) {
  Hpcc hpcc(host_, parameters_, {});
  hpcc.on_flow_start(0, {});
  AckInfo info;
  IntStack stack;
  info.telemetry = &stack;
  info.next_psn = 1;
  info.telemetry_hops = 2;
  stack.hop[0] = {kMicroSecond * 100, 0, 0, BitRate(10'000'000'000)};
  stack.hop[1] = {kMicroSecond * 100, 0, 2000, BitRate(40'000'000'000)};
  hpcc.on_ack(0, info);
  // Over 8 µs, which is T, hop 0 has U = 0.6 and hop 1 has U = 36000/40000 + 2000/40000 = 0.95.
  stack.hop[0] = {kMicroSecond * 108, 6000, 0, BitRate(10'000'000'000)};
  stack.hop[1] = {kMicroSecond * 108, 36'000, 2000, BitRate(40'000'000'000)};
  info.psn = 1;
  info.next_psn = 2;
  hpcc.on_ack(0, info);
  EXPECT_NEAR(static_cast<double>(hpcc.utilisation(0)), 0.95, 1e-12);
}

TEST_F(HpccTest, AckWithoutTelemetryIsIgnored) {
  Hpcc hpcc(host_, parameters_, {});
  hpcc.on_flow_start(0, {});
  AckInfo info;
  hpcc.on_ack(0, info);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
}

}  // namespace
}  // namespace dcc
