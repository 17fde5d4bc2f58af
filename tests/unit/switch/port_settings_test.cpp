// Tests how settings of the switch, of priorities and of exceptions combine to the settings of a
// port, and how the switch gets them.
#include "switch/port_settings.h"

#include <gtest/gtest.h>

#include "switch/switch_device.h"
#include "unit/switch/test_devices.h"

namespace dcc::port_settings_test {
namespace {

constexpr BitRate k100G(100'000'000'000);

/// Parameters of which every member has a different value for each `step`.
PriorityParameters all_set(int step) {
  PriorityParameters one;
  one.lossy = step % 2 != 0;
  one.limit = 10'000 + step;
  one.reserved = 20'000 + step;
  one.pool = step % 2 != 0 ? "a" : "b";
  one.headroom = 30'000 + step;
  one.resume_below = 40'000 + step;
  one.resume_at = 50'000 + step;
  one.queue.limit = 60'000 + step;
  one.marking.enabled = step % 2 != 0;
  one.marking.kmin = 70'000 + step;
  one.marking.kmax = 80'000 + step;
  one.marking.pmax = Ratio(1, static_cast<unsigned>(step));
  one.wred_drops = step % 2 != 0;
  return one;
}

void expect_step(const PortSettings& of, int step) {
  ASSERT_TRUE(of.rules[3]);
  const ClassRules& rules = *of.rules[3];
  const PortSettings::Queue& queue = of.queues[3];
  const bool odd = step % 2 != 0;
  EXPECT_EQ((of.lossless >> 3 & 1) != 0, !odd);
  EXPECT_EQ(rules.limit, 10'000 + step);
  EXPECT_EQ(rules.reserved, 20'000 + step);
  EXPECT_EQ(rules.pool, odd ? 1 : 2);
  EXPECT_EQ(of.headroom[3], 30'000 + step);
  EXPECT_EQ(rules.resume_below, 40'000 + step);
  EXPECT_EQ(rules.resume_at, 50'000 + step);
  EXPECT_EQ(queue.limit, 60'000 + step);
  EXPECT_EQ(queue.pool, odd ? 1 : 2);
  EXPECT_EQ(queue.ecn.enabled, odd);
  EXPECT_EQ(queue.ecn.kmin, 70'000 + step);
  EXPECT_EQ(queue.ecn.kmax, 80'000 + step);
  EXPECT_EQ(queue.ecn.pmax.denominator, static_cast<std::uint64_t>(step));
  EXPECT_EQ(queue.drops, odd);
}

TEST(PortSettings, EveryValueOfALaterExceptionReplacesAnEarlierOne) {
  SwitchParameters parameters;
  parameters.pools = {{"a", 1'000}, {"b", 1'000}};
  parameters.priorities[3] = all_set(2);
  expect_step(port_settings(parameters, k100G, {}, 7), 2);
  PortException first;
  PortException second;
  first.priorities[3] = all_set(3);
  second.priorities[3] = all_set(4);
  expect_step(port_settings(parameters, k100G, {&first}, 7), 3);
  expect_step(port_settings(parameters, k100G, {&first, &second}, 7), 4);
  expect_step(port_settings(parameters, k100G, {&second, &first}, 7), 3);
  second.priorities[3] = {};
  expect_step(port_settings(parameters, k100G, {&first, &second}, 7), 3);
}

TEST(PortSettings, MarkingOfALaterExceptionReplacesThatOfAnEarlierOne) {
  PortException first;
  PortException second;
  first.marking.kmax = 5'000'000;
  second.marking.kmax = 6'000'000;
  EXPECT_EQ(port_settings({}, k100G, {&first, &second}, 7).queues[0].ecn.kmax, 6'000'000);
  EXPECT_EQ(port_settings({}, k100G, {&second, &first}, 7).queues[0].ecn.kmax, 5'000'000);
}

TEST(PortSettings, SchedulerOfALaterExceptionReplacesThatOfAnEarlierOne) {
  SwitchParameters parameters;
  parameters.scheduler.kind = EgressSchedulerParameters::Kind::kStrict;
  parameters.scheduler.shapers = {{3, k100G}};
  PortException first;
  PortException second;
  EXPECT_FALSE(port_settings(parameters, k100G, {&first}, 7).scheduler) << "as the switch";
  first.scheduler.kind = SchedulerException::Kind::kEts;
  first.scheduler.weights[3] = 5;
  const auto ets = port_settings(parameters, k100G, {&first, &second}, 7).scheduler;
  ASSERT_TRUE(ets);
  EXPECT_EQ(ets->kind, EgressSchedulerParameters::Kind::kEts);
  EXPECT_EQ(ets->weights[3], 5u);
  EXPECT_EQ(ets->shapers.size(), 1u);
  second.scheduler.kind = SchedulerException::Kind::kFifo;
  const auto fifo = port_settings(parameters, k100G, {&first, &second}, 7).scheduler;
  ASSERT_TRUE(fifo);
  EXPECT_EQ(fifo->kind, EgressSchedulerParameters::Kind::kFifo);
  EXPECT_TRUE(fifo->shapers.empty()) << "fifo has no shapers";
  EXPECT_EQ(port_settings(parameters, k100G, {&second, &first}, 7).scheduler->kind,
            EgressSchedulerParameters::Kind::kEts);
}

TEST(PortSettings, WatchdogOfAPortReplacesWhatItSets) {
  SwitchParameters parameters;
  PortException one;
  const auto watchdog = [&] { return port_settings(parameters, k100G, {&one}, 7).watchdog; };
  EXPECT_FALSE(watchdog().detect);
  one.watchdog.detect = kMicroSecond * 10;
  EXPECT_EQ(watchdog().detect, kMicroSecond * 10);
  parameters.pfc.watchdog.detect = kMicroSecond * 20;
  parameters.pfc.watchdog.action = WatchdogParameters::Action::kForward;
  one.watchdog.detect.reset();
  one.watchdog.restore = kMicroSecond * 30;
  EXPECT_EQ(watchdog().detect, kMicroSecond * 20);
  EXPECT_EQ(watchdog().restore, kMicroSecond * 30);
  EXPECT_EQ(watchdog().action, WatchdogParameters::Action::kForward);
  one.watchdog.action = WatchdogException::Action::kDrop;
  EXPECT_EQ(watchdog().action, WatchdogParameters::Action::kDrop);
  one.watchdog.enabled = false;
  EXPECT_FALSE(watchdog().detect);
}

TEST(PortSettings, AClassResumesAsTheSwitchSaysUnlessItSaysSoItself) {
  SwitchParameters parameters;
  parameters.pfc.resume_below = 12'345;
  parameters.priorities[3].reserved = 1;
  EXPECT_EQ(port_settings(parameters, k100G, {}, 7).rules[3]->resume_below, 12'345);
  EXPECT_EQ(port_settings(parameters, k100G, {}, 7).rules[3]->resume_at, 0);
}

TEST(PortSettings, WithCellsEveryClassHasRules) {
  SwitchParameters parameters;
  parameters.cell = 208;
  const auto ruled = [&] {
    int count = 0;
    for (const auto& rules : port_settings(parameters, k100G, {}, 7).rules) count += rules ? 1 : 0;
    return count;
  };
  EXPECT_EQ(ruled(), kPriorities);
  parameters.priorities[3].reserved = 1;
  EXPECT_EQ(ruled(), kPriorities);
  parameters.cell = 1;
  EXPECT_EQ(ruled(), 1);
}

/// A switch whose lossless priority 3 pauses at 4 KB, with two senders to one port. A link of 100
/// Gb/s and 1 us delivers 25 KB and more after a pause.
struct Incast {
  explicit Incast(const SwitchParameters& parameters)
      : star(3, parameters, LinkParameters{k100G, kMicroSecond, 20}) {
    for (const std::size_t host : {1u, 2u}) star.host[host]->blast(0, 1'000, 3);
    star.device.restart_buffer_statistics();
    star.scheduler.run_until(kMicroSecond * 50);
  }
  test::TestStar star;
};

SwitchParameters pausing() {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  parameters.priorities[3].limit = 4'000;
  return parameters;
}

TEST(PortSettings, TheHeadroomOfAPriorityHoldsInTheSwitch) {
  SwitchParameters parameters = pausing();
  EXPECT_EQ(Incast(parameters).star.device.totals().dropped, 0u);
  parameters.priorities[3].headroom = 5'000;
  Incast small(parameters);
  EXPECT_GT(small.star.device.totals().dropped, 0u);
  EXPECT_EQ(small.star.device.buffer().headroom_peak(1, 3), 5'000);
}

TEST(PortSettings, PrioritiesAreLosslessAsTheySayThemselves) {
  SwitchParameters parameters = pausing();
  parameters.pfc.priorities = 0;
  EXPECT_GT(Incast(parameters).star.device.totals().dropped, 0u);
  EXPECT_EQ(Incast(parameters).star.device.pfc_totals().pauses_sent, 0u);
  parameters.priorities[3].lossy = false;
  EXPECT_EQ(Incast(parameters).star.device.totals().dropped, 0u);
  EXPECT_GT(Incast(parameters).star.device.pfc_totals().pauses_sent, 0u);
}

TEST(PortSettings, PortsAreLosslessAsTheirExceptionsSay) {
  SwitchParameters parameters;
  parameters.pfc.priorities = 0x10;
  PortException other;
  other.priorities[3].lossy = false;
  other.priorities[4].lossy = true;
  test::TestStar star(2, parameters, LinkParameters{k100G, kMicroSecond, 20});
  SwitchDevice device(star.scheduler, star.pool, parameters, 2, 1, 1, 2'000);
  device.set_exceptions(1, {&other});
  for (const int port : {0, 1}) {
    device.attach(port, *star.down[static_cast<std::size_t>(port)],
                  LinkParameters{k100G, kMicroSecond, 20});
    EXPECT_EQ(device.buffer().is_lossless(port, 3), port == 1);
    EXPECT_EQ(device.buffer().is_lossless(port, 4), port == 0);
  }
}

TEST(PortSettings, PrioritiesChangeTheSwitchsListOfLosslessOnes) {
  SwitchParameters parameters;
  parameters.pfc.priorities = 0x30;
  parameters.priorities[3].lossy = false;
  parameters.priorities[4].lossy = true;
  parameters.priorities[5].reserved = 1;
  EXPECT_EQ(parameters.lossless_priorities(), 0x28);
  parameters.pfc.enabled = false;
  EXPECT_EQ(parameters.lossless_priorities(), 0);
}

TEST(PortSettings, TheBufferOfASwitchFollowsItsParameters) {
  SwitchParameters parameters;
  parameters.buffer = 8'000'000;
  const auto star = [&] {
    return test::TestStar(2, parameters, LinkParameters{k100G, kMicroSecond, 20});
  };
  const Bytes threshold = star().device.buffer().threshold(0, 3);
  parameters.pfc.reference_rate = BitRate(25'000'000'000);
  EXPECT_EQ(star().device.buffer().threshold(0, 3), 4 * threshold);
  parameters.pfc.shared_headroom = 1'000'000;
  EXPECT_EQ(star().device.buffer().free(0), 7'000'000);
  parameters.pfc.enabled = false;
  EXPECT_EQ(star().device.buffer().free(0), 8'000'000) << "nobody pauses, so nobody has headroom";
}

TEST(PortSettings, AChangeOfParametersReachesClassesAndQueues) {
  SwitchParameters parameters = pausing();
  Incast run(parameters);
  EXPECT_EQ(run.star.device.buffer().threshold(1, 3), 4'000);
  parameters.priorities[3].limit = 9'000;
  parameters.priorities[3].queue.limit = 2'000;
  run.star.device.change(parameters);
  EXPECT_EQ(run.star.device.buffer().threshold(1, 3), 9'000);
  run.star.scheduler.run_until(kMicroSecond * 100);
  EXPECT_GT(run.star.device.totals().dropped, 0u);
  EXPECT_LE(run.star.device.queue_bytes(0, 3), 2'000);
}

}  // namespace
}  // namespace dcc::port_settings_test
