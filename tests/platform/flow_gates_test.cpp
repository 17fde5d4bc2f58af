// Flows that wait for other flows start when the last of these has arrived, under every transport.
#include "traffic/flow_gates.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "measure/metrics.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

/// Two rounds of a query down a tree: host 0 asks host 1, and host 1 asks hosts 2 and 3.
std::string tree(const std::string& rest, const std::string& operation = "write") {
  return star(
      "traffic:\n"
      "  - {kind: partition_aggregate, receiver: 0, fan_out: [1, 2], request: 3KB,\n"
      "     bytes: 50KB, think: 2us, period: 200us, rounds: 2, deadline: 60us,\n"
      "     operation: " +
      operation + "}\n" + rest);
}

/// Expects that every flow began `think` after the last flow that it waits for, and not before its
/// own start time.
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

// A step carries 100 KB at 100 Gb/s and takes 8 us for the payload, plus the delay of four links of
// 1 us and the time of two packets.
TEST(FlowGates, ARingTakesSixStepsOfAQuarter) {
  const RunResults r = expect_in_order(collective("shape: ring_all_reduce"), 48);
  const PicoSeconds step = *r.flows[0].end_rx - r.flows[0].start;
  ASSERT_EQ(r.queries.size(), 2u);
  for (const QueryResult& round : r.queries) {
    ASSERT_TRUE(round.answered);
    // The ACKs of each host share its link with its data.
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
  // Three consecutive flows of 50 KB take 12.6 us at 100 Gb/s, three think times 6 us, and four
  // paths of two links 8 us.
  EXPECT_GT(*metrics.queries->p50, kMicroSecond * 27);
  EXPECT_LT(*metrics.queries->p50, kMicroSecond * 30);
  // The deadline of every answer counts from the query's begin.
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

RunResults run_named(const std::string& traffic, const std::string& rest = "") {
  PlatformConfig config = config_of(star("traffic:\n" + traffic + rest));
  config.duration = kMilliSecond * 5;
  return run(config);
}

// Flow B begins 7 us after the last byte of flow A, and flow C 3 us after the last ACK of flow B.
TEST(FlowGates, AChainIsItsEndsAndItsDelaysToThePicosecond) {
  const RunResults r = run_named(
      "  - {id: a, kind: flow, from: 1, to: 0, bytes: 100KB, start: 5us}\n"
      "  - {id: b, kind: flow, from: 0, to: 2, bytes: 10KB, after: {flows: a, delay: 7us}}\n"
      "  - {kind: flow, from: 0, to: 3, bytes: 10KB, after: {flows: b, event: sent, delay: "
      "3us}}\n");
  const FlowResult* by_entry[3] = {};
  for (const FlowResult& flow : r.flows) by_entry[flow.entry] = &flow;
  EXPECT_EQ(by_entry[0]->start, kMicroSecond * 5);
  EXPECT_EQ(by_entry[1]->start, *by_entry[0]->end_rx + kMicroSecond * 7);
  EXPECT_EQ(by_entry[2]->start, *by_entry[1]->end + kMicroSecond * 3);
  ASSERT_TRUE(r.dependencies);
  EXPECT_EQ(r.dependencies->waiting, 2u);
  EXPECT_EQ(r.dependencies->never_begun, 0u);
  EXPECT_EQ(*r.dependencies->completion, *by_entry[2]->end_rx - kMicroSecond * 5);
  ASSERT_EQ(r.dependencies->path.size(), 3u);
  EXPECT_EQ(r.dependencies->path[1].end, *by_entry[1]->end) << "what C waits for is B's ACK";
  EXPECT_EQ(r.dependencies->path_idle, kMicroSecond * 10);
}

TEST(FlowGates, AllWaitForTheLastAndAnyForTheFirst) {
  const std::string two =
      "  - {id: s, kind: flow, from: 1, to: 0, bytes: 10KB}\n"
      "  - {id: l, kind: flow, from: 2, to: 0, bytes: 200KB}\n";
  const RunResults r =
      run_named(two +
                "  - {kind: flow, from: 0, to: 1, bytes: 1KB, after: {flows: [s, l]}}\n"
                "  - {kind: flow, from: 0, to: 2, bytes: 1KB, after: {flows: [s, l], need: any}}\n"
                // A barrier: three hosts begin when the last of two flows of other hosts has ended.
                "  - {kind: incast, senders: 1..3, receiver: 0, bytes: 1KB,\n"
                "     after: {flows: [s, 'l:sent'], delay: 1us}}\n");
  PicoSeconds ends[2], sent{};
  for (const FlowResult& flow : r.flows) {
    if (flow.entry < 2) ends[flow.entry] = *flow.end_rx;
    if (flow.entry == 1) sent = *flow.end;
  }
  ASSERT_LT(ends[0], ends[1]);
  for (const FlowResult& flow : r.flows) {
    if (flow.entry == 2) {
      EXPECT_EQ(flow.start, ends[1]);
    }
    if (flow.entry == 3) {
      EXPECT_EQ(flow.start, ends[0]);
    }
    if (flow.entry == 4) {
      EXPECT_EQ(flow.start, sent + kMicroSecond);
    }
  }
}

TEST(FlowGates, NothingBeginsBeforeItsStartAndTimesCountFromThere) {
  const RunResults r = run_named(
      "  - {id: a, kind: compute, hosts: 1, time: 10us}\n"
      "  - {kind: flow, from: 1, to: 0, bytes: 1KB, start: 10us, after: {flows: a}}\n"
      "  - {kind: flow, from: 1, to: 2, bytes: 1KB, start: 30us, after: {flows: a}}\n"
      "  - {kind: flow, from: 1, to: 3, bytes: 1KB, flows: 3, stagger: 2us, after: {flows: a}}\n");
  PicoSeconds third = kMicroSecond * 10;
  for (const FlowResult& flow : r.flows) {
    if (flow.entry == 1) {
      EXPECT_EQ(flow.start, kMicroSecond * 10) << "at the instant of its start";
    }
    if (flow.entry == 2) {
      EXPECT_EQ(flow.start, kMicroSecond * 30);
    }
    if (flow.entry != 3) continue;
    EXPECT_EQ(flow.start, third);
    third = third + kMicroSecond * 2;
  }
}

// A processor executes its two computations one after the other. The computation of another
// processor overlaps them.
TEST(FlowGates, AProcessorDoesOneComputationAtATime) {
  const RunResults r = run_named(
      "  - {id: a, kind: compute, hosts: [0, 1], time: 10us}\n"
      "  - {id: b, kind: compute, hosts: 0, time: 4us, start: 1us}\n"
      "  - {id: c, kind: compute, hosts: 0, time: 20us, processor: 1}\n"
      "  - {kind: flow, from: 0, to: 1, bytes: 125KB, start: 1us, after: {flows: b}}\n"
      "  - {id: e, kind: compute, hosts: 0, time: 50us, after: {flows: [b, c]}}\n");
  ASSERT_EQ(r.computations.size(), 5u);
  EXPECT_EQ(r.computations[2].start, kMicroSecond * 10);
  EXPECT_EQ(r.computations[2].end, kMicroSecond * 14);
  EXPECT_EQ(r.computations[3].start, PicoSeconds(0));
  EXPECT_EQ(r.computations[4].start, kMicroSecond * 20);
  EXPECT_EQ(r.computations[4].end, kMicroSecond * 70) << "the run waits for the last computation";
  EXPECT_EQ(r.dependencies->completion, kMicroSecond * 70);
  // Host 0 computes from 0 to 70 us, host 1 until 10 us.
  const PicoSeconds arrived = *r.flows[0].end_rx;
  EXPECT_EQ(r.flows[0].start, kMicroSecond * 14);
  ASSERT_EQ(r.dependencies->ranks.size(), 2u);
  EXPECT_EQ(r.dependencies->ranks[0].computing, kMicroSecond * 70);
  EXPECT_EQ(r.dependencies->ranks[0].exposed, PicoSeconds(0));
  EXPECT_EQ(r.dependencies->ranks[1].exposed, arrived - kMicroSecond * 14);
}

TEST(FlowGates, WhatWaitsForAStoppedFlowNeverBeginsAndIsCounted) {
  const RunResults r = run_named(
      "  - {id: a, kind: flow, from: 1, to: 0, bytes: 10MB, stop: 20us}\n"
      "  - {id: b, kind: flow, from: 0, to: 2, bytes: 1KB, after: {flows: a}}\n"
      "  - {kind: flow, from: 2, to: 3, bytes: 1KB, after: {flows: b}}\n");
  ASSERT_TRUE(r.dependencies);
  EXPECT_EQ(r.dependencies->never_begun, 2u);
  EXPECT_FALSE(r.dependencies->completion);
  EXPECT_EQ(r.dependencies->first_never, "traffic.1 waits for traffic.0, which had not ended");
}

// Rank 1 computes for 40 us longer than the other ranks, and sends nothing before its computation
// ends.
TEST(FlowGates, ARankDoesNoStepOfACollectiveBeforeItsOwnBegin) {
  for (const std::string shape : {"ring_all_reduce", "tree_all_reduce", "all_to_all"}) {
    const std::string began = in_a_process([&] {
      const RunResults r = run_named(
          "  - {id: a, kind: compute, hosts: all, time: 10us}\n"
          "  - {id: b, kind: compute, hosts: 1, time: 40us}\n"
          "  - {kind: collective, shape: " +
          shape +
          ", bytes: 4KB, rounds: 1,\n"
          "     after: {flows: [a, b], scope: host}}\n");
      PicoSeconds first[4] = {PicoSeconds::max(), PicoSeconds::max(), PicoSeconds::max(),
                              PicoSeconds::max()};
      for (const FlowResult& flow : r.flows) {
        if (!flow.completed) return std::string("not completed");
        first[flow.from] = std::min(first[flow.from], flow.start);
      }
      return std::to_string(first[1] >= kMicroSecond * 50) +
             std::to_string(first[3] == kMicroSecond * 10);
    });
    EXPECT_EQ(began, "11") << shape;
  }
}

// Host 1 computes for 40 us longer than the other hosts, which delays its answer by that time.
TEST(FlowGates, AHostDoesNoStepOfAQueryDownATreeBeforeItsOwnBegin) {
  const RunResults r = run_named(
      "  - {id: a, kind: compute, hosts: all, time: 10us}\n"
      "  - {id: b, kind: compute, hosts: 1, time: 40us}\n"
      "  - {kind: partition_aggregate, receiver: 0, fan_out: [3], bytes: 10KB, period: 100us,\n"
      "     rounds: 1, after: {flows: [a, b], scope: host}}\n");
  ASSERT_EQ(r.flows.size(), 6u);
  for (const FlowResult& flow : r.flows) {
    EXPECT_TRUE(flow.completed);
    if (flow.from == 0) {
      EXPECT_EQ(flow.start, kMicroSecond * 10);
    }
    if (flow.from == 1) {
      EXPECT_EQ(flow.start, kMicroSecond * 50);
    } else {
      EXPECT_LT(flow.start, kMicroSecond * 20);
    }
  }
}

// The completion time of a query counts from the begin of its entry, so an entry that waits does
// not lengthen it.
TEST(FlowGates, TheTimeOfAQueryBeginsWhenItsEntryDoes) {
  for (const std::string kind : {"", "fan_out: [3], ", "fan_out: [1, 2], "}) {
    const auto times = [&](const std::string& after) {
      return in_a_process([&] {
        const RunResults r = run_named(
            "  - {id: a, kind: compute, hosts: 0, time: 130us}\n"
            "  - {kind: partition_aggregate, receiver: 0, " +
            kind + "bytes: 10KB, start: 2us, period: 100us, rounds: 3" + after + "}\n");
        std::string out;
        for (const QueryResult& query : r.queries) {
          if (!query.answered) return std::string("unanswered");
          out += std::to_string((*query.answered - query.asked).count) + ' ';
        }
        return out;
      });
    };
    const std::string alone = times("");
    EXPECT_EQ(std::count(alone.begin(), alone.end(), ' '), 3) << alone;
    EXPECT_EQ(times(", after: {flows: a}"), alone) << kind;
  }
}

struct TraceFile {
  explicit TraceFile(const std::string& text)
      : path(std::filesystem::temp_directory_path() / ("gates" + std::to_string(getpid()))) {
    std::ofstream(path) << text;
  }
  ~TraceFile() { std::filesystem::remove(path); }
  const std::string path;
};

TEST(FlowGates, ALineWithNamesOfItsOwnBeginsAfterItsEntry) {
  const TraceFile file(
      "3\n0 1 0 100 1000 0 after=b\n0 2 0 100 1000 30us after=b delay=1us\n"
      "0 3 0 100 1000 0 after=late,b delay=1us need=any\n");
  const RunResults r = run_named("  - {id: t, kind: trace, file: " + file.path +
                                 ", after: {flows: c, delay: 5us}}\n"
                                 "  - {id: b, kind: compute, hosts: 0, time: 1us}\n"
                                 "  - {id: c, kind: compute, hosts: 0, time: 500us, processor: 1}\n"
                                 "  - {id: late, kind: compute, hosts: 0, time: 700us, processor: "
                                 "2}\n");
  ASSERT_EQ(r.flows.size(), 3u);
  for (const FlowResult& flow : r.flows) {
    EXPECT_EQ(flow.start, kMicroSecond * (flow.to == 2 ? 535 : 505)) << flow.to;
  }
}

TEST(FlowGates, NobodyWaitsForAcksThatNoNicSends) {
  try {
    run_named(
        "  - {id: a, kind: flow, from: 0, to: 1, bytes: 10KB}\n"
        "  - {kind: flow, from: 0, to: 2, bytes: 10KB, after: {flows: 'a:sent'}}\n",
        "nic: {ack: none}\n");
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("traffic.1.after.event: waits for the last ACK"),
              std::string::npos)
        << error.what();
  }
}

// Eleven computations of 11.6 days exceed 106 days, the end of simulated time.
TEST(FlowGates, AComputationBeyondTheEndOfTimeDoesNotEnd) {
  std::string lines = "13\n0 1 0 100 1000 0\ncompute 0 1us id=z after=l\n";
  for (int i = 0; i < 11; ++i)
    lines += "compute 0 1000000s" + std::string(i == 10 ? " id=l\n" : "\n");
  const TraceFile file(lines);
  const RunResults r = run_named("  - {kind: trace, file: " + file.path + "}\n");
  ASSERT_EQ(r.computations.size(), 12u);
  int begun = 0;
  for (const ComputationResult& one : r.computations) {
    EXPECT_FALSE(one.end);
    begun += one.start ? 1 : 0;
  }
  EXPECT_EQ(begun, 1);
}

// Every 10 us the run checks whether all work is done. A computation adds no event to these checks,
// so each further hundred computations add the same number of events.
TEST(FlowGates, EventsAreInProportionToTheNumberOfComputations) {
  const auto events = [](int number) {
    std::string lines = std::to_string(number + 1) + "\n0 1 0 100 1000 0\n";
    for (int i = 0; i < number; ++i) lines += "compute 0 10us\n";
    const TraceFile file(lines);
    return std::stoll(in_a_process([&] {
      return std::to_string(
          run("topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
              "host: {driver: none}\nduration: 100ms\ntraffic: [{kind: trace, file: " +
              file.path + "}]\noutput: {series: {flows: none, queues: none, classes: false}}\n")
              .events);
    }));
  };
  const auto of_100 = events(100);
  const auto of_200 = events(200);
  EXPECT_GT(of_200, of_100);
  EXPECT_EQ(events(400) - of_200, (of_200 - of_100) * 2);
}

// Each half of the network waits only for flows that end at its own hosts, so the run may be
// divided between threads.
TEST(FlowGates, ThreadsDoNotChangeWhatWaits) {
  const std::string yaml =
      "topology: {kind: leaf_spine, leaves: 2, hosts_per_leaf: 4, spines: 2,\n"
      "           host_link: {rate: 100Gbps, delay: 5us}, fabric_link: {rate: 100Gbps, delay: "
      "5us}}\n"
      "host: {driver: none}\nduration: 5ms\ntraffic:\n"
      "  - {id: back, kind: compute, hosts: 0..7, time: 30us}\n"
      "  - {id: ring, kind: collective, hosts: 0..7, bytes: 400KB, rounds: 2, think: 3us,\n"
      "     after: {flows: back, scope: host}}\n"
      "  - {id: next, kind: compute, hosts: 0..7, time: 10us, after: {flows: ring, scope: host}}\n"
      "  - {kind: collective, shape: all_to_all, hosts: 0..7, bytes: 80KB, rounds: 1,\n"
      "     after: {flows: next, scope: host, delay: 1us}}\n"
      "  - {id: poisson, kind: poisson, load: 0.1, flows_per_host: 3, sizes: websearch,\n"
      "     incast_load: 0.05, incast_fan_in: 2, incast_bytes: 20KB,\n"
      "     after: {flows: back, scope: host}}\n"
      "  - {kind: compute, hosts: 0..7, time: 3us,\n"
      "     after: {flows: [poisson, ring], event: sent, need: any, scope: host}}\n"
      "  - {kind: incast, receiver: random, load: 0.05, fan_in: 3, bytes: 20KB,\n"
      "     after: {flows: ['ring:sent', back], need: any, scope: host, delay: 3us}}\n";
  const auto text = [&](unsigned threads) {
    return in_a_process([&] {
      RunSetup setup;
      setup.threads = threads;
      const RunResults r = run(config_of(yaml), setup);
      std::string out = std::to_string(r.threads) + "\n";
      for (const FlowResult& flow : r.flows) {
        out += std::to_string(flow.start.count) + ' ' +
               std::to_string(flow.end_rx.value_or(PicoSeconds(-1)).count) + '\n';
      }
      for (const ComputationResult& one : r.computations) {
        out += std::to_string(one.start.value_or(PicoSeconds(-1)).count) + '\n';
      }
      for (const PathStep& step : r.dependencies->path) {
        out += step.kind + (' ' + std::to_string(step.id)) + '\n';
      }
      return out + std::to_string(r.dependencies->completion.value_or(PicoSeconds(-1)).count);
    });
  };
  const std::string one = text(1);
  const std::string two = text(2);
  EXPECT_EQ(one.substr(0, 2), "1\n");
  EXPECT_EQ(two.substr(0, 2), "2\n");
  EXPECT_EQ(one.substr(2), two.substr(2));
}

TEST(FlowGates, WaitingAcrossHostsKeepsARunOnOneThread) {
  PlatformConfig config = config_of(
      "topology: {kind: leaf_spine, leaves: 2, hosts_per_leaf: 4, spines: 2,\n"
      "           host_link: {rate: 100Gbps, delay: 5us}, fabric_link: {rate: 100Gbps, delay: "
      "5us}}\n"
      "host: {driver: none}\nduration: 5ms\ntraffic:\n"
      "  - {id: a, kind: flow, from: 0, to: 4, bytes: 100KB}\n"
      "  - {kind: flow, from: 5, to: 1, bytes: 100KB, after: {flows: a}}\n");
  RunSetup setup;
  setup.threads = 2;
  const RunResults r = run(config, setup);
  EXPECT_EQ(r.threads, 1u);
  EXPECT_EQ(r.partition_refusal, "traffic.1: host 5 waits for what ends at host 4");
  EXPECT_EQ(r.flows[1].start, *r.flows[0].end_rx);
}

}  // namespace
}  // namespace dcc::vp
