// The controller in time: latency, service of the timers, order within an instant, live changes.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "controller/controller_device.h"
#include "controller_device_fixture.h"

namespace dcc {
namespace {

using namespace test;

class ControllerDeviceTest : public testing::Test {
 protected:
  ControllerDeviceTest() {
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

  ControllerParameters parameters_ = test_parameters();
  Scheduler scheduler_;
  Sink sink_{scheduler_};
  ControllerDevice device_{scheduler_, test::config_of(16), kRank, sink_};
};

TEST_F(ControllerDeviceTest, AnswersACnpAfterTheLatency) {
  run_to(PicoSeconds(123'457));
  device_.cnp(5, 0, 1);
  run_to(PicoSeconds(123'456) + kLatency);
  EXPECT_TRUE(sink_.answers.empty());
  run_to(PicoSeconds(123'457) + kLatency);
  EXPECT_EQ(sink_.answers, (std::vector<Answer>{{123'457 + 256'000, 5, mbps(500)}}));
}

TEST_F(ControllerDeviceTest, AnswersBytesAfterTheLatency) {
  device_.cnp(5, 0, 1);
  run_to(PicoSeconds(500'000));
  device_.bytes(5, 0, 10'001);
  run_to(PicoSeconds(800'000));
  ASSERT_EQ(sink_.answers.size(), 2u);
  EXPECT_EQ(sink_.answers[1], (Answer{756'000, 5, mbps(750)}));
}

TEST_F(ControllerDeviceTest, TimerIsTakenWhenItsTickBegins) {
  run_to(PicoSeconds(3'999'999));  // still tick 3
  EXPECT_EQ(device_.time(), 3u);
  device_.cnp(5, 0, 1);
  run_to(kTick * 13 - PicoSeconds(1));
  EXPECT_EQ(sink_.changes.back().first, SlotChange::kCut);
  run_to(kTick * 13);
  EXPECT_EQ(sink_.changes.back().first, SlotChange::kTimerIncrease);
  EXPECT_EQ(device_.missed_latency(), 0u);
}

TEST_F(ControllerDeviceTest, TimerAnswerLeavesLatencyAfterTheTickBegan) {
  device_.cnp(5, 0, 1);
  run_to(kTick * 11);
  ASSERT_EQ(sink_.answers.size(), 2u);
  EXPECT_EQ(sink_.answers[1], (Answer{10'000'000 + 256'000, 5, mbps(750)}));
  EXPECT_EQ(device_.slot(0).timer_due, 20u);
}

TEST_F(ControllerDeviceTest, ACrowdedTickIsServedEveryFourCyclesInSlotOrder) {
  for (std::uint32_t flow = 10; flow < 26; ++flow) device_.cnp(flow, 0, 1);
  run_to(kTick * 10 - PicoSeconds(1));
  sink_.answers.clear();
  run_to(kTick * 11);
  ASSERT_EQ(sink_.answers.size(), 16u);
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(sink_.answers[i], (Answer{10'000'000 + 256'000 + 16'000 * i, 10 + i, mbps(750)}));
  }
  EXPECT_EQ(device_.missed_latency(), 15u);
  EXPECT_EQ(device_.timer_lateness_max(), 0u);  // all within their tick
}

TEST_F(ControllerDeviceTest, LatenessIsCountedInWholeTicks) {
  parameters_.tick_div = 8;  // two expiries a tick
  device_.set_parameters(parameters_);
  for (std::uint32_t flow = 0; flow < 16; ++flow) device_.cnp(flow, 0, 1);
  run_to(PicoSeconds(32'000) * 10 + PicoSeconds(16'000) * 5);
  EXPECT_EQ(device_.time(), 12u);
  EXPECT_EQ(device_.timer_lag(), 2u);  // ten are left of tick 10
  run_to(PicoSeconds(32'000) * 10 + PicoSeconds(16'000) * 15);
  EXPECT_EQ(device_.timer_lateness_max(), 7u);
  EXPECT_EQ(device_.missed_latency(), 15u);
  EXPECT_EQ(device_.timer_lag(), 0u);
}

TEST_F(ControllerDeviceTest, ARestartWinsOverAnExpiryNotYetTaken) {
  for (std::uint32_t flow = 0; flow < 4; ++flow) device_.cnp(flow, 0, 1);
  run_to(kTick * 10 + PicoSeconds(20'000));  // flows 0 and 1 have been taken
  device_.cnp(3, 0, 1);
  run_to(kTick * 11);
  EXPECT_EQ(device_.timer_counters().expired, 3u);
  EXPECT_EQ(device_.slot(3).timer_due, 20u);
  expect_balance();
}

TEST_F(ControllerDeviceTest, CnpGoesBeforeTheTimerOfItsInstant) {
  device_.cnp(5, 0, 1);
  run_to(kTick * 10 - PicoSeconds(1));
  Event notify([](void* d) { static_cast<ControllerDevice*>(d)->cnp(5, 0, 1); }, &device_, 1);
  scheduler_.schedule_at(notify, kTick * 10);
  run_to(kTick * 10);
  EXPECT_EQ(device_.timer_counters().expired, 0u);  // the cut restarted it
  EXPECT_EQ(device_.slot(0).timer_due, 20u);
}

TEST_F(ControllerDeviceTest, CnpGoesBeforeBytesOfItsInstant) {
  run_to(kTick);
  device_.bytes(5, 0, 700);
  device_.cnp(5, 0, 1);
  run_to(kTick + PicoSeconds(1));
  EXPECT_EQ(device_.slot(0).parameters.pkt_length, 700u);  // it counts after the binding
  EXPECT_EQ(device_.statistics().byte_notifications_unmatched, 0u);

  // A cut clears the length; the bytes of its instant count afterwards, whatever came first.
  device_.bytes(5, 0, 10'000);
  device_.cnp(5, 0, 1);
  run_to(kTick * 2);
  EXPECT_EQ(device_.slot(0).parameters.pkt_length, 10'000u);
  EXPECT_EQ(device_.slot(0).parameters.bc, 0);
}

TEST_F(ControllerDeviceTest, ABindingOfTheSameInstantCanMakeBytesAnswer) {
  run_to(kTick);
  device_.bytes(5, 0, 10'001);
  device_.cnp(5, 0, 1);
  run_to(kTick * 2);
  ASSERT_EQ(sink_.answers.size(), 2u);
  EXPECT_EQ(sink_.answers[1], (Answer{1'256'000, 5, mbps(750)}));
}

TEST_F(ControllerDeviceTest, TimerGoesBeforeBytesOfItsInstant) {
  device_.cnp(5, 0, 1);
  run_to(kTick * 10 - PicoSeconds(1));
  Event notify([](void* d) { static_cast<ControllerDevice*>(d)->bytes(5, 0, 10'001); }, &device_,
               1);
  scheduler_.schedule_at(notify, kTick * 10);
  run_to(kTick * 10);
  ASSERT_EQ(sink_.changes.size(), 4u);
  EXPECT_EQ(sink_.changes[2].first, SlotChange::kTimerIncrease);
  EXPECT_EQ(sink_.changes[3].first, SlotChange::kByteIncrease);
}

TEST_F(ControllerDeviceTest, SeveralBytesOfOneInstantAddUp) {
  device_.cnp(5, 0, 1);
  run_to(kTick);
  device_.bytes(5, 0, 6'000);
  device_.bytes(5, 0, 6'000);
  run_to(kTick * 2);
  ASSERT_EQ(sink_.answers.size(), 2u);
  EXPECT_EQ(sink_.answers[1].when, 1'256'000);
  EXPECT_EQ(device_.slot(0).parameters.pkt_length, 2'000u);
}

TEST_F(ControllerDeviceTest, DisabledItDropsNotificationsButLetsSlotsRecover) {
  device_.cnp(5, 0, 1);
  parameters_.enable = false;
  device_.set_parameters(parameters_);
  device_.cnp(6, 0, 1);
  device_.bytes(5, 0, 1'000);
  run_to(kTick * 1000);
  EXPECT_EQ(device_.statistics().cnps_received, 1u);
  EXPECT_EQ(device_.statistics().byte_notifications, 0u);
  EXPECT_EQ(device_.statistics().slots_released, 1u);
  EXPECT_EQ(sink_.answers.back().rate, mbps(1000));
  EXPECT_TRUE(device_.idle());
  EXPECT_TRUE(scheduler_.empty());  // nothing keeps running for nothing
}

TEST_F(ControllerDeviceTest, AFullTableRaisesItsCauseEachTime) {
  for (std::uint32_t flow = 0; flow < 16; ++flow) device_.cnp(flow, 0, 1);
  EXPECT_EQ(sink_.causes, 0u);
  device_.cnp(16, 0, 1);
  device_.cnp(17, 0, 1);
  EXPECT_EQ(sink_.causes, kCauseTableFull);
  EXPECT_EQ(sink_.cause_calls, 2);
  EXPECT_EQ(device_.statistics().cnps_dropped_no_slot, 2u);
  EXPECT_EQ(device_.free_slots(), 0u);
}

TEST_F(ControllerDeviceTest, SoftResetDropsAnswersOnTheWayAndEverythingBound) {
  device_.cnp(5, 0, 1);
  device_.cnp(6, 0, 1);
  device_.bytes(5, 0, 100);
  device_.soft_reset();
  EXPECT_TRUE(scheduler_.empty());
  EXPECT_TRUE(device_.idle());
  EXPECT_FALSE(device_.slot(0).flow.has_value());
  EXPECT_EQ(device_.statistics().cnps_received, 0u);
  run_to(kTick * 3);
  EXPECT_TRUE(sink_.answers.empty());
  EXPECT_EQ(device_.time(), 3u);  // time goes on
  device_.cnp(6, 0, 1);
  EXPECT_EQ(device_.slot_of(6), 0u);
  expect_balance();
}

TEST_F(ControllerDeviceTest, ANewTickLengthMovesWhatIsPending) {
  device_.cnp(5, 0, 1);  // due at tick 10
  run_to(kTick * 4);
  parameters_.tick_div = 500;
  device_.set_parameters(parameters_);
  EXPECT_EQ(device_.time(), 4u);
  run_to(kTick * 16 - PicoSeconds(1));
  EXPECT_EQ(device_.time(), 9u);
  EXPECT_EQ(device_.timer_counters().expired, 0u);
  run_to(kTick * 16);  // tick 4 began anew, six ticks of 2 µs
  EXPECT_EQ(device_.timer_counters().expired, 1u);
  parameters_.tick_div = 25;  // and faster again
  device_.set_parameters(parameters_);
  run_to(kTick * 17);
  EXPECT_EQ(device_.timer_counters().expired, 2u);
}

TEST_F(ControllerDeviceTest, RetunedParametersActFromTheNextNotification) {
  device_.cnp(5, 0, 1);
  parameters_.timer_interval = 3;
  parameters_.rate.r_min = mbps(400);
  device_.set_parameters(parameters_);
  run_to(kTick * 9);
  EXPECT_EQ(device_.timer_counters().expired, 0u);  // the old interval is still running
  device_.cnp(5, 0, 1);
  EXPECT_EQ(device_.slot(0).parameters.rc, mbps(400));
  run_to(kTick * 12);
  EXPECT_EQ(device_.timer_counters().expired, 1u);
}

TEST_F(ControllerDeviceTest, AShorterIntervalIsServedBeforeTheOldOnes) {
  parameters_.timer_interval = 1000;
  device_.set_parameters(parameters_);
  device_.cnp(5, 0, 1);
  parameters_.timer_interval = 10;
  device_.set_parameters(parameters_);
  device_.cnp(6, 0, 1);
  run_to(kTick * 11);
  EXPECT_EQ(device_.timer_counters().expired, 1u);
  EXPECT_EQ(sink_.answers.back(), (Answer{10'256'000, 6, mbps(750)}));
}

TEST_F(ControllerDeviceTest, SlotViewShowsWhatIsThere) {
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

TEST_F(ControllerDeviceTest, ManyAnswersAtOnceKeepTheirOrder) {
  for (int round = 0; round < 5; ++round) {
    for (std::uint32_t flow = 0; flow < 16; ++flow) device_.cnp(flow, 0, 1);
    run_to(scheduler_.now() + PicoSeconds(1'000));
  }
  run_to(kTick);
  ASSERT_EQ(sink_.answers.size(), 80u);
  for (std::uint32_t i = 0; i < 80; ++i) {
    EXPECT_EQ(sink_.answers[i].flow, i % 16);
    EXPECT_EQ(sink_.answers[i].when, 256'000 + 1'000 * (i / 16));
  }
}

TEST(ControllerDeviceConfig, RefusesWhatCannotBe) {
  Scheduler scheduler;
  Sink sink(scheduler);
  const auto make = [&](const ControllerConfig& config) {
    ControllerDevice(scheduler, config, kRank, sink);
  };
  EXPECT_THROW(make(test::config_of(0)), std::invalid_argument);
  EXPECT_THROW(make(test::config_of(16385)), std::invalid_argument);
  ControllerConfig stopped = test::config_of(16);
  stopped.clock = Frequency(0);
  EXPECT_THROW(make(stopped), std::invalid_argument);
  EXPECT_THROW(make(test::config_of(16, 0)), std::invalid_argument);
  EXPECT_THROW(make(test::config_of(16, 256)), std::invalid_argument);
  EXPECT_NO_THROW(make(test::config_of(16384, 255)));
}

/// A full table whose timers all meet on one tick, started near it or at the top level's distance.
class ControllerDeviceCrowd : public testing::TestWithParam<Ticks> {};

TEST_P(ControllerDeviceCrowd, TheLastOfAThousandIsLateByTheServiceTimeOnly) {
  Scheduler scheduler;
  Sink sink(scheduler);
  ControllerDevice device(scheduler, test::config_of(1024), kRank, sink);
  ControllerParameters p = test_parameters();
  p.timer_interval = GetParam();
  device.set_parameters(p);
  for (std::uint32_t flow = 0; flow < 1024; ++flow) device.cnp(flow, 0, 1);
  scheduler.run_until(kTick * GetParam() - PicoSeconds(1));
  EXPECT_EQ(device.timer_counters().expired, 0u);
  scheduler.run_until(kTick * (GetParam() + 20));
  // 1023 · 4 cycles = 16.4 µs after the tick began.
  EXPECT_EQ(device.timer_lateness_max(), 16u);
  EXPECT_EQ(device.missed_latency(), 1023u);
  EXPECT_EQ(device.timer_counters().expired, 1024u);
  EXPECT_EQ(device.timer_lag(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Distances, ControllerDeviceCrowd, testing::Values(30, 1000, 60000));

}  // namespace
}  // namespace dcc
