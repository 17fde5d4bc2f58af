// Tests the rate unit's arithmetic against numbers computed by hand. controller_rate_error_test
// compares it with real numbers.
#include "controller/rate_unit.h"

#include <gtest/gtest.h>

#include <random>

#include "controller/law/proportional.h"
#include "registers/generated/dcc_map.h"
#include "unit/controller/controller_tables.h"

namespace dcc::rate_unit_test {
namespace {

using test::factor_word;

constexpr RateBits mbps(std::uint32_t rate) { return rate << 8; }

class RateUnitTest : public testing::Test {
 protected:
  RateUnitTest() {
    test::make_dcqcn_tables(registers_.g, [this](RateTable t, std::uint32_t i, std::uint32_t w) {
      tables_.write(t, i, w);
    });
  }
  DecreaseResult decrease(const DecreaseRequest& request) const {
    return compute_decrease(request, registers_, tables_);
  }
  IncreaseResult increase(const IncreaseRequest& request) const {
    return compute_increase(request, registers_, tables_);
  }
  RateRegisters registers_;
  RateTables tables_;
};

TEST_F(RateUnitTest, FirstDcqcnCutHalves) {
  const DecreaseResult r = decrease({mbps(100'000), 0, kOne16, 777, 0, 1, true});
  EXPECT_EQ(r.rc, mbps(50'000));
  EXPECT_EQ(r.rt, mbps(100'000));
  EXPECT_EQ(r.alpha, kOne16);  // alpha becomes (1 − g)·1 + g
}

TEST_F(RateUnitTest, AlphaDecaysOverWholeIntervalsThenCutsThenGrows) {
  // K = 55: 120 ticks are two intervals. decay_lo[2] = (255/256)^2 = 0.99220276 → 65025.
  // α = 32768: αd = (32768·65025 + 32768) >> 16 = 32513. M = 65536 − 32513/2 = 49279.5 → i = 127,
  // f = 1: (49280·255 + 49152·1 + 128) >> 8 = 49280 (half up).
  const DecreaseResult r = decrease({mbps(1000), 0, 32768, 120, 0, 1, false});
  EXPECT_EQ(tables_.decay_lo(2), 65025u);
  // the rate becomes 192 500 in units of 1/256 Mb/s
  EXPECT_EQ(r.rc, (std::uint64_t{256'000} * 49280) >> 16);
  EXPECT_EQ(r.alpha, 32513u + 129u);  // alpha gains (65536 − 32513)·256/65536 = 128.996
}

TEST_F(RateUnitTest, OneTickShortOfAnIntervalDoesNotDecay) {
  EXPECT_EQ(decayed_alpha(32768, 54, registers_, tables_), 32768u);
  // alpha is multiplied by 65280/65536
  EXPECT_EQ(decayed_alpha(32768, 55, registers_, tables_), 32640u);
}

TEST_F(RateUnitTest, DecayUsesBothTables) {
  // After 55·(3·64 + 5) ticks α = 1 is multiplied by hi[3]·lo[5].
  const Fraction16 hi = tables_.decay_hi(3);
  const Fraction16 lo = tables_.decay_lo(5);
  EXPECT_EQ(hi, 30912u);  // hi[3] is (255/256)^192 = 0.471673
  EXPECT_EQ(lo, 64266u);  // lo[5] is (255/256)^5 = 0.980621
  EXPECT_EQ(decayed_alpha(kOne16, 55 * 197, registers_, tables_), (30912u * 64266u + 32768u) >> 16);
}

TEST_F(RateUnitTest, DecaySaturatesAt4095Intervals) {
  registers_.alpha_recip = alpha_reciprocal(2);
  const Fraction16 floor = decayed_alpha(kOne16, 2 * 4095, registers_, tables_);
  EXPECT_EQ(decayed_alpha(kOne16, kMaxDelta, registers_, tables_), floor);
  tables_.write(RateTable::kDecayHi, 63, 12345);
  tables_.write(RateTable::kDecayLo, 63, kOne16);
  EXPECT_EQ(decayed_alpha(kOne16, kMaxDelta, registers_, tables_), 12345u);
}

TEST_F(RateUnitTest, FirstCutIgnoresDelta) {
  EXPECT_EQ(decrease({mbps(1000), 0, 32768, kMaxDelta, 0, 1, true}).rc, mbps(750));
}

TEST_F(RateUnitTest, DecreaseFactorScalesTheArgument) {
  // this factor leaves a quarter of the cut
  tables_.write(RateTable::kFactor, 46, factor_word(256, 1024));
  EXPECT_EQ(decrease({mbps(1024), 0, kOne16, 0, 46, 1, false}).rc, mbps(1024 - 128));
  tables_.write(RateTable::kFactor, 46, factor_word(256, 65535));  // the factor 16 saturates at 1
  EXPECT_EQ(decrease({mbps(1024), 0, kOne16, 0, 46, 1, false}).rc, mbps(512));
  // with the factor 0 marks cut nothing
  tables_.write(RateTable::kFactor, 46, factor_word(256, 0));
  EXPECT_EQ(decrease({mbps(1024), 0, kOne16, 0, 46, 1, false}).rc, mbps(1024));
}

TEST_F(RateUnitTest, InterpolatesBetweenEntries) {
  tables_.write(RateTable::kDecrease, 10, 60000);
  tables_.write(RateTable::kDecrease, 11, 50000);
  EXPECT_EQ(decrease_multiplier(10 << 8, tables_), 60000u);
  EXPECT_EQ(decrease_multiplier(11 << 8, tables_), 50000u);
  EXPECT_EQ(decrease_multiplier(10 << 8 | 64, tables_), 57500u);
  EXPECT_EQ(decrease_multiplier(10 << 8 | 1, tables_), 59961u);    // the exact value is 59960.94
  EXPECT_EQ(decrease_multiplier(10 << 8 | 255, tables_), 50039u);  // the exact value is 50039.06
  // The last table entry needs no interpolation.
  EXPECT_EQ(decrease_multiplier(kOne16, tables_), 32768u);
}

TEST_F(RateUnitTest, EachMarkTakesASixteenthUntilNothingIsLeft) {
  registers_ = test::proportional_registers();
  test::make_proportional_tables(
      [this](RateTable t, std::uint32_t i, std::uint32_t w) { tables_.write(t, i, w); });
  EXPECT_EQ(decrease({mbps(1000), 0, 0, 0, 0, 1, false}).rc,
            (std::uint64_t{256'000} * 61440) >> 16);
  // With weight 2 four marks cut as much as two marks with weight 1.
  tables_.write(RateTable::kFactor, 1, factor_word(512, 2048));
  EXPECT_EQ(decrease({mbps(1000), 0, 0, 0, 1, 4, false}).rc,
            decrease({mbps(1000), 0, 0, 0, 0, 2, false}).rc);
  // With weight 8 one mark is half a table entry, an eighth of a sixteenth.
  tables_.write(RateTable::kFactor, 2, factor_word(2048, 512));
  EXPECT_EQ(decrease({mbps(1000), 0, 0, 0, 2, 1, false}).rc,
            (std::uint64_t{256'000} * (65536 - 512)) >> 16);
  EXPECT_EQ(decrease({mbps(1000), 0, 0, 0, 0, 15, false}).rc, 256'000u / 16);
  // With weight 1 sixteen or more marks reduce the rate to the minimum rate.
  registers_.r_min = mbps(3);
  for (const std::uint8_t marks : {16, 17, 64, 255})
    EXPECT_EQ(decrease({mbps(1000), 0, 0, 0, 0, marks, false}).rc, mbps(3)) << int{marks};
}

class ReturningCut : public RateUnitTest {
 protected:
  ReturningCut() {
    registers_ = test::proportional_registers();
    test::make_proportional_tables(
        [this](RateTable t, std::uint32_t i, std::uint32_t w) { tables_.write(t, i, w); });
  }
};

TEST_F(ReturningCut, TakesAQuarterOfItselfOffTheTarget) {
  // One mark: 256 000 · 15/16 = 240 000. The cut is 16 000, of which 4 000 lower the target rate
  // permanently.
  const DecreaseResult r = decrease({mbps(1000), mbps(1100), 0, 0, 0, 1, false});
  EXPECT_EQ(r.rc, 240'000u);
  EXPECT_EQ(r.rt, mbps(1100) - 4'000);
  // The lasting part of a cut is truncated and not rounded: of a cut of 7 it is 1.
  registers_.r_min = 1;
  // the cut is 4103
  EXPECT_EQ(decrease({mbps(256) + 112, mbps(600), 0, 0, 0, 1, false}).rc, 61'545u);
  EXPECT_EQ(decrease({mbps(256) + 112, mbps(600), 0, 0, 0, 1, false}).rt, mbps(600) - 1025);
}

// Below a target rate of 512 Mb/s the lasting part of a cut and the increase per packet are
// proportional to the target, by its four highest bits.
TEST_F(ReturningCut, StepsShrinkWithLowTargets) {
  registers_.r_min = 1;
  registers_.mi = 0;
  registers_.r_ai = 1u << 12;
  const struct {
    std::uint32_t target, sixteenths, places;
  } cases[] = {{0x20000, 16, 0}, {0x1FFFF, 15, 0}, {0x18000, 12, 0}, {0x10000, 8, 0},
               {0xFFFF, 15, 1},  {0xC000, 12, 1},  {0x800, 8, 5},    {0x7FF, 15, 6},
               {0x400, 8, 6},    {0x3FF, 8, 6},    {1, 8, 6}};
  for (const auto& [target, sixteenths, places] : cases) {
    const std::uint32_t taken = 0x100000u / 16;
    const std::uint32_t lasting = (taken * sixteenths) >> (6 + places);
    EXPECT_EQ(decrease({0x100000, target, 0, 0, 0, 1, false}).rt,
              target > lasting ? target - lasting : 1u)
        << target;
    EXPECT_EQ(increase({1, target, 0, IncreaseStage::kAdditive, 3}).rt,
              target + ((3u * sixteenths << 12) >> (4 + places)))
        << target;
  }
}

// Marks beyond those that take the whole current rate count for the target: up to twice the rate
// below 256 Mb/s of target, up to four times below 128 Mb/s. So a cut never takes more than a
// quarter of the current rate off the target.
TEST_F(ReturningCut, MarksBeyondTheWholeRateLowerALowTarget) {
  registers_.r_min = 1;
  tables_.write(RateTable::kFactor, 5, factor_word(256, 8 * 4096));  // of weight 1/8: two marks
  const struct {
    RateBits target;
    std::uint32_t wholes;
  } cases[] = {{mbps(600), 1}, {mbps(300), 1}, {0x10000, 1}, {0xFFFE, 2}, {0x8000, 2},
               {0x7FFE, 4},    {mbps(24), 4},  {0x400, 4},   {0x100, 4}};
  for (const auto& [target, wholes] : cases) {
    for (const std::uint8_t marks : {2, 3, 4, 7, 8, 9, 255}) {
      const std::uint32_t taken = target / 2 * std::min<std::uint32_t>(marks, 2 * wholes);
      const DecreaseResult r = decrease({target, target, 0, 0, 5, marks, false});
      EXPECT_EQ(r.rc, 1u);
      EXPECT_EQ(target - r.rt, StepPart::at(target).of(taken) >> 2) << target << ' ' << int{marks};
      EXPECT_LE(target - r.rt, target / 4) << target << ' ' << int{marks};
    }
  }
  // A current rate far above the target: what is taken is held at 32 bits.
  EXPECT_EQ(decrease({0xFFFFFFFF, 0x4000, 0, 0, 5, 255, false}).rt, 1u);
  // A cut with a floor, or one mark of a class that keeps some of its rate, takes what Rc loses.
  EXPECT_EQ(decrease({0x4000, 0x4000, 0, 0, 5, 1, false}).rt,
            0x4000 - (StepPart::at(0x4000).of(0x2000) >> 2));
  registers_.cut_floor = 1;
  EXPECT_EQ(decrease({0x4000, 0x4000, 0, 0, 5, 8, false}).rt,
            0x4000 - (StepPart::at(0x4000).of(0x4000) >> 2));
}

// Where a table leaves nothing before the argument 1/4, a cut takes the whole rate, as before.
TEST_F(ReturningCut, AnEarlierZeroOfTheTableTakesTheWholeRate) {
  registers_.r_min = 1;
  tables_.write(RateTable::kDecrease, 4, 0);
  EXPECT_EQ(decrease({0x4000, 0x4000, 0, 0, 0, 1, false}).rt,
            0x4000 - (StepPart::at(0x4000).of(0x4000) >> 2));
}

// The first cut halves a low target rate as it halves a high one. Only the lasting parts of other
// cuts shrink.
TEST_F(ReturningCut, AFirstCutHalvesALowTarget) {
  registers_.r_min = 1;
  registers_.first_cut = kOne16 / 32;
  for (const std::uint32_t target : {mbps(600), mbps(500), mbps(256), mbps(12), 0x3FFu}) {
    EXPECT_EQ(decrease({target, target, 0, 0, 0, 1, true}).rt, target - (target >> 1)) << target;
  }
}

// Steps of neighbouring target rates differ by at most an eighth. With larger differences a rate
// that varies about the boundary would stay longer on the side of the smaller steps.
TEST_F(ReturningCut, StepsOfNeighbouringTargetsDifferByAnEighthAtMost) {
  std::uint64_t before = StepPart::at(1).of(1u << 30);
  for (RateBits target = 2; target < 150'000; ++target) {
    const std::uint64_t here = StepPart::at(target).of(1u << 30);
    EXPECT_GE(here, before) << target;
    EXPECT_LE(8 * here, 9 * before) << target;
    const double wanted = std::clamp(target * 1.0 / (1 << 17), 1.0 / 128, 1.0);
    EXPECT_LE(static_cast<double>(here), wanted * (1u << 30)) << target;
    EXPECT_GE(static_cast<double>(here), wanted * (1u << 30) * 8 / 9) << target;
    before = here;
  }
}

TEST_F(ReturningCut, FirstCutHalvesTheTarget) {
  registers_.first_cut = 2048;  // FIRST_CUT is 1/32
  const DecreaseResult r = decrease({mbps(3200), mbps(3300), 0, 0, 0, 9, true});
  EXPECT_EQ(r.rc, mbps(100));
  EXPECT_EQ(r.rt, mbps(1650));
  // The rate follows from the returned table entry, whether or not the cut is the first one.
  registers_.first_cut = 0;
  EXPECT_EQ(decrease({mbps(1000), mbps(1000), 0, 0, 0, 1, true}).rt, 252'000u);
}

TEST_F(ReturningCut, TargetStaysAboveTheFloorAndAboveZero) {
  registers_.r_min = 1;
  tables_.write(RateTable::kFloor, 5, mbps(90));
  const DecreaseResult r = decrease({mbps(100), mbps(91), 0, 0, 5, 255, false});
  // The class's minimum rate applies, since the table would give 1.6 Mb/s.
  EXPECT_EQ(r.rc, mbps(90));
  EXPECT_EQ(r.rt, mbps(90));  // the class's minimum; the table would give 91 − 6.2
  // a rate of 0 is raised to R_MIN
  EXPECT_EQ(decrease({mbps(100), 3, 0, 0, 0, 255, false}).rt, 1u);
}

TEST_F(ReturningCut, NextIncreaseGivesBackAllButAQuarter) {
  const DecreaseResult cut = decrease({mbps(1000), mbps(1000), 0, 0, 0, 1, false});
  const IncreaseResult r = increase({cut.rc, cut.rt, 0, IncreaseStage::kRecovery});
  EXPECT_EQ(r.rc, 252'000u);
  EXPECT_EQ(r.rt, 252'000u);
}

TEST_F(ReturningCut, WithDcqcnTheOldRateIsTheTarget) {
  registers_.law = DCC_CTRL_LAW_DCQCN;
  EXPECT_EQ(decrease({mbps(1000), mbps(77), 0, 0, 0, 1, false}).rt, mbps(1000));
}

TEST_F(RateUnitTest, FirstCutMultiplierReplacesTheTableOnce) {
  registers_.first_cut = 6554;
  EXPECT_EQ(decrease({mbps(1000), 0, kOne16, 0, 0, 1, true}).rc,
            (std::uint64_t{256'000} * 6554) >> 16);
  EXPECT_EQ(decrease({mbps(1000), 0, kOne16, 0, 0, 1, false}).rc, mbps(500));
}

TEST_F(RateUnitTest, ACutLeavesItsFloorUnlessItIsAFirstCut) {
  registers_.cut_floor = 3 * kOne16 / 4;
  EXPECT_EQ(decrease({mbps(1000), 0, kOne16, 0, 0, 1, false}).rc, mbps(750));
  EXPECT_EQ(decrease({mbps(1000), 0, kOne16 / 4, 0, 0, 1, false}).rc, mbps(875));
  registers_.first_cut = kOne16 / 8;
  EXPECT_EQ(decrease({mbps(1000), 0, kOne16, 0, 0, 1, true}).rc, mbps(125));
}

TEST_F(RateUnitTest, LimitsAreTheStricterOfRegisterAndClassAndTheFloorWins) {
  registers_.r_min = mbps(10);
  registers_.r_max = mbps(1000);
  const auto limits = [this] { return rate_limits(registers_, tables_, 7); };
  EXPECT_EQ(limits().lo, mbps(10));
  EXPECT_EQ(limits().hi, mbps(1000));
  tables_.write(RateTable::kFloor, 7, mbps(50));
  tables_.write(RateTable::kCeiling, 7, mbps(600));
  EXPECT_EQ(limits().lo, mbps(50));
  EXPECT_EQ(limits().hi, mbps(600));
  tables_.write(RateTable::kFloor, 7, mbps(700));
  EXPECT_EQ(limits().lo, mbps(700));
  EXPECT_EQ(limits().hi, mbps(700));
  EXPECT_EQ(decrease({mbps(800), 0, kOne16, 0, 7, 1, true}).rc, mbps(700));
  EXPECT_EQ(increase({mbps(800), mbps(900), 7, IncreaseStage::kHyper}).rc, mbps(700));
  EXPECT_TRUE(increase({mbps(100), mbps(100), 7, IncreaseStage::kRecovery}).at_maximum);
}

TEST_F(RateUnitTest, RecoveryMovesHalfWayToTheTarget) {
  const IncreaseResult r = increase({mbps(500), mbps(1000), 0, IncreaseStage::kRecovery});
  EXPECT_EQ(r.rt, mbps(1000));
  EXPECT_EQ(r.rc, mbps(750));
  EXPECT_FALSE(r.at_maximum);
}

TEST_F(RateUnitTest, HalfWayRoundsUpSoTheMaximumIsReached) {
  registers_.r_max = mbps(1000);
  const IncreaseResult r = increase({mbps(1000) - 1, mbps(1000), 0, IncreaseStage::kRecovery});
  EXPECT_EQ(r.rc, mbps(1000));
  EXPECT_TRUE(r.at_maximum);
}

TEST_F(RateUnitTest, AdditiveAndHyperStepsScaleWithTheIncreaseFactor) {
  registers_.r_ai = mbps(40);
  registers_.r_hai = mbps(400);
  tables_.write(RateTable::kFactor, 3, factor_word(640, 4096));  // the increase factor is 2.5
  const IncreaseResult ai = increase({mbps(1000), mbps(1000), 3, IncreaseStage::kAdditive});
  EXPECT_EQ(ai.rt, mbps(1100));
  EXPECT_EQ(ai.rc, mbps(1050));
  EXPECT_EQ(increase({mbps(1000), mbps(1000), 3, IncreaseStage::kHyper}).rt, mbps(2000));
  registers_.r_ai = 1;
  tables_.write(RateTable::kFactor, 3, factor_word(128, 4096));  // half of the step, rounded up
  EXPECT_EQ(increase({mbps(1000), mbps(1000), 3, IncreaseStage::kAdditive}).rt, mbps(1000) + 1);
}

TEST_F(RateUnitTest, WithTheProportionalLawTheRateMovesToTheTarget) {
  registers_ = test::proportional_registers();
  tables_.write(RateTable::kFactor, 4, factor_word(1024, 1024));  // factors for a flow of weight 4
  const IncreaseResult r = increase({mbps(900), mbps(1000), 4, IncreaseStage::kAdditive, 5});
  // Five packets, whatever the weight: 1000 + 5·6 + 1000·459/65536 = 1000 + 30 + 7.00378.
  EXPECT_EQ(r.rc, 256'000u + 7'680u + 1793u);
  EXPECT_EQ(r.rt, r.rc);
  EXPECT_EQ(increase({mbps(900), mbps(1000), 4, IncreaseStage::kRecovery}).rc, mbps(1000));
}

TEST_F(RateUnitTest, SumsSaturateInsteadOfWrapping) {
  registers_.r_max = 0xFFFFFFFF;
  registers_.r_ai = 0xFFFFFFFF;
  registers_.mi = 0xFFFF;
  tables_.write(RateTable::kFactor, 0, factor_word(0xFFFF, 4096));
  const IncreaseResult r = increase({0xFFFFFFFF, 0xFFFFFFFF, 0, IncreaseStage::kAdditive});
  EXPECT_EQ(r.rc, 0xFFFFFFFFu);
  EXPECT_EQ(r.rt, 0xFFFFFFFFu);
  EXPECT_TRUE(r.at_maximum);
  // with 2^20 − 1 packets the step has 52 bits
  registers_.law = DCC_CTRL_LAW_PROPORTIONAL;
  EXPECT_EQ(increase({0, mbps(600), 0, IncreaseStage::kAdditive, kMaxDelta}).rt, 0xFFFFFFFFu);
  registers_.mi = 0;
  EXPECT_EQ(increase({0, 0x8000, 0, IncreaseStage::kAdditive, kMaxDelta}).rt, 0x40007FFFu);
}

// Invariants for any register and table contents: results stay in their formats and between the
// limits. A cut never raises a rate or a target that lies within the limits, and an increase never
// lowers a target.
TEST_F(RateUnitTest, HoldsItsInvariantsForAnyContents) {
  std::mt19937 random(5);
  const auto any = [&random] { return static_cast<std::uint32_t>(random() >> (random() % 32)); };
  for (int round = 0; round < 400; ++round) {
    registers_.g = static_cast<std::uint16_t>(any());
    registers_.mi = static_cast<std::uint16_t>(any());
    registers_.r_ai = any();
    registers_.r_hai = any();
    registers_.r_min = any();
    registers_.r_max = any();
    registers_.alpha_recip = any();
    registers_.first_cut = any() % (kOne16 + 1);
    registers_.mark_shift = any() % (DCC_MARK_SHIFT_VALUE_MAX + 1);
    registers_.cut_by_marks = random() % 2 == 0;
    registers_.law = random() % 2 == 0;
    for (std::uint32_t i = 0; i < 64; ++i) {
      tables_.write(RateTable::kFactor, i, any());
      tables_.write(RateTable::kFloor, i, any());
      tables_.write(RateTable::kCeiling, i, any());
      tables_.write(RateTable::kDecayHi, i, any());
      tables_.write(RateTable::kDecayLo, i, any());
    }
    for (std::uint32_t i = 0; i < kDecreaseEntries; ++i) {
      tables_.write(RateTable::kDecrease, i, any());
    }
    for (int i = 0; i < 200; ++i) {
      const auto dscp = static_cast<std::uint8_t>(random() % 64);
      const RateLimits limits = rate_limits(registers_, tables_, dscp);
      ASSERT_LE(limits.lo, limits.hi);
      const RateBits rc = any(), rt = any();
      const DecreaseResult d =
          decrease({rc, rt, any() % (kOne16 + 1), any() % (kMaxDelta + 1), dscp,
                    static_cast<std::uint8_t>(any()), random() % 2 == 0});
      ASSERT_LE(d.alpha, kOne16);
      if (registers_.law == DCC_CTRL_LAW_DCQCN) {
        ASSERT_EQ(d.rt, rc);
      } else {
        ASSERT_GE(d.rt, limits.lo);
        ASSERT_LE(d.rt, std::max(limits.lo, rt));
      }
      ASSERT_GE(d.rc, limits.lo);
      ASSERT_LE(d.rc, std::max(limits.lo, std::min(rc, limits.hi)));
      const IncreaseResult u = increase(
          {rc, rt, dscp, static_cast<IncreaseStage>(random() % 3), any() % (kMaxDelta + 1)});
      ASSERT_GE(u.rc, limits.lo);
      ASSERT_LE(u.rc, limits.hi);
      ASSERT_LE(u.rt, limits.hi);
      ASSERT_EQ(u.at_maximum, u.rc == limits.hi);
      if (registers_.law != DCC_CTRL_LAW_DCQCN) {
        ASSERT_GE(u.rc, std::min(rt, limits.hi));
      }
    }
  }
}

// Timer increases alone raise any rate to the maximum, so no slot stays bound for ever.
TEST_F(RateUnitTest, IncreasesReachTheMaximum) {
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    registers_ = random() % 2 == 0 ? RateRegisters{} : test::proportional_registers();
    registers_.r_max = mbps(1000 + random() % 100'000);
    RateBits rc = registers_.r_min + static_cast<RateBits>(random() % registers_.r_max);
    RateBits rt = rc;
    bool reached = false;
    for (int i = 0; i < 20'000 && !reached; ++i) {
      const IncreaseResult r = increase({rc, rt, 0, IncreaseStage::kAdditive, 1});
      rc = r.rc;
      rt = r.rt;
      reached = r.at_maximum;
    }
    ASSERT_TRUE(reached);
  }
}

TEST(RateUnit, AnswersFromItsOwnCopies) {
  RateUnit unit;
  RateRegisters registers;
  registers.r_min = mbps(1);
  unit.load(registers);
  registers.r_min = mbps(900);
  unit.load(RateTable::kDecrease, 256, 16384);
  EXPECT_EQ(unit.decrease({mbps(1000), 0, kOne16, 0, 0, 1, true}).rc, mbps(250));
  unit.load(registers);
  EXPECT_EQ(unit.decrease({mbps(1000), 0, kOne16, 0, 0, 1, true}).rc, mbps(900));
}

TEST(RateUnit, LooksUpInTheTablesItIsGiven) {
  RateUnit unit;
  RateTables tables;
  unit.load(RateTable::kDecrease, 256, 8192);
  ASSERT_TRUE(unit.look_up_in(tables));
  // the given tables are neutral, so the rate stays the same
  EXPECT_EQ(unit.decrease({mbps(1000), 0, kOne16, 0, 0, 1, true}).rc, mbps(1000));
  tables.write(RateTable::kDecrease, 256, 16384);
  unit.load(RateTable::kDecrease, 256, 8192);  // the unit has no tables of its own
  EXPECT_EQ(unit.decrease({mbps(1000), 0, kOne16, 0, 0, 1, true}).rc, mbps(250));
}

}  // namespace
}  // namespace dcc::rate_unit_test
