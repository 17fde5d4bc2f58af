// Tests QCN's reaction point against values calculated step by step (802.1Q-2018, clause 32).
#include "schemes/qcn/qcn.h"

#include <gtest/gtest.h>

#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

using test::FakeHost;
using test::kRateStep;

class QcnTest : public testing::Test {
 protected:
  QcnTest() {
    p_.threshold = 2;
    p_.byte_counter = 150'000;
    p_.timer = kMilliSecond * 10;
  }
  static void send(Qcn& qcn, std::uint32_t bytes) {
    SentInfo info;
    info.wire_bytes = bytes;
    qcn.on_sent(0, info);
  }
  static double target(const Qcn& qcn) { return qcn.view(0).target.raw / 256.0; }
  QcnParameters p_;
  FakeHost host_{10'000};
};

TEST_F(QcnTest, FeedbackCutsInProportion) {
  Qcn qcn(host_, p_);
  qcn.on_flow_start(0, {});
  qcn.on_cnm(0, 32);  // multiplies the rate by 1 − 32/128
  EXPECT_DOUBLE_EQ(host_.mbps(0), 7500);
  EXPECT_DOUBLE_EQ(target(qcn), 10'000);
  // no cycle of fast recovery has ended since the first cut, so the target rate stays the same
  qcn.on_cnm(0, 63);
  EXPECT_NEAR(host_.mbps(0), 7500 * (1 - 63.0 / 128), kRateStep);
  EXPECT_DOUBLE_EQ(target(qcn), 10'000);
}

TEST_F(QcnTest, ACutLeavesAtLeastTheMinimumFactor) {
  p_.gd = Ratio(1, 64);
  Qcn qcn(host_, p_);
  qcn.on_flow_start(0, {});
  qcn.on_cnm(0, 63);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 5000);
}

TEST_F(QcnTest, CutsEndAtTheLeastRate) {
  p_.r_min = 3_Gbps;
  Qcn qcn(host_, p_);
  qcn.on_flow_start(0, {});
  qcn.on_cnm(0, 64 / 2);
  qcn.on_cnm(0, 64 / 2);
  qcn.on_cnm(0, 64 / 2);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000 * 0.75 * 0.75 * 0.75);
  qcn.on_cnm(0, 63);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 3'000);
  qcn.on_cnm(0, 1);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 3'000);
}

TEST_F(QcnTest, RecoversThenProbesByBytes) {
  Qcn qcn(host_, p_);
  qcn.on_flow_start(0, {});
  qcn.on_cnm(0, 64 / 2);  // the rate becomes 7500, the target 10 000 Mb/s
  send(qcn, 149'999);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 7500);
  send(qcn, 1);  // this packet ends cycle 1 of the byte counter
  EXPECT_DOUBLE_EQ(host_.mbps(0), 8750);
  qcn.on_cnm(0, 32);  // after a cycle the target becomes the rate before the cut: 8750 → 6562.5
  EXPECT_DOUBLE_EQ(host_.mbps(0), 6562.5);
  EXPECT_DOUBLE_EQ(target(qcn), 8750);
  send(qcn, 150'000);
  send(qcn, 150'000);  // two recovery cycles: 7656.25, then 8203.125 Mb/s
  EXPECT_DOUBLE_EQ(host_.mbps(0), 8203.125);
  EXPECT_DOUBLE_EQ(target(qcn), 8750);
  send(qcn, 75'000);  // after the threshold a cycle has half the bytes: target + 5
  EXPECT_DOUBLE_EQ(target(qcn), 8755);
  EXPECT_NEAR(host_.mbps(0), (8203.125 + 8755) / 2, kRateStep);
}

TEST_F(QcnTest, HyperactiveWhenBothAreBeyond) {
  Qcn qcn(host_, p_);
  qcn.on_flow_start(0, {0, 0, {}, Rate::from(BitRate(1'000'000'000))});
  qcn.on_cnm(0, 32);
  for (int i = 0; i < 2; ++i) send(qcn, 150'000);
  send(qcn, 75'000);  // byte cycle 3: the target becomes 1005 Mb/s
  // timer cycles 1 and 2: one counter is beyond the threshold, so + 5 each
  host_.advance(qcn, kMilliSecond * 20);
  EXPECT_DOUBLE_EQ(target(qcn), 1015);
  host_.advance(qcn, kMilliSecond * 5);  // timer cycle 3 after half the time: + 1·50
  EXPECT_DOUBLE_EQ(target(qcn), 1065);
  send(qcn, 75'000);  // byte cycle 4, and the lesser count is 3: + 1·50
  EXPECT_DOUBLE_EQ(target(qcn), 1115);
  host_.advance(qcn, kMilliSecond * 5);  // both counters are at 4: + 2·50
  EXPECT_DOUBLE_EQ(target(qcn), 1215);
}

TEST_F(QcnTest, AtTheLineTheLimiterIsGone) {
  Qcn qcn(host_, p_);
  qcn.on_flow_start(0, {});
  qcn.on_cnm(0, 1);
  host_.advance(qcn, kSecond);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
  EXPECT_FALSE(host_.is_running(0, 0));
}

}  // namespace
}  // namespace dcc
