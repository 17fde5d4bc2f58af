// Tests how the congestion manager handles a CNP, bytes and a timer event, step by step. Recording
// engines take the place of timing wheel and rate unit.
#include "controller/congestion_manager.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "controller/rate_unit.h"
#include "controller/timing_wheel.h"
#include "unit/controller/controller_tables.h"

namespace dcc {
namespace {

constexpr RateBits mbps(std::uint32_t rate) { return rate << 8; }

class Recorder final : public SlotObserver {
 public:
  void slot_changed(SlotIndex slot, std::uint32_t flow, SlotChange change) override {
    static constexpr const char* kNames[] = {"bound", "cut", "bytes", "timer", "released"};
    log.push_back(std::string(kNames[static_cast<int>(change)]) + " " + std::to_string(slot) + " " +
                  std::to_string(flow));
  }
  std::vector<std::string> log;
};

class CongestionManagerTest : public testing::Test {
 protected:
  CongestionManagerTest() {
    test::make_dcqcn_tables(256, [this](RateTable t, std::uint32_t i, std::uint32_t w) {
      manager_.write_table(t, i, w);
    });
    parameters_.rate.r_max = parameters_.initial_rate = mbps(1000);
    parameters_.rate.r_ai = mbps(40);
    parameters_.rate.r_hai = mbps(200);
    parameters_.rate.alpha_recip = alpha_reciprocal(55);
    parameters_.decrease_period = 4;
    parameters_.timer_interval = 300;
    parameters_.byte_threshold = 10'000;
    parameters_.fast_recovery = 2;
    apply();
  }
  void apply() { manager_.set_parameters(parameters_); }
  std::optional<TimerExpiry> expire(Tick now) { return timers_.take_expired(now); }

  RateUnit rates_;
  TimingWheel timers_{2};
  CongestionManager manager_{2, rates_, timers_};
  ControllerParameters parameters_;
};

TEST_F(CongestionManagerTest, FirstCnpBindsInitialisesRegistersAndCuts) {
  const auto answer = manager_.cnp(0x123456, 46, 1, 1000);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->flow, 0x123456u);
  EXPECT_EQ(answer->rate.raw, mbps(500));

