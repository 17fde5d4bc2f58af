// Tests the registry of policies and laws: a law that the test adds, and the numbers of the laws in
// hardware.
#include "controller/law/law.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "controller/congestion_manager.h"
#include "controller/law/dcqcn.h"
#include "controller/law/proportional.h"
#include "controller/rate_unit.h"
#include "controller/timing_wheel.h"
#include "driver/dcc_regs.h"

namespace dcc::law_test {
namespace {

/// A law that halves the rate at every CNP and restores it at the next timer event.
class HalvingLaw final : public Law {
 public:
  explicit HalvingLaw(std::uint8_t number, const char* name = "test_halving")
      : Law(number, name, "halves the rate") {}
  std::uint32_t decrease_step() const override { return kOne16 / 4; }
  void begin(SlotParameters& slot, const ControllerParameters&) const override { slot.t = 9; }
  CnpOutcome notify(SlotParameters& slot, const CnpEvent&, LawPort&) const override {
    slot.rc = slot.rt / 2;
    return CnpOutcome::kCut;
  }
  void sent(SlotParameters& slot, std::uint32_t length, std::uint32_t,
            const ControllerParameters&) const override {
    slot.pkt_length += length;
  }
  bool timer(SlotParameters& slot, std::uint32_t, LawPort&) const override {
    slot.rc = slot.rt;
    return true;
  }
  RateBits cut_target(const DecreaseRequest& request, const RateCut&, RateBits) const override {
    return request.rt;
  }
  std::uint64_t added(const IncreaseRequest&, std::uint32_t step,
                      const RateTables&) const override {
    return step;
  }
  std::uint64_t raised(RateBits, RateBits target) const override { return target; }
};
const HalvingLaw kHalving{15};

TEST(Law, TheHardwareHasTwo) {
  EXPECT_STREQ(Law::of_number(DCC_CTRL_LAW_PROPORTIONAL).name(), "proportional");
  EXPECT_STREQ(Law::of_number(DCC_CTRL_LAW_DCQCN).name(), "dcqcn");
  EXPECT_TRUE(Law::of_number(0).in_hardware());
  EXPECT_TRUE(Law::of_number(1).in_hardware());
  EXPECT_FALSE(kHalving.in_hardware());
}

TEST(Law, ANumberThatNoLawHasStandsForTheLawOfItsLowestBit) {
  EXPECT_STREQ(Law::of_number(12).name(), "proportional");
  EXPECT_STREQ(Law::of_number(13).name(), "dcqcn");
}

TEST(Law, NumbersAndNamesAreTakenOnce) {
  EXPECT_THROW(HalvingLaw(15, "test_other"), std::logic_error);
  EXPECT_THROW(HalvingLaw(14), std::logic_error);
  EXPECT_THROW(HalvingLaw(16, "test_large"), std::logic_error);
}

TEST(Law, PoliciesAreFoundByName) {
  EXPECT_EQ(Policy::of("test_halving").law(), &kHalving);
  EXPECT_THROW(Policy::of("nothing"), std::logic_error);
}

TEST(Law, ALawOfOnesOwnHandlesTheEventsOfASlot) {
  RateUnit rates;
  TimingWheel timers{2};
  CongestionManager manager{2, rates, timers};
  ControllerParameters parameters;
  parameters.rate.law = 15;
  manager.set_parameters(parameters);
  EXPECT_EQ(&manager.law(), &kHalving);
  const auto answer = manager.cnp(7, 0, 1, 100);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->rate.raw, parameters.initial_rate / 2);
  EXPECT_EQ(manager.slot(0).t, 9);
  manager.bytes(7, 0, 500);
  EXPECT_EQ(manager.slot(0).pkt_length, 500u);
  EXPECT_FALSE(manager.over_threshold(0, 0xFFFFFFFF));
  EXPECT_EQ(manager.timer(0, 155)->rate.raw, parameters.initial_rate);
  EXPECT_EQ(manager.flows().bound_slots(), 0u);
}

TEST(ProportionalView, NamesTheBitsOfASlot) {
  SlotParameters slot;
  ProportionalView view(slot);
  EXPECT_TRUE(view.steady());
  view.set_account(-300);
  EXPECT_EQ(slot.pkt_length, static_cast<std::uint32_t>(-300));
  view.begin_fast_phase(95);
  EXPECT_EQ(slot.t, 161);
  EXPECT_TRUE(view.fast_phase());
  EXPECT_FALSE(view.holding());
  EXPECT_EQ(view.fast_intervals_left(), 95);
  view.begin_fast_phase(0);
  EXPECT_TRUE(view.steady());
  view.hold_intervals() = ProportionalView::kMaxHold;
  EXPECT_TRUE(view.holding());
  view.set_clear_promised(true);
  EXPECT_EQ(slot.alpha, 1u);
}

TEST(DcqcnView, NamesTheBitsOfASlot) {
  SlotParameters slot;
  DcqcnView view(slot);
  view.alpha() = 5;
  view.bytes() = 6;
  view.byte_events() = 7;
  view.timer_events() = 8;
  EXPECT_EQ(slot.alpha, 5u);
  EXPECT_EQ(slot.pkt_length, 6u);
  EXPECT_EQ(slot.bc, 7);
  EXPECT_EQ(slot.t, 8);
}

}  // namespace
}  // namespace dcc::law_test
