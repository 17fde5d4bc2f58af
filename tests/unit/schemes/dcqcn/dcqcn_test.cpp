// Tests DCQCN's reaction point against values calculated step by step (SIGCOMM 2015, section 3.2,
// figure 7).
#include "schemes/dcqcn/dcqcn.h"

#include <gtest/gtest.h>

#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

using test::FakeHost;
using test::kRateStep;

class DcqcnTest : public testing::Test {
 protected:
  DcqcnTest() {
    p_.g = Ratio(1, 16);
    p_.f = 2;
    p_.alpha_timer = kMicroSecond * 55;
    p_.increase_timer = kMicroSecond * 300;
    p_.byte_counter = 0;
    p_.r_ai = 40_Mbps;
    p_.r_hai = 400_Mbps;
    p_.r_min = 100_Mbps;
  }
  static double target(const Dcqcn& dcqcn) { return dcqcn.view(0).target.raw / 256.0; }
  static void send(Dcqcn& dcqcn, std::uint32_t wire_bytes) {
    SentInfo info;
    info.wire_bytes = wire_bytes;
    dcqcn.on_sent(0, info);
  }
  DcqcnParameters p_;
  FakeHost host_{8000};
};

TEST_F(DcqcnTest, ACutRemembersTheRateAndRaisesAlpha) {
  p_.initial_alpha = Ratio(1, 2);
  Dcqcn dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 8000);
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 6000) << "8000 (1 - 0.5 / 2)";
  EXPECT_DOUBLE_EQ(target(dcqcn), 8000);
  EXPECT_DOUBLE_EQ(dcqcn.view(0).alpha, 0.5 * 15 / 16 + 1.0 / 16) << "after the cut, not before";
  dcqcn.on_cnp(0, {});
  EXPECT_NEAR(host_.mbps(0), 6000 * (1 - 0.53125 / 2), kRateStep);
  EXPECT_DOUBLE_EQ(target(dcqcn), 6000);
  EXPECT_EQ(dcqcn.counters().rate_decreases, 2u);
}

TEST_F(DcqcnTest, ATargetMayStayUntilTheTimerHasRaisedTheRate) {
  p_.clamp_target = DcqcnParameters::Clamp::kAfterTimer;
  p_.byte_counter = 1000;
  p_.f = 5;
  Dcqcn dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(target(dcqcn), 8000);
  EXPECT_NEAR(host_.mbps(0), 2000, kRateStep);
  send(dcqcn, 1001);  // after an increase by bytes the next CNP still keeps the target
  EXPECT_NEAR(host_.mbps(0), 5000, kRateStep);
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(target(dcqcn), 8000);
  host_.advance(dcqcn, kMicroSecond * 300);
  const double raised = host_.mbps(0);
  dcqcn.on_cnp(0, {});
  EXPECT_NEAR(target(dcqcn), raised, kRateStep);
}

TEST_F(DcqcnTest, ACutLeavesItsFloor) {
  p_.cut_floor = Ratio(3, 4);
  Dcqcn dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 6000) << "alpha 1 would halve";
}

TEST_F(DcqcnTest, ACutTakesAlphaOverItsDivisor) {
  p_.initial_alpha = Ratio(1, 2);
  p_.cut_divisor = 8;
  Dcqcn dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 7500) << "8000 (1 - 0.5 / 8)";
}

TEST_F(DcqcnTest, TheFirstNotificationMaySetAnAbsoluteRate) {
  p_.first_rate = 1000_Mbps;
  Dcqcn dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_flow_start(1, {0, 0, {}, Rate::from(BitRate(600'000'000))});
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 1000);
  EXPECT_DOUBLE_EQ(target(dcqcn), 1000);
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 500) << "the second one cuts by alpha, which is 1";
  dcqcn.on_cnp(1, {});
  EXPECT_DOUBLE_EQ(host_.mbps(1), 600) << "a slower flow is not raised";
}

TEST_F(DcqcnTest, AlphaFallsEachIntervalWithoutANotification) {
  Dcqcn dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});
  host_.advance(dcqcn, kMicroSecond * 54);
  EXPECT_DOUBLE_EQ(dcqcn.view(0).alpha, 1);
  host_.advance(dcqcn, kMicroSecond);
  EXPECT_DOUBLE_EQ(dcqcn.view(0).alpha, 15.0 / 16);
  host_.advance(dcqcn, kMicroSecond * 55);
  EXPECT_DOUBLE_EQ(dcqcn.view(0).alpha, 225.0 / 256);
}

