// Tests which runs are divided into partitions, and the reasons given for runs that are not
// divided.
#include "parallel/partitions.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp {
namespace {

PartitionPlan planned(const std::string& yaml, unsigned threads, bool watched = false) {
  const Planned p(yaml);
  return plan_partitions(p.config, p.topology, p.routing, p.plan, threads, watched);
}

/// Configuration of a tree with two pods that exchange traffic.
std::string tree(const std::string& rest, const std::string& driver = "none") {
  return "topology: {kind: fat_tree, pods: 2, racks_per_pod: 2, aggs_per_pod: 2, hosts_per_rack: "
         "4, "
         "cores: 2, host_link: {rate: 100Gbps, delay: 1us}, fabric_link: {rate: 400Gbps, delay: "
         "2us}}\nhost: {driver: " +
         driver + "}\ntraffic: [{kind: permutation, hosts: 0..15, bytes: 1MB}]\n" + rest;
}

TEST(Partitions, ATreeIsDividedWhereItsLinksAreLongest) {
  const PartitionPlan plan = planned(tree(""), 2);
  EXPECT_EQ(plan.network.count, 2u);
  EXPECT_EQ(plan.refusal, "");
  EXPECT_EQ(plan.network.lookahead, kMicroSecond * 2) << "hosts stay with their switch";
}

TEST(Partitions, NeverWhereTheEventsNeedOneOrder) {
  EXPECT_EQ(planned(tree("", "native"), 2).refusal, "hosts run software");
  EXPECT_EQ(planned(tree(""), 2, true).refusal,
            "a trace, a debugger or a prompt watches single events");
  EXPECT_EQ(planned(tree("", "native"), 2).network.count, 1u);
}

TEST(Partitions, FaultsAreNoHindrance) {
  const PartitionPlan plan = planned(tree("faults: [{kind: loss, probability: 0.1}]\n"), 2);
  EXPECT_EQ(plan.refusal, "");
  EXPECT_EQ(plan.network.count, 2u);
}

TEST(Partitions, OneThreadNeedsNoReason) {
  const PartitionPlan plan = planned(tree(""), 1);
  EXPECT_EQ(plan.network.count, 1u);
  EXPECT_EQ(plan.refusal, "");
}

/// Configuration of a tree of 1024 hosts.
std::string large(const std::string& traffic) {
  return "topology: {kind: fat_tree, k: 16, fabric_link: {rate: 100Gbps}}\nhost: {driver: none}\n"
         "duration: 100us\ntraffic: [" +
         traffic + "]\n";
}
const char* const kAll = "{kind: permutation, hosts: 0..1023, bytes: 1MB}";

TEST(Partitions, ALargeNetworkIsDividedForTheCachesToo) {
  const Planned p(large(kAll));
  const auto planned_for = [&](unsigned threads, bool watched = false) {
    return plan_partitions(p.config, p.topology, p.routing, p.plan, threads, watched);
  };
  EXPECT_EQ(planned_for(1).network.count, 16u);
  EXPECT_EQ(planned_for(1).threads, 1u);
  EXPECT_EQ(planned_for(2).network.count, 16u);
  EXPECT_EQ(planned_for(2).threads, 2u);
  EXPECT_EQ(planned_for(3).network.count, 15u) << "as many for each thread";
  EXPECT_EQ(planned_for(3).threads, 3u);
  EXPECT_EQ(planned_for(20).network.count, 20u);
  EXPECT_LT(planned_for(3).network.heaviest(3), 0.36);
  EXPECT_EQ(planned_for(1, true).network.count, 1u);
  EXPECT_EQ(planned_for(1, true).refusal, "") << "one thread is what was wanted";
}

TEST(Partitions, WhereLittleIsUnderWayALargeNetworkStaysWhole) {
  // With a lookahead of one microsecond dividing the network does not pay. Seven senders send at
  // most 88 packets in that time, and each partition needs 50.
  const PartitionPlan plan =
      planned(large("{kind: incast, senders: 1..7, receiver: 0, bytes: 1MB}"), 1);
  EXPECT_EQ(plan.network.count, 1u);
  EXPECT_EQ(plan.refusal, "");
}

TEST(Partitions, AnIncastIsDividedByWhatItsSendersCanSend) {
  const Planned p(large("{kind: incast, senders: 1..1000, receiver: 0, bytes: 1MB}"));
  const auto planned_for = [&](unsigned threads) {
    return plan_partitions(p.config, p.topology, p.routing, p.plan, threads, false);
  };
  EXPECT_EQ(planned_for(1).network.count, 16u);
  EXPECT_EQ(planned_for(2).network.count, 16u);
  EXPECT_EQ(planned_for(2).threads, 2u);
  // By default the run has one thread, because one receiver gives too little load for a second
  // thread.
  EXPECT_EQ(planned_for(0).threads, 1u);
}

TEST(Partitions, ASmallNetworkStaysWholeForOneThread) {
  EXPECT_EQ(planned("topology: {kind: fat_tree, k: 8, fabric_link: {rate: 100Gbps}}\n"
                    "host: {driver: none}\ntraffic: [{kind: permutation, hosts: 0..127}]\n",
                    1)
                .network.count,
            1u);
}

/// All results of a run on the tree as text. Some flows start at the times at which others stop,
/// some at other times.
std::string told(unsigned threads, unsigned parts) {
  return in_a_process([&] {
    const PlatformConfig config = config_of(
        "topology: {kind: fat_tree, pods: 2, racks_per_pod: 2, aggs_per_pod: 2, hosts_per_rack: 4, "
        "cores: 2, host_link: {rate: 100Gbps, delay: 1us}, fabric_link: {rate: 100Gbps, delay: "
        "1us}}\nhost: {driver: none}\nduration: 120us\nseed: 3\n"
        "nic: {congestion_control: {algorithm: dcqcn}}\n"
        "traffic: [{kind: stride, stride: 5, stop: 40us}, {kind: stride, stride: 9, start: 40us, "
        "stop: 80us}, {kind: poisson, load: 0.5, sizes: fbhadoop, flows_per_host: 40}, "
        "{kind: permutation, start: 20us, stagger: 1ns, bytes: 50KB}]\n");
    RunSetup setup;
    setup.threads = threads;
    setup.parts = parts;
    const RunResults r = run(config, setup);
    std::string text = std::to_string(r.threads) + " threads\n";
    for (const std::string& failure : r.failures) text += failure;
    for (const FlowResult& flow : r.flows) {
      text += std::to_string(flow.id) + " " + std::to_string(flow.start.count) + " " +
              std::to_string(flow.end.value_or(PicoSeconds(0)).count) + " " +
              std::to_string(flow.delivered_total) + "\n";
    }
    return text;
  });
}

TEST(Partitions, PartsAndThreadsLeaveTheSameResults) {
  const auto without_threads = [](const std::string& text) { return text.substr(text.find('\n')); };
  const std::string whole = told(1, 1);
  ASSERT_NE(whole.find("1 threads\n0 "), std::string::npos) << whole;
  ASSERT_GT(whole.size(), 10'000u);
  for (const unsigned parts : {2u, 3u, 4u}) {
    EXPECT_EQ(told(1, parts), whole) << parts << " parts";
  }
  for (const unsigned parts : {2u, 4u}) {
    const std::string shared = told(2, parts);
    EXPECT_EQ(shared.find("2 threads\n"), 0u);
    EXPECT_EQ(without_threads(shared), without_threads(whole)) << parts << " parts";
  }
}

TEST(Partitions, AStarHasOnePartHoweverManyAreWanted) {
  const PartitionPlan plan =
      planned(star("traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"), 4);
  EXPECT_EQ(plan.network.count, 1u);
  EXPECT_EQ(plan.refusal, "the traffic crosses too few switches with hosts");
}

/// Plans the partitions of a tree with two flows that cross its middle. The flows `late` cannot
/// send before the end of the run.
PartitionPlan with_late_flows(const std::string& late, unsigned threads) {
  return planned(
      "topology: {kind: fat_tree, pods: 2, racks_per_pod: 2, aggs_per_pod: 2, "
      "hosts_per_rack: 4, cores: 2, host_link: {rate: 100Gbps, delay: 1us}, "
      "fabric_link: {rate: 400Gbps, delay: 2us}}\n"
      "host: {driver: none}\nduration: 100us\n"
      "traffic: [{kind: flow, from: 0, to: 8}, {kind: flow, from: 12, to: 4}" +
          late + "]\n",
      threads);
}

TEST(Partitions, AFlowThatDoesNotBeginBeforeTheEndIsNoLoad) {
  // A negative sending time would subtract bytes from a node. A sending time of zero has no bytes,
  // but its hosts would count as senders, so dividing the network would seem to pay.
  for (const unsigned threads : {0u, 2u}) {
    const PartitionPlan alone = with_late_flows("", threads);
    for (const char* const start : {"100us", "150us", "900us"}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, from " + start);
      const std::string at = std::string(", start: ") + start + "}";
      const PartitionPlan plan = with_late_flows(", {kind: permutation, hosts: 0..15, bytes: 1MB" +
                                                     at + ", {kind: flow, from: 1, to: 2" + at,
                                                 threads);
      EXPECT_EQ(plan.refusal, alone.refusal);
      EXPECT_EQ(plan.network.count, alone.network.count);
      EXPECT_EQ(plan.network.of_node, alone.network.of_node);
      EXPECT_EQ(plan.network.share, alone.network.share);
    }
  }
  EXPECT_EQ(with_late_flows("", 2).network.count, 2u) << "two flows are enough to divide for";
}

TEST(Partitions, OnePartUsesThePlatformsScheduler) {
  const Planned p(star("traffic: [{kind: flow, from: 1, to: 0, bytes: 1KB}]\n"));
  Scheduler scheduler;
  Partitions partitions(scheduler,
                        plan_partitions(p.config, p.topology, p.routing, p.plan, 1, false));
  EXPECT_EQ(partitions.count(), 1u);
  EXPECT_EQ(partitions.parallel(), nullptr);
  EXPECT_EQ(&partitions.scheduler_of(p.topology.node_of(3)), &scheduler);
  EXPECT_EQ(partitions.mailbox(0, 1), nullptr);
  Packet* const packet = partitions.pool_of(0).allocate();
  EXPECT_EQ(partitions.packets_in_use(), 1);
  partitions.pool_of(0).free(packet);
  EXPECT_EQ(partitions.packets_in_use(), 0);
}

}  // namespace
}  // namespace dcc::vp
