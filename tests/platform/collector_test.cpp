// Tests the contribution of each device to the packet balance, and the balance of a whole run.
#include "measure/collector.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "firmware_run.h"
#include "measure/metrics.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

TEST(Collector, EveryPacketMadeIsSomewhere) {
  Balance b;
  NicCounters nic;
  nic.packets_sent = 100;
  nic.packets_received = 70;
  SwitchCounters sw;
  sw.dropped = 5;
  sw.unroutable = 3;
  sw.cnms_sent = 2;
  sw.path_news_sent = 30;
  sw.path_news_taken = 20;
  PfcCounters pfc;
  pfc.frames_sent = 10;
  pfc.frames_received = 9;
  LinkCounters link;
  link.lost = 4;
  add_to(b, nic);
  add_to(b, sw, pfc);
  add_to(b, link);
  EXPECT_EQ(b.packets_sent, 142u);
  EXPECT_EQ(b.packets_delivered, 99u);
  EXPECT_EQ(b.packets_dropped, 12u);
}

TEST(Collector, EveryTimerEventCameToSomething) {
  Balance b;
  TimerCounters timers;
  timers.started = 10;
  timers.expired = 4;
  timers.cancelled = 3;
  add_to(b, timers);
  add_to(b, timers);
  EXPECT_EQ(b.events_started, 20u);
  EXPECT_EQ(b.events_expired, 8u);
  EXPECT_EQ(b.events_cancelled, 6u);
  EXPECT_EQ(b.events_pending, 6u);
}

TEST(Collector, ACongestedRunComesOutAndSaysWhatItsHostsDid) {
  const RunResults results =
      run(star("nic: {congestion_control: {algorithm: dcc}}\n"
               "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"));
  EXPECT_TRUE(broken_balances(results).empty()) << broken_balances(results).front();
  EXPECT_GT(results.balance.packets_sent, 100u);
  EXPECT_GT(results.balance.packets_in_flight, 0u) << "it was cut off in the middle";
  EXPECT_GT(results.link_traversals, results.balance.packets_delivered);
  ASSERT_EQ(results.hosts.size(), 4u);
  EXPECT_EQ(results.hosts[1].slots_in_use_max, 1u);
  EXPECT_GT(results.hosts[1].cnps_received, 0u);
  EXPECT_EQ(results.hosts[0].cnps_received, 0u);
  EXPECT_EQ(results.counters.of(&NicCounters::cnps_received),
            sum_over_hosts(results.hosts).cnps_received);
  EXPECT_FALSE(results.qos);
}

TEST(Collector, FirmwareThatFailsFailsTheRun) {
  using namespace riscv::test;  // NOLINT: instructions by their names
  const RunResults results = run_firmware(sequence({li(kT2, 3), exit_with(kT2)}));
  ASSERT_EQ(results.failures.size(), 1u);
  EXPECT_NE(results.failures[0].find("exit code 3"), std::string::npos) << results.failures[0];
}

TEST(Collector, ADeadlockOfTheRunIsFound) {
  std::string nodes, links, traffic;
  for (int i = 0; i < 5; ++i) {
    const auto with = [](const char* letter, int number) {
      return letter + std::to_string(number % 5);
    };
    const std::string line = ", rate: 25Gbps, delay: 1us}, ";
    nodes += "{name: " + with("s", i) + ", kind: switch}, {name: " + with("h", i) + "}, ";
    links += "{from: " + with("h", i) + ", to: " + with("s", i) + line + "{from: " + with("s", i) +
             ", to: " + with("s", i + 1) + line;
    traffic += "{kind: flow, from: " + with("", i) + ", to: " + with("", i + 2) + "}, ";
  }
  const RunResults results =
      run("duration: 2ms\ntopology: {kind: custom, nodes: [" + nodes + "], links: [" + links +
          "]}\nswitch: {buffer: 256KiB}\nhost: {driver: none}\n"
          "nic: {congestion_control: {algorithm: none}}\ntraffic: [" +
          traffic + "]\n");
  ASSERT_FALSE(results.deadlock.empty());
}

}  // namespace
}  // namespace dcc::vp
