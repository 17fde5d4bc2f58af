// Tests the results of flows and computations that wait for others: the critical path, and the
// reasons why some did not begin.
#include "measure/dependency_results.h"

#include <gtest/gtest.h>

#include "measure/metrics.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

DependencyResult results_of(const std::string& traffic, PicoSeconds duration = kMilliSecond) {
  PlatformConfig config = config_of(star("traffic:\n" + traffic));
  config.duration = duration;
  return run(config).dependencies.value();
}
const std::string kShort = "  - {id: a, kind: flow, from: 0, to: 1, bytes: 10KB}\n";

// Computations a, b and c end at the same instant. The end of c began a. Since b waits for a, the
// critical path must not name b's end as the reason for a's begin, although that end has the same
// time.
TEST(DependencyResults, ThePathDoesNotGoRoundAmongEndsOfOneInstant) {
  const DependencyResult d = results_of(
      "  - {id: a, kind: compute, hosts: 0, time: 0ns, after: {flows: [b, c], need: any}}\n"
      "  - {id: b, kind: compute, hosts: 0, time: 0ns, after: {flows: a}}\n"
      "  - {id: c, kind: compute, hosts: 0, time: 0ns}\n"
      "  - {kind: flow, from: 2, to: 1, bytes: 10KB, after: {flows: b}}\n");
  ASSERT_EQ(d.path.size(), 4u);
  EXPECT_EQ(d.path[0].id, 2u);
  EXPECT_EQ(d.path[1].id, 0u);
  EXPECT_EQ(d.path[2].id, 1u);
  EXPECT_EQ(d.path[3].kind, std::string("flow"));
  EXPECT_EQ(d.path_idle, PicoSeconds(0));
}

TEST(DependencyResults, WhatBeginsAfterTheEndSaysSo) {
  const DependencyResult d = results_of(
      kShort +
          "  - {id: b, kind: flow, from: 2, to: 1, bytes: 10KB, after: {flows: a, delay: 1ms}}\n"
          "  - {kind: flow, from: 1, to: 2, bytes: 10KB, after: {flows: b}}\n",
      kMicroSecond * 100);
  EXPECT_EQ(d.never_begun, 2u);
  EXPECT_EQ(d.first_never.rfind("traffic.1 begins after the end of the run, at 100", 0), 0u)
      << d.first_never;
}

// A round's begin counts from the begin of its entry: 300 us and eight periods of 100 us.
TEST(DependencyResults, ARoundAfterTheEndSaysSo) {
  const DependencyResult d = results_of(
      "  - {id: a, kind: compute, hosts: 0, time: 300us}\n"
      "  - {kind: partition_aggregate, receiver: 0, bytes: 10KB, period: 100us,\n"
      "     after: {flows: a}}\n");
  EXPECT_EQ(d.first_never, "traffic.1 begins after the end of the run, at 1100us");
}

TEST(DependencyResults, WhatFindsItsProcessorBusySaysSo) {
  const DependencyResult d = results_of(
      "  - {kind: compute, hosts: 0, time: 1s}\n"
      "  - {id: c, kind: compute, hosts: 0, time: 1us, after: {flows: d}}\n"
      "  - {id: d, kind: compute, hosts: 1, time: 1us}\n"
      "  - {kind: compute, hosts: 2, time: 1us, after: {flows: c}}\n");
  EXPECT_EQ(d.never_begun, 2u);
  EXPECT_EQ(d.first_never, "traffic.1 had not begun: processor 0 of host 0 was busy");
}

// Entries a and b wait for each other, and each would begin after any of its predecessors. The
// reported reason is c, outside of this cycle.
TEST(DependencyResults, TheReasonLiesOutsideACircleOfAny) {
  const DependencyResult d = results_of(
      "  - {id: a, kind: compute, hosts: 0, time: 0ns, after: {flows: [b, c], need: any}}\n"
      "  - {id: b, kind: compute, hosts: 0, time: 0ns, after: {flows: a}}\n"
      "  - {id: c, kind: flow, from: 1, to: 0, bytes: 10MB, stop: 20us}\n");
  EXPECT_EQ(d.first_never, "traffic.0 waits for traffic.2, which had not ended");
}

// A host computes for 900 us before and after its part in the traffic. No flow waits for these
// computations, so the completion time leaves them out.
TEST(DependencyResults, CompletionLeavesOutComputationsThatNobodyWaitsFor) {
  const DependencyResult d = results_of("  - {kind: compute, hosts: 3, time: 900us}\n" + kShort +
                                        "  - {kind: flow, from: 2, to: 1, bytes: 10KB, "
                                        "after: {flows: a}}\n");
  ASSERT_TRUE(d.completion);
  EXPECT_LT(*d.completion, kMicroSecond * 20);
  EXPECT_EQ(d.path.size(), 2u);
}
TEST(DependencyResults, ThePathBeginsWhereCompletionBegins) {
  const DependencyResult d = results_of(
      "  - {kind: compute, hosts: 0, time: 100us}\n"
      "  - {id: b, kind: compute, hosts: 0, time: 10us}\n"
      "  - {kind: flow, from: 0, to: 1, bytes: 10KB, after: {flows: b}}\n");
  ASSERT_EQ(d.path.size(), 2u) << "nobody waits for the first computation";
  EXPECT_EQ(d.path_idle, PicoSeconds(0));
  EXPECT_EQ(*d.completion, d.path_compute + d.path_communication);
}

// Ten queries begin 300 us late. Eight of the queries begin within 1 ms, the last one at 1 ms.
TEST(DependencyResults, QueriesAfterTheEndAreNotAsked) {
  for (const bool asked : {true, false}) {
    const std::string found = in_a_process([&] {
      PlatformConfig config = config_of(
          star("traffic:\n"
               "  - {id: a, kind: compute, hosts: 0, time: " +
               std::string(asked ? "300us" : "2ms") +
               "}\n"
               "  - {kind: partition_aggregate, receiver: 0, bytes: 10KB, period: 100us,\n"
               "     rounds: 10, after: {flows: a}}\n"));
      config.duration = kMilliSecond;
      const Metrics metrics = compute_metrics(config, run(config));
      return std::to_string(metrics.queries->queries) + ' ' +
             std::to_string(metrics.queries->answered);
    });
    EXPECT_EQ(found, asked ? "8 7" : "0 0");
  }
}

}  // namespace
}  // namespace dcc::vp
