// Tests the diagnoses of traffic: idle links, starving flows, time without flows, few samples.
#include "synthetic_run.h"

namespace dcc::vp {
namespace {

TEST(IdleLink, IsToldWhereDataWaitedAllTheTime) {
  SyntheticRun run;
  for (HostId sender = 1; sender <= 4; ++sender) {
    run.add(sender, 0);
    run.use("h" + std::to_string(sender) + "->s0", 0.15);
  }
  run.use("s0->h0", 0.6);
  run.count(&AlgorithmCounters::rate_decreases, 12);
  const auto found = run.found("idle_link");
  ASSERT_TRUE(found);
  EXPECT_TRUE(says(found, "Link s0->h0 (100Gbps) was busy for 60.0 %")) << words_of(found);
  EXPECT_TRUE(says(found, "cut rates 12 times")) << words_of(found);
  EXPECT_NEAR(figure_of(found, "utilisation"), 0.6, 1e-9);
  EXPECT_EQ(figure_of(found, "flows"), 4);
}

TEST(IdleLink, IsNotToldWhereSomeLinkOfTheWayIsFull) {
  SyntheticRun run;
  run.add(1, 0);
  run.use("s0->h0", 0.5);
  run.use("h1->s0", 0.91);  // host 1 also sends to other hosts
  EXPECT_FALSE(run.found("idle_link"));
  run.use("h1->s0", 0.89);
  EXPECT_TRUE(run.found("idle_link"));
}

TEST(IdleLink, IsNotToldWhereNobodyWantsMore) {
  SyntheticRun run;
  run.add(1, 0).rate_cap = BitRate(10'000'000'000);
  // The link carries 8.8 Gb/s of payload for 10 ms.
  run.results.flows[0].delivered_measured = 11'000'000;
  run.use("s0->h0", 0.1);
  EXPECT_FALSE(run.found("idle_link"));
  run.results.flows[0].delivered_measured = 5'000'000;
  EXPECT_TRUE(run.found("idle_link")) << "it wants 10 Gb/s and gets 4";
  run.results.flows[0].delivered_measured = 11'000'000;
  run.add_done(2, 0, kMilliSecond * 10, kMilliSecond * 18);
  EXPECT_FALSE(run.found("idle_link")) << "a flow that ends within the window";
  run.results.flows[1].end = run.results.flows[1].end_rx = kMilliSecond * 19 + kMicroSecond;
  EXPECT_TRUE(run.found("idle_link")) << "it was there for nine tenths of the window";
}

// A long flow from host 1 to host 0 shares both end links with short flows. The mean use of each
// link is low, although one of the two may be full at every instant.
TEST(IdleLink, IsNotToldWhereFlowsThatComeAndGoFillTheLinksInTurn) {
  SyntheticRun run;
  run.add(1, 0);
  // A flow of 50 MB of payload in 10 ms has 40 Gb/s, and uses 43 % of the link with headers.
  run.add_done(1, 3, kMilliSecond * 10, kMilliSecond * 14).delivered_measured = 50'000'000;
  run.use("h1->s0", 0.48);
  run.use("s0->h0", 0.48);
  EXPECT_FALSE(run.found("idle_link"));
  run.use("s0->h0", 0.3);
  EXPECT_TRUE(run.found("idle_link")) << "for a quarter of the time neither is full";
}

// Two flows of 20 Gb/s saturate the memory bandwidth of one host, although neither flow reaches
// that rate alone.
TEST(IdleLink, IsNotToldWhereTheMemoryOfAHostIsBusy) {
  SyntheticRun run("nic: {payload: real, dma: {rate: 40Gbps}}\n",
                   "topology: {kind: star, hosts: 5, link: {rate: 100Gbps, delay: 1us}}\n"
                   "host: {driver: native}\n");
  for (const HostId from : {1u, 2u}) run.add(from, 0).delivered_measured = 23'000'000;
  run.use("s0->h0", 0.4);
  EXPECT_FALSE(run.found("idle_link"));
  for (FlowResult& flow : run.results.flows) flow.delivered_measured = 12'000'000;
  EXPECT_TRUE(run.found("idle_link")) << "19 Gb/s leave the memory idle as well";
}

TEST(IdleLink, SaysWhyUnderThePolicyProportional) {
  const auto run_with = [](const std::string& policy, const std::string& ecn) {
    SyntheticRun run("nic: {congestion_control: {" + policy + "}}\nswitch: {ecn: {" + ecn + "}}\n");
    for (const HostId from : {1u, 2u}) run.add(from, 0).delivered_measured = 50'000'000;
    run.use("s0->h0", 0.87);
    run.count(&SwitchCounters::ecn_marks, 10'000);  // one CE mark per ten packets
    return run;
  };
  const std::string by_weight = "algorithm: dcc, policy: proportional";
  const auto text = [&](const std::string& ecn, const auto& change) {
    SyntheticRun run = run_with(by_weight, ecn);
    change(run);
    return words_of(run.found("idle_link"));
  };
  const auto none = [](SyntheticRun&) {};
  EXPECT_EQ(words_of(run_with("algorithm: dcqcn", "kmin: 20KB").found("idle_link")).find("pmax"),
            std::string::npos);
  EXPECT_EQ(text("kmin: 100KB", [](SyntheticRun& run) { run.use("s0->h0", 0.91); }), "");
  const std::string shallow = "kmin: 60KB, kmax: 400KB, pmax: 0.05, mark_at: enqueue";
  EXPECT_NE(text(shallow, none).find("10 % of the packets were marked and switch.ecn.pmax is 5 %"),
            std::string::npos);
  const auto trip = [](PicoSeconds time) {
    return [time](SyntheticRun& run) { run.results.rtt_ns.add(time / kNanoSecond); };
  };
  EXPECT_NE(text("kmin: 10KB, kmax: 20KB, pmax: 1, mark_at: dequeue", trip(kMicroSecond * 8))
                .find("100KB are under way in a round trip, more than switch.ecn.kmax (20KB)"),
            std::string::npos);
  EXPECT_NE(text(shallow, trip(kMilliSecond)).find("marks are 1ms old when they arrive"),
            std::string::npos);
  const auto unmarked = [](SyntheticRun& run) { run.count(&SwitchCounters::ecn_marks, 500); };
  EXPECT_NE(
      text(shallow, unmarked).find("0.5 % of the packets were marked, so the rates still rise"),
      std::string::npos);
}

TEST(IdleLink, NeedsAWindowOfManyRoundTrips) {
  SyntheticRun run;
  run.add(1, 0);
  // A round trip crosses at most 12 links of 1 us and 90 ns each, which is 13 us. The diagnosis
  // idle_link needs a measurement window of twenty round trips.
  run.results.measured_from = kMilliSecond * 20 - kMicroSecond * 250;
  EXPECT_FALSE(run.found("idle_link"));
  run.results.measured_from = kMilliSecond * 20 - kMicroSecond * 280;
  EXPECT_TRUE(run.found("idle_link"));
}

TEST(IdleLink, TheFabricCounts) {
  const std::string leaf_spine =
      "topology: {kind: leaf_spine, leaves: 2, spines: 1, hosts_per_leaf: 2, host_link: {rate: "
      "100Gbps}, fabric_link: {rate: 50Gbps}}\nhost: {driver: none}\n";
  SyntheticRun run("", leaf_spine);
  run.add(0, 2);
  run.use("leaf0->spine0", 0.81);
  run.use("leaf1->h2", 0.49);
  EXPECT_FALSE(run.found("idle_link"));
  run.use("leaf0->spine0", 0.79);
  EXPECT_TRUE(run.found("idle_link"));
  SyntheticRun local("", leaf_spine);
  local.add(0, 1);
  local.use("leaf0->spine0", 0.97);  // hosts of one leaf do not use the link to the spine
  EXPECT_TRUE(local.found("idle_link"));
}

TEST(IdleLink, DataOfAReadComesFromTheOtherEnd) {
  SyntheticRun run;
  run.add(0, 1).reversed = true;
  run.use("h1->s0", 0.91);
  EXPECT_FALSE(run.found("idle_link"));
  run.results.flows[0].reversed = false;
  EXPECT_TRUE(run.found("idle_link"));
}

const std::string kTimeout = "nic: {recovery: {timeout: 1ms}}\n";

TEST(StarvingFlows, AreToldWithTheCounts) {
  SyntheticRun run(kTimeout);
  run.add_done(1, 0, PicoSeconds(0), kMilliSecond);
  FlowResult& stuck = run.add(2, 0);
  stuck.bytes = 20'000;
  stuck.progress = kMilliSecond * 12;
  run.results.flows.push_back({});  // a flow that never began
  const auto found = run.found("starving_flows");
  ASSERT_TRUE(found);
  EXPECT_TRUE(says(found,
                   "1 of 1 unfinished flows starve (1 of 2 begun flows completed): flow 1 "
                   "from host 2 to host 0 made no progress for 8ms"))
      << words_of(found);
  EXPECT_NEAR(figure_of(found, "silence_s"), 8e-3, 1e-12);
}

TEST(StarvingFlows, AShortSilenceIsNone) {
  SyntheticRun run(kTimeout);
  FlowResult& slow = run.add(1, 0);
  // The flow has made no progress for less than a quarter of its lifetime.
  slow.progress = kMilliSecond * 15 + kMicroSecond;
  EXPECT_FALSE(run.found("starving_flows"));
  slow.progress = kMilliSecond * 15;
  EXPECT_TRUE(run.found("starving_flows"));
  slow.start = kMilliSecond * 19;
  slow.progress = kMilliSecond * 19;  // the retransmission timeout may not have expired yet
  EXPECT_FALSE(run.found("starving_flows"));
  slow.start = slow.progress = kMilliSecond * 18;
  EXPECT_TRUE(run.found("starving_flows"));
}

TEST(StarvingFlows, WaitTheirTurnAmongMany) {
  SyntheticRun run(kTimeout,
                   "topology: {kind: star, hosts: 5, link: {rate: 10Mbps, delay: 1us}}\n"
                   "host: {driver: none}\n");
  // A packet takes 0.9 ms at 10 Mb/s, so twenty round trips over twelve links take 210 ms.
  run.add(1, 0).progress = kMilliSecond * 5;
  run.results.sim_time = kMilliSecond * 200;
  EXPECT_FALSE(run.found("starving_flows"));
  run.results.sim_time = kMilliSecond * 300;
  EXPECT_TRUE(run.found("starving_flows"));
  // Twenty packets of each of twenty flows take 350 ms at 10 Mb/s.
  for (int flow = 1; flow < 20; ++flow) run.add(2, 0).progress = kMilliSecond * 299;
  EXPECT_FALSE(run.found("starving_flows"));
}

TEST(StarvingFlows, AreNotThoseThatHaveNothingToSend) {
  SyntheticRun run(kTimeout);
  FlowResult& flow = run.add(1, 0);
  flow.progress = PicoSeconds(0);
  EXPECT_TRUE(run.found("starving_flows"));
  flow.waiting = false;
  EXPECT_FALSE(run.found("starving_flows"));
  // All data has arrived, but the sender has not received the last ACK.
  flow.unacknowledged = true;
  EXPECT_TRUE(run.found("starving_flows"));
  flow.unacknowledged = false;
  flow.waiting = true;
  flow.stopped = kMilliSecond;
  EXPECT_FALSE(run.found("starving_flows"));
  flow.stopped.reset();
  flow.begun = false;
  EXPECT_FALSE(run.found("starving_flows"));
}

// The run ends with its traffic, so the measurement window is empty.
TEST(TrafficEndsEarly, AWindowThatBeginsAfterTheTrafficMeasuresNothing) {
  SyntheticRun run;
  run.add_done(1, 0, PicoSeconds(0), kMicroSecond * 300);
  run.results.sim_time = run.results.measured_from = run.results.measured_to = kMicroSecond * 310;
  const auto found = run.found("traffic_ends_early");
  EXPECT_TRUE(says(found, "All 1 flows had ended at 300us, before the window begins"))
      << words_of(found);
}

TEST(TrafficEndsEarly, AnIdleTailOfTheWindow) {
  SyntheticRun run;
  run.add_done(1, 0, PicoSeconds(0), kMilliSecond * 18);
  const auto found = run.found("traffic_ends_early");
  EXPECT_TRUE(says(found, "The last flow ended at 18ms, and the window goes on until 20ms"));
  EXPECT_NEAR(figure_of(found, "idle_share"), 0.2, 1e-12);
  run.add_done(2, 0, PicoSeconds(0), kMilliSecond * 19);
  EXPECT_FALSE(run.found("traffic_ends_early"));
  run.add_done(2, 0, PicoSeconds(0), kMilliSecond * 5);
  run.add(3, 0);
  run.results.flows[1].progress = kMilliSecond * 4;
  EXPECT_FALSE(run.found("traffic_ends_early")) << "a flow goes on";
}

TEST(TrafficEndsEarly, ANumberOfRoundsThatDoesNotReachTheWindowsEnd) {
  const std::string entry =
      "traffic: [{kind: partition_aggregate, receiver: 0, bytes: 2KB, period: 100us, rounds: "
      "10}]\n";
  SyntheticRun run(entry);
  run.add_done(1, 0, PicoSeconds(0), kMilliSecond * 12);
  run.results.sim_time = run.results.measured_to = kMilliSecond * 12;
  EXPECT_FALSE(run.found("traffic_ends_early")) << "the window ends with the run";
  run.loaded.config.measure.to = kMilliSecond * 20;
  EXPECT_TRUE(says(run.found("traffic_ends_early"),
                   "had ended at 12ms, before measure.to: 20ms: traffic.0.rounds = 10"));
  run.loaded.config.measure.to = kMilliSecond * 13;
  EXPECT_FALSE(run.found("traffic_ends_early"));
}

TEST(TrafficEndsEarly, RoundsThatAreDueAfterTheRun) {
  const auto rounds = [](const char* number) {
    return foreseen(SyntheticRun::kStar +
                        std::string("traffic: [{kind: partition_aggregate, receiver: 0, bytes: "
                                    "2KB, period: 2ms, start: 1ms, rounds: ") +
                        number + "}]\n",
                    "traffic_ends_early");
  };
  EXPECT_FALSE(rounds("10")) << "the tenth round begins at 19 of 20 ms";
  EXPECT_TRUE(says(rounds("11"),
                   "traffic.0.rounds: 10 of 11 rounds, one every 2ms, begin before "
                   "the end of the run at 20ms"));
}

TEST(TrafficEndsEarly, WhatCannotBegin) {
  const std::string traffic = "traffic: [{kind: flow, from: 1, to: 0, start: 20ms}]\n";
  EXPECT_TRUE(says(foreseen(SyntheticRun::kStar + traffic, "traffic_ends_early"),
                   "traffic.0.start: 20ms is not before the end of the run at 20ms"));
  EXPECT_FALSE(foreseen(
      SyntheticRun::kStar + std::string("traffic: [{kind: flow, from: 1, to: 0, start: 19ms}]\n"),
      "traffic_ends_early"));
  SyntheticRun run(traffic);
  run.add(1, 0).begun = false;
  EXPECT_TRUE(says(run.found("traffic_ends_early"), "None of 1 flows began within 20ms"));
}

TEST(FewSamples, BetweenWhatIsShownSinglyAndAHundred) {
  SyntheticRun run;
  const auto up_to = [&run](std::size_t flows) {
    while (run.results.flows.size() < flows) run.add_done(1, 0, kMilliSecond, kMilliSecond * 20);
  };
  up_to(16);
  EXPECT_FALSE(run.found("few_samples"));
  up_to(17);
  EXPECT_EQ(figure_of(run.found("few_samples"), "samples"), 17);
  up_to(99);
  EXPECT_TRUE(run.found("few_samples"));
  up_to(100);
  EXPECT_FALSE(run.found("few_samples"));
  run.results.flows.back().completed = false;
  EXPECT_TRUE(run.found("few_samples"));
}

TEST(SeriesLeftOut, CountsWhatBegan) {
  SyntheticRun run;
  run.results.flows.resize(2049);
  run.results.flows[7].begun = true;
  EXPECT_TRUE(says(run.found("series_left_out"), "the run has 2049 flows (1 began)"));
  run.loaded.config.output.series.flows = FlowSeries::kNone;
  EXPECT_FALSE(run.found("series_left_out"));
}

TEST(FlowsNeverBegun, CountsWhatWaitedInVain) {
  SyntheticRun run;
  EXPECT_FALSE(run.found("flows_never_begun"));
  DependencyResult& waiting = run.results.dependencies.emplace();
  waiting.waiting = 5;
  EXPECT_FALSE(run.found("flows_never_begun"));
  waiting.never_begun = 2;
  waiting.first_never = "traffic.1 waits for traffic.0, which had not ended";
  const auto found = run.found("flows_never_begun");
  ASSERT_TRUE(found);
  EXPECT_TRUE(says(found, "2 of 5 flows and computations")) << words_of(found);
  EXPECT_TRUE(says(found, "traffic.1 waits for traffic.0")) << words_of(found);
  EXPECT_EQ(figure_of(found, "never_begun"), 2);
}

}  // namespace
}  // namespace dcc::vp
