// Tests the network that the platform builds for a topology: two wires per link, a queue per switch
// port, event ranks.
#include "build/network.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "small_platform.h"

namespace dcc::vp {
namespace {

PartitionPlan whole(const Topology& topology) {
  PartitionPlan plan;
  plan.network = undivided(topology);
  return plan;
}

struct NetworkOf {
  explicit NetworkOf(const std::string& yaml)
      : p(yaml),
        partitions(scheduler, whole(p.topology)),
        network("network", p.config, p.topology, p.routing, partitions) {}
  Planned p;
  Scheduler scheduler;
  Partitions partitions;
  Network network;
};

TEST(Network, AWireEachWayAndAQueueAtEverySwitchPort) {
  const NetworkOf n(
      "topology: {kind: parking_lot, hosts_per_switch: [2, 2], link: {rate: 40Gbps}, fabric_link: "
      "{rate: 40Gbps}}\n"
      "traffic: [{kind: flow, from: 1, to: 0}]\n");
  const std::size_t cables = n.p.topology.cables().size();
  EXPECT_EQ(n.network.wires().size(), 2 * cables);
  std::set<std::string> names;
  std::size_t from_switches = 0;
  for (const Wire& wire : n.network.wires()) {
    EXPECT_TRUE(names.insert(n.network.name_of(wire)).second) << n.network.name_of(wire);
    if (!n.p.topology.node(wire.from).is_host) ++from_switches;
    EXPECT_EQ(wire.link().parameters().rate.bits_per_second, 40'000'000'000u);
  }
  EXPECT_EQ(n.network.queues().size(), from_switches);
  for (const auto& queue : n.network.queues()) EXPECT_EQ(names.count(n.network.name_of(queue)), 1u);
  EXPECT_EQ(n.network.ranks_used(), 2 * cables + 2) << "wires, then switches";
}

TEST(Network, HostsAreNoSwitches) {
  NetworkOf n(star("traffic: [{kind: flow, from: 1, to: 0}]\n"));
  for (HostId host = 0; host < 4; ++host) {
    EXPECT_EQ(n.network.switch_of(n.p.topology.node_of(host)), nullptr);
    EXPECT_EQ(n.network.host_link(host).delay, kMicroSecond);
  }
}

/// Runs the case and returns its results as text.
std::string outcome(bool sockets) {
  return in_a_process([=] {
    RunSetup setup;
    setup.sockets = sockets;
    const RunResults r =
        run(config_of("topology: {kind: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 3,\n"
                      "  fabric_link: {rate: 100Gbps, delay: 1us}}\n"
                      "host: {driver: none}\nduration: 1ms\nswitch: {buffer: 300KB}\n"
                      "traffic: [{kind: incast, senders: 1..5, receiver: 0, bytes: 1MB}]\n"
                      "faults: [{kind: loss, link: leaf1->spine0, probability: 0.01}]\n"),
            setup);
    std::string text = std::to_string(r.link_traversals) + " " + std::to_string(r.events) + " " +
                       std::to_string(r.balance.packets_dropped);
    for (const FlowResult& flow : r.flows) {
      text += " " + std::to_string(flow.end.value_or(PicoSeconds(-1)).count);
    }
    return text;
  });
}

TEST(Network, WithoutSocketsItIsTheSameRun) {
  const std::string with = outcome(true);
  EXPECT_EQ(outcome(false), with);
  EXPECT_GT(with.size(), 40u) << with;
}

}  // namespace
}  // namespace dcc::vp
