// Tests FIMD and LIPD against their closed forms: the time from a mark until the rate has
// recovered, and rates that converge if marks reach the sources one at a time.
#include "schemes/fimd/fimd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/random.h"
#include "unit/schemes/algorithm_host.h"

namespace dcc::fimd_test {
namespace {

using Law = FimdParameters::Law;
constexpr double kLine = 10'000;  // line rate in Mb/s
constexpr double kMin = 100;      // minimum rate in Mb/s
constexpr std::uint32_t kMtu = 1'000;
// recovery time in us, a packet's time at the minimum rate
constexpr double kRecovery = 8.0 * kMtu / kMin;

class FimdTest : public testing::Test {
 protected:
  void build(Law law) {
    p_.law = law;
    p_.r_min = BitRate(static_cast<std::uint64_t>(kMin * 1e6));
    fimd_.emplace(host_, p_, kMtu);
  }
  void begin(FlowNumber flow, double mbps) {
    FlowStart start;
    start.base_rtt = kMicroSecond * 10;
    start.initial_rate = Rate(static_cast<std::uint32_t>(mbps * 256));
    fimd_->on_flow_start(flow, start);
  }
  /// Acknowledges the flow's next packet. Returns the time until the packet after it, in us.
  double ack(FlowNumber flow, bool marked = false) {
    AckInfo info;
    info.psn = psn_++;
    info.next_psn = psn_;
    info.newly_acked = kMtu;
    info.ce = marked;
    fimd_->on_ack(flow, info);
    return 8.0 * kMtu / host_.mbps(flow);
  }
  /// Time in us from a mark at this rate until the flow has the rate again.
  double recovery(double mbps) {
    begin(0, mbps);
    double time = ack(0, true);
    while (host_.mbps(0) < mbps) time += ack(0);
    return time;
  }

  FimdParameters p_;
  test::FakeHost host_{static_cast<std::uint32_t>(kLine)};
  std::optional<Fimd> fimd_;
  Psn psn_ = 0;
};

TEST_F(FimdTest, AMarkDividesTheRateOrRaisesTheDelayByAPacket) {
  build(Law::kFimd);
  begin(0, 8'000);
  ack(0, true);
  EXPECT_NEAR(host_.mbps(0), 4'000, 0.01);
  build(Law::kLipd);
  begin(0, kLine);
  for (int marks = 1; marks <= 5; ++marks) {
    ack(0, true);
    EXPECT_NEAR(host_.mbps(0), kLine / (marks + 1), 0.01);
  }
}

// During recovery at a rate r each packet adds r_min / r of the recovery, and packets are 1 / r
// apart.
TEST_F(FimdTest, RecoversInThePacketTimeOfTheLeastRateAtEveryRate) {
  for (const Law law : {Law::kFimd, Law::kLipd}) {
    build(law);
    for (const double mbps : {400.0, 1'000.0, 3'000.0, 9'000.0}) {
      // The recovery time is measured to within a packet's time at the lowered rate.
      EXPECT_NEAR(recovery(mbps), kRecovery, 2 * 8.0 * kMtu / (mbps / 3)) << mbps;
    }
  }
}

TEST_F(FimdTest, AdditiveIncreaseTakesLongerAtHigherRates) {
  build(Law::kAimd);
  for (const double mbps : {1'000.0, 2'000.0, 4'000.0}) {
    const double closed_form = kRecovery * (mbps - mbps / 2) / kMin;
    EXPECT_NEAR(recovery(mbps), closed_form, 2 * 8.0 * kMtu / (mbps / 2)) << mbps;
  }
}

TEST_F(FimdTest, MarksOfPacketsSentBeforeACutDoNotCount) {
  build(Law::kFimd);
  begin(0, 8'000);
  AckInfo info;
  info.psn = 10;
  info.next_psn = 20;
  info.newly_acked = kMtu;
  info.ce = true;
  fimd_->on_ack(0, info);
  for (info.psn = 11; info.psn < 20; ++info.psn) fimd_->on_ack(0, info);
  EXPECT_NEAR(host_.mbps(0), 4'000, 0.01);
  fimd_->on_ack(0, info);
  EXPECT_NEAR(host_.mbps(0), 2'000, 0.01);
}

TEST_F(FimdTest, StaysBetweenTheLeastRateAndTheLine) {
  build(Law::kFimd);
  begin(0, kLine);
  EXPECT_EQ(host_.window(0), 12'500 + kMtu);
  for (int i = 0; i < 30; ++i) ack(0, true);
  EXPECT_NEAR(host_.mbps(0), kMin, 0.01);
  for (int i = 0; i < 5'000; ++i) ack(0);
  EXPECT_NEAR(host_.mbps(0), kLine, 0.01);
}

/// Two flows, of which one has a ninth of the other's rate, share the link for 60 recovery times.
/// Returns the ratio of their rates in the second half, over ten runs. With `together` a mark
/// reaches both flows at once. Otherwise it reaches the flow whose packet finds the queue full, so
/// that flows are marked in proportion to their rates.
double ratio(Law law, bool together) {
  constexpr double kLeast = 10, kTime = 8.0 * kMtu / kLeast;  // rate in Mb/s, time in us
  FimdParameters p;
  p.law = law;
  p.r_min = BitRate(static_cast<std::uint64_t>(kLeast * 1e6));
  double sum[2] = {};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RandomStream random(seed, "queue", 0);
    test::FakeHost host(static_cast<std::uint32_t>(kLine));
    Fimd fimd(host, p, kMtu);
    FlowStart start;
    start.initial_rate = Rate(static_cast<std::uint32_t>(kLine * 0.9 * 256));
    fimd.on_flow_start(0, start);
    start.initial_rate = Rate(static_cast<std::uint32_t>(kLine * 0.1 * 256));
    fimd.on_flow_start(1, start);
    Psn psn = 0;
    const auto ack = [&](FlowNumber flow, bool marked) {
      AckInfo info;
      info.psn = psn++;
      info.next_psn = psn;
      info.newly_acked = marked && together ? 0 : kMtu;
      info.ce = marked;
      fimd.on_ack(flow, info);
    };
    double due[2] = {};  // time of each flow's next packet in us
    double queue = 0, time = 0;
    while (time < 60 * kTime) {
      const FlowNumber flow = due[0] <= due[1] ? 0 : 1;
      const double step = due[flow] - time;
      time = due[flow];
      queue = std::max(0.0, queue - step * kLine / 8) + kMtu;
      const bool full = queue > static_cast<double>((16 + random.below(8)) * kMtu);
      if (full) queue = 0;  // the flow ignores marks of packets that wait already
      ack(flow, full);
      if (full && together) ack(1 - flow, true);
      due[flow] = time + 8.0 * kMtu / host.mbps(flow);
      if (time > 30 * kTime) sum[flow] += kMtu;
    }
  }
  return sum[0] / sum[1];
}

TEST(FimdFairness, RatesComeTogetherWhenSourcesAreMarkedOneAtATime) {
  EXPECT_NEAR(ratio(Law::kFimd, false), 1, 0.15);
  EXPECT_NEAR(ratio(Law::kLipd, false), 1, 0.15);
}

// If marks reach both sources at once, a constant recovery time and a common factor keep the ratio
// of their rates.
TEST(FimdFairness, MarksOfAllAtOnceKeepAnUnfairRatio) { EXPECT_GT(ratio(Law::kFimd, true), 4); }

}  // namespace
}  // namespace dcc::fimd_test
