// Compares Hedera's estimated demands with matrices calculated by hand.
#include "schemes/hedera/demand_estimate.h"

#include <gtest/gtest.h>

namespace dcc::demand_estimate_test {
namespace {

constexpr std::uint64_t kFull = 12'000;
enum : HostId { kA, kB, kC, kD, kX };

std::vector<std::uint64_t> estimate(const std::vector<std::pair<HostId, HostId>>& pairs,
                                    std::vector<std::uint64_t> rates = {}) {
  if (rates.empty()) rates.assign(5, kFull);
  std::vector<FlowDemand> flows;
  for (const auto& [from, to] : pairs) flows.push_back({from, to, 7});
  estimate_demands(flows, rates);
  std::vector<std::uint64_t> found;
  for (const FlowDemand& flow : flows) found.push_back(flow.rate);
  return found;
}

using Rates = std::vector<std::uint64_t>;

TEST(DemandEstimate, ASendersFlowsShareItsLink) {
  EXPECT_EQ(estimate({}), Rates{});
  EXPECT_EQ(estimate({{kA, kB}}), Rates{kFull});
  EXPECT_EQ(estimate({{kA, kB}, {kA, kC}, {kA, kD}}), (Rates{4000, 4000, 4000}));
}

TEST(DemandEstimate, AReceiverHoldsItsSendersDownAlike) {
  EXPECT_EQ(estimate({{kA, kX}, {kB, kX}, {kC, kX}}), (Rates{4000, 4000, 4000}));
  // The two flows of host A get half a link each. Receiver X therefore gives its other half to host
  // B, although B could send more.
  EXPECT_EQ(estimate({{kA, kX}, {kB, kX}, {kA, kC}}), (Rates{6000, 6000, 6000}));
}

TEST(DemandEstimate, WhoAsksForLessThanItsShareLeavesTheRestToOthers) {
  EXPECT_EQ(estimate({{kA, kX}, {kA, kB}, {kA, kC}, {kA, kD}, {kB, kX}}),
            (Rates{3000, 3000, 3000, 3000, 9000}));
}

// Four hosts have ten flows. At first senders divide their links: A and B give each flow a third, C
// and D a half. Demands for receiver A are then 7/6 of a link and for receiver B 4/3, so each
// limits three flows to a third. Host C then has 2/3 left for D, for which A demands another third,
// exactly D's link.
TEST(DemandEstimate, WhatReceiversHoldDownIsFreeForOtherFlows) {
  EXPECT_EQ(estimate({{kA, kB},
                      {kA, kC},
                      {kA, kD},
                      {kB, kA},
                      {kB, kA},
                      {kB, kC},
                      {kC, kA},
                      {kC, kD},
                      {kD, kB},
                      {kD, kB}}),
            (Rates{4000, 4000, 4000, 4000, 4000, 4000, 4000, 8000, 4000, 4000}));
}

TEST(DemandEstimate, HostsHaveLinksOfTheirOwn) {
  EXPECT_EQ(estimate({{kA, kX}, {kB, kX}}, {kFull, kFull, kFull, kFull, 3000}),
            (Rates{1500, 1500}));
  EXPECT_EQ(estimate({{kA, kX}, {kB, kX}}, {2000, kFull, kFull, kFull, kFull}),
            (Rates{2000, 10'000}));
}

}  // namespace
}  // namespace dcc::demand_estimate_test
