// Tests the diagnoses of network mechanisms: timers, PFC, headroom, ECN thresholds, faults.
#include "synthetic_run.h"

namespace dcc::vp {
namespace {

std::string star(const std::string& link, const std::string& more) {
  return "topology: {kind: star, hosts: 5, link: {" + link + "}}\nhost: {driver: none}\n" + more +
         "traffic: [{kind: incast, senders: 1..4, receiver: 0}]\n";
}

TEST(TimeoutsWithoutLoss, AreToldOnlyWithoutLoss) {
  SyntheticRun run("nic: {recovery: {timeout: 500us}}\n");
  EXPECT_FALSE(run.found("timeouts_without_loss"));
  run.count(&NicCounters::timeouts, 3);
  run.count(&FlowRecord::retransmits, 40);
  run.results.rtt_ns.add(900'000);
  const auto found = run.found("timeouts_without_loss");
  EXPECT_TRUE(says(found, "3 retransmission timers ran out although no packet was lost, and 40"));
  EXPECT_TRUE(says(found, "nic.recovery.timeout is 500us"));
  // With 299 other flows and 41 000 packets, the diagnosis reports losses from 1 flow in 100 or 1
  // packet in 1000 on.
  while (run.results.flows.size() < 300) run.add(1, 0).delivered_measured = 0;
  run.results.flows[0].delivered_measured = 41'000'000;
  EXPECT_TRUE(run.found("timeouts_without_loss")) << "3 of 300 flows";
  run.add(1, 0);
  EXPECT_FALSE(run.found("timeouts_without_loss")) << "3 of 301 flows, 40 of 41 000 packets";
  run.count(&FlowRecord::retransmits, 42);
  EXPECT_TRUE(run.found("timeouts_without_loss"));
  // the switch may have dropped the packet before the measurement window
  run.results.balance.packets_dropped = 1;
  EXPECT_FALSE(run.found("timeouts_without_loss"));
  run.results.balance.packets_dropped = 0;
  run.count(&NicCounters::icrc_errors, 1);
  EXPECT_FALSE(run.found("timeouts_without_loss"));
}

TEST(TimeoutsWithoutLoss, NameTheTimeoutOfTheHostsThatRepeated) {
  SyntheticRun run(
      "nic: {recovery: {timeout: 500us}}\n"
      "nics: [{hosts: 2, recovery: {timeout: 2ms}}, {hosts: 3, recovery: {timeout: 50us}}]\n");
  FlowRecord repeated;
  repeated.retransmits = 20;
  run.add(2, 0).counts = FlowCounts(repeated);
  run.add(1, 0);
  run.count(&NicCounters::timeouts, 3);
  run.count(&FlowRecord::retransmits, 40);
  EXPECT_TRUE(says(run.found("timeouts_without_loss"), "nics.0.recovery.timeout is 2ms"));
  run.add(1, 0).counts = FlowCounts(repeated);
  EXPECT_TRUE(says(run.found("timeouts_without_loss"), "nic.recovery.timeout is 500us"));
}

// A link of 80 km of fibre at 100 Gb/s needs 2 * 400 us * 12.5 GB/s = 10 MB of headroom for each
// input.
TEST(HeadroomExceedsBuffer, IsKnownBeforeTheRun) {
  const auto far = [](const char* buffer) {
    return star("rate: 100Gbps, delay: 400us", std::string("switch: {buffer: ") + buffer + "}\n");
  };
  const auto small = foreseen(far("8MB"), "headroom_exceeds_buffer");
  EXPECT_TRUE(says(small, "packets are dropped at an empty switch")) << words_of(small);
  const auto tight = foreseen(far("39MB"), "headroom_exceeds_buffer");
  EXPECT_TRUE(says(tight, "4 inputs with 1 lossless priority need")) << words_of(tight);
  EXPECT_NEAR(figure_of(tight, "missing_bytes"), 1e6, 20e3);  // headroom: 3 packets for each input
  EXPECT_FALSE(foreseen(far("41MB"), "headroom_exceeds_buffer"));
}

TEST(HeadroomExceedsBuffer, OnlyWhereTrafficIsLossless) {
  const std::string link = "rate: 100Gbps, delay: 400us";
  EXPECT_FALSE(foreseen(star(link, "switch: {buffer: 8MB, pfc: {enabled: false}}\n"),
                        "headroom_exceeds_buffer"));
  EXPECT_FALSE(foreseen(star(link, "switch: {buffer: 8MB, pfc: {priorities: [3]}}\n"),
                        "headroom_exceeds_buffer"));
  EXPECT_TRUE(foreseen(star(link, "switch: {buffer: 8MB, pfc: {priorities: [0]}}\n"),
                       "headroom_exceeds_buffer"));
  EXPECT_FALSE(foreseen(star(link, "switch: {buffer: 8MB, pfc: {headroom: 1MB}}\n"),
                        "headroom_exceeds_buffer"))
      << "the user's headroom fits; a loss then tells what is missing";
}

// Each input port needs 10 MB of headroom for each lossless priority. The buffer has room for the
// headroom of two ports.
TEST(HeadroomExceedsBuffer, GoesBySettingsOfPortsAndPriorities) {
  const std::string far = "rate: 100Gbps, delay: 400us";
  const auto found = [&](const std::string& more) {
    return foreseen(star(far, more), "headroom_exceeds_buffer");
  };
  const std::string general = "switch: {buffer: 21MB, pfc: {priorities: [0]}";
  EXPECT_TRUE(says(found(general + "}\n"), "4 inputs with 1 lossless priority"));
  const auto two =
      found(general + "}\nswitches: [{ports: [h0, h1, h2], priorities: {0: {lossy: true}}}]\n");
  EXPECT_FALSE(two) << words_of(two);  // the ports of hosts h3 and h4 need 20 MB of headroom
  EXPECT_FALSE(found(general + "}\nswitches: [{ports: [s0], priorities: {0: {headroom: 1MB}}}]\n"));
  EXPECT_FALSE(found(general + ", priorities: {0: {headroom: 1MB}}}\n"));
  EXPECT_FALSE(found(general + ", priorities: {0: {lossy: true}}}\n"));
  EXPECT_TRUE(
      found("switch: {buffer: 21MB, pfc: {priorities: [3]}}\n"
            "switches: [{ports: [s0], priorities: {0: {lossy: false}}}]\n"));
}

// Four input ports need 1 MB of headroom each. The buffer has 8 MB, of which a pool takes 3 MB and
// the reserved parts of five ports 2 MB.
TEST(HeadroomExceedsBuffer, PoolsAndReservedPartsAreNotForHeadroom) {
  const auto found = [](const std::string& reserved) {
    return foreseen(
        star("rate: 100Gbps, delay: 1us",
             "switch: {buffer: 8MB, pfc: {headroom: 1MB}, pools: [{name: a, size: 3MB}], "
             "priorities: {0: {reserved: " +
                 reserved + "}}}\n"),
        "headroom_exceeds_buffer");
  };
  const auto tight = found("400KB");
  EXPECT_TRUE(says(tight, "a buffer of 8MB, 5MB of which pools and reserved parts take; 4 inputs"));
  EXPECT_EQ(figure_of(tight, "missing_bytes"), 1e6);
  EXPECT_TRUE(says(tight, "switch.buffer above 9MB"));
  EXPECT_FALSE(found("100KB"));
}

TEST(LosslessLoss, NamesTheHeadroomThatIsMissing) {
  const std::string traffic = "traffic: [{kind: incast, senders: 1..4, receiver: 0}]\n";
  SyntheticRun set("switch: {pfc: {headroom: 10KB}}\n" + traffic);
  EXPECT_FALSE(set.found("lossless_loss"));
  set.drop(5);
  const auto found = set.found("lossless_loss");
  // The headroom consists of 25 KB (2 us at 12.5 GB/s), three packets of 1082 B with overhead, and
  // the pause frame.
  EXPECT_NEAR(figure_of(found, "missing_bytes"), 25'000 + 3 * 1'100 + 84 - 10'000, 60);
  EXPECT_TRUE(says(found, "5 packets of lossless classes found no room")) << words_of(found);
  EXPECT_TRUE(says(found, "headroom: auto reserves it")) << words_of(found);
  SyntheticRun automatic("switch: {buffer: 100KB}\n" + traffic);
  automatic.drop(5);
  EXPECT_TRUE(says(automatic.found("lossless_loss"), "the inputs of s0 need"));
  SyntheticRun faulty(traffic);
  faulty.count(&SwitchCounters::dropped, 5);  // the figure `drops` includes packets that links lost
  EXPECT_FALSE(faulty.found("lossless_loss"));
  SyntheticRun lossy("switch: {pfc: {enabled: false}}\n" + traffic);
  lossy.drop(5);
  EXPECT_FALSE(lossy.found("lossless_loss"));
}

TEST(LosslessLoss, NamesTheSettingThatIsTooSmall) {
  const std::string traffic = "traffic: [{kind: incast, senders: 1..4, receiver: 0}]\n";
  SyntheticRun one("switches: [{ports: [h4]}, {ports: [h3], priorities: {0: {headroom: 9KB}}}]\n" +
                   traffic);
  one.drop(5);
  const auto found = one.found("lossless_loss");
  EXPECT_TRUE(says(found, "after a pause h3->s0 still brings")) << words_of(found);
  EXPECT_TRUE(says(found, "switches.1.priorities.0.headroom is 9KB")) << words_of(found);
  SyntheticRun all("switch: {priorities: {0: {headroom: 9KB}}}\n" + traffic);
  all.drop(5);
  EXPECT_TRUE(says(all.found("lossless_loss"), "switch.priorities.0.headroom is 9KB"));
  SyntheticRun shared("switch: {pfc: {headroom: 1MB, shared_headroom: 1500KB}}\n" + traffic);
  shared.drop(5);
  EXPECT_TRUE(says(shared.found("lossless_loss"),
                   "together need 4MB of headroom and "
                   "switch.pfc.shared_headroom is 1500KB, so 2500KB"));
  SyntheticRun lossy_port("switches: [{ports: [h3], priorities: {0: {lossy: true}}}]\n" + traffic);
  lossy_port.drop(5);
  EXPECT_FALSE(lossy_port.found("lossless_loss")) << "h3's packets may be lost";
}

TEST(LosslessLoss, BesideLossyTrafficGoesByWhatWasSentAgain) {
  SyntheticRun run(
      "dscp: {0: {priority: 0}, 26: {priority: 3}}\nswitch: {pfc: {priorities: [3]}}\n"
      "traffic: [{kind: flow, from: 1, to: 0}, {kind: flow, from: 2, to: 0, dscp: 26}]\n");
  const auto again = [](std::uint64_t packets) {
    FlowRecord record;
    record.retransmits = packets;
    return FlowCounts(record);
  };
  run.drop(50);
  run.add(1, 0, 0).counts = again(50);
  run.add(2, 0, 26);
  EXPECT_FALSE(run.found("lossless_loss"));
  run.results.flows[1].counts = again(2);
  EXPECT_EQ(figure_of(run.found("lossless_loss"), "packets"), 2);
  run.count(&NicCounters::timeouts, 1);  // one timeout: its flow may have sent the packets again
  EXPECT_FALSE(run.found("lossless_loss"));
}

// Four input ports with alpha 1/8 and 10 KB of headroom each leave a shared buffer of 1000 - 40 =
// 960 KB. When all ports are paused they hold 960 * 0.5 / 1.5 = 320 KB.
std::optional<Finding> thresholds(const std::string& kmin, const std::string& algorithm = "dcqcn",
                                  const std::string& more = "") {
  return foreseen(
      "topology: {kind: star, hosts: 5, link: {rate: 25Gbps, delay: 1us}}\n"
      "nic: {mtu: 1000B, congestion_control: {algorithm: " +
          algorithm +
          "}}\nswitch: {buffer: 1000KB, pfc: {alpha: 0.125, reference_rate: none, headroom: 10KB}, "
          "ecn: {reference_rate: none, kmax: 10MB, kmin: " +
          kmin + more + "}}\n",
      "thresholds_beyond_buffer");
}

TEST(ThresholdsBeyondBuffer, TellsTheQueueAtWhichPfcHasPausedEverybody) {
  const auto told = thresholds("320000B");
  ASSERT_TRUE(told);
  EXPECT_EQ(
      words_of(told),
      "ECN cannot act at s0->h0: it marks from a queue of 320KB on (switch.ecn.kmin), but PFC "
      "has paused all 4 inputs that fill it by 320KB = S A / (1 + A), where S = 960KB is the "
      "buffer of 1MB without 40KB of headroom, and A = 0.5 the sum of their alpha; a kmin "
      "well below 320KB would (5 ports are like that)");
  EXPECT_EQ(figure_of(told, "reach_bytes"), 320'000);
  EXPECT_EQ(figure_of(told, "ports"), 5);
  EXPECT_FALSE(thresholds("319999B"));
}

TEST(ThresholdsBeyondBuffer, HeadroomBeyondTheBufferLeavesNothing) {
  const auto told = foreseen(
      "topology: {kind: star, hosts: 5, link: {rate: 25Gbps, delay: 1us}}\n"
      "nic: {congestion_control: {algorithm: dcqcn}}\n"
      "switch: {buffer: 100KB, pfc: {headroom: 40KB}, ecn: {kmin: 5KB, kmax: 50KB}}\n",
      "thresholds_beyond_buffer");
  ASSERT_TRUE(told);
  EXPECT_TRUE(says(told, "where S = 0B is the buffer of 100KB without 160KB of headroom"));
  EXPECT_TRUE(says(told, "no kmin would, because nothing of the buffer is left"));
  EXPECT_EQ(words_of(told).find('-'), words_of(told).find("->"));
  EXPECT_EQ(figure_of(told, "reach_bytes"), 0);
}

TEST(ThresholdsBeyondBuffer, WithoutPfcTheBufferIsTheEnd) {
  const auto lossy = [](const char* kmin) {
    return foreseen(
        "topology: {kind: star, hosts: 5, link: {rate: 25Gbps, delay: 1us}}\n"
        "nic: {congestion_control: {algorithm: dctcp}}\n"
        "switch: {buffer: 1MB, pfc: {enabled: false}, ecn: {reference_rate: none, kmax: 2MB, "
        "kmin: " +
            std::string(kmin) + "}}\n",
        "thresholds_beyond_buffer");
  };
  EXPECT_TRUE(says(lossy("1MB"), "and the buffer holds 1MB; a kmin well below 1MB would"));
  EXPECT_FALSE(lossy("999999B"));
}

TEST(ThresholdsBeyondBuffer, SaysNothingWhereMarksTellNobody) {
  EXPECT_TRUE(thresholds("2MB", "dcc"));
  EXPECT_FALSE(thresholds("2MB", "hpcc"));
  EXPECT_FALSE(thresholds("2MB", "none"));
  EXPECT_FALSE(thresholds("2MB", "dcc", ", enabled: false"));
}

TEST(ThresholdsBeyondBuffer, APortWithoutInputsHasNoQueue) {
  EXPECT_FALSE(foreseen(
      "topology:\n"
      "  kind: custom\n"
      "  nodes: [{name: a}, {name: b}, {name: s, kind: switch}, {name: end, kind: switch}]\n"
      "  links: [{from: a, to: s}, {from: b, to: s}, {from: s, to: end}]\n"
      "switch: {ecn: {kmin: 5KB}}\n",
      "thresholds_beyond_buffer"));
}

TEST(Deadlock, NamesALink) {
  SyntheticRun run;
  EXPECT_FALSE(run.found("deadlock"));
  run.results.deadlock = {{"s0->s1", 3}, {"s1->s0", 3}};
  EXPECT_EQ(words_of(run.found("deadlock")),
            "PFC deadlock: 2 wires have paused each other in a circle and can never send again, "
            "s0->s1 (priority 3) among them");
}

TEST(NetworkSplit, NamesAHost) {
  SyntheticRun run;
  EXPECT_FALSE(run.found("network_split"));
  run.results.split = NetworkSplit{kMicroSecond * 150, 2, "h3"};
  EXPECT_EQ(words_of(run.found("network_split")),
            "The network was split: when routes converged at 150us, 2 of 5 hosts could not be "
            "reached from the others, h3 among them");
}

TEST(DcbxDiffers, NamesTheFirstLink) {
  SyntheticRun run;
  run.results.dcbx.emplace();
  EXPECT_FALSE(run.found("dcbx_differs"));
  run.results.dcbx->differences = {{"h2->s0", "pfc", "none", "0,3", PicoSeconds(0)}};
  EXPECT_EQ(words_of(run.found("dcbx_differs")),
            "DCBX: the ends of h2->s0 differ in pfc and neither is willing to give way: none here, "
            "0,3 there");
  run.results.dcbx->differences[0].of = "lldp";
  EXPECT_TRUE(says(run.found("dcbx_differs"), "no LLDP frames come back on h2->s0"));
}

}  // namespace
}  // namespace dcc::vp
