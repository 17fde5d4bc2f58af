// Tests NSCC's window, one ACK at a time. The gains are defined for a link of 100 Gb/s and a base
// RTT of 12 us, as here, so they are not scaled. With packets of 4160 bytes and a target of 9 us
// (3/4 of 12 us) the gains are: proportional 4 * 4160 / 12 us, fair 5 * 4160, constant 0.15 * 4160,
// fast 0.25.
#include "schemes/uec/nscc_window.h"

#include <gtest/gtest.h>

namespace dcc::nscc_test {
namespace {

constexpr PicoSeconds kBase = kMicroSecond * 12;
constexpr PicoSeconds kTarget = kMicroSecond * 9;
constexpr Bytes kPacket = 4160;
constexpr Bytes kWindow = 150'000;
constexpr Bytes kMax = 225'000;
// A time late enough for a cut of the window and too early for its growth, which needs 12 us.
constexpr PicoSeconds kEarly = kMicroSecond * 11;

struct NsccWindowTest : testing::Test {
  NsccWindowTest() {
    p.update_bytes = kMax * 100;
    p.mean_weight = Ratio(1);
  }
  NsccWindow window() const { return {p, {100_Gbps, kBase, kPacket, kWindow, kMax}}; }
  NsccParameters p;
};

TEST_F(NsccWindowTest, BelowTheTargetItGrowsByWhatIsBelow) {
  p.update_bytes = kPacket;
  NsccWindow w = window();
  EXPECT_EQ(w.target(), kTarget);
  // The proportional increase is 4 * 4160 / 12 us * 7 us = 9706.7 bytes, of which a share of 4160 /
  // 150 000 is added: 269.2 bytes.
  w.acknowledged(kPacket, kBase + kMicroSecond * 2, false, 0, kEarly);
  EXPECT_EQ(w.bytes(), kWindow + 269);
}

TEST_F(NsccWindowTest, AboveTheTargetWithoutAMarkItGrowsALittle) {
  p.update_bytes = kPacket;
  NsccWindow w = window();
  // The fair increase is 5 * 4160 * 4160 / 150 000 = 576.9 bytes, whatever the delay is.
  w.acknowledged(kPacket, kBase + kMicroSecond * 30, false, 0, kEarly);
  EXPECT_EQ(w.bytes(), kWindow + 576);
  EXPECT_EQ(w.mean_delay(), kMicroSecond * 3) << "a quarter of the base RTT stands for it";
}

TEST_F(NsccWindowTest, GrowthWaitsForItsBytesOrItsTime) {
  p.update_bytes = kPacket * 2;
  NsccWindow w = window();
  w.acknowledged(kPacket, kBase + kMicroSecond * 2, false, 0, kEarly);
  EXPECT_EQ(w.bytes(), kWindow);
  w.acknowledged(kPacket, kBase + kMicroSecond * 2, false, 0, kEarly);
  EXPECT_EQ(w.bytes(), kWindow + 538) << "twice 269.2";
  // After one base RTT the fair part takes effect, however few bytes were acknowledged. Once per
  // base RTT the constant part of 624 bytes takes effect too.
  w.acknowledged(kPacket, kBase + kMicroSecond * 2, false, 0, kEarly + kBase - PicoSeconds(1));
  EXPECT_EQ(w.bytes(), kWindow + 538);
  w.acknowledged(0, kBase + kMicroSecond * 2, false, 0, kEarly + kBase);
  EXPECT_EQ(w.bytes(), kWindow + 538 + 268 + 624) << "9706.7 * 4160 / 150 538.4 = 268.2";
}

TEST_F(NsccWindowTest, TheVersionBeforeGrowsByBothAndInBoundedSteps) {
  p.update_bytes = kPacket;
  p.fair_below_target = true;
  NsccWindow both = window();
  both.acknowledged(kPacket, kBase + kMicroSecond * 2, false, 0, kEarly);
  EXPECT_EQ(both.bytes(), kWindow + 846) << "269.2 + 576.9";
  p.update_most = 100;
  NsccWindow bounded = window();
  bounded.acknowledged(kPacket, kBase + kMicroSecond * 2, false, 0, kEarly);
  EXPECT_EQ(bounded.bytes(), kWindow + 100);
}

TEST_F(NsccWindowTest, WithoutAnyDelayForAWindowItGrowsFast) {
  NsccWindow w = window();
  w.acknowledged(kWindow, kBase, false, 0, kEarly);
  EXPECT_EQ(w.bytes(), kWindow) << "no more than a window yet";
  w.acknowledged(4000, kBase + kMicroSecond - PicoSeconds(1), false, 0, kEarly);
  EXPECT_EQ(w.bytes(), kWindow + 1000) << "a quarter of it";
  w.acknowledged(4000, kBase + kMicroSecond, false, 0, kEarly);
  w.acknowledged(4000, kBase, false, 0, kEarly);
  EXPECT_EQ(w.bytes(), kWindow + 1000) << "a delay begins it anew";
}

TEST_F(NsccWindowTest, AMarkBelowTheTargetChangesNothing) {
  p.update_bytes = kPacket;
  NsccWindow w = window();
  w.acknowledged(kPacket, kBase + kMicroSecond * 8, true, 0, kEarly);
  EXPECT_EQ(w.bytes(), kWindow);
}

TEST_F(NsccWindowTest, AMarkAboveTheTargetCutsOnceARoundTrip) {
  NsccWindow w = window();
  const PicoSeconds t = kBase * 2;
  w.acknowledged(0, kBase + kMicroSecond * 18, true, 0, kEarly);
  EXPECT_EQ(w.bytes(), kWindow) << "a round trip since the beginning";
  // The window is multiplied by 1 - 0.8 * (18 - 9) / 18 = 0.6.
  NsccWindow cut = window();
  cut.acknowledged(0, kBase + kMicroSecond * 18, true, 0, kBase);
  EXPECT_EQ(cut.bytes(), kWindow * 6 / 10 + 624) << "and the constant part";
  cut.acknowledged(0, kBase + kMicroSecond * 18, true, 0, t - PicoSeconds(1));
  EXPECT_EQ(cut.bytes(), kWindow * 6 / 10 + 624);
  // The window decreases by at most one half.
  cut.acknowledged(0, kBase + kMicroSecond * 1000, true, 0, t);
  EXPECT_EQ(cut.bytes(), (kWindow * 6 / 10 + 624) / 2 + 624);
}

TEST_F(NsccWindowTest, OneLongDelayIsNotTheMean) {
  p.mean_weight = Ratio(1, 80);
  NsccWindow w = window();
  w.acknowledged(0, kBase + kMicroSecond * 18, true, 0, kEarly * 2);
  EXPECT_EQ(w.mean_delay(), PicoSeconds(18'000'000 / 80));
  EXPECT_GE(w.bytes(), kWindow);
}

TEST_F(NsccWindowTest, TheLeastRoundTripIsTheBase) {
  NsccWindow w = window();
  w.acknowledged(0, kMicroSecond * 7, true, 0, kEarly);
  EXPECT_EQ(w.base_rtt(), kMicroSecond * 7);
  w.acknowledged(0, kMicroSecond * 17, true, 0, kEarly);
  EXPECT_EQ(w.mean_delay(), kMicroSecond * 10);
}

TEST_F(NsccWindowTest, ATrimmedPacketIsOneLessOrSetsItToWhatCameThrough) {
  NsccWindow w = window();
  w.trimmed(kPacket, kBase, 0, kEarly);  // the first observation has nothing to compare with
  EXPECT_EQ(w.bytes(), kWindow - kPacket);
  w.acknowledged(kPacket * 3, kBase + kMicroSecond * 2, false, 0, kEarly);
  const PicoSeconds judged = kEarly + kBase + kTarget;
  w.trimmed(kPacket, kBase, 0, judged - PicoSeconds(1));
  EXPECT_EQ(w.bytes(), kWindow - kPacket * 2);
  // Three packets per base RTT plus target delay are less than an eighth of the greatest window.
  w.trimmed(kPacket, kBase, kPacket * 10, judged);
  EXPECT_EQ(w.bytes(), kPacket * 3);
  // Marks and trimmed headers of nine of the ten packets in flight have no effect. The tenth answer
  // counts again.
  for (int i = 0; i < 8; ++i) w.trimmed(kPacket, kBase, 0, judged);
  w.acknowledged(kPacket, kBase + kMicroSecond * 100, true, 0, judged);
  EXPECT_EQ(w.bytes(), kPacket * 3);
  w.trimmed(kPacket, kBase, 0, judged);
  EXPECT_EQ(w.bytes(), kPacket * 2);
  w.lost(kPacket);
  w.lost(kPacket);
  EXPECT_EQ(w.bytes(), kPacket) << "never less";
}

TEST_F(NsccWindowTest, WhoGotMuchThroughIsNotSetBack) {
  for (const bool gated : {true, false}) {
    if (!gated) p.adapt_below = Ratio(1);
    NsccWindow w = window();
    w.acknowledged(0, kBase, true, 0, kEarly);
    w.acknowledged(kMax / 8, kBase + kMicroSecond * 2, true, 0, kEarly);
    w.trimmed(kPacket, kBase, 0, kEarly + kBase + kTarget);
    EXPECT_EQ(w.bytes(), gated ? kWindow - kPacket : kMax / 8);
  }
}

TEST_F(NsccWindowTest, AVeryLongDelaySetsItBackAsWell) {
  NsccWindow w = window();
  w.acknowledged(kPacket, kBase, false, 0, kEarly);
  const PicoSeconds judged = kEarly + kBase + kTarget;
  NsccWindow four = w;
  four.acknowledged(kPacket, kBase + kTarget * 4, false, 0, judged);
  EXPECT_GT(four.bytes(), kWindow / 2);
  w.acknowledged(kPacket, kBase + kTarget * 4 + PicoSeconds(1), false, 0, judged);
  EXPECT_EQ(w.bytes(), kPacket) << "the packet that arrived; its growth does not count";
}

TEST_F(NsccWindowTest, MarksThatAreIgnoredBeginNoNewPeriod) {
  NsccWindow w = window();
  w.acknowledged(kPacket, kBase, false, 0, kEarly);
  const PicoSeconds first = kEarly + kBase + kTarget;
  w.trimmed(kPacket, kBase, kPacket * 10, first);
  ASSERT_EQ(w.bytes(), kPacket);
  // Two periods later nine of the ten packets in flight are answered. These answers must not set
  // the window again, although the period is over and packets were trimmed.
  const PicoSeconds later = first + (kBase + kTarget) * 2;
  for (int i = 0; i < 4; ++i) {
    w.acknowledged(kPacket, kBase + kMicroSecond * 100, true, 0, later);
    w.trimmed(kPacket, kBase, 0, later);
  }
  EXPECT_EQ(w.bytes(), kPacket);
  // The next two answers count again, and the window becomes the five packets of the period.
  w.acknowledged(kPacket, kBase + kMicroSecond * 100, true, 0, later);
  w.trimmed(kPacket, kBase, 0, later);
  EXPECT_EQ(w.bytes(), kPacket * 5);
}

TEST_F(NsccWindowTest, BytesAcknowledgedWhileMarksAreIgnoredDoNotGrowTheWindow) {
  p.update_bytes = kPacket * 3;
  NsccWindow w = window();
  w.acknowledged(kPacket, kBase + kMicroSecond * 2, false, 0, kEarly);
  w.trimmed(kPacket, kBase, kPacket * 10, kEarly + kBase + kTarget);
  ASSERT_EQ(w.bytes(), kPacket);
  const PicoSeconds soon = kEarly + kBase + kTarget + PicoSeconds(1);
  w.acknowledged(kPacket * 2, kBase + kMicroSecond * 2, true, 0, soon);
  w.acknowledged(kPacket, kBase + kMicroSecond * 30, false, 0, soon);
  // The last ACK increases the window by the fair part of 5 * 4160 * 4160 / 4160 and the constant
  // part of 624. The proportional part of 9706 from before the adaptation is dropped.
  EXPECT_EQ(w.bytes(), kPacket + kPacket * 5 + 624);
}

struct NsccWindowOf2024 : NsccWindowTest {
  NsccWindowOf2024() {
    p.rules = NsccParameters::Rules::k2024;
    p.adapt_below = Ratio(1);
  }
};

TEST_F(NsccWindowOf2024, EveryTrimmedPacketCutsTheWindow) {
  NsccWindow w = window();
  w.acknowledged(0, kBase, false, 0, kEarly);  // this ACK begins the first period
  w.acknowledged(kPacket * 5, kBase, false, 0, kEarly);
  w.trimmed(kPacket, kBase + kMicroSecond * 50, kPacket * 9, kEarly + kBase + kTarget);
  ASSERT_EQ(w.bytes(), kPacket * 5) << "quick adaptation";
  EXPECT_EQ(w.mean_delay(), PicoSeconds()) << "the delay of a trimmed packet is none";
  w.trimmed(kPacket, kBase, 0, kEarly + kBase + kTarget);
  w.trimmed(kPacket, kBase, 0, kEarly + kBase + kTarget);
  EXPECT_EQ(w.bytes(), kPacket * 3);
}

TEST_F(NsccWindowOf2024, TheNextAdaptationCountsTheBytesOfBothPeriods) {
  p.update_period = kBase * 1000;  // prevents growth in this test
  NsccWindow w = window();
  w.acknowledged(0, kBase, false, 0, kEarly);  // this ACK begins the first adaptation period
  w.acknowledged(kPacket * 5, kBase, false, 0, kEarly);
  const PicoSeconds judged = kEarly + kBase + kTarget;
  // The trimmed packet is one of the ten packets whose answers are ignored.
  w.trimmed(kPacket, kBase, kPacket * 9, judged);
  ASSERT_EQ(w.bytes(), kPacket * 5);
  for (int i = 0; i < 9; ++i) w.acknowledged(kPacket, kBase + kTarget, true, 0, judged);
  w.trimmed(kPacket, kBase, 0, judged);
  EXPECT_EQ(w.bytes(), kPacket * 4) << "a trimmed packet is no answer";
  w.acknowledged(kPacket, kBase + kTarget, true, 0, judged);
  EXPECT_EQ(w.bytes(), kPacket * 4) << "15 packets came through, which would enlarge the window";
  // The rejected adaptation has begun a new period.
  w.acknowledged(kPacket, kBase + kTarget, true, 0, judged + kBase + kTarget);
  EXPECT_EQ(w.bytes(), kPacket) << "one packet in the period; a packet was trimmed before";
}

TEST_F(NsccWindowOf2024, QuickAdaptationLooksAtTheMeanDelay) {
  p.mean_weight = Ratio(1, 80);
  for (const auto rules : {NsccParameters::Rules::k2024, NsccParameters::Rules::k2025}) {
    p.rules = rules;
    NsccWindow w = window();
    w.acknowledged(kPacket, kBase, false, 0, kEarly);
    w.acknowledged(0, kBase + kTarget * 5, true, 0, kEarly + kBase + kTarget);
    EXPECT_EQ(w.bytes() == kPacket, rules == NsccParameters::Rules::k2025);
  }
}

TEST_F(NsccWindowOf2024, APacketMayLeaveIfAnyPartIsFree) {
  EXPECT_TRUE(window().allows(kWindow - 1, kPacket));
  EXPECT_FALSE(window().allows(kWindow, kPacket));
  p.rules = NsccParameters::Rules::k2025;
  EXPECT_TRUE(window().allows(kWindow - kPacket, kPacket));
  EXPECT_FALSE(window().allows(kWindow - kPacket + 1, kPacket));
}

TEST_F(NsccWindowTest, StaysBelowTheGreatest) {
  NsccWindow w = window();
  w.acknowledged(kWindow + 1, kBase, false, 0, kEarly);
  for (int i = 0; i < 100; ++i) w.acknowledged(kWindow, kBase, false, 0, kEarly);
  EXPECT_EQ(w.bytes(), kMax);
}

}  // namespace
}  // namespace dcc::nscc_test
