// Tests switch ports with credit-based shapers for some priorities. All other priorities share the
// rest of the link.
#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp::shaped_ports_test {
namespace {

/// Goodput in Gb/s of three flows to one port of 10 Gb/s, in the priorities 5, 1 and 0.
std::vector<double> goodputs(const std::string& scheduler, const std::string& more = "") {
  const RunResults r =
      run("topology: {kind: star, hosts: 4, link: {rate: 10Gbps, delay: 1us}}\n"
          "host: {driver: none}\nduration: 4ms\nmeasure: {from: 1ms}\n"
          "nic: {congestion_control: {algorithm: none}}\n"
          "switch: {ecn: {enabled: false}, scheduler: " +
          scheduler +
          "}\n"
          "dscp: {46: {priority: 5}, 10: {priority: 1}, 0: {priority: 0}}\n"
          "traffic:\n"
          "  - {kind: flow, from: 1, to: 0, dscp: 46" +
          more +
          "}\n"
          "  - {kind: flow, from: 2, to: 0, dscp: 10}\n"
          "  - {kind: flow, from: 3, to: 0, dscp: 0}\n");
  std::vector<double> rates;
  for (const FlowResult& flow : r.flows) {
    rates.push_back(static_cast<double>(flow.delivered_measured) * 8 / 3e6);
  }
  return rates;
}

// A packet of 1000 bytes of payload occupies the link for 1082 bytes.
constexpr double kPayload = 1000.0 / 1082;

TEST(ShapedPorts, APriorityHasItsSlopeAndTheOthersShareTheRestByWeight) {
  const auto rates = goodputs(
      "{kind: ets, weights: [1, 3, 1, 1, 1, 1, 1, 1],"
      " shapers: [{priority: 5, idle_slope: 2Gbps}]}");
  EXPECT_NEAR(rates[0], 2 * kPayload, 0.02);
  EXPECT_NEAR(rates[1], 6 * kPayload, 0.05);
  EXPECT_NEAR(rates[2], 2 * kPayload, 0.05);
}

TEST(ShapedPorts, WhatAShapedPriorityLeavesIsTheOthers) {
  const auto rates = goodputs(
      "{kind: ets, weights: [1, 3, 1, 1, 1, 1, 1, 1],"
      " shapers: [{priority: 5, idle_slope: 4Gbps}]}",
      ", rate: 1Gbps");
  EXPECT_NEAR(rates[0], kPayload, 0.02);
  EXPECT_NEAR(rates[1] + rates[2], 9 * kPayload, 0.05);
}

TEST(ShapedPorts, TheWireIsIdleWhileAllThatWaitIsShaped) {
  const auto rates = goodputs(
      "{kind: strict, shapers: [{priority: 5, idle_slope: 2Gbps}, {priority: 1, idle_slope: 3Gbps},"
      " {priority: 0, idle_slope: 1Gbps}]}");
  EXPECT_NEAR(rates[0], 2 * kPayload, 0.02);
  EXPECT_NEAR(rates[1], 3 * kPayload, 0.02);
  EXPECT_NEAR(rates[2], 1 * kPayload, 0.02);
}

// Without a shaper, strict priority would leave nothing for the lower priorities.
TEST(ShapedPorts, UnderStrictPriorityAShaperBoundsWhatTheHighestTakes) {
  const auto rates = goodputs("{kind: strict, shapers: [{priority: 5, idle_slope: 2Gbps}]}");
  EXPECT_NEAR(rates[0], 2 * kPayload, 0.02);
  EXPECT_NEAR(rates[1], 8 * kPayload, 0.05);
  EXPECT_LT(rates[2], 0.05);
}

}  // namespace
}  // namespace dcc::vp::shaped_ports_test
