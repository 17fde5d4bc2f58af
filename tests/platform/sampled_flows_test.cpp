// Sampling a set of flows visits only flows that are active.
#include "measure/sampled_flows.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace dcc::vp::sampled_flows_test {
namespace {

using Ids = std::vector<std::uint32_t>;

/// Flows in the order of their start times. Gated flows wait for other flows.
std::deque<PlannedFlow> flows_of(std::uint32_t number, bool gated, PicoSeconds apart = {}) {
  std::deque<PlannedFlow> flows(number);
  for (std::uint32_t id = 0; id < number; ++id) {
    flows[id].spec.id = id;
    flows[id].spec.start = apart * static_cast<std::int64_t>(id);
    if (gated && id != 0) flows[id].spec.waits_at = id;
  }
  return flows;
}

/// Takes one sample and returns the visited flows. The flows in `over` complete with this sample.
Ids sample(SampledFlows& sampled, const Ids& over = {}) {
  Ids seen;
  sampled.each([&](std::uint32_t flow) {
    seen.push_back(flow);
    return std::find(over.begin(), over.end(), flow) != over.end();
  });
  return seen;
}

TEST(SampledFlows, FlowsAreSampledFromTheirStartToTheirEndInTheOrderOfIds) {
  const std::deque<PlannedFlow> flows = flows_of(4, false, kMicroSecond);
  const Ids none;
  SampledFlows sampled;
  EXPECT_EQ(sample(sampled), Ids());
  sampled.add_started(flows, kMicroSecond * 2, &none);
  EXPECT_EQ(sample(sampled, {1}), (Ids{0, 1, 2}));
  EXPECT_EQ(sample(sampled), (Ids{0, 2}));
  sampled.add_started(flows, kMicroSecond * 9, &none);
  EXPECT_EQ(sample(sampled), (Ids{0, 2, 3}));
}

// Of 4000 flows that follow each other, each of 4000 samples visits the one active flow. Each flow
// may begin from time 0 on, so samples of all flows that may have begun would visit 8 million
// flows.
TEST(SampledFlows, FlowsThatWaitAreNotLookedAt) {
  constexpr std::uint32_t kFlows = 4000;
  const std::deque<PlannedFlow> flows = flows_of(kFlows, true);
  SampledFlows sampled;
  std::size_t looks = 0;
  for (std::uint32_t id = 0; id < kFlows; ++id) {
    const Ids begun = id == 0 ? Ids() : Ids{id};  // the first flow waits for no other flow
    sampled.add_started(flows, kMicroSecond * id, &begun);
    looks += sample(sampled, {id}).size();
  }
  EXPECT_EQ(looks, kFlows);
}

TEST(SampledFlows, WhatHasBegunBehindGatesComesBetweenTheOthers) {
  std::deque<PlannedFlow> flows = flows_of(5, false);
  flows[1].spec.waits_at = flows[3].spec.waits_at = 0;
  SampledFlows sampled;
  const Ids begun{3, 1};
  const Ids none;
  sampled.add_started(flows, PicoSeconds(), &none);
  EXPECT_EQ(sample(sampled), (Ids{0, 2, 4}));
  sampled.add_started(flows, PicoSeconds(), &begun);
  EXPECT_EQ(sample(sampled), (Ids{0, 1, 2, 3, 4}));
}

// If several processes share a run, a process does not know which flows of other processes have
// begun. The process therefore samples the rate of every flow from the flow's start time on.
TEST(SampledFlows, WithoutBeginsEveryFlowIsLookedAtFromItsStartOn) {
  SampledFlows sampled;
  sampled.add_started(flows_of(3, true), PicoSeconds(), nullptr);
  EXPECT_EQ(sample(sampled), (Ids{0, 1, 2}));
}

}  // namespace
}  // namespace dcc::vp::sampled_flows_test
