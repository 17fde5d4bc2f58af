// Tests the diagnoses of flows that are missing in the results, of a burst memory without hits, and
// of flows at failed ports.
#include "measure/flow_digest.h"
#include "synthetic_run.h"

namespace dcc::vp {
namespace {

/// Results of a run that keep a digest of the flows instead of a list.
struct Digested : SyntheticRun {
  explicit Digested(const std::string& more) : SyntheticRun(more) {
    for (HostId sender = 1; sender <= 3; ++sender) {
      add_done(sender, 0, kMilliSecond, kMilliSecond * 15);
    }
    auto digest = std::make_shared<FlowDigest>(loaded.config);
    for (const FlowResult& flow : results.flows) digest->add(flow);
    digest->end_run(results.measured_from, results.measured_to, results.sim_time);
    results.flows.clear();
    results.digest = digest;
  }
};

TEST(FlowsLeftOut, NamesTheDiagnosesThatAreNotMade) {
  EXPECT_FALSE(SyntheticRun().found("flows_left_out"));
  std::size_t made_of_flows = 0;
  for (const DiagnosisEntry& entry : all_diagnoses()) {
    made_of_flows += entry.diagnosis->needs_flows() ? 1 : 0;
  }
  Digested sketch("output: {flows: sketch}\n");
  const auto found = sketch.found("flows_left_out");
  EXPECT_TRUE(says(found, "output.flows: sketch keeps none of 3 flows, so flows.csv and `flows`"));
  EXPECT_TRUE(says(found, "quantiles of completion times and slowdowns are within"));
  EXPECT_EQ(figure_of(found, "diagnoses"), static_cast<double>(made_of_flows));
  for (const char* const id : {"idle_link", "starving_flows", "flows_at_failed_ports"}) {
    EXPECT_TRUE(says(found, id)) << id;
  }
}

TEST(FlowsLeftOut, NamesTheFilesAndFiguresThatAreMissing) {
  Digested none("output: {flows: none}\n");
  EXPECT_TRUE(says(none.found("flows_left_out"), "completion times and slowdowns are null"));
  EXPECT_FALSE(says(none.found("flows_left_out"), "timeline.csv"));
  none.results.dependencies.emplace();
  EXPECT_TRUE(says(none.found("flows_left_out"), "flows.csv, timeline.csv and"));
}

TEST(MemoryUnused, OnlyWithoutAHit) {
  SyntheticRun run;
  EXPECT_FALSE(run.found("memory_unused")) << "without fast_forward.memo";
  MemoResult& memo = run.results.memo.emplace();
  memo.misses = 5;
  EXPECT_TRUE(says(run.found("memory_unused"), "5 bursts were simulated, and none began more"));
  EXPECT_EQ(figure_of(run.found("memory_unused"), "bursts"), 5);
  memo.hits = 1;
  EXPECT_FALSE(run.found("memory_unused"));
}

TEST(MemoryUnused, NamesTheFirstCause) {
  SyntheticRun run;
  MemoResult& memo = run.results.memo.emplace();
  EXPECT_TRUE(says(run.found("memory_unused"), "no flow that waits for others began"));
  memo.misses = 9;
  memo.differing = 4;
  EXPECT_TRUE(says(run.found("memory_unused"), "4 bursts began like a known one"));
  memo.cut = 3;
  EXPECT_TRUE(says(run.found("memory_unused"), "3 bursts were known, but flows that start"));
  memo.lossy = 2;
  EXPECT_TRUE(says(run.found("memory_unused"), "packets were sent again in 2 bursts"));
  memo.checked = 7;
  memo.refused = 6;
  EXPECT_TRUE(says(run.found("memory_unused"), "6 of 7 spot checks found another course"));
  EXPECT_EQ(figure_of(run.found("memory_unused"), "refused"), 6);
}

// Two hosts with two ports each, connected to both switches.
constexpr const char* kTwoPorts =
    "topology:\n  kind: custom\n"
    "  nodes: [{name: a}, {name: b}, {name: t0, kind: switch}, {name: t1, kind: switch}]\n"
    "  links: [{from: a, to: t0}, {from: a, to: t1}, {from: b, to: t0}, {from: b, to: t1}]\n"
    "host: {driver: none}\nduration: 20ms\nmeasure: {from: 10ms}\n";

TEST(FlowsAtFailedPorts, CountsFlowsThatWaitAtEitherEnd) {
  const auto failing = [](const char* more) { return SyntheticRun(more, kTwoPorts); };
  constexpr const char* kOne =
      "faults: [{kind: link_failure, link: t0--b.0, start: 2ms, stop: 3ms}]\n";
  SyntheticRun run = failing(kOne);
  EXPECT_FALSE(run.found("flows_at_failed_ports"));
  run.add_done(0, 1, kMilliSecond, kMilliSecond * 2 - kNanoSecond);  // ends before the link fails
  run.add_done(0, 1, kMilliSecond * 4, kMilliSecond * 5);  // begins after the link's repair
  // uses the other port of the host
  run.add_done(0, 1, kMilliSecond, kMilliSecond * 5).to_port = 1;
  run.add_done(1, 0, kMilliSecond, kMilliSecond * 5).from_port = 1;
  EXPECT_FALSE(run.found("flows_at_failed_ports"));
  run.add(0, 1).begun = false;
  EXPECT_FALSE(run.found("flows_at_failed_ports")) << "a flow that has not begun";
  run.add_done(0, 1, kMilliSecond, kMilliSecond * 5);  // arrives at the failed port
  EXPECT_EQ(figure_of(run.found("flows_at_failed_ports"), "flow"), 5);
  run.add(1, 0);  // leaves from the failed port and does not complete
  const auto found = run.found("flows_at_failed_ports");
  EXPECT_EQ(figure_of(found, "flows"), 2);
  EXPECT_TRUE(says(found, "2 of 7 flows waited")) << words_of(found);
  EXPECT_TRUE(says(found, "flow 5 at b.0")) << words_of(found);
  EXPECT_TRUE(says(found, "a flow keeps its ports")) << words_of(found);
  const auto flows = run.results.flows;
  // With port failover a flow waits at a failed port until the NIC detects the failure.
  SyntheticRun moving = failing(
      "nic: {port_failover: {detection: 5ms}}\n"
      "faults: [{kind: link_failure, link: t0--b.0, start: 2ms, stop: 3ms}]\n");
  moving.results.flows = flows;
  EXPECT_TRUE(says(moving.found("flows_at_failed_ports"), "flows leave a port 5ms after"));
  // The diagnosis must not report the same flows in a run without the fault.
  SyntheticRun healthy = failing("");
  healthy.results.flows = flows;
  EXPECT_FALSE(healthy.found("flows_at_failed_ports"));
}

}  // namespace
}  // namespace dcc::vp
