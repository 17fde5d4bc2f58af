// Compares runs that skip steady states (fast_forward) with the same runs simulated packet by
// packet.
#include "disturb/fast_forward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "measure/metrics.h"
#include "report/metrics_json.h"
#include "small_platform.h"

namespace dcc::vp::fast_forward_test {
namespace {

/// Compared figures of a run: name -> value.
using Figures = std::map<std::string, double>;

Figures figures_of(const RunResults& r) {
  Figures f;
  f["fast_forwarded"] = to_seconds(r.fast_forwarded.value_or(PicoSeconds(0)));
  f["sim_time"] = to_seconds(r.sim_time);
  f["events"] = static_cast<double>(r.events);
  f["dropped"] = static_cast<double>(r.balance.packets_dropped);
  f["marks"] = static_cast<double>(r.counters.of(&SwitchCounters::ecn_marks));
  f["cnps"] = static_cast<double>(r.counters.of(&NicCounters::cnps_received));
  f["rtt"] = static_cast<double>(r.rtt_ns.sum()) / static_cast<double>(r.rtt_ns.count());
  f["rtts"] = static_cast<double>(r.rtt_ns.count());
  for (const QueueResult& queue : r.queues) f["queue " + queue.port] = queue.mean_bytes;
  for (const LinkResult& link : r.links) f["busy " + link.name] = to_seconds(link.busy);
  for (const FlowResult& flow : r.flows) {
    const std::string id = std::to_string(flow.id);
    f["measured " + id] = static_cast<double>(flow.delivered_measured);
    f["delivered " + id] = static_cast<double>(flow.delivered_total);
    f["start " + id] = to_seconds(flow.start);
    if (flow.end) f["end " + id] = to_seconds(*flow.end);
  }
  return f;
}

Figures figures(const std::string& yaml) {
  const std::string text = in_a_process([&] {
    std::ostringstream out;
    out.precision(17);
    for (const auto& [name, value] : figures_of(run(yaml))) out << name << '=' << value << '\n';
    return out.str();
  });
  Figures f;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find('=');
    if (at == std::string::npos) ADD_FAILURE() << text;
    if (at != std::string::npos) f[line.substr(0, at)] = std::stod(line.substr(at + 1));
  }
  return f;
}

const char* const kOn = "fast_forward: {enabled: true}\n";

std::string star(const std::string& algorithm, unsigned seed, const std::string& rest) {
  return "topology: {kind: star, hosts: 5, link: {rate: 25Gbps, delay: 1us}}\n"
         "host: {driver: none}\noutput: {series: {interval: 100us}}\n"
         "nic: {congestion_control: {" +
         algorithm + "}}\nseed: " + std::to_string(seed) + "\n" + rest;
}
const char* const kFour = "traffic: [{kind: incast, senders: 1..4, receiver: 0}]\n";

double apart(double a, double b) { return b == 0 ? std::abs(a) : std::abs(a / b - 1); }

struct Law {
  const char* name;
  const char* algorithm;
  const char* marking;
};
const Law kLaws[] = {
    {"dcqcn", "algorithm: dcqcn, preset: sig15",
     "switch: {ecn: {kmin: 5KB, kmax: 200KB, pmax: 0.01, mark_at: dequeue}}\n"},
    {"dcc_proportional", "algorithm: dcc, policy: proportional",
     "switch: {ecn: {kmin: 14KB, kmax: 110KB, pmax: 1, mark_at: dequeue}}\n"},
    {"hpcc", "algorithm: hpcc", ""},
};
std::string name_of(const testing::TestParamInfo<Law>& info) { return info.param.name; }

class FastForwardLaws : public testing::TestWithParam<Law> {
 protected:
  static std::string yaml(unsigned seed, const std::string& rest) {
    return star(GetParam().algorithm, seed, GetParam().marking + rest);
  }
};
INSTANTIATE_TEST_SUITE_P(All, FastForwardLaws, testing::ValuesIn(kLaws), name_of);

// Relative difference of a single flow's rate between two packet-by-packet runs with different
// seeds. Rates vary over many milliseconds, and these runs are short.
constexpr double kBetweenSeeds = 0.06;

TEST_P(FastForwardLaws, MeanRatesAreThoseOfTheRunPacketByPacket) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const std::string run =
        yaml(seed, std::string(kFour) + "duration: 600ms\nmeasure: {from: 20ms, to: 590ms}\n");
    const Figures whole = figures(run);
    const Figures quick = figures(run + kOn);
    EXPECT_EQ(whole.at("fast_forwarded"), 0);
    // The skipped share depends on the time at which the observation windows are long enough.
    // Windows double in length.
    EXPECT_GT(quick.at("fast_forwarded"), 0.1) << seed;
    EXPECT_LT(quick.at("events"), 0.9 * whole.at("events"));
    EXPECT_EQ(quick.at("sim_time"), whole.at("sim_time"));
    double sum = 0;
    double sum_whole = 0;
    for (const char* const flow : {"0", "1", "2", "3"}) {
      const std::string measured = std::string("measured ") + flow;
      EXPECT_LT(apart(quick.at(measured), whole.at(measured)), kBetweenSeeds)
          << flow << " " << seed;
      sum += quick.at(measured);
      sum_whole += whole.at(measured);
    }
    EXPECT_LT(apart(sum, sum_whole), 0.01) << "promised";
    EXPECT_LT(apart(sum, sum_whole), 0.001) << "as it is: the port is full";
    EXPECT_LT(apart(quick.at("rtt"), whole.at("rtt")), 0.05);
    EXPECT_LT(apart(quick.at("rtts"), whole.at("rtts")), 0.005);
    EXPECT_LT(apart(quick.at("queue s0->h0"), whole.at("queue s0->h0")), 0.1);
    EXPECT_LT(apart(quick.at("busy s0->h0"), whole.at("busy s0->h0")), 0.002);
    EXPECT_LT(apart(quick.at("cnps") + 1000, whole.at("cnps") + 1000), 0.1);
  }
}

