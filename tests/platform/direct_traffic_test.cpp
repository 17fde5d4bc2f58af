// Tests the flows of hosts without a driver: each flow is posted at its start time and stopped at
// its stop time.
#include "traffic/direct_traffic.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp {
namespace {

TEST(DirectTraffic, FlowsStartInOrderOfTimeHoweverTheyAreWritten) {
  const RunResults r =
      run(star("traffic: [{kind: flow, from: 1, to: 0, bytes: 10KB, start: 30us},\n"
               "          {kind: flow, from: 2, to: 0, bytes: 10KB, start: 10us}]\n"));
  ASSERT_EQ(r.flows.size(), 2u);
  for (const FlowResult& flow : r.flows) {
    EXPECT_EQ(flow.start, flow.from == 1 ? kMicroSecond * 30 : kMicroSecond * 10);
    EXPECT_TRUE(flow.completed);
    EXPECT_EQ(flow.delivered_total, 10'000);
  }
}

TEST(DirectTraffic, AStoppedFlowSendsNoMore) {
  const RunResults r =
      run(star("traffic: [{kind: flow, from: 1, to: 0, stop: 20us},\n"
               "          {kind: flow, from: 2, to: 3, stop: 40us}]\n"));
  // The limit is the number of bytes that the link carries in 20 us, and one packet.
  EXPECT_LE(r.flows[0].delivered_total, 250'000 + 1'000);
  EXPECT_GT(r.flows[0].delivered_total, 150'000);
  EXPECT_LE(r.flows[1].delivered_total, 500'000 + 1'000) << "the second stops as well";
  EXPECT_GT(r.flows[1].delivered_total, r.flows[0].delivered_total * 3 / 2);
  EXPECT_EQ(r.flows[0].stopped, kMicroSecond * 20);
  EXPECT_FALSE(r.flows[0].completed);
}

TEST(DirectTraffic, AHostWithADriverIsServedByItsSoftware) {
  const RunResults r =
      run(star("hosts: {1: {driver: native}}\n"
               "traffic: [{kind: flow, from: 1, to: 0, bytes: 20KB}]\n"));
  EXPECT_TRUE(r.failures.empty()) << r.failures.front();
  EXPECT_TRUE(r.flows[0].completed);
  EXPECT_EQ(r.flows[0].delivered_total, 20'000);
  EXPECT_GT(r.flows[0].start, PicoSeconds(0)) << "its driver has to come up first";
}

}  // namespace
}  // namespace dcc::vp
