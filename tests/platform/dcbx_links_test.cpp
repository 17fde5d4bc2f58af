// Tests DCBX on the links of a platform: agreement at the start and after a link flap, and failed
// agreement.
#include "disturb/dcbx_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "small_platform.h"

namespace dcc::vp {
namespace {

/// Three senders at link rate send to host 0 through a small buffer, so that only PFC prevents
/// losses.
RunResults run_pressed(const std::string& rest, const std::string& pfc = "{}") {
  return run(
      "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
      "host: {driver: none}\nduration: 500us\n"
      "switch: {buffer: 200KB, ecn: {enabled: false}, pfc: " +
      pfc +
      "}\n"
      "nic: {congestion_control: {algorithm: none}, recovery: {timeout: 10ms}}\n"
      "traffic: [{kind: incast, senders: 1..3, receiver: 0, start: 20us}]\n" +
      rest);
}

TEST(DcbxLinks, AllEndsAgreeAndNothingIsLost) {
  const RunResults r = run_pressed("dcbx: {enabled: true}\n");
  ASSERT_TRUE(r.dcbx);
  EXPECT_EQ(r.dcbx->ends, 8u);
  EXPECT_EQ(r.dcbx->frames_sent, 8u);  // the settings are equal, so each end sends one frame
  EXPECT_EQ(r.dcbx->frames_received, 8u);
  EXPECT_EQ(r.dcbx->unsound, 0u);
  EXPECT_TRUE(r.dcbx->differences.empty());
  EXPECT_EQ(r.balance.packets_dropped, 0u);
  EXPECT_GT(r.counters.of(&PfcCounters::pauses_sent), 0u);
  EXPECT_EQ(r.balance.packets_sent,
            r.balance.packets_delivered + r.balance.packets_dropped + r.balance.packets_in_flight);
}

TEST(DcbxLinks, AnUnwillingNicThatPausesNothingLosesPacketsAndTheLinkIsNamed) {
  const RunResults r =
      run_pressed("dcbx: {enabled: true, ends: [{ports: h2->s0, willing: no, pfc: []}]}\n");
  ASSERT_TRUE(r.dcbx);
  ASSERT_EQ(r.dcbx->differences.size(), 1u);
  const DcbxDifference& difference = r.dcbx->differences.front();
  EXPECT_TRUE(difference.link == "h2->s0" || difference.link == "s0->h2") << difference.link;
  EXPECT_EQ(difference.of, "pfc");
  EXPECT_LT(difference.since, kMicroSecond * 3);
  EXPECT_GT(r.balance.packets_dropped, 0u);
  EXPECT_TRUE(difference.here == "none" || difference.there == "none");
}

TEST(DcbxLinks, AWillingNicTakesWhatTheSwitchHas) {
  const RunResults r = run_pressed("dcbx: {enabled: true, ends: [{ports: h2->s0, pfc: []}]}\n");
  EXPECT_TRUE(r.dcbx->differences.empty());
  // h2 sends a second frame with the settings that it has adopted
  EXPECT_EQ(r.dcbx->frames_sent, 9u);
  EXPECT_EQ(r.balance.packets_dropped, 0u);
}

TEST(DcbxLinks, ASilentEndIsNamed) {
  const RunResults r =
      run_pressed("dcbx: {enabled: true, ends: [{ports: h2->s0, silent: true}]}\n");
  EXPECT_EQ(r.dcbx->ends, 7u);
  ASSERT_EQ(r.dcbx->differences.size(), 1u);
  EXPECT_EQ(r.dcbx->differences.front().link, "s0->h2");
  EXPECT_EQ(r.dcbx->differences.front().of, "lldp");
}

TEST(DcbxLinks, AfterAFlapItIsAgreedAnew) {
  const RunResults r = run_pressed(
      "dcbx: {enabled: true, ends: [{ports: h2->s0, pfc: []}]}\n"
      "faults: [{kind: link_flap, link: h2--s0, start: 100us, down: 50us, up: 1ms}]\n");
  EXPECT_TRUE(r.dcbx->differences.empty());
  EXPECT_EQ(r.dcbx->frames_sent, 9u + 3u);
  EXPECT_EQ(r.balance.packets_sent,
            r.balance.packets_delivered + r.balance.packets_dropped + r.balance.packets_in_flight);
}

TEST(DcbxLinks, NotificationsOfEveryAlgorithmHaveTheirPriorityTold) {
  const PlatformConfig config = config_of(star(
      "nics:\n"
      "  - {hosts: 1, congestion_control: {algorithm: dcqcn}, cnp: {dscp: 20, priority: 5}}\n"
      "  - {hosts: 2, congestion_control: {algorithm: none}, cnp: {dscp: 21, priority: 4}}\n"));
  const auto settings = dcbx_settings(config, Topology::of(config.topology));
  ASSERT_TRUE(settings.front());
  std::vector<std::pair<unsigned, unsigned>> told;  // (DSCP, priority) pairs of the settings
  for (const ApplicationPriority& line : settings.front()->applications) {
    if (line.selector != ApplicationPriority::kDscp) continue;
    told.emplace_back(line.protocol, line.priority);
  }
  EXPECT_EQ(told, (std::vector<std::pair<unsigned, unsigned>>{{20, 5}, {48, 6}}));
}

TEST(DcbxLinks, TwoThreadsAgreeAsOneDoes) {
  RunSetup two;
  two.threads = 2;
  const RunResults r =
      run(config_of("topology: {kind: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 2,\n"
                    "  fabric_link: {rate: 100Gbps, delay: 1us}}\n"
                    "host: {driver: none}\nduration: 200us\n"
                    "traffic: [{kind: all_to_all, hosts: 0..3, bytes: 200KB}]\n"
                    "dcbx: {enabled: true, ends: [{ports: [leaf0->h0, h1->leaf0], pfc: [3]}]}\n"),
          two);
  EXPECT_EQ(r.threads, 2u);
  EXPECT_EQ(r.dcbx->ends, 16u);
  EXPECT_EQ(r.dcbx->frames_received, r.dcbx->frames_sent);
  // NICs that adopt the switch's settings leave no difference
  EXPECT_TRUE(r.dcbx->differences.empty());
}

/// Hosts 2 and 3 send at link rate to host 0 across two switches with small buffers, in priority 5.
RunResults run_in_priority_five(const std::string& pfc, const std::string& dcbx,
                                std::uint32_t threads) {
  RunSetup setup;
  setup.threads = threads;
  return run(
      config_of(
          "topology: {kind: leaf_spine, leaves: 2, spines: 1, hosts_per_leaf: 2,\n"
          "  host_link: {rate: 10Gbps, delay: 1us}, fabric_link: {rate: 40Gbps, delay: 1us}}\n"
          "host: {driver: none}\nduration: 1ms\n"
          "nic: {congestion_control: {algorithm: none}}\ndscp: {5: {priority: 5}}\n"
          "switch: {buffer: 300KB, ecn: {enabled: false}, pfc: " +
          pfc + "}\ndcbx: " + dcbx +
          "\ntraffic:\n  - {kind: flow, from: 2, to: 0, dscp: 5}\n"
          "  - {kind: flow, from: 3, to: 0, dscp: 5}\n"),
      setup);
}

Bytes fullest_queue(const RunResults& r) {
  Bytes most = 0;
  for (const QueueResult& queue : r.queues) {
    most = std::max(most, static_cast<Bytes>(queue.max_bytes));
  }
  return most;
}

std::uint64_t dropped_without_room(const RunResults& r) {
  const std::vector<CounterInfo>& figures = CounterTotals::described();
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].name == "drops_no_room") return r.counters.at(i);
  }
  ADD_FAILURE() << "no such figure";
  return 0;
}

