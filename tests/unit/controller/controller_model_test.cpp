// Tests the timing of the controller model: latency, handling of timers, order of simultaneous
// events, register writes.
#include "controller/controller_model.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "unit/controller/controller_model_fixture.h"

namespace dcc {
namespace {

using namespace test;

class ControllerModelTest : public testing::Test {
 protected:
  ControllerModelTest() {
    device_.set_parameters(parameters_);
    test::make_dcqcn_tables(256, [this](RateTable t, std::uint32_t i, std::uint32_t w) {
      device_.write_table(t, i, w);
    });
    device_.on_cause(&sink_);
    device_.observe(&sink_);
  }
  void expect_balance() {
    const TimerCounters& c = device_.timer_counters();
    EXPECT_EQ(c.started, c.expired + c.cancelled + c.pending());
    EXPECT_EQ(c.pending(), 16u - device_.free_slots());
    const ControllerStatistics& s = device_.statistics();
    EXPECT_EQ(s.slots_bound, s.slots_released + (16u - device_.free_slots()));
  }
  void run_to(PicoSeconds when) { scheduler_.run_until(when); }
  static PicoSeconds edge(std::int64_t n) { return kClock * n; }
  /// Expected result of an event that is issued at edge `issue`.
  static Answer answer(std::int64_t issue, std::uint32_t flow, RateBits rate) {
    return {edge(issue + 64).count, flow, rate};
  }