TEST_F(DcqcnTest, WithinTheDecreasePeriodANotificationOnlyRaisesAlpha) {
  p_.decrease_period = kMicroSecond * 50;
  Dcqcn dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});  // this CNP cuts the rate to 4000 Mb/s
  host_.advance(dcqcn, kMicroSecond * 55);
  host_.advance(dcqcn, kMicroSecond * 5);
  dcqcn.on_cnp(0, {});  // a CNP 60 us later cuts by α = 15/16, which then becomes 0.94140625
  EXPECT_NEAR(host_.mbps(0), 4000 * (1 - 15.0 / 32), kRateStep);
  const double rate = host_.mbps(0);
  host_.advance(dcqcn, kMicroSecond * 49);
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), rate);
  EXPECT_EQ(dcqcn.counters().rate_decreases, 2u);
  host_.advance(dcqcn, kMicroSecond * 6);
  const double alpha = 15.0 / 16 * 15 / 16 + 1.0 / 16;
  EXPECT_NEAR(dcqcn.view(0).alpha, alpha * 15 / 16 + 1.0 / 16, 1e-12);
  dcqcn.on_cnp(0, {});
  EXPECT_EQ(dcqcn.counters().rate_decreases, 3u) << "55 us after the last cut";
}

TEST_F(DcqcnTest, RecoveryAdditiveHyper) {
  p_.byte_counter = 10'000;
  p_.timer_restart = true;
  Dcqcn dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {0, 0, {}, Rate::from(BitRate(2'000'000'000))});
  dcqcn.on_cnp(0, {});  // Rc becomes 1000 Mb/s, Rt 2000 Mb/s
  host_.advance(dcqcn, kMicroSecond * 300);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 1500) << "T = 1 < F: halfway back";
  EXPECT_DOUBLE_EQ(target(dcqcn), 2000);
  host_.advance(dcqcn, kMicroSecond * 300);
  EXPECT_DOUBLE_EQ(target(dcqcn), 2040) << "T = 2, BC = 0: additive";
  EXPECT_DOUBLE_EQ(host_.mbps(0), 1770);
  for (int i = 0; i < 10; ++i) send(dcqcn, 1000);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 1770) << "10 000 bytes are not more than 10 000";
  send(dcqcn, 1000);  // BC becomes 1, and 1000 bytes remain
  EXPECT_DOUBLE_EQ(target(dcqcn), 2080);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 1925);
  for (int i = 0; i < 9; ++i) send(dcqcn, 1000);
  EXPECT_DOUBLE_EQ(target(dcqcn), 2080);
  send(dcqcn, 1);  // BC becomes 2
  EXPECT_DOUBLE_EQ(target(dcqcn), 2120);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 2022.5);
  for (int i = 0; i < 10; ++i) send(dcqcn, 1000);
  EXPECT_DOUBLE_EQ(target(dcqcn), 2160) << "BC = 3, T = 2: the lesser is not above F";
  host_.advance(dcqcn, kMicroSecond * 300);
  EXPECT_DOUBLE_EQ(target(dcqcn), 2560) << "BC = 3, T = 3: hyper";
  EXPECT_EQ(dcqcn.counters().rate_increases, 6u);
  // After a cut all counters start again, including the byte counter.
  for (int i = 0; i < 9; ++i) send(dcqcn, 1000);
  dcqcn.on_cnp(0, {});
  const double rate = host_.mbps(0);
  const double was = target(dcqcn);
  for (int i = 0; i < 10; ++i) send(dcqcn, 1000);
  EXPECT_DOUBLE_EQ(host_.mbps(0), rate);
  send(dcqcn, 1);
  EXPECT_DOUBLE_EQ(target(dcqcn), was);
  EXPECT_NEAR(host_.mbps(0), (rate + was) / 2, kRateStep);
}

TEST_F(DcqcnTest, ACutRestartsTheTimerOrDoesNot) {
  for (const bool restart : {true, false}) {
    p_.timer_restart = restart;
    FakeHost host{8000};
    Dcqcn dcqcn(host, p_);
    dcqcn.on_flow_start(0, {});
    dcqcn.on_cnp(0, {});
    host.advance(dcqcn, kMicroSecond * 200);
    dcqcn.on_cnp(0, {});
    EXPECT_EQ(host.due(0, 1), kMicroSecond * (restart ? 500 : 300));
  }
}

TEST_F(DcqcnTest, NeverBelowTheMinimumNorAboveTheMaximum) {
  p_.r_max = 1000_Mbps;
  p_.initial_rate = p_.r_max;
  Dcqcn dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 1000);
  for (int i = 0; i < 10; ++i) dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 100);
  host_.advance(dcqcn, kMilliSecond * 40);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 1000);
  EXPECT_FALSE(host_.is_running(0, 0)) << "at the maximum nothing is timed";
  EXPECT_FALSE(host_.is_running(0, 1));
  EXPECT_DOUBLE_EQ(dcqcn.view(0).alpha, 1) << "and the next congestion is a new one";
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 500);
}

TEST_F(DcqcnTest, BytesCountOnlyUnderControl) {
  p_.byte_counter = 10'000;
  Dcqcn dcqcn(host_, p_);
  EXPECT_TRUE(dcqcn.needs().cnp);
  EXPECT_TRUE(dcqcn.needs().on_sent);
  dcqcn.on_flow_start(0, {});
  for (int i = 0; i < 100; ++i) send(dcqcn, 1000);
  EXPECT_EQ(dcqcn.counters().rate_increases, 0u);
  p_.byte_counter = 0;
  EXPECT_FALSE(Dcqcn(host_, p_).needs().on_sent);
}

}  // namespace
}  // namespace dcc
