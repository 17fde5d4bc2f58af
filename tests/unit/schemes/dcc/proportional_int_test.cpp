// Tests weighted shares by telemetry (INT). The algorithm reads the weight from the factor table at
// each ACK, and two flows share by their weights.
#include "schemes/dcc/proportional_int.h"

#include <gtest/gtest.h>

#include "sim/scheduler.h"
#include "unit/controller/controller_model_fixture.h"
#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

class ProportionalIntTest : public testing::Test {
 protected:
  ProportionalIntTest() {
    parameters_.base_rtt = kMicroSecond * 8;
    parameters_.w_ai_rate = 50_Mbps;
    parameters_.r_min = 5_Mbps;
    algorithm_ = std::make_unique<ProportionalInt>(scheduler_, host_, test::config_of(4), 1000,
                                                   parameters_, kMicroSecond);
  }
  void weight(std::uint32_t dscp, std::uint32_t f_inc) {
    algorithm_->device().model()->write_table(RateTable::kFactor, dscp, f_inc | 4096u << 16);
  }
  /// An ACK with the telemetry of one hop of 10 Gb/s, 8 us after the flow's last ACK. The hop has
  /// sent `bytes` bytes in that time.
  void ack(FlowNumber flow, int round, std::uint64_t bytes, Bytes queue = 0) {
    IntStack stack;
    stack.hop[0] = {kMicroSecond * 8 * round, bytes * static_cast<std::uint64_t>(round), queue,
                    BitRate(10'000'000'000)};
    AckInfo info;
    info.psn = static_cast<Psn>(round);
    info.next_psn = static_cast<Psn>(round);
    info.telemetry = &stack;
    info.telemetry_hops = 1;
    algorithm_->on_ack(flow, info);
  }
  Scheduler scheduler_;
  test::FakeHost host_{10'000};
  HpccParameters parameters_;
  std::unique_ptr<ProportionalInt> algorithm_;
};

TEST_F(ProportionalIntTest, AsksForTelemetryAndForNoNotifications) {
  const AlgorithmNeeds needs = algorithm_->needs();
  EXPECT_TRUE(needs.telemetry && needs.acks && needs.ack_each);
  EXPECT_FALSE(needs.cnp || needs.on_sent);
}

TEST_F(ProportionalIntTest, StepIsTheWeightThatTheTableHoldsNow) {
  weight(46, 4 << 8);
  algorithm_->on_flow_start(0, {46, 0, {}, Rate::from(BitRate(2'000'000'000))});
  ack(0, 1, 4000);  // the first ACK only initialises the telemetry record
  ack(0, 2, 4000);  // utilisation 0.4, so the rate takes an additive step
  EXPECT_NEAR(host_.mbps(0), 2000 + 4 * 50, test::kRateStep);
  weight(46, 1 << 7);
  ack(0, 3, 4000);
  EXPECT_NEAR(host_.mbps(0), 2200 + 25, test::kRateStep);
}

TEST_F(ProportionalIntTest, TheControllerHasNoSay) {
  algorithm_->on_flow_start(0, {46, 0, {}, Rate()});
  algorithm_->on_cnp(0, {200, 200});
  algorithm_->on_sent(0, {1000, 1086, 0, false});
  scheduler_.run_until(kMilliSecond);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
  EXPECT_EQ(algorithm_->device().statistics().cnps_received, 0u);
  EXPECT_EQ(algorithm_->counters().rate_decreases, 0u);
}

TEST_F(ProportionalIntTest, TwoFlowsOfOneLinkEndByTheirWeights) {
  weight(1, 1 << 8);
  weight(2, 3 << 8);
  for (FlowNumber flow : {0u, 1u}) {
    algorithm_->on_flow_start(flow, {static_cast<std::uint8_t>(flow + 1), 0, {}, Rate()});
  }
  // A fluid model of a link, which queues the bytes beyond 10 Gb/s.
  std::uint64_t sent = 0;
  double queue = 0;
  for (int round = 1; round < 4000; ++round) {
    // bytes per ns times 8 us gives KB
    const double offered = (host_.mbps(0) + host_.mbps(1)) / 1000;
    queue = std::max(0.0, queue + (offered - 10) * 1000);
    sent += static_cast<std::uint64_t>(std::min(10'000.0, offered * 1000));
    for (const FlowNumber flow : {0u, 1u}) {
      IntStack stack;
      stack.hop[0] = {kMicroSecond * 8 * round, sent, static_cast<Bytes>(queue),
                      BitRate(10'000'000'000)};
      AckInfo info;
      info.psn = info.next_psn = static_cast<Psn>(round);
      info.telemetry = &stack;
      info.telemetry_hops = 1;
      algorithm_->on_ack(flow, info);
    }
  }
  EXPECT_NEAR(host_.mbps(1) / host_.mbps(0), 3, 0.03);
  EXPECT_NEAR(host_.mbps(0) + host_.mbps(1), 9500, 250);  // the target rate plus an additive step
}

}  // namespace
}  // namespace dcc
