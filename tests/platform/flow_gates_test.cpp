// Flows that wait for others start when the last of these has arrived, under every transport.
#include "traffic/flow_gates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "measure/metrics.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

/// Host 0 asks host 1, which asks hosts 2 and 3; twice.
std::string tree(const std::string& rest, const std::string& operation = "write") {
  return star(
      "traffic:\n"
      "  - {kind: partition_aggregate, receiver: 0, fan_out: [1, 2], request: 3KB,\n"
      "     bytes: 50KB, think: 2us, period: 200us, rounds: 2, deadline: 60us,\n"
      "     operation: " +
      operation + "}\n" + rest);
}

/// Every flow began `think` after the last of the flows that it waits for, and not before its own
/// start.
RunResults expect_in_order(const std::string& yaml, std::size_t flows = 12) {
  const Planned planned(yaml);
  PlatformConfig config = planned.config;
  config.duration = kMilliSecond * 50;
  const RunResults r = run(config);
  std::map<std::uint32_t, PicoSeconds> opened;
  EXPECT_EQ(r.flows.size(), flows);
  for (const PlannedFlow& flow : planned.plan.flows()) {
    const FlowResult& result = r.flows[flow.spec.id];
    EXPECT_TRUE(result.completed) << flow.spec.id;
    if (!result.completed) return r;
    PicoSeconds& last = opened[flow.spec.opens];
    last = std::max(last, *result.end_rx);
  }
  for (const PlannedFlow& flow : planned.plan.flows()) {
    const FlowSpec& spec = flow.spec;
    const PicoSeconds due = spec.is_gated() ? opened.at(spec.waits_at) + spec.think : spec.start;
    EXPECT_EQ(r.flows[spec.id].start, due) << spec.from << " to " << spec.to;
  }
  return r;
}

TEST(FlowGates, OpenWithTheLastArrival) { expect_in_order(tree("")); }
TEST(FlowGates, OpenWithTheLastArrivalOfSends) { expect_in_order(tree("", "send")); }
TEST(FlowGates, OpenWithTheLastArrivalUnderTcp) {
  expect_in_order(
      tree("nic: {transport: {kind: tcp}, congestion_control: {algorithm: none}}\n"
           "switch: {pfc: {enabled: false}}\n"));
}
TEST(FlowGates, OpenWithTheLastArrivalUnderNdp) {
  expect_in_order(
      tree("nic: {transport: {kind: ndp}, congestion_control: {algorithm: none}}\n"
           "switch: {pfc: {enabled: false}}\n"));
}

std::string collective(const std::string& what, const std::string& rest = "") {
  return star("traffic: [{kind: collective, bytes: 400KB, rounds: 2, think: 20us, " + what +
              "}]\n" + "switch: {pfc: {enabled: false}}\n" + rest);
}
const std::string kNdp = "nic: {transport: {kind: ndp}, congestion_control: {algorithm: none}}\n";

// Six steps of 100 KB at 100 Gb/s: 8 us of payload, four wires of 1 us, and a packet twice.
TEST(FlowGates, ARingTakesSixStepsOfAQuarter) {
  const RunResults r = expect_in_order(collective("shape: ring_all_reduce"), 48);
  const PicoSeconds step = *r.flows[0].end_rx - r.flows[0].start;
  ASSERT_EQ(r.queries.size(), 2u);
  for (const QueryResult& round : r.queries) {
    ASSERT_TRUE(round.answered);
    // Each host's ACKs share its wire with its data.
    EXPECT_GE(*round.answered - round.asked, step * 6);
    EXPECT_LE(*round.answered - round.asked, step * 6 + kMicroSecond * 3);
  }
  EXPECT_GE(r.queries[1].asked, *r.queries[0].answered + kMicroSecond * 19);
  EXPECT_LE(r.queries[1].asked, *r.queries[0].answered + kMicroSecond * 20);
}
TEST(FlowGates, ARingUnderNdp) { expect_in_order(collective("shape: ring_all_reduce", kNdp), 48); }
TEST(FlowGates, ATreeGoesUpAndDownUnderNdp) {
  const RunResults r = expect_in_order(collective("shape: tree_all_reduce", kNdp), 12);
  EXPECT_EQ(r.queries.size(), 2u);
}
TEST(FlowGates, AllToAllInSteps) {
  const RunResults r = expect_in_order(collective("shape: all_to_all"), 24);
  EXPECT_EQ(compute_metrics(config_of(collective("shape: all_to_all")), r).queries->answered, 2u);
}

TEST(FlowGates, AQueryLastsFromItsQuestionToItsLastAnswer) {
  PlatformConfig longer = config_of(tree(""));
  longer.duration = kMicroSecond * 500;
  const RunResults r = run(longer);
  ASSERT_EQ(r.queries.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(r.queries[i].asked, kMicroSecond * 200 * static_cast<std::int64_t>(i));
    PicoSeconds last;
    for (const FlowResult& flow : r.flows) {
      if (flow.from == 1 && flow.to == 0 && flow.start > r.queries[i].asked &&
          flow.start < r.queries[i].asked + kMicroSecond * 200) {
        last = std::max(last, *flow.end_rx);
      }
    }
    EXPECT_EQ(r.queries[i].answered, last);
  }
  const Metrics metrics = compute_metrics(longer, r);
  EXPECT_EQ(metrics.queries->answered, 2u);
  EXPECT_EQ(metrics.queries->p50, r.queries[0].answered);
  // Three flows of 50 KB one after the other take 12.6 us at 100 Gb/s; three think times take 6 us,
  // four paths over two wires 8 us.
  EXPECT_GT(*metrics.queries->p50, kMicroSecond * 27);
  EXPECT_LT(*metrics.queries->p50, kMicroSecond * 30);
  // A query's deadline counts from its question, for every host that answers.
  ASSERT_TRUE(metrics.deadlines);
  EXPECT_EQ(metrics.deadlines->flows, 6u);
  EXPECT_EQ(metrics.deadlines->missed, 0u);
}

TEST(FlowGates, AQueryWithoutAllItsAnswersIsUnanswered) {
  PlatformConfig config = config_of(tree(""));
  config.duration = kMicroSecond * 220;
  const RunResults r = run(config);
  EXPECT_TRUE(r.queries.at(0).answered.has_value());
  EXPECT_FALSE(r.queries.at(1).answered.has_value());
  EXPECT_EQ(compute_metrics(config, r).queries->answered, 1u);
}

TEST(FlowGates, NeedHostsThatThePlatformDrives) {
  try {
    config_of(
        "topology: {kind: star, hosts: 4}\nhost: {driver: native}\n"
        "traffic: [{kind: partition_aggregate, receiver: 0, fan_out: [1, 2], bytes: 1KB}]\n");
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("driver: none"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dcc::vp