TEST_P(FastForwardLaws, FlowsEndWhenTheyWould) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    // Together the flows send 2 GB at 25 Gb/s, which takes about 700 ms.
    const std::string run =
        yaml(seed,
             "traffic: [{kind: incast, senders: 1..4, receiver: 0, bytes: 500MB}]\nduration: 2s\n");
    const Figures whole = figures(run);
    const Figures quick = figures(run + kOn);
    EXPECT_GT(quick.at("fast_forwarded"), 0.05) << seed;
    double sum = 0;
    double sum_whole = 0;
    for (const char* const flow : {"0", "1", "2", "3"}) {
      const std::string end = std::string("end ") + flow;
      EXPECT_LT(apart(quick.at(end), whole.at(end)), kBetweenSeeds) << end << " " << seed;
      EXPECT_EQ(quick.at(std::string("delivered ") + flow), 500e6);
      sum += quick.at(end);
      sum_whole += whole.at(end);
    }
    EXPECT_LT(apart(sum, sum_whole), 0.01) << seed;
    EXPECT_EQ(quick.at("dropped"), 0);
  }
}

TEST(FastForward, WhatStartsAndStopsDoesSoAtItsTime) {
  const std::string run = star(
      "algorithm: dcqcn", 1,
      "traffic: [{kind: flow, from: 1, to: 0}, {kind: flow, from: 2, to: 0, start: 150ms, stop: "
      "250ms},\n          {kind: flow, from: 3, to: 0, start: 300ms, bytes: 1MB}]\nduration: "
      "400ms\n");
  const Figures whole = figures(run);
  const Figures quick = figures(run + kOn);
  EXPECT_GT(quick.at("fast_forwarded"), 0.1);
  EXPECT_EQ(quick.at("start 1"), 0.150);
  EXPECT_EQ(quick.at("start 2"), 0.300);
  EXPECT_DOUBLE_EQ(quick.at("sim_time"), 0.400);
  for (const char* const flow : {"delivered 0", "delivered 1"}) {
    EXPECT_LT(apart(quick.at(flow), whole.at(flow)), kBetweenSeeds) << flow;
  }
  EXPECT_EQ(quick.at("delivered 2"), 1e6);
  // Flow 2 starts at another point of the packet sequence of a flow that uses the whole link.
  EXPECT_NEAR(quick.at("end 2") - 0.300, whole.at("end 2") - 0.300, 1e-3);
}

// A stopped flow never completes and sends nothing more. The other flows of its kind remain equal
// to each other.
TEST(FastForward, AStoppedFlowIsNoLongerOneOfItsKind) {
  const Figures f =
      figures(star(kLaws[0].algorithm, 1,
                   std::string(kLaws[0].marking) + kOn +
                       "duration: 500ms\ntraffic: [{kind: incast, senders: 1..3, receiver: 0}, "
                       "{kind: flow, from: 4, to: 0, stop: 20ms}]\n"));
  EXPECT_GT(f.at("fast_forwarded"), 0.15);
}

