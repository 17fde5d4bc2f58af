// Whether a run is divided, and what speaks against it.
#include "platform/partitions.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp {
namespace {

PartitionPlan planned(const std::string& yaml, unsigned threads, bool watched = false) {
  const Planned p(yaml);
  return plan_partitions(p.config, p.topology, p.routing, p.plan, threads, watched);
}

/// Two pods that talk to each other.
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
  EXPECT_EQ(plan.undivided, "");
  EXPECT_EQ(plan.network.lookahead, kMicroSecond * 2) << "hosts stay with their switch";
}

TEST(Partitions, NeverWhereTheEventsNeedOneOrder) {
  EXPECT_EQ(planned(tree("", "native"), 2).undivided, "hosts run software");
  EXPECT_EQ(planned(tree(""), 2, true).undivided, "somebody watches single events");
  EXPECT_EQ(planned(tree("", "native"), 2).network.count, 1u);
}

TEST(Partitions, FaultsAreNoHindrance) {
  const PartitionPlan plan = planned(tree("faults: [{kind: loss, probability: 0.1}]\n"), 2);
  EXPECT_EQ(plan.undivided, "");
  EXPECT_EQ(plan.network.count, 2u);
}

TEST(Partitions, OneThreadNeedsNoReason) {
  const PartitionPlan plan = planned(tree(""), 1);
  EXPECT_EQ(plan.network.count, 1u);
  EXPECT_EQ(plan.undivided, "");
}

TEST(Partitions, AStarHasOnePartHoweverManyAreWanted) {
  const PartitionPlan plan =
      planned(star("traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"), 4);
  EXPECT_EQ(plan.network.count, 1u);
  EXPECT_EQ(plan.undivided, "its traffic meets too few switches that have hosts");
}

/// The tree with two flows that cross its middle, and others that can send nothing before its end.
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
  // Bytes of a time below zero would take from a node what others put on it; a time of zero has no
  // bytes, but its hosts would count among those that send, and dividing would seem to pay.
  for (const unsigned threads : {0u, 2u}) {
    const PartitionPlan alone = with_late_flows("", threads);
    for (const char* const start : {"100us", "150us", "900us"}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, from " + start);
      const std::string at = std::string(", start: ") + start + "}";
      const PartitionPlan plan = with_late_flows(", {kind: permutation, hosts: 0..15, bytes: 1MB" +
                                                     at + ", {kind: flow, from: 1, to: 2" + at,
                                                 threads);
      EXPECT_EQ(plan.undivided, alone.undivided);
      EXPECT_EQ(plan.network.count, alone.network.count);
      EXPECT_EQ(plan.network.of_node, alone.network.of_node);
      EXPECT_DOUBLE_EQ(plan.network.heaviest, alone.network.heaviest);
    }
  }
  EXPECT_EQ(with_late_flows("", 2).network.count, 2u) << "two flows are enough to divide for";
}

TEST(Partitions, OnePartUsesThePlatformsScheduler) {
  const Planned p(star("traffic: [{kind: flow, from: 1, to: 0, bytes: 1KB}]\n"));
  Scheduler scheduler;
  Partitions partitions(scheduler,
                        plan_partitions(p.config, p.topology, p.routing, p.plan, 1, false).network);
  EXPECT_EQ(partitions.count(), 1u);
  EXPECT_EQ(partitions.parallel(), nullptr);
  EXPECT_EQ(&partitions.scheduler_of(p.topology.node_of(3)), &scheduler);
  EXPECT_EQ(partitions.mailbox(0, 1), nullptr);
  Packet* const packet = partitions.pool_of(0).take();
  EXPECT_EQ(partitions.packets_in_use(), 1);
  partitions.pool_of(0).give_back(packet);
  EXPECT_EQ(partitions.packets_in_use(), 0);
}

}  // namespace
}  // namespace dcc::vp