  ControllerParameters parameters_ = test_parameters();
  Scheduler scheduler_;
  Sink sink_{scheduler_};
  ControllerModel device_{scheduler_, test::config_of(16), kRank, sink_};
};

TEST_F(ControllerModelTest, AnswersACnpTheLatencyAfterItsIssue) {
  run_to(PicoSeconds(123'457));
  device_.cnp(5, 0, 1);  // sampled at edge 31, issued at edge 32
  run_to(edge(32 + 64) - PicoSeconds(1));
  EXPECT_TRUE(sink_.answers.empty());
  run_to(edge(32 + 64));
  EXPECT_EQ(sink_.answers, (std::vector<Answer>{answer(32, 5, mbps(500))}));
}

TEST_F(ControllerModelTest, WhoBeginsToObserveIsNotToldOfWhatWasIssuedBefore) {
  device_.observe(nullptr);
  device_.cnp(5, 0, 1);
  run_to(edge(10));  // the CNP's event is issued, its effects are not computed yet
  device_.observe(&sink_);
  device_.cnp(6, 0, 1);
  run_to(edge(100));
  EXPECT_EQ(sink_.answers.size(), 2u);
  for (const auto& [change, flow] : sink_.changes) EXPECT_EQ(flow, 6u);
  EXPECT_FALSE(sink_.changes.empty());
}

TEST_F(ControllerModelTest, AnswersBytesTheLatencyAfterTheirIssue) {
  device_.cnp(5, 0, 1);
  run_to(edge(125));
  device_.bytes(5, 0, 10'001);
  run_to(edge(200));
  ASSERT_EQ(sink_.answers.size(), 2u);
  EXPECT_EQ(sink_.answers[1], answer(126, 5, mbps(750)));
}

TEST_F(ControllerModelTest, TimerIsIssuedSixteenEdgesIntoItsTick) {
  run_to(edge(998));  // edge 998 lies in tick 3
  EXPECT_EQ(device_.time(), 3u);
  device_.cnp(5, 0, 1);
  run_to(edge(13 * 250 + 16));
  EXPECT_EQ(sink_.changes.back().first, SlotChange::kCut);
  run_to(edge(13 * 250 + 17));
  EXPECT_EQ(sink_.changes.back().first, SlotChange::kTimerIncrease);
  EXPECT_EQ(device_.missed_latency(), 0u);
}

TEST_F(ControllerModelTest, TimerAnswerLeavesLatencyAfterItsIssue) {
  device_.cnp(5, 0, 1);
  run_to(kTick * 11);
  ASSERT_EQ(sink_.answers.size(), 2u);
  EXPECT_EQ(sink_.answers[1], answer(2516, 5, mbps(750)));
  EXPECT_EQ(device_.slot(0).timer_due, 20u);
}

TEST_F(ControllerModelTest, ACrowdedTickIsServedEveryEightEdgesInSlotOrder) {
  for (std::uint32_t flow = 10; flow < 26; ++flow) device_.cnp(flow, 0, 1);
  run_to(kTick * 10 - PicoSeconds(1));
  sink_.answers.clear();
  run_to(kTick * 11);
  ASSERT_EQ(sink_.answers.size(), 16u);
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(sink_.answers[i], answer(2516 + 8 * i, 10 + i, mbps(750)));
  }
  // events issued more than 32 cycles after the first one
  EXPECT_EQ(device_.missed_latency(), 11u);
  EXPECT_EQ(device_.timer_lateness_max(), 0u);  // all timer events are issued within their tick
}

TEST_F(ControllerModelTest, LatenessIsCountedInWholeTicks) {
  parameters_.tick_div = 64;
  device_.set_parameters(parameters_);
  for (std::uint32_t flow = 0; flow < 16; ++flow) device_.cnp(flow, 0, 1);
  run_to(edge(640 + 16 + 8 * 12));  // the twelfth event was issued eight cycles earlier
  EXPECT_EQ(device_.time(), 11u);
  EXPECT_EQ(device_.timer_counters().expired, 12u);
  EXPECT_EQ(device_.timer_lag(), 1u);
  run_to(edge(900));
  EXPECT_EQ(device_.timer_lateness_max(), 2u);  // the greatest lateness is 16 + 15 * 8 cycles
  EXPECT_EQ(device_.missed_latency(), 11u);
  EXPECT_EQ(device_.timer_lag(), 0u);
}

TEST_F(ControllerModelTest, ARestartMakesTheWheelsEventStale) {
  for (std::uint32_t flow = 0; flow < 8; ++flow) device_.cnp(flow, 0, 1);
  run_to(edge(2525));  // the timer events of flows 0 and 1 have been issued
  device_.cnp(7, 0, 1);
  run_to(kTick * 11);
  EXPECT_EQ(device_.timer_counters().expired, 7u);
  EXPECT_EQ(device_.timer_counters().cancelled, 1u);
  EXPECT_EQ(device_.slot(7).timer_due, 20u);
  EXPECT_EQ(device_.missed_latency(), 2u);  // a stale event does not count as late
  run_to(kTick * 21);
  EXPECT_EQ(device_.timer_counters().expired, 15u);
  expect_balance();
}

TEST_F(ControllerModelTest, ARestartToAnEarlierTickActsWhenTheEventBeforeIsDue) {
  parameters_.timer_interval = 1000;
  device_.set_parameters(parameters_);
  device_.cnp(5, 0, 1);
  run_to(edge(10));
  parameters_.timer_interval = 10;
  device_.set_parameters(parameters_);
  device_.cnp(5, 0, 1);
  run_to(kTick * 999);
  EXPECT_EQ(device_.timer_counters().expired, 0u);
  run_to(kTick * 1001);
  EXPECT_EQ(device_.timer_counters().expired, 1u);
}

TEST_F(ControllerModelTest, EventsOfOneFlowKeepTheirDistance) {
  device_.cnp(5, 0, 1);  // this CNP is issued at edge 1
  device_.cnp(5, 0, 1);  // this CNP is sampled at edge 1 and waits from edge 2 on
  device_.cnp(6, 0, 1);  // this CNP is sampled at edge 2
  run_to(edge(200));
  EXPECT_EQ(sink_.answers, (std::vector<Answer>{answer(1, 5, mbps(500)), answer(3, 6, mbps(500)),
                                                answer(33, 5, mbps(250))}));
}

TEST_F(ControllerModelTest, CnpGoesBeforeBytesAndTimer) {
  run_to(edge(250));
  device_.bytes(5, 0, 700);
  device_.cnp(5, 0, 1);
  run_to(edge(300));
  // only bytes after the slot was bound count
  EXPECT_EQ(device_.slot(0).parameters.pkt_length, 700u);
  EXPECT_EQ(device_.statistics().byte_notifications_unmatched, 0u);

  // A CNP arrives one edge before the timer event of its flow. The CNP is issued first and delays
  // the timer event.
  run_to(edge(11 * 250 + 15));
  device_.cnp(5, 0, 1);
  run_to(kTick * 13);
  EXPECT_EQ(device_.timer_counters().expired, 0u);
  EXPECT_EQ(device_.slot(0).timer_due, 21u);
}

TEST_F(ControllerModelTest, WaitingBytesOfAFlowAddUp) {
  device_.cnp(5, 0, 1);
  run_to(edge(250));
  device_.bytes(6, 0, 100);
  for (int i = 0; i < 3; ++i)
    device_.bytes(5, 0, 4'000);  // the second and third notifications wait behind the first
  run_to(edge(400));
  ASSERT_EQ(sink_.answers.size(), 2u);
  EXPECT_EQ(sink_.answers[1], answer(252 + 32, 5, mbps(750)));
  EXPECT_EQ(device_.slot(0).parameters.pkt_length, 2'000u);
  EXPECT_EQ(device_.slot(0).parameters.bc, 1);
  EXPECT_EQ(device_.statistics().byte_notifications, 4u);
}

TEST_F(ControllerModelTest, CnpsOfOneFlowAreJoinedAndNoneIsLost) {
  for (int i = 0; i < 100; ++i) device_.cnp(5, 0, 1);
  run_to(kTick * 9);
  EXPECT_EQ(device_.statistics().cnps_lost, 0u);
  EXPECT_EQ(device_.statistics().cnps_received, 100u);
  // joined CNPs are issued at edges 1, 33, 65, 97 and 129
  EXPECT_EQ(device_.statistics().cnps_coalesced, 95u);
  EXPECT_EQ(sink_.answers.size(), 5u);
}

// A CNP whose marks do not fit into a joined entry waits in the FIFO, and so do the CNPs behind it.
TEST_F(ControllerModelTest, ACnpThatFindsItsFifoFullIsLost) {
  for (int i = 0; i < 100; ++i) device_.cnp(5, 0, 200);
  run_to(kTick * 20);
  // CNPs leave the FIFO at edges 1, 2, 34, 66 and 98
  EXPECT_EQ(device_.statistics().cnps_lost, 100u - 64u - 5u);
  EXPECT_EQ(device_.statistics().cnps_received, 69u);
}

// A CNP of one flow at every second edge does not delay the bytes and timers of other flows.
TEST_F(ControllerModelTest, AFloodOfOneFlowsCnpsStopsNoOtherFlow) {
  for (std::uint32_t flow = 10; flow < 14; ++flow) device_.cnp(flow, 0, 1);
  for (std::int64_t n = 10; n < 3'000; ++n) {
    run_to(edge(n));
    if (n % 2 == 0) device_.cnp(5, 0, 1);
    if (n % 8 == 0) device_.bytes(10 + static_cast<std::uint32_t>(n / 8 % 4), 0, 1);
    if (n % 64 == 0) device_.bytes(5, 0, 1);
  }
  run_to(edge(3'100));
  EXPECT_EQ(device_.statistics().cnps_lost, 0u);
  EXPECT_EQ(device_.statistics().cnps_received, 4u + 1'495u);
  EXPECT_EQ(device_.statistics().byte_notifications, 373u + 46u);
  EXPECT_GE(device_.timer_counters().expired, 4u);
  EXPECT_LE(device_.timer_lateness_max(), 1u);
}

TEST_F(ControllerModelTest, BytesWaitForRoomAndNoneIsLost) {
  for (int i = 0; i < 200; ++i) device_.cnp(static_cast<std::uint32_t>(i), 0, 1);
  for (int i = 0; i < 200; ++i) device_.bytes(static_cast<std::uint32_t>(i), 0, 1);
  run_to(edge(200));
  EXPECT_EQ(device_.statistics().byte_notifications, 0u);
  run_to(kTick * 9);
  EXPECT_EQ(device_.statistics().byte_notifications, 200u);
  EXPECT_EQ(device_.statistics().cnps_lost, 0u);
}

TEST_F(ControllerModelTest, AReleasedFlowLosesItsSlotAndTheSlotItsEvent) {
  device_.cnp(5, 0, 1);
  run_to(edge(100));
  device_.release(5);
  device_.query(5);
  run_to(edge(300));
  EXPECT_FALSE(device_.slot_of(5).has_value());
  EXPECT_EQ(device_.statistics().slots_released, 1u);
  EXPECT_EQ(device_.timer_counters().pending(), 0u);
  EXPECT_EQ(device_.free_slots(), 15u);  // the slot becomes free when its timer event is issued
  ASSERT_EQ(sink_.queries.size(), 1u);
  EXPECT_FALSE(sink_.queries[0].second.has_value());
  run_to(kTick * 11);
  EXPECT_EQ(device_.free_slots(), 16u);
  EXPECT_EQ(device_.timer_counters().expired, 0u);
  EXPECT_EQ(sink_.answers.size(), 1u);
  EXPECT_TRUE(device_.idle());
}

TEST_F(ControllerModelTest, AQueryIsAnsweredWithTheSlotsRate) {
  device_.cnp(5, 0, 1);
  device_.query(5);  // sampled at edge 0, issued after the CNP has been written back
  run_to(edge(33 + 64) - PicoSeconds(1));
  EXPECT_TRUE(sink_.queries.empty());
  run_to(edge(33 + 64));
  ASSERT_EQ(sink_.queries.size(), 1u);
  EXPECT_EQ(sink_.queries[0].second->raw, mbps(500));
}

TEST_F(ControllerModelTest, DisabledItDropsNotificationsButLetsSlotsRecover) {
  device_.cnp(5, 0, 1);
  run_to(edge(10));
  parameters_.enable = false;
  device_.set_parameters(parameters_);
  run_to(edge(50));
  device_.cnp(6, 0, 1);
  device_.bytes(5, 0, 1'000);
  run_to(kTick * 1000);
  EXPECT_EQ(device_.statistics().cnps_received, 1u);
  EXPECT_EQ(device_.statistics().byte_notifications, 0u);
  EXPECT_EQ(device_.statistics().inputs_dropped, 0u);
  EXPECT_EQ(device_.statistics().slots_released, 1u);
  EXPECT_EQ(sink_.answers.back().rate, mbps(1000));
  EXPECT_TRUE(device_.idle());
  EXPECT_TRUE(scheduler_.empty());  // an idle controller schedules no events
}

TEST_F(ControllerModelTest, AWriteWaitsForWhatIsOnItsWay) {
  device_.cnp(5, 0, 1);  // this CNP is issued at edge 1
  run_to(edge(10));
  parameters_.rate.r_min = mbps(400);
  device_.set_parameters(parameters_);  // the register write takes effect at edge 1 + 32 + 2
  device_.cnp(6, 0, 1);
  run_to(edge(200));
  EXPECT_EQ(sink_.answers.back(), answer(36, 6, mbps(500)));
  run_to(edge(300));
  // no event is in flight, so the write takes effect at edge 301
  device_.set_parameters(parameters_);
  device_.cnp(7, 0, 1);
  run_to(edge(400));
  EXPECT_EQ(sink_.answers.back(), answer(302, 7, mbps(500)));
}

TEST_F(ControllerModelTest, AFullTableRaisesItsCauseEachTime) {
  for (std::uint32_t flow = 0; flow < 18; ++flow) device_.cnp(flow, 0, 1);
  run_to(edge(16 + 64));
  EXPECT_EQ(sink_.causes, 0u);
  run_to(edge(18 + 64));
  EXPECT_EQ(sink_.causes, kCauseTableFull);
  EXPECT_EQ(sink_.cause_calls, 2);
  EXPECT_EQ(device_.statistics().cnps_dropped_no_slot, 2u);
  EXPECT_EQ(device_.free_slots(), 0u);
}

TEST_F(ControllerModelTest, SoftResetTakesItsCyclesAndForgetsEverything) {
  run_to(edge(100));
  device_.cnp(5, 0, 1);
  device_.cnp(6, 0, 1);
  device_.bytes(5, 0, 100);
  run_to(edge(105));
  // events are issued at edges 101 and 102, and the reset takes effect at edge 136
  device_.soft_reset();
  EXPECT_FALSE(device_.ready());  // software's write ends only after the reset has begun
  run_to(edge(140));
  EXPECT_FALSE(device_.ready());
  device_.cnp(7, 0, 1);
  device_.bytes(7, 0, 1);
  run_to(edge(136 + 16 + 16));
  device_.cnp(8, 0, 1);  // the CNP arrives at the last edge of the reset
  run_to(edge(136 + 16 + 17));
  EXPECT_TRUE(device_.ready());
  EXPECT_TRUE(device_.idle());
  EXPECT_FALSE(device_.slot(0).flow.has_value());
  EXPECT_EQ(device_.statistics().cnps_received, 0u);
  EXPECT_EQ(device_.statistics().inputs_dropped, 3u);
  run_to(kTick * 3);
  EXPECT_TRUE(sink_.answers.empty());
  EXPECT_EQ(device_.time(), 3u);  // a soft reset does not reset the tick counter
  device_.cnp(6, 0, 1);
  run_to(kTick * 4);
  EXPECT_EQ(device_.slot_of(6), 0u);
  expect_balance();
}

// An input that was sampled before a register write takes effect must not delay the write until the
// next input arrives.
TEST_F(ControllerModelTest, ASoftResetOfADisabledControllerIsSeenThoughNothingComes) {
  device_.cnp(5, 0, 1);
  run_to(edge(100));
  parameters_.enable = false;
  device_.set_parameters(parameters_);
  run_to(edge(200));
  device_.soft_reset();
  device_.bytes(5, 0, 100);
  run_to(edge(201));
  device_.bytes(5, 0, 100);
  run_to(edge(202));
  EXPECT_EQ(device_.free_slots(), 15u);
  run_to(edge(1000));
  EXPECT_TRUE(device_.ready());
  EXPECT_EQ(device_.free_slots(), 16u);
  EXPECT_EQ(device_.statistics().cnps_received, 0u);
}

TEST_F(ControllerModelTest, ANewTickLengthMovesWhatIsPending) {
  device_.cnp(5, 0, 1);  // the timer of this flow expires at tick 10
  run_to(kTick * 4);
  parameters_.tick_div = 500;
  device_.set_parameters(parameters_);  // takes effect at edge 1001; a new tick begins at edge 1002
  run_to(edge(1001 + 6 * 500));
  EXPECT_EQ(device_.time(), 9u);
  run_to(edge(1002 + 6 * 500 + 16));
  EXPECT_EQ(device_.time(), 10u);
  EXPECT_EQ(device_.timer_counters().expired, 0u);
  run_to(edge(1002 + 6 * 500 + 17));
  EXPECT_EQ(device_.timer_counters().expired, 1u);
}

TEST_F(ControllerModelTest, RetunedParametersActFromTheNextIssue) {
  device_.cnp(5, 0, 1);
  run_to(edge(100));
  parameters_.timer_interval = 3;
  parameters_.rate.r_min = mbps(400);
  device_.set_parameters(parameters_);
  run_to(kTick * 9);
  EXPECT_EQ(device_.timer_counters().expired, 0u);  // the old timer interval has not ended
  device_.cnp(5, 0, 1);
  run_to(edge(9 * 250 + 10));
  EXPECT_EQ(device_.slot(0).parameters.rc, mbps(400));
  run_to(kTick * 13);
  EXPECT_EQ(device_.timer_counters().expired, 1u);
}

TEST_F(ControllerModelTest, AShorterIntervalIsServedBeforeTheOldOnes) {
  parameters_.timer_interval = 1000;
  device_.set_parameters(parameters_);
  device_.cnp(5, 0, 1);
  run_to(edge(10));
  parameters_.timer_interval = 10;
  device_.set_parameters(parameters_);
  device_.cnp(6, 0, 1);
  run_to(kTick * 11);
  EXPECT_EQ(device_.timer_counters().expired, 1u);
  EXPECT_EQ(sink_.answers.back(), answer(2516, 6, mbps(750)));
}

TEST_F(ControllerModelTest, SlotViewShowsWhatIsThere) {
  device_.cnp(0xABCDEF, 46, 1);
  run_to(kTick);
  device_.bytes(0xABCDEF, 46, 1500);
  run_to(kTick * 2);
  const SlotView view = device_.slot(0);
  EXPECT_EQ(view.flow, 0xABCDEFu);
  EXPECT_EQ(view.parameters.rc, mbps(500));
  EXPECT_EQ(view.parameters.pkt_length, 1500u);
  EXPECT_EQ(view.timer_due, 10u);
  EXPECT_FALSE(device_.slot(1).flow.has_value());
  EXPECT_FALSE(device_.slot(1).timer_due.has_value());
}

TEST_F(ControllerModelTest, ManyAnswersKeepTheirOrderOneACycle) {
  for (std::uint32_t i = 0; i < 5 * 16; ++i) {
    if (i % 16 == 0) run_to(edge(i / 16 * 60));
    device_.cnp(i % 16, 0, 1);
  }
  run_to(kTick * 2);
  ASSERT_EQ(sink_.answers.size(), 80u);
  for (std::uint32_t i = 0; i < 80; ++i) {
    EXPECT_EQ(sink_.answers[i].flow, i % 16);
    EXPECT_EQ(sink_.answers[i].when, edge(i / 16 * 60 + 1 + i % 16 + 64).count);
  }
}

TEST(ControllerModelConfig, RefusesWhatCannotBe) {
  Scheduler scheduler;
  Sink sink(scheduler);
  const auto make = [&](const ControllerConfig& config) {
    ControllerModel(scheduler, config, kRank, sink);
  };
  EXPECT_THROW(make(test::config_of(0)), std::invalid_argument);
  EXPECT_THROW(make(test::config_of(16385)), std::invalid_argument);
  ControllerConfig stopped = test::config_of(16);
  stopped.clock = Frequency(0);
  EXPECT_THROW(make(stopped), std::invalid_argument);
  EXPECT_THROW(make(test::config_of(16, 31)), std::invalid_argument);
  EXPECT_THROW(make(test::config_of(16, 256)), std::invalid_argument);
  EXPECT_NO_THROW(make(test::config_of(16384, 255)));
  EXPECT_NO_THROW(make(test::config_of(16, 32)));
}

/// Tests a full table whose timers all expire on one tick. The timers are started close to that
/// tick or at the distance of the wheel's top level.
class ControllerModelCrowd : public testing::TestWithParam<Ticks> {};

TEST_P(ControllerModelCrowd, TheLastOfAThousandIsLateByTheServiceTimeOnly) {
  Scheduler scheduler;
  Sink sink(scheduler);
  ControllerModel device(scheduler, test::config_of(1024), kRank, sink);
  ControllerParameters p = test_parameters();
  p.timer_interval = GetParam();
  device.set_parameters(p);
  // One slot is bound per cycle, so most timers start in tick 0, and all within the first five
  // ticks.
  for (std::uint32_t flow = 0; flow < 1024; ++flow) device.cnp(flow, 0, 1);
  scheduler.run_until(kTick * GetParam() - PicoSeconds(1));
  EXPECT_EQ(device.timer_counters().expired, 0u);
  scheduler.run_until(kTick * (GetParam() + 40));
  // The timers expire in five ticks: 249, 250, 250, 250 and 25 timers. Timer events are issued 8
  // cycles apart, and 4 cycles later at a new tick. The last event of the fourth tick is issued
  // 18'012 - 10'000 cycles after the first tick began.
  EXPECT_EQ(device.timer_lateness_max(), 29u);
  EXPECT_EQ(device.missed_latency(), 1019u);  // all timer events except the first five
  EXPECT_EQ(device.timer_counters().expired, 1024u);
  EXPECT_EQ(device.timer_lag(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Distances, ControllerModelCrowd, testing::Values(30, 1000, 60000));

}  // namespace
}  // namespace dcc
