// The controller in time against a plain device that goes from instant to instant.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "../fuzz/wheel_oracle.h"
#include "controller/controller_device.h"
#include "controller/rate_unit.h"
#include "controller_device_fixture.h"

namespace dcc {
namespace {

using namespace test;

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
  void do_reset(Tick) override { oracle_ = WheelOracle(slots_); }
  std::uint32_t slots_;
  WheelOracle oracle_;
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
  make_dcqcn_tables(
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
  ControllerDevice device(scheduler, test::config_of(kSlots), kRank, sink);
  device.set_parameters(p);
  make_dcqcn_tables(
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
