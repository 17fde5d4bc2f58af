// Tests links that fail, flap and slow down during a run: all flows complete, and a split network
// is reported.
#include "disturb/link_faults.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp {
namespace {

std::string leaf_spine(const std::string& rest) {
  return "topology: {kind: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 2,\n"
         "  fabric_link: {rate: 100Gbps, delay: 1us}}\n"
         "host: {driver: none}\nduration: 100ms\n"
         "nic: {recovery: {kind: go_back_n, timeout: 200us}}\n"
         "traffic: [{kind: all_to_all, hosts: 0..3, bytes: 2MB}]\n" +
         rest;
}

TEST(LinkFaults, AllFlowsEndAfterACableHasFailedForGood) {
  const RunResults r = run(leaf_spine(
      "faults: [{kind: link_failure, link: leaf0--spine0, start: 100us, convergence: 50us}]\n"));
  EXPECT_TRUE(r.completed);
  for (const FlowResult& flow : r.flows) EXPECT_EQ(flow.delivered_total, 2'000'000) << flow.id;
  // A link of 1 us holds twelve full packets in one direction, and at most as many ACKs in the
  // other. Queued packets are not lost.
  EXPECT_GT(r.counters.of(&LinkCounters::lost), 0u);
  EXPECT_LE(r.counters.of(&LinkCounters::lost), 2 * 24u);
  EXPECT_EQ(r.balance.packets_dropped, r.counters.of(&LinkCounters::lost));
  EXPECT_FALSE(r.split);
}

TEST(LinkFaults, AllFlowsEndOnAFlappingCableAndASlowOne) {
  const RunResults r = run(leaf_spine(
      "faults:\n"
      "- {kind: link_flap, link: leaf0--spine0, start: 50us, down: 30us, up: 70us, stop: 2ms}\n"
      "- {kind: link_slow, link: spine1->leaf1, rate: 10Gbps, convergence: 0us}\n"));
  EXPECT_TRUE(r.completed);
  for (const FlowResult& flow : r.flows) EXPECT_EQ(flow.delivered_total, 2'000'000) << flow.id;
}

TEST(LinkFaults, ANetworkThatFallsApartSaysSo) {
  const RunResults r = run(
      leaf_spine("faults: [{kind: link_failure, link: leaf1, start: 100us, convergence: 50us}]\n"));
  ASSERT_TRUE(r.split);
  EXPECT_EQ(r.split->when, kMicroSecond * 150);
  EXPECT_EQ(r.split->hosts, 2u);
  // the run takes its full duration, since a flow cannot complete
  EXPECT_NEAR(to_seconds(r.sim_time), 0.1, 1e-9);
}

TEST(LinkFaults, NothingHappensWithoutFaults) {
  const RunResults r = run(leaf_spine(""));
  EXPECT_EQ(r.balance.packets_dropped, 0u);
  EXPECT_FALSE(r.split);
}

}  // namespace
}  // namespace dcc::vp
