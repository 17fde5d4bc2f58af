// Tests a switch's settings by priority, port and speed (limits of queues, WRED, marking), and the
// watchdog against pause storms.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "switch/switch_device.h"
#include "unit/switch/test_devices.h"

namespace dcc::queue_rules_test {
namespace {

using test::TestStar;

constexpr LinkParameters k100G{BitRate(100'000'000'000), kMicroSecond, 20};

SwitchParameters lossy() {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  parameters.pfc.enabled = false;
  parameters.buffer = 1'000'000;
  return parameters;
}

TEST(PortSettings, TheLastExceptionWinsAndSpeedsHaveTheirOwnThresholds) {
  SwitchParameters parameters;
  parameters.ecn.kmin = 100;
  parameters.ecn.kmax = 1'000;
  parameters.ecn.by_speed[100'000].kmin = 400;
  parameters.ecn.priorities = 0x18;
  parameters.priorities[3].alpha = Ratio(2);
  parameters.priorities[4].lossy = true;
  parameters.pfc.priorities = 0x18;
  PortException first;
  first.marking.kmax = 5'000;
  first.priorities[3].limit = 9'000;
  PortException second;
  second.priorities[3].marking.kmin = 700;
  second.priorities[5].lossy = false;
  const auto fast = port_settings(parameters, BitRate(100'000'000'000), {&first, &second}, 7);
  EXPECT_EQ(fast.queues[3].ecn.kmin, 700);
  EXPECT_EQ(fast.queues[4].ecn.kmin, 400);
  EXPECT_EQ(fast.queues[4].ecn.kmax, 5'000);
  EXPECT_TRUE(fast.queues[3].ecn.enabled);
  EXPECT_FALSE(fast.queues[2].ecn.enabled);
  EXPECT_EQ(fast.lossless, 0x28) << "3 by the list, 5 by the exception";
  ASSERT_TRUE(fast.rules[3]);
  EXPECT_FALSE(fast.rules[3]->alpha_q16) << "a limit replaces an alpha";
  EXPECT_EQ(fast.rules[3]->limit, 9'000);
  EXPECT_FALSE(fast.rules[2]);
  EXPECT_EQ(fast.rules[5]->alpha_q16, 7u) << "lossless: the port's alpha";
  const auto slow = port_settings(parameters, BitRate(25'000'000'000), {}, 7);
  EXPECT_EQ(slow.queues[3].ecn.kmin, 100);
  EXPECT_EQ(slow.rules[3]->alpha_q16, 2u << 16);
  EXPECT_FALSE(slow.rules[4]->alpha_q16) << "lossy: no limit";
  EXPECT_EQ(slow.lossless, 0x08);
}

TEST(QueueRules, AQueueHoldsItsLimitAndTheRestIsDropped) {
  SwitchParameters parameters = lossy();
  parameters.priorities[1].queue.limit = 50'000;
  parameters.priorities[2].queue.alpha = Ratio(1);
  TestStar star(5, parameters, k100G);
  for (const std::size_t host : {1u, 2u, 3u}) {  // each port has a load of 1.5 times its rate
    star.host[host]->blast(0, 1'000, 1);
    star.host[host]->blast(4, 1'000, 2);
  }
  star.device.restart_buffer_statistics();
  star.scheduler.run_until(kMicroSecond * 400);
  EXPECT_EQ(star.device.queues(0)->peak(1), 50'000);
  // With alpha 1 the queue is as long as the free part of the buffer: q = S - 50 KB - q.
  EXPECT_NEAR(static_cast<double>(star.device.queue_bytes(4, 2)), 475'000, 1'000);
  const auto& of = star.device.queues(0)->queue_counters(1);
  EXPECT_EQ(of.dropped, star.device.counters(0).dropped);
  EXPECT_EQ(of.dropped_bytes, 1'000 * of.dropped);
  EXPECT_GT(star.device.queues(4)->queue_counters(2).dropped, 0u);
  EXPECT_EQ(star.device.queues(4)->queue_counters(1).dropped, 0u);
}

TEST(QueueRules, WredDropsWhatIsNotEctAndMarksTheRest) {
  SwitchParameters parameters = lossy();
  parameters.buffer = 100'000'000;
  parameters.ecn.enabled = true;
  parameters.ecn.kmin = parameters.ecn.kmax = 20'000;
  parameters.ecn.priorities = 0x04;
  parameters.priorities[2].wred_drops = true;
  parameters.priorities[1].marking.enabled = true;
  TestStar star(5, parameters, k100G);
  for (const std::size_t host : {1u, 2u, 4u}) {
    star.host[host]->blast(0, 1'000, 2, Ecn::kNotEct);
    star.host[host]->blast(3, 1'000, 0);
  }
  star.scheduler.run_until(kMicroSecond * 200);
  // Above kmax every packet is dropped, so the queue stops growing there.
  EXPECT_LE(star.device.queue_bytes(0, 2), 21'000);
  EXPECT_GT(star.device.counters(0).dropped, 0u);
  EXPECT_EQ(star.device.totals().ecn_marks, 0u) << "priority 0 does not mark";
  for (const std::size_t host : {1u, 2u, 4u}) star.host[host]->stop();
  star.scheduler.run_until(kMicroSecond * 205);  // in this time the links become empty
  star.host[1]->blast(0, 1'000, 2, Ecn::kEct0);
  star.host[2]->blast(0, 1'000, 2, Ecn::kEct0);
  const std::uint64_t dropped = star.device.totals().dropped;
  star.scheduler.run_until(kMicroSecond * 300);
  EXPECT_EQ(star.device.totals().dropped, dropped);
  EXPECT_GT(star.device.queues(0)->queue_counters(2).ecn_marks, 0u);
}

TEST(QueueRules, WredDropsAtTheProbabilityOfTheRamp) {
  SwitchParameters parameters = lossy();
  parameters.buffer = 100'000'000;
  parameters.ecn.enabled = true;
  parameters.ecn.kmin = 0;
  parameters.ecn.kmax = 2'000'000'000;  // thresholds far above the queue, which mark nothing
  parameters.ecn.pmax = Ratio(1);
  parameters.priorities[0].wred_drops = true;
  parameters.priorities[0].marking.kmin = 0;
  parameters.priorities[0].marking.kmax = 4'000'000;
  TestStar star(3, parameters, k100G);
  star.host[1]->blast(0, 1'000, 0, Ecn::kNotEct);
  star.host[2]->blast(0, 1'000, 0, Ecn::kNotEct);
  star.scheduler.run_until(kMilliSecond * 4);
  // In equilibrium half of the arrivals are dropped: p = q / kmax = 1/2.
  EXPECT_NEAR(static_cast<double>(star.device.queue_bytes(0, 0)), 2'000'000, 200'000);
}

TEST(QueueRules, WredByPortGoesByAllQueuesOfThePort) {
  SwitchParameters parameters = lossy();
  parameters.buffer = 100'000'000;
  parameters.ecn.enabled = true;
  parameters.ecn.scope = EcnParameters::Scope::kPort;
  parameters.ecn.kmin = parameters.ecn.kmax = 20'000;
  parameters.priorities[2].wred_drops = true;
  TestStar star(4, parameters, k100G);
  for (const std::size_t host : {1u, 2u}) star.host[host]->blast(0, 1'000, 1);
  star.host[3]->blast(0, 1'000, 2, Ecn::kNotEct);
  star.scheduler.run_until(kMicroSecond * 100);
  const QueueingPort& port = *star.device.queues(0);
  EXPECT_GT(port.queue_counters(2).dropped, 0u);
  EXPECT_LT(port.peak(2), 12'000) << "a third of the first 20 KB, not 20 KB of its own";
}

TEST(QueueRules, AlphaOfAQueueRefersToTheQueuesPool) {
  SwitchParameters parameters = lossy();
  parameters.pools = {{"a", 100'000}};
  parameters.priorities[2].pool = "a";
  parameters.priorities[2].queue.alpha = Ratio(1);
  TestStar star(3, parameters, k100G);
  for (const std::size_t host : {1u, 2u}) star.host[host]->blast(0, 1'000, 2);
  star.scheduler.run_until(kMicroSecond * 100);
  // The queue is as long as the free part of the pool: q = 100 KB - q, within a packet.
  EXPECT_NEAR(static_cast<double>(star.device.queue_bytes(0, 2)), 50'000, 1'000);
}

TEST(EgressPools, AlphaOfAQueueRefersToTheFreeEgressPool) {
  SwitchParameters parameters = lossy();
  parameters.buffer = 10'000'000;
  parameters.egress_pools = {{"lossy", 300'000}};
  for (const unsigned p : {1u, 2u}) {
    parameters.priorities[p].queue.pool = "lossy";
    parameters.priorities[p].queue.alpha = Ratio(1);
  }
  TestStar star(8, parameters, k100G);
  for (const std::size_t host : {1u, 2u, 3u, 6u, 7u}) {  // each port has a load of 5/3 of its rate
    star.host[host]->blast(0, 1'000, 1);
    star.host[host]->blast(4, 1'000, 2);
    star.host[host]->blast(5, 1'000, 0);
  }
  star.scheduler.run_until(kMicroSecond * 400);
  // Two queues with alpha 1 leave as much of the pool free as each holds: q = 300 KB / 3. Five
  // packets arrive at the same time.
  EXPECT_NEAR(static_cast<double>(star.device.queue_bytes(0, 1)), 100'000, 4'000);
  EXPECT_NEAR(static_cast<double>(star.device.queue_bytes(4, 2)), 100'000, 4'000);
  // Only the buffer limits a queue without a pool.
  EXPECT_GT(star.device.queue_bytes(5, 0), 1'000'000);
  EXPECT_GT(star.device.queues(0)->queue_counters(1).dropped, 0u);
}

TEST(EgressPools, FullPoolsDropWhatIsNotReserved) {
  SwitchParameters parameters = lossy();
  parameters.egress_pools = {{"lossy", 50'000}};
  parameters.priorities[1].queue.pool = "lossy";
  parameters.priorities[2].queue.pool = "lossy";
  parameters.priorities[2].queue.reserved = 20'000;
  TestStar star(5, parameters, k100G);
  for (const std::size_t host : {1u, 2u}) star.host[host]->blast(0, 1'000, 1);
  star.scheduler.run_until(kMicroSecond * 100);
  EXPECT_NEAR(static_cast<double>(star.device.queue_bytes(0, 1)), 50'000, 1'100);
  for (const std::size_t host : {3u, 2u}) star.host[host]->blast(4, 1'000, 2);
  star.scheduler.run_until(kMicroSecond * 102);
  star.device.restart_buffer_statistics();
  star.scheduler.run_until(kMicroSecond * 300);
  EXPECT_GE(star.device.queues(4)->peak(2), 20'000) << "reserved beside the full pool";
  EXPECT_LE(star.device.queues(4)->peak(2) + star.device.queues(0)->peak(1), 71'000);
}

TEST(EgressPools, QueuesThatEmptyReturnAllBytes) {
  SwitchParameters parameters = lossy();
  parameters.egress_pools = {{"lossy", 60'000}};
  parameters.priorities[1].queue.pool = "lossy";
  parameters.priorities[1].queue.reserved = 1'500;
  TestStar star(5, parameters, k100G);
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t host : {1u, 2u}) star.host[host]->blast(0, 1'000, 1);
    star.scheduler.run_until(star.scheduler.now() + kMicroSecond * 50);
    // The queue has the same length in every round, so earlier rounds left nothing in the pool.
    EXPECT_NEAR(static_cast<double>(star.device.queue_bytes(0, 1)), 60'500, 600) << round;
    if (round == 1) {  // refusing a queue drops its packets
      const_cast<QueueingPort*>(star.device.queues(0))->set_refusal(1, true);
      const_cast<QueueingPort*>(star.device.queues(0))->set_refusal(1, false);
    }
    for (const std::size_t host : {1u, 2u}) star.host[host]->stop();
    if (round == 0) star.device.route_again(0);
    star.scheduler.run_until(star.scheduler.now() + kMicroSecond * 50);
    EXPECT_EQ(star.device.queue_bytes(0, 1), 0);
  }
}

/// Sends a pause frame for these priorities from a host.
void pause(TestStar& star, std::size_t host, std::uint8_t classes) {
  Packet* const frame = star.pool.allocate();
  frame->kind = PacketKind::kPause;
  frame->wire_bytes = kPauseFrameBytes;
  frame->pause_classes = classes;
  star.host[host]->send(frame);
}

SwitchParameters watched(WatchdogParameters::Action action) {
  SwitchParameters parameters = lossy();
  parameters.pfc.enabled = true;
  parameters.pfc.watchdog.detect = kMicroSecond * 100;
  parameters.pfc.watchdog.poll = kMicroSecond * 10;
  parameters.pfc.watchdog.restore = kMicroSecond * 200;
  parameters.pfc.watchdog.action = action;
  return parameters;
}

TEST(PfcWatchdog, DropsTheQueueOfAStormUntilItIsOver) {
  TestStar star(3, watched(WatchdogParameters::Action::kDrop), k100G);
  star.host[1]->blast(0, 1'000, 3);
  star.scheduler.run_until(kMicroSecond * 20);
  pause(star, 0, 0x08);
  star.scheduler.run_until(kMicroSecond * 115);
  EXPECT_EQ(star.device.watchdog()->storms(0, 3), 0u);
  EXPECT_GT(star.device.queue_bytes(0, 3), 0);
  // The watchdog acts within the detection and polling time after the pause.
  star.scheduler.run_until(kMicroSecond * 140);
  EXPECT_EQ(star.device.watchdog()->storms(0, 3), 1u);
  EXPECT_EQ(star.device.queue_bytes(0, 3), 0);
  EXPECT_FALSE(star.device.has_stopped(1, 3)) << "the sender is let go";
  const std::uint64_t dropped = star.device.totals().dropped;
  star.scheduler.run_until(kMicroSecond * 200);
  EXPECT_GT(star.device.totals().dropped, dropped) << "what comes during the storm is dropped";
  pause(star, 0, 0);
  const std::uint64_t before = star.host[0]->packets;
  star.scheduler.run_until(kMicroSecond * 395);
  EXPECT_EQ(star.host[0]->packets, before) << "not over before `restore` without a pause";
  star.scheduler.run_until(kMicroSecond * 430);
  EXPECT_EQ(star.device.watchdog()->restored(0, 3), 1u);
  EXPECT_GT(star.host[0]->packets, before);
}

TEST(PfcWatchdog, ForwardsInSpiteOfTheStorm) {
  TestStar star(3, watched(WatchdogParameters::Action::kForward), k100G);
  star.host[1]->blast(0, 1'000, 3);
  star.scheduler.run_until(kMicroSecond * 20);
  pause(star, 0, 0x08);
  star.scheduler.run_until(kMicroSecond * 110);
  const std::uint64_t before = star.host[0]->packets;
  star.scheduler.run_until(kMicroSecond * 300);
  EXPECT_GT(star.host[0]->packets, before + 1'000);
  EXPECT_EQ(star.device.totals().dropped, 0u);
}

TEST(PfcWatchdog, LooksEachPollAndNotEachDetect) {
  TestStar star(3, watched(WatchdogParameters::Action::kDrop), k100G);
  star.host[1]->blast(0, 1'000, 3);
  const std::pair<int, std::uint8_t> frames[] = {{20, 0x08}, {50, 0}, {60, 0x08}};
  for (const auto& [us, classes] : frames) {
    star.scheduler.run_until(kMicroSecond * us);
    pause(star, 0, classes);
  }
  star.scheduler.run_until(kMicroSecond * 155);
  EXPECT_EQ(star.device.watchdog()->storms(0, 3), 0u);
  // The watchdog acts at the sum of the pause's begin, link delay, detection time and polling time.
  star.scheduler.run_until(kMicroSecond * 175);
  EXPECT_EQ(star.device.watchdog()->storms(0, 3), 1u);
}

TEST(PfcWatchdog, ForwardsOnlyThePriorityOfTheStormAndOnlyUntilItIsOver) {
  TestStar star(3, watched(WatchdogParameters::Action::kForward), k100G);
  const auto sent_between = [&](int from_us, int to_us) {
    star.scheduler.run_until(kMicroSecond * from_us);
    const auto before = star.host[0]->by_priority;
    star.scheduler.run_until(kMicroSecond * to_us);
    return std::pair(star.host[0]->by_priority[3] - before[3],
                     star.host[0]->by_priority[4] - before[4]);
  };
  star.host[1]->blast(0, 1'000, 3);
  star.scheduler.run_until(kMicroSecond * 20);
  pause(star, 0, 0x08);
  star.scheduler.run_until(kMicroSecond * 150);
  EXPECT_EQ(star.device.watchdog()->storms(0, 3), 1u);
  pause(star, 0, 0x18);  // another frame of the storm, which also pauses priority 4
  star.scheduler.run_until(kMicroSecond * 160);
  star.host[2]->blast(0, 1'000, 4);
  // less than the detection time after the frame
  const auto [stormy, paused] = sent_between(170, 240);
  EXPECT_GT(stormy, 0);
  EXPECT_EQ(paused, 0);
  star.scheduler.run_until(kMicroSecond * 245);
  pause(star, 0, 0);
  star.scheduler.run_until(kMicroSecond * 500);
  EXPECT_EQ(star.device.watchdog()->restored(0, 3), 1u);
  pause(star, 0, 0x08);
  EXPECT_EQ(sent_between(505, 590).first, 0) << "pauses hold again";
}

TEST(PfcWatchdog, LeavesShortPausesAndEmptyQueuesAlone) {
  TestStar star(3, watched(WatchdogParameters::Action::kDrop), k100G);
  star.host[1]->blast(0, 1'000, 3);
  for (int i = 0; i < 10; ++i) {
    pause(star, 0, 0x08);
    star.scheduler.run_until(kMicroSecond * (100 * i + 80));
    pause(star, 0, 0);
    star.scheduler.run_until(kMicroSecond * (100 * i + 100));
  }
  pause(star, 2, 0x08);  // no packet waits for host 2
  star.scheduler.run_until(kMilliSecond * 2);
  EXPECT_EQ(star.device.watchdog()->storms(0, 3), 0u);
  EXPECT_EQ(star.device.watchdog()->storms(2, 3), 0u);
  EXPECT_EQ(star.device.totals().dropped, 0u);
}

}  // namespace
}  // namespace dcc::queue_rules_test
