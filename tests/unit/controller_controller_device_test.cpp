// The controller in time: latency, service of the timers, order within an instant, live changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "../fuzz/wheel_oracle.h"
#include "controller/controller_device.h"
#include "controller/rate_unit.h"
#include "controller_tables.h"

namespace dcc {
namespace {

constexpr RateBits mbps(std::uint32_t rate) { return rate << 8; }
constexpr PicoSeconds kClock{4'000};
constexpr PicoSeconds kTick{1'000'000};   // 250 cycles
constexpr PicoSeconds kLatency{256'000};  // 64 cycles
constexpr std::uint32_t kRank = 1000;

struct Answer {
  std::int64_t when;
  std::uint32_t flow;
  RateBits rate;
  bool operator==(const Answer& o) const {
    return std::tie(when, flow, rate) == std::tie(o.when, o.flow, o.rate);
  }
};
std::ostream& operator<<(std::ostream& out, const Answer& a) {
  return out << "flow " << a.flow << " rate " << a.rate << " at " << a.when << " ps";
}

class Sink final : public RateSink, public CauseSink, public SlotObserver {
 public:
  explicit Sink(Scheduler& scheduler) : scheduler_(scheduler) {}
  void rate_calculated(std::uint32_t flow, Rate rate) override {
    answers.push_back({scheduler_.now().count, flow, rate.raw});
  }
  void causes_raised(std::uint32_t raised) override { causes |= raised, ++cause_calls; }
  void slot_changed(SlotIndex, std::uint32_t flow, SlotChange change) override {
    changes.push_back({change, flow});
  }
  std::vector<Answer> answers;
  std::vector<std::pair<SlotChange, std::uint32_t>> changes;
  std::uint32_t causes = 0;
  int cause_calls = 0;

 private:
  Scheduler& scheduler_;
};

ControllerParameters test_parameters() {
  ControllerParameters p;
  p.enable = true;
  p.rate.r_max = p.initial_rate = mbps(1000);
  p.decrease_period = 0;
  p.timer_interval = 10;
  p.byte_threshold = 10'000;
  return p;
}

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
  ControllerDevice device_{scheduler_, {16, kClock, 64}, kRank, sink_};
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
  EXPECT_THROW(make({0, kClock, 64}), std::invalid_argument);
  EXPECT_THROW(make({16385, kClock, 64}), std::invalid_argument);
  EXPECT_THROW(make({16, PicoSeconds(0), 64}), std::invalid_argument);
  EXPECT_THROW(make({16, kClock, 0}), std::invalid_argument);
  EXPECT_THROW(make({16, kClock, 256}), std::invalid_argument);
  EXPECT_NO_THROW(make({16384, kClock, 255}));
}

/// A full table whose timers all meet on one tick, started near it or at the top level's distance.
class ControllerDeviceCrowd : public testing::TestWithParam<Ticks> {};

TEST_P(ControllerDeviceCrowd, TheLastOfAThousandIsLateByTheServiceTimeOnly) {
  Scheduler scheduler;
  Sink sink(scheduler);
  ControllerDevice device(scheduler, {1024, kClock, 64}, kRank, sink);
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

// ---------------------------------------------------------------- against a plain device

/// The oracle of the wheel as a timing engine.
class PlainTimers final : public TimerEngine {
 public:
  explicit PlainTimers(std::uint32_t slots) : slots_(slots), oracle_(slots) {}
  std::optional<Tick> next_due(Tick) override { return oracle_.next_due(); }
  bool is_started(SlotIndex slot) const override { return oracle_.due(slot).has_value(); }
  std::optional<std::uint32_t> stored_due(SlotIndex) const override { return std::nullopt; }
  Tick lag(Tick now) override { return oracle_.lag(now); }

 private:
  bool do_start(SlotIndex slot, Ticks delay, Tick now) override {
    const bool replaces = oracle_.due(slot).has_value();
    oracle_.start(slot, delay, now);
    return replaces;
  }
  bool do_cancel(SlotIndex slot, Tick) override { return oracle_.cancel(slot); }
  std::optional<TimerExpiry> do_take_expired(Tick now) override {
    const auto first = oracle_.take(now);
    if (!first.has_value()) return std::nullopt;
    return TimerExpiry{first->second, first->first};
  }
  void do_reset(Tick) override { oracle_ = test::WheelOracle(slots_); }
  std::uint32_t slots_;
  test::WheelOracle oracle_;
};

struct Input {
  std::int64_t when;
  bool is_cnp;
  std::uint32_t flow;
  std::uint32_t length;
};

/// Goes from instant to instant: all CNPs, one expiry if one may be taken, all bytes.
std::vector<Answer> plain_device(const std::vector<Input>& inputs, const ControllerParameters& p,
                                 std::uint32_t slots, std::int64_t end) {
  RateUnit rates;
  PlainTimers timers(slots);
  CongestionManager manager(slots, rates, timers);
  manager.set_parameters(p);
  test::make_dcqcn_tables(
      256, [&](RateTable t, std::uint32_t i, std::uint32_t w) { manager.write_table(t, i, w); });
  const std::int64_t tick = kClock.count * p.tick_div;
  std::vector<Answer> answers;
  std::int64_t service_from = 0;
  std::size_t next = 0;
  for (;;) {
    std::int64_t now = next < inputs.size() ? inputs[next].when : end + 1;
    if (const auto due = timers.next_due(0)) {
      now = std::min(now, std::max(service_from, static_cast<std::int64_t>(*due) * tick));
    }
    if (now > end) return answers;
    const auto answer = [&](const std::optional<RateAnswer>& a) {
      if (a.has_value()) answers.push_back({now + kLatency.count, a->flow, a->rate.raw});
    };
    const auto now_tick = static_cast<Tick>(now / tick);
    const std::size_t first = next;
    while (next < inputs.size() && inputs[next].when == now) ++next;
    for (std::size_t i = first; i < next; ++i) {
      if (inputs[i].is_cnp) answer(manager.cnp(inputs[i].flow, 0, 1, now_tick));
    }
    if (now >= service_from) {
      if (const auto expiry = timers.take_expired(now_tick)) {
        service_from = now + 4 * kClock.count;
        answer(manager.timer(expiry->slot, now_tick));
      }
    }
    for (std::size_t i = first; i < next; ++i) {
      if (!inputs[i].is_cnp) answer(manager.bytes(inputs[i].flow, 0, inputs[i].length));
    }
  }
}

/// Calls the device for each input, at its time and below the device's rank.
class Driver {
 public:
  Driver(Scheduler& scheduler, ControllerDevice& device, const std::vector<Input>& inputs)
      : scheduler_(scheduler), device_(device), inputs_(inputs) {
    if (!inputs.empty()) scheduler_.schedule_at(event_, PicoSeconds(inputs[0].when));
  }

 private:
  void call() {
    const Input& input = inputs_[next_++];
    if (input.is_cnp) {
      device_.cnp(input.flow, 0, 1);
    } else {
      device_.bytes(input.flow, 0, input.length);
    }
    if (next_ < inputs_.size()) scheduler_.schedule_at(event_, PicoSeconds(inputs_[next_].when));
  }
  Scheduler& scheduler_;
  ControllerDevice& device_;
  const std::vector<Input>& inputs_;
  std::size_t next_ = 0;
  Event event_ = Event::calling<&Driver::call>(*this, 1);
};

class ControllerDeviceRandom : public testing::TestWithParam<int> {};

TEST_P(ControllerDeviceRandom, AnswersLikeThePlainDevice) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  constexpr std::uint32_t kSlots = 64;
  ControllerParameters p = test_parameters();
  p.tick_div = GetParam() % 2 == 0 ? 4 : 25;  // 16 ns or 100 ns: crowds and lag
  p.timer_interval = 1 + random() % 200;
  p.timer_restart = random() % 2 == 0;
  p.decrease_period = random() % 20;
  p.rate.r_ai = mbps(1 + random() % 50);
  std::vector<Input> inputs;
  std::int64_t now = 0;
  for (int i = 0; i < 40'000; ++i) {
    // A grid of half a service time: many inputs meet on one instant and on ticks.
    if (random() % 3 != 0) now += 8'000 * (random() % 12);
    if (random() % 2000 == 0) now += 20'000'000;
    inputs.push_back({now, random() % 4 == 0, static_cast<std::uint32_t>(random() % 80),
                      static_cast<std::uint32_t>(random() % 6000)});
  }
  const std::int64_t end = now + 1'000'000'000;
  const std::vector<Answer> wanted = plain_device(inputs, p, kSlots, end);
  ASSERT_GT(wanted.size(), 5000u);

  Scheduler scheduler;
  Sink sink(scheduler);
  ControllerDevice device(scheduler, {kSlots, kClock, 64}, kRank, sink);
  device.set_parameters(p);
  test::make_dcqcn_tables(
      256, [&](RateTable t, std::uint32_t i, std::uint32_t w) { device.write_table(t, i, w); });
  Driver driver(scheduler, device, inputs);
  scheduler.run_until(PicoSeconds(end) + kLatency);
  ASSERT_EQ(sink.answers.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(sink.answers[i], wanted[i]) << i;
  EXPECT_GT(device.missed_latency(), 0u);
  EXPECT_GT(device.statistics().slots_released, 0u);
  EXPECT_GT(device.statistics().cnps_dropped_no_slot, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ControllerDeviceRandom, testing::Range(1, 9));

}  // namespace
}  // namespace dcc