/// Runs each case on one thread and on two.
class DcbxThreads : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(DcbxLinks, DcbxThreads, ::testing::Values(1u, 2u));

const char* const kSwitchesPauseFive =
    "{enabled: true, ends: [{ports: [leaf0, leaf1, spine0], pfc: [5]}]}";

TEST_P(DcbxThreads, SwitchesPauseWhatTheirEndsSayThoughTheirConfigurationDoesNot) {
  const RunResults r = run_in_priority_five("{priorities: [3]}", kSwitchesPauseFive, GetParam());
  EXPECT_EQ(r.threads, GetParam());
  EXPECT_TRUE(r.dcbx->differences.empty());
  EXPECT_EQ(r.balance.packets_dropped, 0u);
  EXPECT_GT(r.counters.of(&PfcCounters::pauses_sent), 0u);
  EXPECT_LT(fullest_queue(r), 100'000);
}

TEST(DcbxLinks, SwitchesPauseWhatTheirEndsSayThoughPfcIsOff) {
  const RunResults r = run_in_priority_five("{enabled: false}", kSwitchesPauseFive, 1);
  EXPECT_TRUE(r.dcbx->differences.empty());
  EXPECT_EQ(r.balance.packets_dropped, 0u);
  EXPECT_GT(r.counters.of(&PfcCounters::pauses_sent), 0u);
}

// A priority without PFC may use the whole buffer before packets are lost.
TEST_P(DcbxThreads, WhatTheEndsDoNotPauseHasTheWholeBuffer) {
  const RunResults r = run_in_priority_five(
      "{priorities: [3, 5]}", "{enabled: true, ends: [{ports: [leaf0, leaf1, spine0], pfc: [3]}]}",
      GetParam());
  EXPECT_EQ(r.threads, GetParam());
  EXPECT_TRUE(r.dcbx->differences.empty());
  EXPECT_GT(r.balance.packets_dropped, 0u);
  EXPECT_EQ(r.counters.of(&PfcCounters::pauses_sent), 0u);
  EXPECT_GT(fullest_queue(r), 295'000);
}

// While its link is down, a willing switch returns to its own settings although its buffer is full.
// After the link is up again, the switch adopts the NIC's settings. The switch loses no packet of
// its buffer.
TEST(DcbxLinks, AWillingSwitchChangesWhatItPausesWithItsBufferFull) {
  const RunResults r = run_pressed(
      "dcbx: {enabled: true, ends: [{ports: [h1, h2, h3], willing: yes},\n"
      "  {ports: [h1->s0, h2->s0, h3->s0], willing: no, pfc: [0]}]}\n"
      "faults: [{kind: link_flap, link: h2--s0, start: 100us, down: 50us, up: 100us}]\n",
      "{priorities: []}");
  EXPECT_TRUE(r.dcbx->differences.empty());
  EXPECT_GT(r.counters.of(&PfcCounters::pauses_sent), 0u);
  EXPECT_EQ(dropped_without_room(r), 0u);  // packets were lost only on the failed link
  EXPECT_EQ(r.balance.packets_sent,
            r.balance.packets_delivered + r.balance.packets_dropped + r.balance.packets_in_flight);
}

// LLDP frames have the highest priority. Even with the shortest interval they must not take the
// whole link from packets.
TEST(DcbxLinks, HoweverShortTheIntervalTheLinkIsThePackets) {
  const RunResults r =
      run("topology: {kind: star, hosts: 2, link: {rate: 100Mbps, delay: 1us}}\n"
          "host: {driver: none}\nduration: 30ms\n"
          "nic: {congestion_control: {algorithm: none}}\n"
          "dcbx: {enabled: true, interval: 1us}\n"
          "traffic: [{kind: flow, from: 1, to: 0}]\n");
  EXPECT_EQ(r.dcbx->frames_sent, 4u * 5u);
  EXPECT_EQ(r.dcbx->frames_received, r.dcbx->frames_sent);
  // A link of 100 Mb/s carries 375 KB in 30 ms.
  EXPECT_GT(r.balance.packets_delivered, 300u);
  EXPECT_EQ(r.balance.packets_dropped, 0u);
}

TEST(DcbxLinks, OffByDefault) { EXPECT_FALSE(run(star("")).dcbx); }

}  // namespace
}  // namespace dcc::vp
