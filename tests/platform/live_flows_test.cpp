// Compares runs that generate and release flows during the run with runs that list all flows: equal
// results with a fraction of the memory.
#include "traffic/live_flows.h"

#include <gtest/gtest.h>

#include "measure/metrics.h"
#include "report/metrics_json.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

/// All results of a run as text, except its speed and the division of its work between threads.
std::string live_told(const PlatformConfig& config, const RunSetup& setup) {
  RunResults r = run(config, setup);
  r.wall_s = r.threads = 1;
  r.events = 1;
  r.partition_refusal.clear();
  std::string text = metrics_json(r, compute_metrics(config, r)).dump();
  for (const FlowResult& f : r.flows) {
    text += "\n" + std::to_string(f.id) + " " + std::to_string(f.start.count) + " " +
            std::to_string(f.end.value_or(PicoSeconds(-1)).count) + " " +
            std::to_string(f.end_rx.value_or(PicoSeconds(-1)).count) + " " +
            std::to_string(f.delivered_total) + " " + std::to_string(f.delivered_measured) + " " +
            std::to_string(f.counts.of(&FlowRecord::retransmits));
  }
  for (std::size_t i = 0; i < r.class_series.t.size(); ++i) {
    text += "\n" + std::to_string(r.class_series.goodput_gbps[i]);
  }
  return text;
}

std::string live_outcome(const std::string& yaml, bool hold, unsigned threads = 1) {
  return in_a_process([&] {
    RunSetup setup;
    setup.hold_flows = hold;
    setup.threads = threads;
    return live_told(config_of(yaml), setup);
  });
}

/// A configuration with 3000 flows among eight hosts, with losses, CE marks, and a measurement
/// window in the middle of the run.
std::string live_busy(const std::string& more) {
  return "topology: {kind: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 4,\n"
         "  fabric_link: {rate: 100Gbps, delay: 1us}}\n"
         "host: {driver: none}\nduration: 4ms\nswitch: {buffer: 200KB, pfc: {enabled: false}}\n"
         "measure: {from: 200us, to: 1ms}\n"
         "dscp: {46: {weight: 2}}\n"
         "output: {series: {interval: 50us, classes: true}}\n" +
         more;
}

const std::string kLiveTraffic =
    "traffic:\n"
    "  - {kind: poisson, sizes: fbhadoop, load: 0.8, flows_per_host: 350}\n"
    "  - {kind: poisson, sizes: fbhadoop, load: 0.2, flows_per_host: 130, dscp: 46, stop: 1500us}\n"
    "  - {kind: incast, senders: 1..7, receiver: 0, bytes: 200KB, start: 300us, stop: 400us}\n"
    "faults: [{kind: loss, link: leaf1->spine0, probability: 0.001}]\n";

TEST(LiveFlows, ARunThatForgetsIsTheSameRun) {
  const std::string yaml = live_busy(kLiveTraffic);
  const std::string held = live_outcome(yaml, true);
  EXPECT_GT(held.size(), 100'000u) << held;
  EXPECT_EQ(live_outcome(yaml, false), held);
}

TEST(LiveFlows, OnTwoThreadsToo) {
  const std::string yaml = live_busy(kLiveTraffic);
  const std::string one = live_outcome(yaml, false, 1);
  EXPECT_GT(one.size(), 100'000u) << one;
  EXPECT_EQ(live_outcome(yaml, false, 2), one);
}

TEST(LiveFlows, WithEveryAlgorithm) {
  for (const char* const algorithm : {"none", "dcc", "hpcc", "timely", "swift", "qcn"}) {
    const std::string yaml = live_busy(
        "nic: {congestion_control: {algorithm: " + std::string(algorithm) + "}}\n" + kLiveTraffic);
    const std::string held = live_outcome(yaml, true);
    EXPECT_GT(held.size(), 100'000u) << algorithm << ": " << held;
    EXPECT_EQ(live_outcome(yaml, false), held) << algorithm;
  }
}

TEST(LiveFlows, OtherTransportsKeepTheirs) {
  const std::string yaml = live_busy(
      "nic: {congestion_control: {algorithm: none}, transport: {kind: tcp}}\n" + kLiveTraffic);
  const std::string held = live_outcome(yaml, true);
  EXPECT_GT(held.size(), 100'000u) << held;
  EXPECT_EQ(live_outcome(yaml, false), held);
}

}  // namespace
}  // namespace dcc::vp
