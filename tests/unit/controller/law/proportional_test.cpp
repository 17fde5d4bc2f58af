// Tests the proportional law through the congestion manager: the effects of packets, marks, bursts
// and silence on a slot.
#include "controller/law/proportional.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controller/congestion_manager.h"
#include "controller/rate_unit.h"
#include "controller/timing_wheel.h"
#include "unit/controller/controller_tables.h"

namespace dcc::proportional_law_test {
namespace {

constexpr RateBits mbps(std::uint32_t rate) { return rate << 8; }
constexpr Ticks kInterval = 20;
constexpr Ticks kHistory = 10;

class ProportionalLawTest : public testing::Test {
 protected:
  ProportionalLawTest() {
    test::make_proportional_tables(
        [this](RateTable t, std::uint32_t i, std::uint32_t w) { manager_.write_table(t, i, w); });
    parameters_.rate = test::proportional_registers();
    parameters_.rate.mi = 0;
    parameters_.rate.g = 32768;          // a mark takes half a packet off the account of packets
    parameters_.rate.r_ai = mbps(10);    // rate increase per packet
    parameters_.rate.r_hai = mbps(400);  // the rate of one packet per interval
    parameters_.rate.r_min = mbps(5);
    parameters_.rate.r_max = mbps(125'000);
    parameters_.rate.first_cut = 65536 / 32;
    parameters_.initial_rate = mbps(100'000);
    parameters_.timer_interval = kInterval;
    parameters_.decrease_period = kHistory;
    parameters_.timer_restart = false;
    manager_.set_parameters(parameters_);
  }
  void send(int packets) {
    for (int i = 0; i < packets; ++i) manager_.bytes(7, 0, 1000);
  }
  /// Handles the pending timer event.
  void expire() {
    now_ += kInterval;
    ASSERT_TRUE(timers_.take_expired(now_).has_value());
    manager_.timer(0, now_);
  }
  /// Binds a slot and lets it recover from the rate hold of its first CNP to 50 Gb/s.
  void settle() {
    manager_.cnp(7, 0, 1, now_);
    expire();
    ASSERT_EQ(slot().rc, mbps(50'000));
  }
  const SlotParameters& slot() const { return manager_.slot(0); }
  ConstProportionalView view() const { return ConstProportionalView(slot()); }

  RateUnit rates_;
  TimingWheel timers_{2};
  CongestionManager manager_{2, rates_, timers_};
  ControllerParameters parameters_;
  Tick now_ = 1000;
};

TEST_F(ProportionalLawTest, TheFirstCnpHalvesTheTargetAndHoldsTheRateForAnInterval) {
  EXPECT_EQ(manager_.cnp(7, 0, 3, now_)->rate.raw, mbps(3125));
  EXPECT_EQ(slot().rt, mbps(50'000));
  // Marks of packets that were sent before the last cut must not cut the rate again.
  EXPECT_FALSE(manager_.cnp(7, 0, 9, now_ + kHistory - 1).has_value());
  EXPECT_EQ(manager_.statistics().cnps_coalesced, 1u);
  expire();
  EXPECT_EQ(slot().rc, mbps(50'000));
  EXPECT_TRUE(view().steady());
}

TEST_F(ProportionalLawTest, WhileMarksComeTheHoldLastsAndTheTargetFallsToTwiceWhatTheyDeliver) {
  manager_.cnp(7, 0, 1, now_);
  for (int i = 0; i < 20; ++i) {
    manager_.cnp(7, 0, 4, now_ + kHistory);  // marks as if 1.6 Gb/s were delivered
    expire();
    ASSERT_TRUE(view().holding()) << i;
  }
  // The target rate of 50 Gb/s is halved while it is at least twice the delivered 1.6 Gb/s.
  EXPECT_EQ(slot().rt, mbps(3125));
  EXPECT_EQ(slot().rc, slot().rt / 16);
  EXPECT_EQ(manager_.statistics().rate_decreases, 5u);
  // Without further marks the rate hold ends after one interval plus an eighth of the hold's
  // length.
  int quiet = 0;
  for (; view().holding() && quiet < 100; ++quiet) expire();
  EXPECT_EQ(quiet, 4);  // 10 + 20 k ticks of silence exceed 20 + 20 (19 + k) / 8 ticks of patience
  EXPECT_EQ(slot().rc, mbps(3125));
}

TEST_F(ProportionalLawTest, APromisedClearNotificationIsWaitedFor) {
  manager_.cnp(7, 0, 3, now_, 3);  // a CNP that reports marked packets only
  EXPECT_TRUE(view().clear_promised());
  send(100);
  manager_.cnp(7, 0, 5, now_ + kHistory, 5);
  // later packets and marks do not cancel the promised clear notification
  EXPECT_TRUE(view().clear_promised());
  int quiet = 0;
  for (; view().holding() && quiet < 200; ++quiet) expire();
  EXPECT_EQ(quiet, 65);  // 20 k - 10 ticks since the last mark exceed 64 · 20 ticks of patience
  EXPECT_EQ(slot().rc, mbps(25'000));
  EXPECT_EQ(view().sent(), 0u);
}

TEST_F(ProportionalLawTest, ACnpThatTellsOfOthersPromisesNothing) {
  for (const int packets : {0, 4}) {
    manager_.reset(now_);
    manager_.cnp(7, 0, 3, now_, static_cast<std::uint8_t>(packets));
    EXPECT_EQ(view().sent(), 0u);
    expire();
    EXPECT_TRUE(view().steady());
  }
}

TEST_F(ProportionalLawTest, AHoldEndsHoweverLongItsIntervals) {
  // The field for the time since the last mark cannot express 64 intervals.
  parameters_.timer_interval = 60'000;
  manager_.set_parameters(parameters_);
  manager_.cnp(7, 0, 1, now_, 1);
  int quiet = 0;
  for (; quiet == 0 || (view().holding() && quiet < 100); ++quiet) {
    now_ += 60'000;
    ASSERT_TRUE(timers_.take_expired(now_).has_value());
    manager_.timer(0, now_);
  }
  EXPECT_EQ(quiet, 18);  // the field's maximum of 2^20 - 1 ticks is 17.5 intervals
}

TEST_F(ProportionalLawTest, AHoldEndsThoughAllIsMarkedForGood) {
  for (const int packets : {0, 4}) {  // without and with a promised clear notification
    manager_.reset(now_);
    manager_.cnp(7, 0, 4, now_, static_cast<std::uint8_t>(packets));
    int intervals = 0;
    for (; view().holding() && intervals < 300; ++intervals) {
      manager_.cnp(7, 0, 4, now_ + kHistory, 4);
      expire();
      ASSERT_EQ(view().holding(), intervals < 159) << intervals;
    }
    EXPECT_EQ(intervals, 160);
    EXPECT_EQ(slot().rc, slot().rt);
    EXPECT_EQ(view().sent(), 0u);
    EXPECT_EQ(view().account(), 0);
  }
}

TEST_F(ProportionalLawTest, AClearNotificationEndsAHold) {
  manager_.cnp(7, 0, 1, now_);
  manager_.cnp(7, 0, 4, now_ + kHistory);
  expire();
  ASSERT_TRUE(view().holding());
  const std::uint32_t latest = slot().t_latest;
  const std::optional<RateAnswer> answer = manager_.cnp(7, 0, 0, now_ + 1);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->rate.raw, slot().rt);
  EXPECT_EQ(slot().rc, slot().rt);
  EXPECT_TRUE(view().steady());
  EXPECT_EQ(view().silent_intervals(), 0);
  EXPECT_EQ(view().account(), 0);
  EXPECT_EQ(slot().t_latest, latest);
  EXPECT_TRUE(timers_.is_started(0));
}

TEST_F(ProportionalLawTest, AClearNotificationCountsInTheFirstMomentsOfAHoldToo) {
  manager_.cnp(7, 0, 1, now_);
  EXPECT_EQ(manager_.cnp(7, 0, 0, now_ + 1)->rate.raw, mbps(50'000));
  EXPECT_EQ(manager_.statistics().cnps_coalesced, 0u);
}

TEST_F(ProportionalLawTest, AClearNotificationBindsNothingAndChangesNothingOutsideAHold) {
  EXPECT_FALSE(manager_.cnp(7, 0, 0, now_).has_value());
  EXPECT_EQ(manager_.flows().bound_slots(), 0u);
  settle();
  send(5);
  manager_.cnp(7, 0, 1, now_, 3);
  send(2);
  const SlotParameters before = slot();
  EXPECT_FALSE(manager_.cnp(7, 9, 0, now_ + 3).has_value());
  EXPECT_EQ(slot().rc, before.rc);
  EXPECT_EQ(slot().rt, before.rt);
  EXPECT_EQ(slot().alpha, before.alpha);
  EXPECT_EQ(slot().pkt_length, before.pkt_length);
  EXPECT_EQ(slot().bc, before.bc);
  EXPECT_EQ(slot().t_latest, before.t_latest);
  EXPECT_EQ(slot().dscp, before.dscp);
}

TEST_F(ProportionalLawTest, AnUnmarkedPacketThatACnpTellsOfEndsAHold) {
  manager_.cnp(7, 0, 1, now_);
  manager_.cnp(7, 0, 4, now_ + kHistory, 4);
  EXPECT_TRUE(view().holding());
  EXPECT_EQ(view().hold_marks(), 4);
  EXPECT_EQ(manager_.cnp(7, 0, 3, now_ + 2 * kHistory, 4)->rate.raw, mbps(50'000));
  EXPECT_TRUE(view().steady());
}

TEST_F(ProportionalLawTest, PacketsRaiseAndMarksTakeTheirPartOfThem) {
  settle();
  send(10);
  expire();
  EXPECT_EQ(slot().rt, mbps(50'100));
  // A flow that sends nothing gets no rate increase.
  expire();
  EXPECT_EQ(slot().rt, mbps(50'100));
  // Three of ten sent packets were marked. The current rate is cut by 3/16, the target rate by a
  // quarter of that, and the increase after it is that of eight packets.
  send(10);
  const RateBits before = slot().rt;
  manager_.cnp(7, 0, 3, now_);
  const RateBits cut = slot().rt;
  EXPECT_LT(cut, before - before * 17 / 400);
  EXPECT_LT(slot().rc, before - before * 17 / 100);
  expire();
  EXPECT_EQ(slot().rt, cut + 8 * mbps(10));  // of 8.5 packets the account keeps the half
  EXPECT_EQ(slot().rc, slot().rt);
  send(1);
  manager_.cnp(7, 0, 1, now_);
  const RateBits after = slot().rt;
  expire();
  // the half in the account and another half make one packet
  EXPECT_EQ(slot().rt, after + mbps(10));
}

TEST_F(ProportionalLawTest, WhatArrivedReplacesWhatWasSent) {
  settle();
  send(100);
  manager_.cnp(7, 0, 2, now_, 20);  // the CNP reports that twenty of a hundred packets have arrived
  const RateBits cut = slot().rt;
  expire();
  EXPECT_EQ(slot().rt, cut + 19 * mbps(10));
  // A saturated mark count does not tell the share of marked packets.
  send(100);
  manager_.cnp(7, 0, 2, now_, 255);
  const RateBits second = slot().rt;
  expire();
  EXPECT_EQ(slot().rt, second + 99 * mbps(10));
}

TEST_F(ProportionalLawTest, MarksOfAnEarlierIncreaseAreOwed) {
  settle();
  send(10);
  expire();
  manager_.cnp(7, 0, 4, now_);
  send(1);
  const RateBits cut = slot().rt;
  expire();
  EXPECT_EQ(slot().rt, cut);  // the account is one packet short of an increase
  send(3);
  expire();
  EXPECT_EQ(slot().rt, cut + 2 * mbps(10));
}

TEST_F(ProportionalLawTest, FarMoreMarksThanItSendsBeginAHold) {
  settle();
  for (int i = 0; i < 1000 && !view().holding(); ++i) manager_.cnp(7, 0, 1, now_);
  ASSERT_EQ(view().hold_intervals(), 1);
  EXPECT_EQ(slot().rc, slot().rt / 16);
  EXPECT_EQ(view().account(), 0);
  // The flow has no promised clear notification, since packets of a slow flow may take longer than
  // a rate hold should last.
  EXPECT_FALSE(view().clear_promised());
}

TEST_F(ProportionalLawTest, WithoutFirstCutThereIsNoHold) {
  parameters_.rate.first_cut = 0;
  manager_.set_parameters(parameters_);
  manager_.cnp(7, 0, 1, now_);
  EXPECT_TRUE(view().steady());
  EXPECT_NEAR(slot().rc, mbps(93'750), 1.0);
  for (int i = 0; i < 500; ++i) manager_.cnp(7, 0, 1, now_);
  EXPECT_TRUE(view().steady());
  EXPECT_EQ(slot().rc, mbps(5));
}

TEST_F(ProportionalLawTest, AFlowThatSendsNothingGetsItsRateBackAndTheSlotIsFreed) {
  settle();
  const RateBits before = slot().rt;
  // the end of the rate hold counts as the first silent interval
  for (int i = 1; i < 32; ++i) expire();
  EXPECT_EQ(slot().rt, before);
  EXPECT_EQ(view().silent_intervals(), 32);
  int intervals = 32;
  for (; intervals < 200 && manager_.flows().bound_slots() == 1; ++intervals) expire();
  EXPECT_EQ(manager_.flows().bound_slots(), 0u);
  EXPECT_GT(intervals, 32);  // the intervals of silence come first
  EXPECT_LT(intervals, 120);
}

TEST_F(ProportionalLawTest, SilenceLastsAsLongAsItsRegisterSays) {
  parameters_.silence = 4;
  manager_.set_parameters(parameters_);
  settle();
  const RateBits before = slot().rt;
  for (int i = 1; i < 4; ++i) expire();
  EXPECT_EQ(slot().rt, before);
  expire();
  EXPECT_GT(slot().rt, before);
}

TEST_F(ProportionalLawTest, ASlowFlowIsNotSilentBetweenItsPackets) {
  // A flow of 10 Mb/s sends one packet every forty intervals.
  parameters_.initial_rate = mbps(20);
  manager_.set_parameters(parameters_);
  manager_.cnp(7, 0, 1, now_);
  expire();
  ASSERT_EQ(slot().rc, mbps(10));
  send(1);
  expire();
  const RateBits rate = slot().rt;
  for (int i = 0; i < 60; ++i) expire();
  EXPECT_EQ(slot().rt, rate);
}

// After a rate hold, packets and marks count four times during a fixed number of intervals.
class FastPhaseTest : public ProportionalLawTest {
 protected:
  static constexpr int kFastIntervals = 3;
  FastPhaseTest() {
    parameters_.brisk = kFastIntervals;
    manager_.set_parameters(parameters_);
  }
};

TEST_F(FastPhaseTest, PacketsCountFourTimesInAsManyIntervalsAsTheRegisterSays) {
  settle();
  EXPECT_EQ(view().fast_intervals_left(), kFastIntervals);
  RateBits expected = mbps(50'000);
  for (int i = 0; i < kFastIntervals + 2; ++i) {
    send(5);
    expire();
    expected += mbps(i < kFastIntervals ? 4 * 5 * 10 : 5 * 10);
    EXPECT_EQ(slot().rt, expected) << i;
    EXPECT_EQ(view().fast_intervals_left(), std::max(0, kFastIntervals - 1 - i)) << i;
  }
}

TEST_F(FastPhaseTest, AMarkCutsLikeFourAndIsOneOffTheAccount) {
  settle();
  send(6);
  manager_.cnp(7, 0, 1, now_ + 1);
  const SlotParameters fast = slot();
  EXPECT_EQ(view().account(), 256 * 6 - 128);
  EXPECT_EQ(view().fast_intervals_left(), kFastIntervals) << "only intervals end the fast phase";
  for (int i = 0; i < kFastIntervals; ++i) {
    send(1);
    expire();
  }
  ASSERT_TRUE(view().steady());
  // Without the fast phase a cut by four marks gives the same rates.
  manager_.reset(now_);
  parameters_.brisk = 0;
  manager_.set_parameters(parameters_);
  settle();
  manager_.cnp(7, 0, 4, now_ + 1);
  EXPECT_EQ(slot().rc, fast.rc);
  EXPECT_EQ(slot().rt, fast.rt);
}

// A flow that sends less than one packet per interval needs as many packets in the fast phase as a
// faster flow.
TEST_F(FastPhaseTest, IntervalsWithoutAPacketDoNotCount) {
  settle();
  for (int packet = 0; packet < kFastIntervals; ++packet) {
    EXPECT_EQ(view().fast_intervals_left(), kFastIntervals - packet);
    send(1);
    for (int i = 0; i < 5; ++i) expire();
  }
  EXPECT_TRUE(view().steady());
}

TEST_F(FastPhaseTest, EndsForAFlowThatFallsSilent) {
  parameters_.silence = 4;
  manager_.set_parameters(parameters_);
  settle();
  // The interval that ended the rate hold was the first interval without a packet.
  for (int i = 1; i < 4; ++i) {
    expire();
    EXPECT_EQ(view().fast_intervals_left(), kFastIntervals) << i;
  }
  for (int left = kFastIntervals; left > 0; --left) {
    EXPECT_EQ(view().fast_intervals_left(), left);
    expire();
  }
  EXPECT_TRUE(view().steady());
}

TEST_F(FastPhaseTest, MarksStayAtWhatFourTimesAsManyMayBe) {
  RateBits left[2];
  for (const int marks : {64, 255}) {
    manager_.reset(now_);
    settle();
    manager_.cnp(7, 0, static_cast<std::uint8_t>(marks), now_ + 1);
    left[marks == 255 ? 1 : 0] = slot().rc;
  }
  EXPECT_EQ(left[0], left[1]);
}

// At a weight of 1/8 a mark of the fast phase stands for twice the whole current rate. With 24 of
// 25 packets marked, packets and marks are in balance at a target of
// 64/8 · 13.7 Mb/s · (1 − 0.8 · 0.96)/0.96 = 26.5 Mb/s. If a mark counted for the whole rate at
// most, that would be 53 Mb/s.
TEST_F(FastPhaseTest, ALightClassApproachesItsShareFromBothSides) {
  manager_.write_table(RateTable::kFactor, 0, test::factor_word(256, 8 * 4096));
  parameters_.brisk = 95;
  parameters_.rate.r_ai = 3507;
  parameters_.rate.g = 52429;
  for (const RateBits begin : {mbps(53), mbps(14)}) {
    parameters_.initial_rate = 2 * begin;
    manager_.set_parameters(parameters_);
    manager_.reset(now_);
    manager_.cnp(7, 0, 1, now_);
    expire();
    ASSERT_NEAR(slot().rt, begin, begin / 8);
    ASSERT_GT(view().fast_intervals_left(), 0);
    for (int i = 1; view().fast_intervals_left() != 0 && i < 200; ++i) {
      send(1);
      if (i % 25 != 0) manager_.cnp(7, 0, 1, now_ + 1, i % 25 == 1 && i > 1 ? 2 : 1);
      expire();
    }
    EXPECT_TRUE(view().steady());
    EXPECT_NEAR(slot().rt, mbps(25), mbps(6)) << "from " << begin;
  }
}

TEST_F(FastPhaseTest, AClearNotificationBeginsItAndAnotherChangesNothing) {
  manager_.cnp(7, 0, 3, now_, 3);
  manager_.cnp(7, 0, 0, now_ + 1, 1);
  EXPECT_EQ(view().fast_intervals_left(), kFastIntervals);
  EXPECT_EQ(slot().rc, slot().rt);
  send(3);
  const SlotParameters before = slot();
  EXPECT_FALSE(manager_.cnp(7, 0, 0, now_ + 2, 1).has_value());
  EXPECT_EQ(slot().t, before.t);
  EXPECT_EQ(slot().pkt_length, before.pkt_length);
}

TEST_F(FastPhaseTest, FarMoreMarksThanItSendsBeginAHoldAllTheSame) {
  settle();
  for (int i = 0; i < 1000 && view().fast_intervals_left() == kFastIntervals; ++i)
    manager_.cnp(7, 0, 1, now_);
  ASSERT_EQ(view().hold_intervals(), 1);
  EXPECT_EQ(view().account(), 0);
  expire();
  EXPECT_EQ(view().fast_intervals_left(), kFastIntervals) << "and its end is fast again";
}

}  // namespace
}  // namespace dcc::proportional_law_test
