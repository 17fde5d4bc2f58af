// Whether a run is divided, and what speaks against it.
#include "platform/partitions.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp {
namespace {

PartitionPlan planned(const std::string& yaml, unsigned threads, bool watched = false) {
  const Planned p(yaml);
  return plan_partitions(p.config, p.topology, p.routing, p.plan.flows(), threads, watched);
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

TEST(Partitions, OnePartUsesThePlatformsScheduler) {
  const Planned p(star("traffic: [{kind: flow, from: 1, to: 0, bytes: 1KB}]\n"));
  Scheduler scheduler;
  Partitions partitions(
      scheduler,
      plan_partitions(p.config, p.topology, p.routing, p.plan.flows(), 1, false).network);
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
