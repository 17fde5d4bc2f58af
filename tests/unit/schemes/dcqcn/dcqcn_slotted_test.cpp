// Tests DCQCN with time slots against values calculated by hand and against a reference that
// executes every slot (RoCE article, section 7).
#include "schemes/dcqcn/dcqcn_slotted.h"

#include <gtest/gtest.h>

#include <random>

#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

using test::FakeHost;
using test::kRateStep;

class DcqcnSlottedTest : public testing::Test {
 protected:
  DcqcnSlottedTest() {
    p_.g = Ratio(1, 256);
    p_.f = 1;
    p_.alpha_timer = kMicroSecond;
    p_.decrease_period = kMicroSecond * 4;
    p_.increase_timer = kMicroSecond * 300;
    p_.byte_counter = 0;
    p_.r_ai = 5_Mbps;
    p_.r_hai = 50_Mbps;
    p_.clamp_target = DcqcnParameters::Clamp::kAfterTimer;
  }
  double target(const DcqcnSlotted& dcqcn) { return dcqcn.view(0).target.raw / 256.0; }
  DcqcnParameters p_;
  FakeHost host_{8000};
};

TEST_F(DcqcnSlottedTest, TheFirstNotificationCutsAtOnceByTheInitialAlpha) {
  DcqcnSlotted dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 4000);
  EXPECT_DOUBLE_EQ(target(dcqcn), 8000);
}

TEST_F(DcqcnSlottedTest, CutsAtTheEndOfASlotWithNotificationsOnce) {
  DcqcnSlotted dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});
  host_.advance(dcqcn, PicoSeconds(1'500'000));
  dcqcn.on_cnp(0, {});
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 4000);
  // The first CNP falls into slot 0 of α: α = 1·255/256 + 1/256 = 1. The other CNPs fall into slot
  // 1: α = 1. Slots 2 and 3 have no CNP.
  host_.advance(dcqcn, PicoSeconds(2'500'000));
  const double alpha = 255.0 / 256 * 255 / 256;
  EXPECT_NEAR(host_.mbps(0), 4000 * (1 - alpha / 2), kRateStep);
  EXPECT_NEAR(dcqcn.view(0).alpha, alpha, 1e-12);
  EXPECT_DOUBLE_EQ(target(dcqcn), 8000) << "no increase since the last cut: the target stays";
  host_.advance(dcqcn, kMicroSecond * 40);
  EXPECT_EQ(dcqcn.counters().rate_decreases, 2u);
}

TEST_F(DcqcnSlottedTest, ThreeStagesInARow) {
  DcqcnSlotted dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {0, 0, {}, Rate::from(BitRate(2'000'000'000))});
  dcqcn.on_cnp(0, {});  // Rc becomes 1000 Mb/s, the target 2000 Mb/s
  host_.advance(dcqcn, kMicroSecond * 300);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 1500) << "fast recovery";
  host_.advance(dcqcn, kMicroSecond * 300);
  EXPECT_DOUBLE_EQ(target(dcqcn), 2005) << "additive";
  EXPECT_DOUBLE_EQ(host_.mbps(0), 1752.5);
  host_.advance(dcqcn, kMicroSecond * 300);
  EXPECT_DOUBLE_EQ(target(dcqcn), 2055) << "hyper";
  EXPECT_DOUBLE_EQ(host_.mbps(0), 1903.75);
  dcqcn.on_cnp(0, {});  // a CNP at 900 µs, the boundary of a slot; the cut follows at 904 µs
  host_.advance(dcqcn, kMicroSecond * 4);
  EXPECT_DOUBLE_EQ(target(dcqcn), 1903.75) << "after an increase the target is where it was";
  host_.advance(dcqcn, kMicroSecond * 300);
  EXPECT_DOUBLE_EQ(target(dcqcn), 1903.75) << "a cut begins the stages anew";
}

TEST_F(DcqcnSlottedTest, EveryCutMaySetTheTarget) {
  p_.clamp_target = DcqcnParameters::Clamp::kAlways;
  DcqcnSlotted dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});
  dcqcn.on_cnp(0, {});
  host_.advance(dcqcn, kMicroSecond * 4);
  EXPECT_LT(host_.mbps(0), 4000);
  EXPECT_DOUBLE_EQ(target(dcqcn), 4000) << "no increase since the last cut, and yet";
}

TEST_F(DcqcnSlottedTest, TheFirstNotificationMaySetAnAbsoluteRate) {
  p_.first_rate = 700_Mbps;
  DcqcnSlotted dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 700);
  EXPECT_DOUBLE_EQ(target(dcqcn), 700);
}

TEST_F(DcqcnSlottedTest, NeverBelowTheMinimum) {
  p_.r_min = 5000_Mbps;
  DcqcnSlotted dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});
  EXPECT_DOUBLE_EQ(host_.mbps(0), 5000);
}

TEST_F(DcqcnSlottedTest, BytesCountTooAndACutForgetsThem) {
  p_.byte_counter = 10'000;
  DcqcnSlotted dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});
  SentInfo sent;
  sent.wire_bytes = 10'000;
  dcqcn.on_sent(0, sent);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 4000) << "strictly over";
  sent.wire_bytes = 1;
  dcqcn.on_sent(0, sent);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 6000);
}

// Compares an α that is updated on demand with an α that is updated in every slot.
TEST_F(DcqcnSlottedTest, LazyAlphaIsTheSameAsEverySlots) {
  p_.decrease_period = kMicroSecond * 1000;
  DcqcnSlotted dcqcn(host_, p_);
  dcqcn.on_flow_start(0, {});
  dcqcn.on_cnp(0, {});
  std::mt19937 random(7);
  long double alpha = 1;
  bool arrived = true;
  for (int slot = 0; slot < 900; ++slot) {
    const bool notify = random() % 7 == 0 && slot > 0;
    if (notify) {
      dcqcn.on_cnp(0, {});
      arrived = true;
    }
    host_.advance(dcqcn, kMicroSecond);
    alpha = alpha * 255 / 256 + (arrived ? 1.0L / 256 : 0.0L);
    arrived = false;
    ASSERT_NEAR(dcqcn.view(0).alpha, static_cast<double>(alpha), 1e-12) << slot;
  }
}

TEST_F(DcqcnSlottedTest, SlotsMustHaveALength) {
  p_.decrease_period = PicoSeconds(0);
  EXPECT_THROW(DcqcnSlotted(host_, p_), std::invalid_argument);
}

}  // namespace
}  // namespace dcc