  const SlotIndex slot = manager_.flows().match(0x123456);
  ASSERT_EQ(slot, 0u);
  const SlotParameters& p = manager_.slot(slot);
  EXPECT_EQ(p.rc, mbps(500));
  EXPECT_EQ(p.rt, mbps(1000));
  EXPECT_EQ(p.alpha, kOne16);
  EXPECT_EQ(p.t_latest, 1000u);
  EXPECT_EQ(p.dscp, 46);
  EXPECT_EQ(p.bc + p.t + p.pkt_length, 0u);
  EXPECT_EQ(timers_.stored_due(slot), 1300u);
  EXPECT_EQ(manager_.statistics().slots_bound, 1u);
  EXPECT_EQ(manager_.statistics().rate_decreases, 1u);
  EXPECT_EQ(manager_.statistics().rate_updates, 1u);
}

TEST_F(CongestionManagerTest, CnpOfABoundFlowCutsWithItsDecayedAlphaAndClearsTheCounts) {
  manager_.cnp(7, 0, 1, 0);
  manager_.bytes(7, 0, 10'001);  // the byte counter BC becomes 1
  manager_.bytes(7, 0, 600);
  expire(300);
  manager_.timer(0, 300);  // the timer counter T becomes 1
  ASSERT_EQ(manager_.slot(0).bc, 1);
  ASSERT_EQ(manager_.slot(0).t, 1);
  ASSERT_EQ(manager_.slot(0).pkt_length, 601u);
  // The rate Rc rises from 500 to 750 and 875 Mb/s. Alpha decays by 400/55 = 7 intervals:
  // (255/256)^7 · 65536 = 63765. M = 65536 − 63765/2 = 33653.5 → 33654; 224 000 · 33654 / 65536 =
  // 115 028.2.
  const auto answer = manager_.cnp(7, 0, 1, 400);
  const SlotParameters& p = manager_.slot(0);
  EXPECT_EQ(p.rc, 115'028u);
  EXPECT_EQ(answer->rate.raw, p.rc);
  EXPECT_EQ(p.rt, mbps(875));
  EXPECT_EQ(p.alpha, 63765u + 7u);  // alpha gains (65536 − 63765)/256 = 6.92
  EXPECT_EQ(p.bc + p.t + p.pkt_length, 0u);
  EXPECT_EQ(p.t_latest, 400u);
}

TEST_F(CongestionManagerTest, TheNewestNotificationsDscpCounts) {
  // Sets a factor with which a mark does not cut the rate.
  manager_.write_table(RateTable::kFactor, 46, test::factor_word(256, 0));
  manager_.cnp(7, 0, 1, 0);
  EXPECT_FALSE(manager_.cnp(7, 46, 1, 10).has_value());
  EXPECT_EQ(manager_.slot(0).dscp, 46);
  EXPECT_EQ(manager_.slot(0).rc, mbps(500));
}

TEST_F(CongestionManagerTest, ACutRestartsTheTimerOnlyIfToldTo) {
  manager_.cnp(7, 0, 1, 0);
  manager_.cnp(7, 0, 1, 100);
  EXPECT_EQ(manager_.slot(0).due, 400u);
  parameters_.timer_restart = false;
  apply();
  manager_.cnp(7, 0, 1, 200);
  EXPECT_EQ(manager_.slot(0).due, 400u);
  manager_.cnp(8, 0, 1, 250);  // binding a slot always starts a timer
  EXPECT_EQ(timers_.stored_due(1), 550u);
  // the restart of a timer does not change the entry in the timing engine
  EXPECT_EQ(timers_.stored_due(0), 300u);
  EXPECT_EQ(manager_.timer_counters().cancelled, 1u);
}

TEST_F(CongestionManagerTest, ATargetMayStayUntilTheTimerHasRaisedTheRate) {
  parameters_.keep_target = true;
  apply();
  manager_.cnp(7, 0, 1, 0);
  manager_.cnp(7, 0, 1, 100);
  EXPECT_EQ(manager_.slot(0).rt, mbps(1000));
  EXPECT_LT(manager_.slot(0).rc, mbps(500));
  ASSERT_EQ(expire(300)->slot, 0u);
  manager_.timer_event({0, 300}, 300);  // a stale event: the cut at tick 100 has postponed it
  ASSERT_EQ(expire(400)->slot, 0u);
  manager_.timer_event({0, 400}, 400);
  const RateBits raised = manager_.slot(0).rc;
  manager_.cnp(7, 0, 1, 410);
  EXPECT_EQ(manager_.slot(0).rt, raised);
}

TEST_F(CongestionManagerTest, AnEventOfASlotThatIsDueLaterIsStale) {
  using Kind = CongestionManager::TimerOutcome::Kind;
  manager_.cnp(7, 0, 1, 0);
  manager_.cnp(7, 0, 1, 100);  // the CNP moves the due tick to 400
  ASSERT_EQ(expire(300)->slot, 0u);
  const RateBits before = manager_.slot(0).rc;
  EXPECT_EQ(manager_.timer_event({0, 300}, 300).kind, Kind::kStale);
  EXPECT_EQ(manager_.slot(0).rc, before);
  EXPECT_EQ(manager_.timer_counters().expired, 0u);
  EXPECT_EQ(timers_.stored_due(0), 400u);
  ASSERT_EQ(expire(400)->slot, 0u);
  EXPECT_EQ(manager_.timer_event({0, 400}, 400).kind, Kind::kExpired);
  EXPECT_EQ(manager_.timer_counters().expired, 1u);
}

TEST_F(CongestionManagerTest, AReleasedSlotIsFreeWhenItsEventComesUp) {
  manager_.cnp(7, 0, 1, 0);
  manager_.release(7);
  manager_.release(8);  // flow 8 has no slot, so the release does nothing
  EXPECT_FALSE(manager_.query(7).has_value());
  EXPECT_EQ(manager_.flows().free_slots(), 1u);
  EXPECT_EQ(manager_.timer_counters().pending(), 0u);
  ASSERT_EQ(expire(300)->slot, 0u);
  EXPECT_EQ(manager_.timer_event({0, 300}, 300).kind,
            CongestionManager::TimerOutcome::Kind::kFreed);
  EXPECT_EQ(manager_.flows().free_slots(), 2u);
  EXPECT_EQ(manager_.statistics().slots_released, 1u);
}

TEST_F(CongestionManagerTest, CnpWithinTheDecreasePeriodChangesNothing) {
  manager_.cnp(7, 0, 1, 100);
  const SlotParameters before = manager_.slot(0);
  EXPECT_FALSE(manager_.cnp(7, 5, 9, 103).has_value());
  EXPECT_EQ(manager_.slot(0).rc, before.rc);
  EXPECT_EQ(manager_.slot(0).alpha, before.alpha);
  EXPECT_EQ(manager_.slot(0).t_latest, 100u);
  EXPECT_EQ(manager_.slot(0).due, 400u);
  EXPECT_EQ(manager_.statistics().cnps_coalesced, 1u);
  EXPECT_EQ(manager_.statistics().rate_decreases, 1u);
  // A CNP exactly one decrease period after the last cut cuts again.
  EXPECT_TRUE(manager_.cnp(7, 0, 1, 104).has_value());
}

TEST_F(CongestionManagerTest, CnpWithoutAFreeSlotIsDroppedAndCounted) {
  manager_.cnp(1, 0, 1, 0);
  manager_.cnp(2, 0, 1, 0);
  EXPECT_FALSE(manager_.cnp(3, 0, 1, 0).has_value());
  EXPECT_EQ(manager_.statistics().cnps_dropped_no_slot, 1u);
  EXPECT_EQ(manager_.statistics().cnps_received, 3u);
  EXPECT_EQ(manager_.statistics().slots_in_use_max, 2u);
  EXPECT_EQ(timers_.counters().started, 2u);
}

TEST_F(CongestionManagerTest, TicksSinceTheLastCutSurviveTheWrapOfTLatest) {
  const Tick near_wrap = (Tick{1} << 32) - 50;
  manager_.cnp(7, 0, 1, near_wrap);
  EXPECT_FALSE(manager_.cnp(7, 0, 1, near_wrap + 3).has_value());
  manager_.cnp(7, 0, 1, near_wrap + 100);  // Δ = 100 ticks is one α interval
  EXPECT_EQ(manager_.slot(0).alpha, 65280u + 1u);
}

TEST_F(CongestionManagerTest, BytesOfAnUnboundFlowAreDropped) {
  EXPECT_FALSE(manager_.bytes(7, 0, 1'000'000).has_value());
  EXPECT_EQ(manager_.statistics().byte_notifications, 1u);
  EXPECT_EQ(manager_.statistics().byte_notifications_unmatched, 1u);
  EXPECT_EQ(manager_.flows().bound_slots(), 0u);
}

TEST_F(CongestionManagerTest, BytesIncreaseStrictlyOverTheThresholdAndKeepTheRemainder) {
  manager_.cnp(7, 0, 1, 0);
  EXPECT_FALSE(manager_.bytes(7, 0, 9'999).has_value());
  // a sum that equals the threshold causes no increase
  EXPECT_FALSE(manager_.bytes(7, 0, 1).has_value());
  EXPECT_EQ(manager_.slot(0).pkt_length, 10'000u);
  const auto answer = manager_.bytes(7, 0, 25);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->rate.raw, mbps(750));
  EXPECT_EQ(manager_.slot(0).pkt_length, 25u);
  EXPECT_EQ(manager_.slot(0).bc, 1);
  EXPECT_EQ(manager_.slot(0).t, 0);
  EXPECT_EQ(manager_.statistics().rate_increases, 1u);
}

TEST_F(CongestionManagerTest, BytesNeitherReleaseNorTouchTheTimer) {
  manager_.cnp(7, 0, 1, 0);
  for (int i = 0; i < 60; ++i) manager_.bytes(7, 0, 10'001);
  EXPECT_EQ(manager_.slot(0).rc, mbps(1000));
  EXPECT_EQ(manager_.flows().bound_slots(), 1u);
  EXPECT_EQ(timers_.stored_due(0), 300u);
  // A flow at the maximum rate keeps its rate, so the manager issues no rate.
  EXPECT_FALSE(manager_.bytes(7, 0, 10'001).has_value());
}

TEST_F(CongestionManagerTest, WithoutTheByteCounterBytesOnlyCarryTheDscp) {
  manager_.cnp(7, 0, 1, 0);
  parameters_.byte_counter = false;
  apply();
  EXPECT_FALSE(manager_.bytes(7, 46, 1'000'000).has_value());
  EXPECT_EQ(manager_.slot(0).pkt_length, 0u);
  EXPECT_EQ(manager_.slot(0).dscp, 46);
  EXPECT_EQ(manager_.statistics().byte_notifications_unmatched, 0u);
}

TEST_F(CongestionManagerTest, TimerIncreasesAndRegistersTheNextEvent) {
  manager_.cnp(7, 0, 1, 0);
  ASSERT_EQ(expire(300)->slot, 0u);
  const auto answer = manager_.timer(0, 302);  // takes the expiry two ticks late
  EXPECT_EQ(answer->flow, 7u);
  EXPECT_EQ(answer->rate.raw, mbps(750));
  EXPECT_EQ(manager_.slot(0).t, 1);
  EXPECT_EQ(timers_.stored_due(0), 602u);
}

TEST_F(CongestionManagerTest, TimerAtTheMaximumReleasesTheSlotWithItsFlowLatched) {
  Recorder recorder;
  manager_.observe(&recorder);
  manager_.cnp(7, 0, 1, 0);
  Tick now = 0;
  std::optional<RateAnswer> last;
  int expiries = 0;
  while (manager_.flows().bound_slots() > 0) {
    now += 300;
    ASSERT_TRUE(expire(now).has_value());
    if (const auto answer = manager_.timer(0, now)) last = answer;
    ASSERT_LT(++expiries, 40);
  }
  // The rate rises from 500 to 750 Mb/s in fast recovery (T = 1). In additive increase Rt stays
  // capped at 1000 Mb/s and Rc halves its distance to Rt. In units of 1/256 Mb/s the distance is
  // 128 000 · 2^-n, rounded down, which is zero after 17 expiries.
  EXPECT_EQ(expiries, 17);
  EXPECT_EQ(last->flow, 7u);
  EXPECT_EQ(last->rate.raw, mbps(1000));
  EXPECT_EQ(recorder.log.front(), "bound 0 7");
  EXPECT_EQ(recorder.log[1], "cut 0 7");
  EXPECT_EQ(recorder.log.back(), "released 0 7");
  EXPECT_FALSE(timers_.is_started(0));
  EXPECT_EQ(manager_.statistics().slots_released, 1u);
  EXPECT_EQ(timers_.counters().pending(), 0u);
  // a newly bound slot has the initial rate
  EXPECT_EQ(manager_.cnp(7, 0, 1, now)->rate.raw, mbps(500));
  EXPECT_EQ(manager_.flows().match(7), 1u);  // slots are reused in the order of their release
}

TEST_F(CongestionManagerTest, StagesFollowBothCounts) {
  // With F = 2 the change of the target rate Rt shows the stage: 0 in fast recovery, + 40 in
  // additive and + 200 in hyper increase. T and BC: numbers of timer events and byte-counter events
  // since the cut.
  parameters_.rate.r_max = mbps(100'000);
  apply();
  manager_.cnp(7, 0, 1, 0);
  const auto step = [this](bool timer) {
    const RateBits before = manager_.slot(0).rt;
    if (timer) {
      timers_.cancel(0, 0);
      manager_.timer(0, 0);
    } else {
      manager_.bytes(7, 0, 10'001);
    }
    return (manager_.slot(0).rt - before) >> 8;
  };
  EXPECT_EQ(step(true), 0u);    // T = 1, BC = 0: the greater count is below F, fast recovery
  EXPECT_EQ(step(true), 40u);   // T = 2, BC = 0: the greater count reaches F, additive increase
  EXPECT_EQ(step(false), 40u);  // T = 2, BC = 1: additive increase
  EXPECT_EQ(step(false), 40u);  // T = 2, BC = 2: additive increase
  EXPECT_EQ(step(false), 40u);  // T = 2, BC = 3: the lesser count is not above F, additive increase
  EXPECT_EQ(step(true), 200u);  // T = 3, BC = 3: both counts are above F, hyper increase
  EXPECT_EQ(step(false), 200u);  // T = 3, BC = 4: hyper increase
}

TEST_F(CongestionManagerTest, EventCountsSaturate) {
  parameters_.rate.r_max = mbps(10'000'000);
  parameters_.rate.r_ai = 1;
  parameters_.rate.r_hai = 1;
  apply();
  manager_.cnp(7, 0, 1, 0);
  for (int i = 0; i < 300; ++i) {
    manager_.bytes(7, 0, 10'001);
    timers_.cancel(0, 0);
    manager_.timer(0, 0);
  }
  EXPECT_EQ(manager_.slot(0).bc, 255);
  EXPECT_EQ(manager_.slot(0).t, 255);
}

TEST_F(CongestionManagerTest, ARateGoesOutOnlyWhenItChanged) {
  parameters_.rate.r_min = mbps(500);
  apply();
  EXPECT_TRUE(manager_.cnp(7, 0, 1, 0).has_value());
  // The rate is already at its minimum, so the CNP does not change it.
  EXPECT_FALSE(manager_.cnp(7, 0, 1, 100).has_value());
  EXPECT_EQ(manager_.statistics().rate_decreases, 2u);
  EXPECT_EQ(manager_.statistics().rate_updates, 1u);
}

TEST_F(CongestionManagerTest, ABindingAlwaysTellsTheScheduler) {
  manager_.write_table(RateTable::kDecrease, 256, kOne16);  // table entry of 1.0: no cut at α = 1
  const auto answer = manager_.cnp(7, 0, 1, 0);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->rate.raw, mbps(1000));
}

TEST_F(CongestionManagerTest, AFlowOfACappedClassStartsAtItsCap) {
  manager_.write_table(RateTable::kCeiling, 9, mbps(200));
  EXPECT_EQ(manager_.cnp(7, 9, 1, 0)->rate.raw, mbps(100));
  EXPECT_EQ(manager_.slot(0).rt, mbps(200));
}

TEST_F(CongestionManagerTest, RetuningActsOnBoundFlowsWithTheirNextEvent) {
  manager_.cnp(7, 9, 1, 0);
  manager_.write_table(RateTable::kCeiling, 9, mbps(300));
  expire(300);
  // the rate is at its maximum, so the slot is released
  EXPECT_EQ(manager_.timer(0, 300)->rate.raw, mbps(300));
  EXPECT_EQ(manager_.flows().bound_slots(), 0u);
}

TEST_F(CongestionManagerTest, ResetReleasesCancelsAndClears) {
  manager_.cnp(1, 0, 1, 0);
  manager_.cnp(2, 0, 1, 0);
  manager_.cnp(3, 0, 1, 0);
  manager_.reset(10);
  EXPECT_EQ(manager_.flows().free_slots(), 2u);
  EXPECT_EQ(timers_.counters().started, 0u);
  EXPECT_FALSE(timers_.next_due(10).has_value());
  EXPECT_EQ(manager_.statistics().cnps_received, 0u);
  EXPECT_EQ(manager_.statistics().slots_in_use_max, 0u);
  EXPECT_EQ(manager_.parameters().timer_interval, 300u);
  EXPECT_EQ(manager_.tables().decrease(256), 32768u);
  EXPECT_EQ(manager_.cnp(3, 0, 1, 20)->rate.raw, mbps(500));
  EXPECT_EQ(manager_.flows().match(3), 0u);
}

TEST_F(CongestionManagerTest, DefectiveInputsAreMasked) {
  const auto answer = manager_.cnp(0xFF000001, 0xFF, 1, 0);
  EXPECT_EQ(answer->flow, 1u);
  EXPECT_EQ(manager_.slot(0).dscp, 63);
  manager_.bytes(1, 0xC5, 1);
  EXPECT_EQ(manager_.slot(0).dscp, 5);
}

}  // namespace
}  // namespace dcc
