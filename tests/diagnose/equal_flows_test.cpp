// Tests the diagnoses of poor congestion control: unequal shares and standing queues.
#include "controller/dcc.h"
#include "synthetic_run.h"

namespace dcc::vp {
namespace {

/// A run in which `count` flows share 92 Gb/s at one full port. The last flow got `excess` more
/// than the mean, as a fraction.
SyntheticRun equals(unsigned count, double excess, const std::string& more = "",
                    const std::string& topology = SyntheticRun::kStar) {
  SyntheticRun run(more, topology);
  const double mean = 115e6 / count;
  for (unsigned i = 0; i < count; ++i) {
    const double error = i + 1 == count ? excess : -excess / (count - 1);
    run.add(i + 1, 0).delivered_measured = static_cast<Bytes>(mean * (1 + error));
  }
  run.use("s0->h0", 0.99);
  return run;
}
SyntheticRun unequal(const std::string& more = "") { return equals(3, 0.5, more); }

TEST(UnequalFlows, AFifthFromTheMean) {
  EXPECT_FALSE(equals(4, 0).found("unequal_flows"));
  EXPECT_FALSE(equals(4, 0.199).found("unequal_flows"));
  const auto found = equals(4, 0.201).found("unequal_flows");
  EXPECT_TRUE(says(found,
                   "Flow 3 from host 4 to host 0 got 27.6 Gb/s, 20.1 % more than the mean of 4 "
                   "equal flows (23 Gb/s), within the window of 10ms: algorithm dcc did not"))
      << words_of(found);
  EXPECT_NEAR(figure_of(found, "error"), 0.201, 1e-4);
  EXPECT_EQ(figure_of(found, "flow"), 3);
  EXPECT_EQ(figure_of(found, "flows"), 4);
  EXPECT_FALSE(equals(4, -0.199).found("unequal_flows"));
  EXPECT_TRUE(says(equals(4, -0.5).found("unequal_flows"), "50 % less than the mean"));
}

TEST(UnequalFlows, OfALinkThatLimitsThem) {
  SyntheticRun run = unequal();
  ASSERT_TRUE(run.found("unequal_flows"));
  run.use("s0->h0", 0.81);
  EXPECT_TRUE(run.found("unequal_flows"));
  run.use("s0->h0", 0.79);
  EXPECT_FALSE(run.found("unequal_flows")) << "the link does not limit them";
  run = equals(3, -0.5);
  run.use("h3->s0", 0.94);
  EXPECT_TRUE(run.found("unequal_flows"));
  run.use("h3->s0", 0.96);
  EXPECT_FALSE(run.found("unequal_flows")) << "the own link of the flow with less is full";
  run = equals(3, 0.5);
  run.use("h3->s0", 0.96);
  EXPECT_TRUE(run.found("unequal_flows")) << "the flow with more is not held back by its link";
}

TEST(UnequalFlows, OfFlowsThatSendAllTheTime) {
  SyntheticRun run = unequal();
  run.results.flows[2].start = kMilliSecond * 10 + kMicroSecond;
  EXPECT_FALSE(run.found("unequal_flows")) << "it begins within the window";
  run = unequal();
  run.results.flows[2].stopped = kMilliSecond * 19 + kMicroSecond;
  EXPECT_TRUE(run.found("unequal_flows"));
  run.results.flows[2].stopped = kMilliSecond * 19 - kMicroSecond;
  EXPECT_FALSE(run.found("unequal_flows")) << "it ends within the window";
  run = unequal();
  run.results.flows[2].begun = false;
  EXPECT_FALSE(run.found("unequal_flows"));
  run = unequal();
  run.results.flows[2].background = true;
  EXPECT_FALSE(run.found("unequal_flows"));
  run = unequal();
  run.results.flows[2].rate_cap = BitRate(40'000'000'000);
  EXPECT_FALSE(run.found("unequal_flows")) << "the application limits it";
}

TEST(UnequalFlows, OfARunThatShowsMoreThanChanceAndStart) {
  SyntheticRun run = unequal();
  for (FlowResult& flow : run.results.flows) flow.delivered_measured /= 200;
  EXPECT_FALSE(run.found("unequal_flows")) << "192 packets a flow";
  run = unequal();
  for (FlowResult& flow : run.results.flows) flow.delivered_measured /= 190;
  EXPECT_TRUE(run.found("unequal_flows")) << "202 packets a flow";
  // A round trip crosses at most 12 links of 1 us and 90 ns each, which is 13 us. The diagnosis
  // unequal_flows needs a measurement window of twenty round trips.
  run = unequal();
  run.results.measured_from = kMilliSecond * 20 - kMicroSecond * 250;
  run.at("s0->h0").busy = kMicroSecond * 250;
  EXPECT_FALSE(run.found("unequal_flows"));
  run.results.measured_from = kMilliSecond * 20 - kMicroSecond * 280;
  run.at("s0->h0").busy = kMicroSecond * 280;
  EXPECT_TRUE(run.found("unequal_flows"));
  EXPECT_FALSE(
      unequal("faults: [{kind: link_slow, link: h1--s0, rate: 50Gbps}]\n").found("unequal_flows"));
  EXPECT_FALSE(unequal("changes: [{at: 15ms, set: {nic.congestion_control.r_ai: 20Mbps}}]\n")
                   .found("unequal_flows"));
}

TEST(UnequalFlows, OnlyOfFlowsOnEqualTerms) {
  SyntheticRun run = unequal();
  run.results.flows[2].dscp = 10;
  EXPECT_FALSE(run.found("unequal_flows")) << "another class";
  EXPECT_FALSE(
      unequal("nics: [{hosts: 3, congestion_control: {algorithm: hpcc}}]\n").found("unequal_flows"))
      << "another algorithm";
  EXPECT_FALSE(unequal("dscp: {0: {min_rate: 10Gbps}}\n").found("unequal_flows"));
  EXPECT_FALSE(unequal("dscp: {0: {max_rate: 60Gbps}}\n").found("unequal_flows"));
  EXPECT_FALSE(unequal("nic: {transport: {kind: pfabric}}\n").found("unequal_flows"))
      << "it serves the shortest flow";
  // Flow 2 sends to another host, whose link is full as well.
  run = unequal();
  run.results.flows[2].from = 2;
  run.results.flows[2].to = 4;
  run.use("s0->h4", 0.99);
  EXPECT_FALSE(run.found("unequal_flows")) << "another receiver";
}

TEST(UnequalFlows, WeightsHaveDiagnosesOfTheirOwn) {
  const std::string weight = "dscp: {46: {weight: 4}}\n";
  const auto heavy = [&](const std::string& control) {
    SyntheticRun run = unequal(weight + "nic: {congestion_control: {" + control + "}}\n");
    for (FlowResult& flow : run.results.flows) flow.dscp = 46;
    return run.found("unequal_flows").has_value();
  };
  EXPECT_FALSE(heavy("algorithm: dcc, policy: proportional"));
  EXPECT_TRUE(heavy("algorithm: hpcc")) << "an algorithm without weights";
  EXPECT_TRUE(
      unequal(weight + "nic: {congestion_control: {algorithm: dcc}}\n").found("unequal_flows"))
      << "weight 1";
}

TEST(UnequalFlows, AcrossAFabricThatIsNotFull) {
  const std::string fabric =
      "topology: {kind: leaf_spine, leaves: 2, spines: 1, hosts_per_leaf: 3, host_link: {rate: "
      "100Gbps}, fabric_link: {rate: 100Gbps}}\nhost: {driver: none}\nduration: 20ms\n"
      "measure: {from: 10ms}\n";
  const auto of = [&](HostId one, HostId other, double use_of_fabric, bool elsewhere = true) {
    SyntheticRun run("", fabric);
    run.add(one, 0).delivered_measured = 90'000'000;
    run.add(other, 0).delivered_measured = 25'000'000;
    if (elsewhere) run.add(5, 1).delivered_measured = 1'000'000;
    run.use("leaf0->h0", 0.99);
    run.use("spine0->leaf0", use_of_fabric);
    return run.found("unequal_flows").has_value();
  };
  EXPECT_TRUE(of(3, 4, 0.94));
  EXPECT_FALSE(of(3, 4, 0.96)) << "the fabric may be what limits them";
  EXPECT_TRUE(of(3, 4, 0.96, false)) << "all flows go to one port";
  EXPECT_TRUE(of(1, 2, 0.96)) << "neighbours of the receiver";
  EXPECT_FALSE(of(3, 2, 0.94)) << "a neighbour of the receiver and a host behind the fabric";
}

TEST(UnequalFlows, TheWorstPortIsNamed) {
  SyntheticRun run = equals(2, 0.3);
  run.add(3, 4).delivered_measured = 80'000'000;
  run.add(2, 4).delivered_measured = 20'000'000;
  run.use("s0->h4", 0.99);
  EXPECT_TRUE(says(run.found("unequal_flows"),
                   "60 % more than the mean of 2 equal flows (40 Gb/s), within the window of 10ms "
                   "(and flows to 1 other ports differ)"))
      << words_of(run.found("unequal_flows"));
  run = equals(2, 0.7);
  run.add(3, 4).delivered_measured = 80'000'000;
  run.add(2, 4).delivered_measured = 20'000'000;
  run.use("s0->h4", 0.99);
  EXPECT_TRUE(says(run.found("unequal_flows"), "70 % less than the mean of 2 equal flows"));
}

TEST(UnequalFlows, PausesAreTheCauseFromOnePercentOn) {
  SyntheticRun run = unequal();
  run.pause("h1->s0", 0.011);
  EXPECT_TRUE(says(run.found("unequal_flows"), "PFC paused"));
  run.pause("h1->s0", 0.009);
  EXPECT_TRUE(says(run.found("unequal_flows"), "did not bring their rates together"));
}

// A flow with a share of 46 Gb/s sends 144 KB in a round trip of 25 us.
TEST(UnequalFlows, NotOfSoftwareThatPostsTooLittle) {
  const auto told = [](const std::string& message) {
    SyntheticRun run =
        equals(2, 0.5, "traffic: [{kind: flow, from: 1, to: 0, message: " + message + "}]\n",
               "topology: {kind: star, hosts: 5, link: {rate: 100Gbps, delay: 1us}}\n"
               "host: {driver: native, ram: 64MiB}\nduration: 20ms\nmeasure: {from: 10ms}\n");
    for (int i = 0; i < 100; ++i) run.results.rtt_ns.add(25'000);
    return run.found("unequal_flows").has_value();
  };
  EXPECT_FALSE(told("64KiB"));
  EXPECT_TRUE(told("240KB"));
}

/// Two flows to a port of 100 Gb/s. On average `mean` bytes wait at the port, and in 99 % of the
/// time at most `p99`. A round trip crosses four links of at most 1 us and 90 ns, which is a
/// bandwidth-delay product of 54.7 KB.
SyntheticRun waiting(double mean, Bytes p99, const std::string& more = "") {
  SyntheticRun run(more);
  run.add(1, 0);
  run.add(2, 0);
  QueueResult queue;
  queue.port = "s0->h0";
  queue.mean_bytes = mean;
  queue.p99_bytes = p99;
  run.results.queues = {queue};
  run.at("s0->h0").tx_bytes = 100'000'000;
  return run;
}

TEST(StandingQueue, OfFourProducts) {
  EXPECT_FALSE(waiting(150e3, 215'000).found("standing_queue"));
  const auto found = waiting(150e3, 221'000).found("standing_queue");
  EXPECT_TRUE(says(found,
                   "150KB waited at s0->h0 on average within the window, more than 2.76 products "
                   "of its rate and the round trip, and nothing was lost or paused: algorithm dcc"))
      << words_of(found);
  EXPECT_NEAR(figure_of(found, "products"), 2.76, 0.02);
  EXPECT_EQ(figure_of(found, "mean_bytes"), 150e3);
  EXPECT_FALSE(waiting(108e3, 900'000).found("standing_queue")) << "it comes and goes";
  EXPECT_TRUE(waiting(111e3, 900'000).found("standing_queue"));
  SyntheticRun run = waiting(150e3, 221'000);
  run.results.queues[0].port = "s0->h9";
  EXPECT_FALSE(run.found("standing_queue")) << "a queue of no link";
}

// For hosts at different switches the diagnosis assumes a round trip over twelve links.
TEST(StandingQueue, ByTheRoundTripOfItsFlows) {
  const auto between = [](HostId from) {
    SyntheticRun run("",
                     "topology: {kind: leaf_spine, leaves: 2, spines: 1, hosts_per_leaf: 4, "
                     "host_link: {rate: 100Gbps, delay: 1us}, "
                     "fabric_link: {rate: 100Gbps, delay: 1us}}\n"
                     "duration: 20ms\nmeasure: {from: 10ms}\nhost: {driver: none}\n");
    run.add(1, 0);
    run.add(from, 0);
    run.results.queues = waiting(400e3, 600'000).results.queues;
    run.results.queues[0].port = "leaf0->h0";
    run.at("leaf0->h0").tx_bytes = 100'000'000;
    return run.found("standing_queue").has_value();
  };
  EXPECT_TRUE(between(3));
  EXPECT_FALSE(between(4)) << "four products of twelve links are 656 KB";
}

TEST(StandingQueue, TheLongestIsNamed) {
  SyntheticRun run = waiting(150e3, 300'000);
  for (const auto& [port, bytes] : {std::pair{"s0->h3", 200e3}, std::pair{"s0->h4", 140e3}}) {
    run.results.queues.push_back(run.results.queues[0]);
    run.results.queues.back().port = port;
    run.results.queues.back().mean_bytes = bytes;
    run.at(port).tx_bytes = 100'000'000;
  }
  EXPECT_TRUE(says(run.found("standing_queue"), "200KB waited at s0->h3"));
  run.at("s0->h3").rate = BitRate(400'000'000'000);
  EXPECT_TRUE(says(run.found("standing_queue"), "150KB waited at s0->h0")) << "by its own rate";
}

TEST(StandingQueue, ThatNothingElseTellsOf) {
  SyntheticRun run = waiting(335e3, 400'000);
  run.count(&PfcCounters::pauses_sent, 1);
  EXPECT_TRUE(says(run.found("standing_queue"), "and PFC paused senders 1 times: algorithm dcc"));
  run = waiting(335e3, 400'000);
  run.results.balance.packets_dropped = 1;
  EXPECT_FALSE(run.found("standing_queue")) << "losses";
  const auto with = [](const std::string& ecn, const std::string& algorithm = "dcc") {
    return waiting(335e3, 400'000,
                   "switch: {ecn: {" + ecn +
                       "}}\nnic: {congestion_control: {algorithm: " + algorithm + "}}\n")
        .found("standing_queue")
        .has_value();
  };
  EXPECT_FALSE(with("kmin: 100KB, kmax: 336KB")) << "it is no longer than where all are marked";
  EXPECT_TRUE(with("kmin: 100KB, kmax: 334KB"));
  EXPECT_TRUE(with("kmin: 100KB, kmax: 336KB", "timely")) << "it reads no marks";
  EXPECT_TRUE(with("enabled: false, kmin: 100KB, kmax: 336KB", "timely"));
  // The threshold rule `long_flows` puts kmax at 8.4 bandwidth-delay products, 377 KB here. DCQCN's
  // rule puts kmax at two.
  EXPECT_FALSE(with("rule: long_flows"));
  EXPECT_TRUE(with("rule: dcqcn"));
  EXPECT_TRUE(with("kmin: 100KB, kmax: 336KB", "hull")) << "marks come from a phantom queue";
  EXPECT_TRUE(with("kmin: 100KB, kmax: 336KB", "ibcc")) << "its threshold is its own";
}

TEST(StandingQueue, OfFlowsUnderControlThatSendAllTheTime) {
  const auto under = [](const std::string& nic) {
    return waiting(335e3, 400'000,
                   "switch: {ecn: {enabled: false}, pfc: {enabled: false}}\nnic: {" + nic + "}\n")
        .found("standing_queue")
        .has_value();
  };
  EXPECT_TRUE(under("congestion_control: {algorithm: timely}"));
  EXPECT_FALSE(under("congestion_control: {algorithm: none}"));
  EXPECT_FALSE(under("transport: {kind: pias}, congestion_control: {algorithm: timely}"))
      << "priorities by the bytes sent";
  SyntheticRun run = waiting(335e3, 400'000);
  const auto stop_at = [&](PicoSeconds time) {
    for (FlowResult& flow : run.results.flows) flow.stopped = time;
    return run.found("standing_queue").has_value();
  };
  EXPECT_TRUE(stop_at(kMilliSecond * 19 + kMicroSecond));
  EXPECT_FALSE(stop_at(kMilliSecond * 19 - kMicroSecond)) << "a burst";
  for (FlowResult& flow : run.results.flows) {
    flow.stopped.reset();
    flow.begun = false;
  }
  EXPECT_FALSE(run.found("standing_queue")) << "no flow began";
}

// A full packet has at most 1082 bytes.
TEST(StandingQueue, OfTwoPacketsOfEachFlowAndTwentyFour) {
  const auto with_flows = [](std::size_t flows) {
    SyntheticRun run = waiting(240e3, 260'000);
    while (run.results.flows.size() < flows) run.add(3, 0);
    return run.found("standing_queue").has_value();
  };
  EXPECT_TRUE(with_flows(107)) << "238 packets";
  EXPECT_FALSE(with_flows(109)) << "242 packets";
}

TEST(StandingQueue, NotOfABurstThatDrains) {
  SyntheticRun run = waiting(335e3, 400'000);
  for (FlowResult& flow : run.results.flows) {
    flow.completed = true;
    flow.end = flow.end_rx = kMilliSecond * 20;
  }
  run.at("s0->h0").tx_bytes = 1'350'000;
  EXPECT_TRUE(run.found("standing_queue"));
  run.at("s0->h0").tx_bytes = 1'330'000;
  EXPECT_FALSE(run.found("standing_queue")) << "less than four such queues were sent";
  for (const std::size_t going_on : {0, 1}) {
    run.results.flows[going_on].completed = false;
    EXPECT_TRUE(run.found("standing_queue")) << "flow " << going_on << " goes on";
    run.results.flows[going_on].completed = true;
  }
}

TEST(StandingQueue, OfTwentyRoundTrips) {
  SyntheticRun run = waiting(335e3, 400'000);
  run.results.measured_from = kMilliSecond * 20 - kMicroSecond * 250;
  EXPECT_FALSE(run.found("standing_queue"));
  run.results.measured_from = kMilliSecond * 20 - kMicroSecond * 280;
  EXPECT_TRUE(run.found("standing_queue"));
}

}  // namespace
}  // namespace dcc::vp
