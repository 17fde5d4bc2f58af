// Tests the diagnoses of hosts and controllers: slots, timers, marks, weights, memory, firmware,
// settings.
#include "controller/dcc.h"
#include "synthetic_run.h"

namespace dcc::vp {
namespace {

const std::string kWeights = "dscp: {46: {weight: 4}, 10: {weight: 1}}\n";
const std::string kByWeight =
    kWeights + "nic: {congestion_control: {algorithm: dcc, policy: proportional}}\n";
const std::string kDcqcnLaw =
    kWeights + "nic: {congestion_control: {algorithm: dcc, policy: dcqcn}}\n";

TEST(SlotsFull, OfTheHardwareOnly) {
  SyntheticRun run(kByWeight);
  EXPECT_FALSE(run.found("slots_full"));
  run.count(&AlgorithmCounters::cnps_dropped_no_slot, 1);
  EXPECT_TRUE(run.found("slots_full"));
  run.count(&AlgorithmCounters::cnps_dropped_no_slot, 3);
  EXPECT_EQ(words_of(run.found("slots_full")).rfind("3 notifications found all 1024 slots", 0), 0u);
  SyntheticRun other("nic: {congestion_control: {algorithm: dcqcn}}\n");
  other.count(&AlgorithmCounters::cnps_dropped_no_slot, 3);
  EXPECT_FALSE(other.found("slots_full"));
}

TEST(TimersLate, MoreSlotsThanAnIntervalServes) {
  SyntheticRun run(kByWeight);
  auto& dcc = run.loaded.config.nic.congestion_control.of<DccParameters>("dcc");
  dcc.increase_timer = kMicroSecond * 22;
  run.results.hosts[1].slots_in_use_max = 679;  // 679 slots use 5496 of the interval's 5500 cycles
  EXPECT_FALSE(run.found("timers_late"));
  run.results.hosts[1].slots_in_use_max = 680;
  EXPECT_EQ(words_of(run.found("timers_late")).rfind("680 slots of a controller were in use", 0),
            0u);
}

TEST(TimersLate, ALagOfATenthOfTheInterval) {
  SyntheticRun run(kByWeight);
  auto& dcc = run.loaded.config.nic.congestion_control.of<DccParameters>("dcc");
  dcc.increase_timer = kMicroSecond * 50;
  run.results.hosts[2].missed_latency = 82;
  run.results.hosts[2].timer_lateness_max_ticks = 5;
  EXPECT_FALSE(run.found("timers_late")) << "5 ticks of 1 us";
  run.results.hosts[2].timer_lateness_max_ticks = 6;
  EXPECT_TRUE(says(run.found("timers_late"), "82 timer events"));
}

TEST(NotificationsLost, InAFullQueueOrAReset) {
  SyntheticRun run;
  EXPECT_FALSE(run.found("notifications_lost"));
  run.results.hosts[1].inputs_dropped = 2;
  EXPECT_TRUE(run.found("notifications_lost"));
  run.results.hosts[1] = {};
  run.results.hosts[3].cnps_lost = 1;
  EXPECT_TRUE(run.found("notifications_lost"));
}

TEST(NotificationsLost, ForeseenWherePacketsComeFasterThanOneInACycle) {
  const auto at = [](const std::string& link, const std::string& nic,
                     const std::string& algorithm) {
    return foreseen("topology: {kind: star, hosts: 5, link: {delay: 1us, " + link +
                        "}}\nnic: {mtu: 64B, " + nic +
                        "congestion_control: {algorithm: " + algorithm + "}}\n",
                    "notifications_lost");
  };
  const std::string slow = "controller: {clock: 250MHz}, ";
  const auto found = at("rate: 800Gbps", slow, "dcc");
  EXPECT_TRUE(says(found, "packets of 64 B (nic.mtu) in a cycle of the controller"));
  EXPECT_NEAR(figure_of(found, "packets_a_cycle"), 2.7, 0.2);
  EXPECT_TRUE(at("rate: 400Gbps", slow, "dcc"));
  EXPECT_FALSE(at("rate: 200Gbps", slow, "dcc"));
  EXPECT_FALSE(at("rate: 800Gbps", "", "dcqcn"));
  // A clock that nobody wrote follows the network, whatever the overhead of its links.
  for (const char* const overhead : {"0B", "20B", "60B"}) {
    EXPECT_FALSE(at("rate: 800Gbps", "", "dcc"));
    EXPECT_FALSE(at("rate: 800Gbps, overhead: " + std::string(overhead), "", "dcc")) << overhead;
  }
}

TEST(Races, OfTheHostThatHasMost) {
  SyntheticRun run;
  run.results.races = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  EXPECT_FALSE(run.found("races"));
  run.results.races = {{0, 5, 3}, {1, 0, 0}, {2, 40, 2}};
  const auto found = run.found("races");
  EXPECT_TRUE(says(found,
                   "On host 2, 40 accesses of harts and DMA to memory race, by 2 pairs of "
                   "instructions (2 hosts have races)"));
  EXPECT_EQ(figure_of(found, "accesses"), 40);
  EXPECT_EQ(figure_of(found, "hosts"), 2);
}

TEST(Pauses, WhereClassesShareByWeight) {
  SyntheticRun run(kByWeight);
  EXPECT_FALSE(run.found("pauses"));
  run.count(&PfcCounters::pauses_sent, 7);
  run.pause("h1->s0", 0.0101);
  const auto found = run.found("pauses");
  EXPECT_TRUE(says(found, "PFC paused 7 times within the window, one link for 1.01 % of it"));
  EXPECT_NEAR(figure_of(found, "paused"), 0.0101, 1e-6);
  run.pause("h1->s0", 0.0099);
  EXPECT_FALSE(run.found("pauses")) << "a pause of no consequence";
  SyntheticRun plain(kDcqcnLaw);
  plain.count(&PfcCounters::pauses_sent, 7);
  plain.pause("h1->s0", 0.5);
  EXPECT_FALSE(plain.found("pauses"));
}

TEST(NearlyAllMarked, FromOnePercentUnmarkedDown) {
  SyntheticRun run(kByWeight);
  run.add(1, 0, 46).delivered_measured = 1'000'000;  // the payload of a thousand packets
  run.count(&SwitchCounters::ecn_marks, 990);
  EXPECT_FALSE(run.found("nearly_all_marked"));
  run.count(&SwitchCounters::ecn_marks, 991);
  EXPECT_TRUE(says(run.found("nearly_all_marked"),
                   "Nearly every packet was marked: 991 marks, 1000 packets"));
}

TEST(WeightsWithoutEffect, EqualSharesOfUnequalWeights) {
  SyntheticRun run(kByWeight);
  run.add(1, 0, 46).delivered_measured = 57'000'000;
  run.add(2, 0, 10).delivered_measured = 57'000'000;
  run.use("s0->h0", 0.99);
  const auto found = run.found("weights_without_effect");
  EXPECT_TRUE(says(found, "no packet was marked")) << words_of(found);
  EXPECT_NEAR(figure_of(found, "effect"), 0, 1e-9);
  run.use("s0->h0", 0.9);
  EXPECT_TRUE(says(run.found("weights_without_effect"), "did not fill a link"));
  // A goodput ratio of 4^0.25 = 1.414 is a quarter of the effect of weights 4 : 1 on a logarithmic
  // scale.
  run.results.flows[0].delivered_measured = 80'500'000;
  EXPECT_TRUE(run.found("weights_without_effect"));
  run.results.flows[0].delivered_measured = 80'700'000;
  EXPECT_FALSE(run.found("weights_without_effect"));
}

TEST(WeightsWithoutEffect, NeedsClassesThatCompete) {
  SyntheticRun run(kDcqcnLaw);
  run.add(1, 0, 46);
  run.add(2, 0, 10);
  EXPECT_TRUE(says(run.found("weights_without_effect"), "policy: dcqcn did not turn them"));
  // this flow is active for 4/5 of the measurement window
  run.results.flows[1].start = kMilliSecond * 12;
  EXPECT_FALSE(run.found("weights_without_effect"));
  run.results.flows[1].start = PicoSeconds(0);
  run.add(3, 4, 10);
  EXPECT_FALSE(run.found("weights_without_effect")) << "several bottlenecks";
  run.results.flows.pop_back();
  run.results.flows[1].dscp = 46;
  EXPECT_FALSE(run.found("weights_without_effect")) << "one weight";
}

// A round trip over twelve links of 1 us takes 13 us.
TEST(WeightsWithoutEffect, NeedsAHundredRoundTrips) {
  SyntheticRun run(kDcqcnLaw);
  run.add(1, 0, 46);
  run.add(2, 0, 10);
  run.results.measured_from = run.results.measured_to - kMicroSecond * 1250;
  EXPECT_FALSE(run.found("weights_without_effect"));
  run.results.measured_from = run.results.measured_to - kMicroSecond * 1350;
  EXPECT_TRUE(run.found("weights_without_effect"));
}

TEST(WeightsWithoutEffect, PausesAreTheCauseFromEightPercentOn) {
  SyntheticRun run(kByWeight);
  run.add(1, 0, 46).delivered_measured = 57'000'000;
  run.add(2, 0, 10).delivered_measured = 57'000'000;
  run.use("s0->h0", 0.99);
  run.count(&SwitchCounters::ecn_marks, 20'000);
  run.pause("h1->s0", 0.075);
  EXPECT_TRUE(says(run.found("weights_without_effect"), "marks were too few or too many"));
  run.pause("h1->s0", 0.085);
  EXPECT_TRUE(says(run.found("weights_without_effect"), "PFC paused the senders"));
}

/// A run in which two flows of weights 4 and 1 share 92 Gb/s at one full port. The flow of weight 4
/// got `excess` more than its share of four fifths.
SyntheticRun shared(double excess, const std::string& more = kByWeight,
                    const std::string& topology = SyntheticRun::kStar) {
  SyntheticRun run(more, topology);
  const double all = 115e6;
  const double heavy = 0.8 * all * (1 + excess);
  run.add(1, 0, 46).delivered_measured = static_cast<Bytes>(heavy);
  run.add(2, 0, 10).delivered_measured = static_cast<Bytes>(all - heavy);
  run.use("s0->h0", 0.99);
  run.count(&SwitchCounters::ecn_marks, 20'000);
  return run;
}

// The error of the flow of weight 1 is four times the excess of the flow of weight 4.
TEST(WeightsMissed, SharesBeyondTheLimit) {
  EXPECT_FALSE(shared(0).found("weights_missed"));
  EXPECT_FALSE(shared(-0.0199).found("weights_missed"));
  const auto found = shared(-0.0201).found("weights_missed");
  ASSERT_TRUE(found);
  EXPECT_TRUE(says(found, "Flow 1 (weight 1) got 8.04 % more than its share by weight"))
      << words_of(found);
  EXPECT_NEAR(figure_of(found, "error"), 0.0804, 1e-3);
  EXPECT_TRUE(says(shared(0.0201).found("weights_missed"), "8.04 % less"));
  // The diagnosis weights_without_effect alone reports nearly equal shares.
  EXPECT_FALSE(shared(-0.375).found("weights_missed"));
  EXPECT_TRUE(shared(-0.375).found("weights_without_effect"));
}

TEST(WeightsMissed, OnlyWhereWeightsAreToCount) {
  EXPECT_TRUE(
      says(shared(-0.1, kDcqcnLaw).found("weights_missed"), "policy: proportional follows"));
  EXPECT_FALSE(shared(-0.0199, kDcqcnLaw).found("weights_missed"));
  EXPECT_FALSE(shared(-0.1, kWeights + "nic: {congestion_control: {algorithm: dcqcn}}\n")
                   .found("weights_missed"));
  const std::string law = "nic: {congestion_control: {algorithm: dcc, policy: proportional}}\n";
  EXPECT_FALSE(shared(-0.1, "dscp: {46: {weight: 4, max_rate: 70Gbps}, 10: {weight: 1}}\n" + law)
                   .found("weights_missed"));
  EXPECT_FALSE(shared(-0.1, "dscp: {46: {weight: 4, priority: 3}, 10: {weight: 1}}\n" + law)
                   .found("weights_missed"));
  SyntheticRun run = shared(-0.1);
  EXPECT_TRUE(run.found("weights_missed"));
  run.results.flows[1].rate_cap = 10_Gbps;
  EXPECT_FALSE(run.found("weights_missed"));
  run.results.flows[1].rate_cap = BitRate(0);
  run.use("h1->s0", 0.97);
  EXPECT_FALSE(run.found("weights_missed")) << "a sender's own link is full";
  run.use("h1->s0", 0.5);
  for (FlowResult& flow : run.results.flows) flow.delivered_measured /= 25;
  EXPECT_FALSE(run.found("weights_missed")) << "920 packets of the lightest say too little";
}

TEST(WeightsMissed, AnErrorFarBeyondNoiseIsToldOfFewPacketsToo) {
  SyntheticRun run = shared(-0.24);
  for (FlowResult& flow : run.results.flows) flow.delivered_measured /= 25;
  EXPECT_TRUE(says(run.found("weights_missed"), "96 % more")) << "920 packets, noise of 19 %";
  for (FlowResult& flow : run.results.flows) flow.delivered_measured /= 10;
  EXPECT_FALSE(run.found("weights_missed")) << "92 packets, noise of 60 %";
}

TEST(WeightsMissed, NamesTheCause) {
  const auto cause = [](const SyntheticRun& run, const std::string& words) {
    const auto found = run.found("weights_missed");
    EXPECT_TRUE(says(found, words)) << words_of(found);
  };
  SyntheticRun run = shared(-0.1);
  cause(run, "between a kmin of");
  // The switch marked 17.4 % of the packets, which lies between the two values of pmax.
  cause(shared(-0.1, kByWeight + "switch: {ecn: {pmax: 0.18}}\n"), "between a kmin of");
  cause(shared(-0.1, kByWeight + "switch: {ecn: {pmax: 0.17}}\n"),
        "the ramp ends at a pmax of 17 %");
  run.results.flows[1].start = kMilliSecond * 7;
  cause(run, "the window begins 3ms after the last of them");
  for (FlowResult& flow : run.results.flows) flow.start = kMicroSecond * 10'500;
  cause(run, "the last of them begins 500us after the window does");
  run.results.flows[0].start = PicoSeconds(0);
  run.results.flows[1].start = PicoSeconds(0);
  for (int i = 0; i < 100; ++i) run.results.rtt_ns.add(60'000);
  cause(run, "marks are 60us old when they arrive, and increase_timer is 14us");
  run.count(&SwitchCounters::ecn_marks, 111'000);
  cause(run, "96.5 % of the packets were marked");
  run.count(&SwitchCounters::ecn_marks, 0);
  cause(run, "no packet was marked");
  run.count(&AlgorithmCounters::cnps_dropped_no_slot, 1);
  cause(run, "no free slot");
  run.count(&PfcCounters::pauses_sent, 1);
  run.pause("h1->s0", 0.039);
  // a pause of 3.9 % explains less than the 8 % that the heavy flow missed
  cause(run, "no free slot");
  run.pause("h1->s0", 0.041);
  cause(run, "PFC paused");
}

// At one link 40 flows of weight 4 and 200 flows of weight 1 get `unit` Mb/s per unit of weight.
// The flows of weight 4 get `excess` more. The diagnosis compares classes.
TEST(WeightsMissed, NamesRatesBelowTheLawsSteps) {
  const auto crowd = [](double unit, double excess) {
    SyntheticRun run(kByWeight);
    const double bytes = unit * 1e6 / 8 * 10e-3;  // bytes per unit of weight in 10 ms
    for (HostId i = 0; i < 240; ++i) {
      FlowResult& flow = run.add(1 + i % 3, 0, i < 40 ? 46 : 10);
      flow.delivered_measured = static_cast<Bytes>(i < 40 ? 4 * bytes * (1 + excess) : bytes);
    }
    run.use("s0->h0", 0.99);
    run.count(&SwitchCounters::ecn_marks, static_cast<std::uint64_t>(0.1 * 360 * bytes / 1000));
    return words_of(run.found("weights_missed"));
  };
  EXPECT_NE(crowd(5, 0.5).find("is near the least rate"), std::string::npos) << crowd(5, 0.5);
  EXPECT_NE(crowd(60, 0.5).find("the window begins 10ms after"), std::string::npos)
      << crowd(60, 0.5);
  EXPECT_EQ(crowd(440, 0.5).find("after the last of them"), std::string::npos) << crowd(440, 0.5);
}

// A flow that is alone for part of the measurement window gets the whole link during that time.
TEST(WeightsMissed, FlowsThatAreNotThereForTheSameTimeAreNotCompared) {
  SyntheticRun run = shared(-0.1);
  ASSERT_TRUE(run.found("weights_missed"));
  FlowResult& light = run.results.flows[1];
  light.start = kMilliSecond * 10 + kMicroSecond * 600;
  EXPECT_FALSE(run.found("weights_missed")) << "it begins within the window";
  light.start = PicoSeconds(0);
  light.stopped = kMilliSecond * 19 + kMicroSecond * 500;
  EXPECT_FALSE(run.found("weights_missed")) << "it ends within the window";
  run.results.flows[0].stopped = light.stopped;
  EXPECT_TRUE(run.found("weights_missed")) << "both end at once";
  light.stopped.reset();
  run.results.flows[0].stopped.reset();
  run.add(3, 0, 46).delivered_measured = 20'000'000;
  run.results.flows[2].start = kMilliSecond * 11;
  EXPECT_TRUE(run.found("weights_missed")) << "a third one does not hide the error of two";
}

TEST(WeightsMissed, DataOfReadsComesFromTheHostThatIsAsked) {
  SyntheticRun run = shared(-0.1);
  for (FlowResult& flow : run.results.flows) {
    std::swap(flow.from, flow.to);
    flow.reversed = true;
  }
  EXPECT_TRUE(says(run.found("weights_missed"), "Flow 1 (weight 1) got 40 % more"));
  run.use("h0->s0", 0.97);  // the sender of the requests sends nothing else on its link
  EXPECT_TRUE(run.found("weights_missed"));
  run.use("h1->s0", 0.97);
  EXPECT_FALSE(run.found("weights_missed")) << "a sender's own link is full";
}

// Four fifths of 92 Gb/s are 230 KB in 25 us, which is more than a message of the heavy flow. Its
// software keeps two messages posted, and posts the next one when a message completes.
TEST(WeightsMissed, SoftwareThatPostsTooLittle) {
  const auto told = [](const std::string& driver, const std::string& message, double excess) {
    SyntheticRun run = shared(
        excess, kByWeight + "traffic: [{kind: flow, from: 1, to: 0, message: " + message + "}]\n",
        "topology: {kind: star, hosts: 5, link: {rate: 100Gbps, delay: 1us}}\n"
        "host: {driver: " +
            driver + ", ram: 64MiB}\nduration: 20ms\nmeasure: {from: 10ms}\n");
    for (int i = 0; i < 100; ++i) run.results.rtt_ns.add(25'000);
    const auto found = run.found(excess < -0.3 ? "weights_without_effect" : "weights_missed");
    return words_of(found);
  };
  const std::string wait =
      "the software of host 1 waits for completions: at its share flow 0 sends";
  EXPECT_NE(told("native", "64KiB", -0.1).find(wait), std::string::npos);
  EXPECT_NE(told("native", "64KiB", -0.375).find(wait), std::string::npos);
  EXPECT_EQ(told("native", "240KB", -0.1).find(wait), std::string::npos);
  EXPECT_EQ(told("none", "64KiB", -0.1).find(wait), std::string::npos);
  EXPECT_EQ(told("native", "64KiB", 0.1).find(wait), std::string::npos)
      << "the heavy flow got more";
}

TEST(WeightsMissed, WeightsThatMoveAreNotCompared) {
  const std::string moving = "changes: [{at: 15ms, set: {dscp.46.weight: 1}}]\n";
  EXPECT_FALSE(shared(-0.1, kByWeight + moving).found("weights_missed"));
  EXPECT_FALSE(shared(-0.375, kByWeight + moving).found("weights_without_effect"));
  const std::string other = "changes: [{at: 15ms, set: {nic.congestion_control.r_ai: 20Mbps}}]\n";
  EXPECT_TRUE(shared(-0.1, kByWeight + other).found("weights_missed"));
}

// A heavy flow that takes nearly all of the congested port fills its sender's link as well.
TEST(WeightsMissed, AFlowThatGotTooMuchIsNotHeldBackByItsOwnLink) {
  SyntheticRun run = shared(0.2);
  run.use("h1->s0", 0.97);
  EXPECT_TRUE(says(run.found("weights_missed"), "Flow 1 (weight 1) got 80 % less"));
}

// The diagnosis weights_without_effect needs a measurement window of a hundred round trips.
TEST(WeightsMissed, EqualSharesThatTheOtherDiagnosisDoesNotTellOf) {
  SyntheticRun run = shared(-0.375);
  EXPECT_TRUE(run.found("weights_without_effect"));
  EXPECT_FALSE(run.found("weights_missed"));
  const SyntheticRun far =
      shared(-0.375, kByWeight,
             "topology: {kind: star, hosts: 5, link: {rate: 100Gbps, delay: 50us}}\n"
             "host: {driver: none}\nduration: 20ms\nmeasure: {from: 10ms}\n");
  EXPECT_FALSE(far.found("weights_without_effect"));
  EXPECT_TRUE(says(far.found("weights_missed"), "Flow 1 (weight 1) got 150 % more"));
}

TEST(WeightsMissed, FlowsElsewhereHideNothing) {
  SyntheticRun run = shared(-0.1);
  run.add_done(3, 4, kMilliSecond * 15, kMilliSecond * 15 + kMicroSecond).delivered_measured = 1000;
  EXPECT_TRUE(says(run.found("weights_missed"), "Flow 1 (weight 1) got 40 % more"));
  run.add(3, 2, 46).delivered_measured = 50'000'000;
  EXPECT_TRUE(run.found("weights_missed"));
  // The diagnosis weights_without_effect reports small effects, but ignores runs with such a third
  // flow.
  SyntheticRun equal = shared(-0.375);
  equal.add(3, 4, 10);
  EXPECT_TRUE(equal.found("weights_missed"));
  EXPECT_FALSE(equal.found("weights_without_effect"));
  equal.use("s0->h0", 0.45);
  EXPECT_FALSE(equal.found("weights_missed")) << "what limits them may be elsewhere";
}

TEST(WeightsMissed, EachReceiverIsLookedAt) {
  SyntheticRun run = shared(0);
  run.add(3, 4, 46).delivered_measured = 88'000'000;
  run.add(2, 4, 10).delivered_measured = 27'000'000;
  EXPECT_FALSE(run.found("weights_missed")) << "an unused link";
  run.use("s0->h4", 0.99);
  EXPECT_TRUE(says(run.found("weights_missed"), "Flow 3 (weight 1) got"));
}

TEST(HostSlowerThanPort, RateOrReads) {
  const auto with = [](const std::string& nic) {
    return foreseen("topology: {kind: star, hosts: 5, link: {rate: 100Gbps, delay: 1us}}\nnic: {" +
                        nic + "}\ntraffic: [{kind: flow, from: 1, to: 0}]\n",
                    "host_slower_than_port");
  };
  const auto slow = with("payload: real, dma: {rate: 40Gbps}");
  EXPECT_TRUE(says(slow, "nic.dma.rate is 40Gbps")) << words_of(slow);
  EXPECT_NEAR(figure_of(slow, "memory_gbps"), 40, 1e-9);
  // A packet of 1082 bytes on the wire carries 1000 bytes of payload.
  EXPECT_NEAR(figure_of(slow, "port_gbps"), 92.4, 0.3);
  EXPECT_FALSE(with("payload: real, dma: {rate: 95Gbps}"));
  EXPECT_FALSE(with("payload: real"));
  EXPECT_FALSE(with("payload: virtual, dma: {rate: 40Gbps}"));
  // Four DMA reads overlap. Each read of 1000 B takes 1 us and 31 ns, so the DMA engine reads at 31
  // Gb/s.
  const auto few = with("payload: real, dma: {latency: 1us, outstanding: 4}");
  EXPECT_TRUE(says(few, "4 reads of 1000 B at once"));
  EXPECT_NEAR(figure_of(few, "memory_gbps"), 31.0, 0.2);
}

TEST(HostBusyAtEnd, ATenthOfTheRun) {
  SyntheticRun run;
  run.results.hosts[3].busy_ns = 1'999'999;
  EXPECT_FALSE(run.found("host_busy_at_end"));
  run.results.hosts[3].busy_ns = 2'000'000;
  EXPECT_TRUE(says(run.found("host_busy_at_end"),
                   "Host 3 did next to nothing but handle interrupts and traps for 2ms"));
  run.results.sim_time = kMicroSecond * 500;
  run.results.hosts[3].busy_ns = 99'999;
  EXPECT_FALSE(run.found("host_busy_at_end"));
  run.results.hosts[3].busy_ns = 100'000;
  EXPECT_TRUE(run.found("host_busy_at_end"));
}

TEST(DecreaseTableUnwritten, NamesTheHosts) {
  SyntheticRun run;
  EXPECT_FALSE(run.found("decrease_table_unwritten"));
  run.results.hosts[1].tables_unwritten = 1;
  EXPECT_EQ(words_of(run.found("decrease_table_unwritten")).rfind("host 1: the controller is", 0),
            0u);
}

TEST(DefaultsOfAnotherSpeed, NamedPresetsFarFromTheirSource) {
  const auto with = [](const char* rate, const std::string& control) {
    return foreseen("topology: {kind: star, hosts: 5, link: {rate: " + std::string(rate) +
                        "}}\nnic: {congestion_control: {" + control + "}}\n",
                    "defaults_of_another_speed");
  };
  const auto found = with("160Gbps", "algorithm: dcqcn, preset: sig15");
  EXPECT_TRUE(says(found, "preset: sig15 has its source's values, for 40Gbps, and the slowest"));
  EXPECT_FALSE(with("150Gbps", "algorithm: dcqcn, preset: sig15"));
  EXPECT_TRUE(with("10Gbps", "algorithm: dcc, preset: sig15"));
  EXPECT_FALSE(with("11Gbps", "algorithm: dcc, preset: sig15"));
  EXPECT_TRUE(with("100Gbps", "algorithm: dcqcn, preset: adapter"));
  EXPECT_FALSE(with("100Gbps", "algorithm: dcqcn, preset: adapter, r_ai: 20Mbps"));
  EXPECT_FALSE(with("100Gbps", "algorithm: dcqcn, preset: adapter, r_ai: 5Mbps"));
  EXPECT_TRUE(with("100Gbps", "algorithm: dcqcn, preset: adapter, r_ai: 5Mbps, r_hai: 50Mbps"));
  const auto of_one_host = foreseen(
      "topology: {kind: star, hosts: 5, link: {rate: 400Gbps}}\n"
      "nic: {congestion_control: {algorithm: dcqcn}}\n"
      "nics: [{hosts: 1, congestion_control: {algorithm: dcqcn, preset: sig15}}]\n",
      "defaults_of_another_speed");
  EXPECT_TRUE(says(of_one_host, "nics.0.congestion_control.preset: sig15 has its source's values"));
  EXPECT_FALSE(with("800Gbps", "algorithm: dcqcn"));
  EXPECT_FALSE(with("800Gbps", "algorithm: timely"));
}

TEST(PlatformNotes, AreJoinedById) {
  SyntheticRun run;
  EXPECT_FALSE(run.found("dma_faults"));
  run.results.notes = {{"dma_faults", "host 1: a", {}}, {"lone_queue_pairs", "host 2: b", {}}};
  run.results.notes.push_back({"dma_faults", "host 3: c", {}});
  EXPECT_EQ(words_of(run.found("dma_faults")), "host 1: a; host 3: c");
  EXPECT_EQ(words_of(run.found("lone_queue_pairs")), "host 2: b");
  EXPECT_FALSE(run.found("program_faults"));
  EXPECT_FALSE(run.found("program_events_lost"));
  run.results.notes.push_back({"program_faults", "host 4: d", {}});
  EXPECT_EQ(words_of(run.found("program_faults")), "host 4: d");
  EXPECT_FALSE(run.found("program_events_lost"));
  run.results.notes.push_back({"program_events_lost", "host 5: e", {}});
  EXPECT_EQ(words_of(run.found("program_events_lost")), "host 5: e");
  for (int more = 0; more < 4; ++more) run.results.notes.push_back({"dma_faults", "f", {}});
  EXPECT_EQ(words_of(run.found("dma_faults")), "host 1: a; host 3: c; f; f; and 2 more");
}

TEST(UnusedParameters, AreThoseThatDifferFromTheDefault) {
  const auto with = [](const std::string& yaml) {
    return foreseen(std::string(SyntheticRun::kStar) + yaml, "unused_parameters");
  };
  EXPECT_FALSE(with(""));
  const auto dma = with("nic: {dma: {rate: 40Gbps}}\n");
  EXPECT_TRUE(says(dma, "nic.dma.rate (40Gbps): nic.payload is virtual")) << words_of(dma);
  EXPECT_FALSE(with("nic: {dma: {rate: 256Gbps}}\n")) << "the default";
  EXPECT_FALSE(foreseen("nic: {payload: real, dma: {rate: 40Gbps}}\n", "unused_parameters"));
  EXPECT_TRUE(with("switch: {pfc: {enabled: false, alpha: 1}}\n"));
  EXPECT_FALSE(with("switch: {pfc: {alpha: 1}}\n"));
  EXPECT_TRUE(with("nic: {congestion_control: {algorithm: dcqcn}, controller: {slots: 64}}\n"));
  EXPECT_FALSE(with("nic: {controller: {slots: 64}}\n"));
  const auto policy = [&](const std::string& more) {
    return with("nic: {congestion_control: {algorithm: dcc, " + more + "}}\n");
  };
  EXPECT_TRUE(says(policy("brisk: 9"), "brisk (9): nic.congestion_control.policy does not use"));
  EXPECT_TRUE(policy("silence: 9"));
  EXPECT_FALSE(policy("policy: proportional, brisk: 9, silence: 9"));
  EXPECT_TRUE(policy("policy: proportional, clamp_target: after_timer"));
  EXPECT_TRUE(policy("policy: proportional, initial_alpha: 1/2"));
  EXPECT_FALSE(policy("clamp_target: after_timer, initial_alpha: 1/2"));
}

TEST(SettingsAdapted, TellsNotesOfTheConfiguration) {
  EXPECT_FALSE(SyntheticRun().found("settings_adapted"));
  LoadedConfig loaded =
      load_config_text("duration: 10ms\nmeasure: {to: 9ms}\n", "t.yaml", ".", {"duration=5ms"});
  const auto found = of_id(foresee(loaded), "settings_adapted");
  EXPECT_TRUE(says(found, "measure.to: 9ms is after the end of the run"));
}

}  // namespace
}  // namespace dcc::vp