TEST(FastForward, NothingIsSkippedWhereNothingIsAtRest) {
  // Flows start and end every few milliseconds.
  const std::string run =
      star("algorithm: dcqcn", 1,
           "traffic: [{kind: poisson, hosts: 0..4, load: 0.4, sizes: websearch, "
           "flows_per_host: 40}]\nduration: 60ms\n");
  Figures whole = figures(run);
  Figures quick = figures(run + kOn);
  EXPECT_EQ(quick.at("fast_forwarded"), 0);
  // The detector of steady states schedules events of its own.
  EXPECT_GT(quick.at("events"), whole.at("events"));
  quick["events"] = whole["events"];
  EXPECT_EQ(quick, whole);
}

TEST(FastForward, LossesAreNoRest) {
  const std::string run =
      star("algorithm: none", 1,
           std::string(kFour) +
               "duration: 60ms\nswitch: {buffer: 200KB, ecn: {enabled: false}, pfc: "
               "{enabled: false}, ties: seeded}\n");
  const Figures quick = figures(run + kOn);
  EXPECT_GT(quick.at("dropped"), 0);
  EXPECT_EQ(quick.at("fast_forwarded"), 0);
}

TEST(FastForward, AnyNumberOfThreadsSkipsTheSame) {
  const auto with = [](unsigned threads) {
    return in_a_process([&] {
      const PlatformConfig config = config_of(
          "topology: {kind: leaf_spine, leaves: 2, hosts_per_leaf: 3, spines: 1,\n"
          "           host_link: {rate: 25Gbps}, fabric_link: {rate: 25Gbps}}\n"
          "host: {driver: none}\nduration: 100ms\nnic: {congestion_control: {algorithm: hpcc}}\n"
          "traffic: [{kind: permutation, hosts: 0..5}]\n" +
          std::string(kOn));
      RunSetup setup;
      setup.threads = threads;
      RunResults r = run(config, setup);
      const unsigned used = r.threads;
      r.wall_s = r.events = 0;
      r.threads = 1;
      auto json = metrics_json(r, compute_metrics(config, r));
      json.erase("speed");
      if (json["fast_forwarded_s"] < 0.05) return std::string("too little is skipped");
      return std::to_string(used) + " " + json.dump();
    });
  };
  const std::string one = with(1);
  const std::string two = with(2);
  ASSERT_EQ(one.substr(0, 2), "1 ");
  ASSERT_EQ(two.substr(0, 2), "2 ");
  EXPECT_EQ(two.substr(2), one.substr(2));
}

TEST(FastForward, SamplesStandWhereTheyWouldWithoutTheSkippedOnes) {
  const PlatformConfig config = config_of(star(
      kLaws[1].algorithm, 1, kLaws[1].marking + std::string(kFour) + "duration: 200ms\n" + kOn));
  const RunResults r = run(config);
  ASSERT_GT(r.fast_forwarded->count, 0);
  const std::vector<PicoSeconds>& t = r.class_series.t;
  ASSERT_FALSE(t.empty());
  const auto rows = static_cast<std::size_t>((kMilliSecond * 200 - *r.fast_forwarded) /
                                             config.output.series.interval);
  EXPECT_EQ(t.size(), rows);
  EXPECT_EQ(t.back(), kMilliSecond * 200);
  std::size_t gaps = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_EQ(t[i].count % config.output.series.interval.count, 0);
    if (i != 0 && config.output.series.interval < t[i] - t[i - 1]) ++gaps;
    // The first sample after skipped time covers one interval, like all samples.
    if (i > 100) {
      EXPECT_LT(r.class_series.goodput_gbps[i], 25.0);
    }
  }
  EXPECT_GE(gaps, 1u);
}

TEST(FastForward, ProcessesAndPromptsAreRefused) {
  for (const bool interactive : {true, false}) {
    const std::string said = in_a_process([&] {
      RunSetup setup;
      setup.interactive = interactive;
      if (!interactive) setup.late_change = LateChange{kMicroSecond, [] { return nullptr; }};
      run(config_of(star("algorithm: dcqcn", 1, std::string(kFour) + kOn)), setup);
      return std::string("accepted");
    });
    EXPECT_EQ(said.rfind("fast_forward.enabled: ", 0), 0u) << said;
  }
}

}  // namespace
}  // namespace dcc::vp::fast_forward_test
