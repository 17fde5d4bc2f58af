#include <gtest/gtest.h>

#include <random>
#include <set>
#include <stdexcept>

#include "net/routing.h"
#include "net_test_devices.h"

namespace dcc {
namespace {

constexpr LinkParameters kHost{BitRate(100'000'000'000), kMicroSecond, 20};

/// Floyd and Warshall, as an oracle of another kind.
std::vector<std::vector<int>> distances(const Topology& topology) {
  const std::size_t n = topology.nodes().size();
  constexpr int kFar = 1'000'000;
  std::vector<std::vector<int>> d(n, std::vector<int>(n, kFar));
  for (std::size_t i = 0; i < n; ++i) d[i][i] = 0;
  for (const Cable& cable : topology.cables()) {
    const auto a = static_cast<std::size_t>(cable.end[0].node);
    const auto b = static_cast<std::size_t>(cable.end[1].node);
    d[a][b] = d[b][a] = 1;
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (topology.nodes()[k].is_host) continue;  // hosts do not forward
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
    }
  }
  return d;
}

void expect_shortest_and_complete(const Topology& topology) {
  const Routing routing(topology);
  const auto d = distances(topology);
  for (std::size_t n = 0; n < topology.nodes().size(); ++n) {
    for (HostId host = 0; host < static_cast<HostId>(topology.hosts()); ++host) {
      const auto to = static_cast<std::size_t>(topology.node_of(host));
      std::set<int> expected;
      for (int port = 0; port < topology.nodes()[n].ports; ++port) {
        const auto next =
            static_cast<std::size_t>(topology.peer(static_cast<NodeId>(n), port).node);
        const bool forwards = next == to || !topology.nodes()[next].is_host;
        if (n != to && forwards && d[next][to] + 1 == d[n][to]) expected.insert(port);
      }
      const auto& ports = routing.ports(static_cast<NodeId>(n), host);
      EXPECT_EQ(std::set<int>(ports.begin(), ports.end()), expected);
    }
  }
}

TEST(Routing, AllShortestPathsAndNoOthers) {
  expect_shortest_and_complete(Topology::star(5, kHost));
  expect_shortest_and_complete(Topology::parking_lot({2, 0, 3}, kHost, kHost));
  FatTreeParameters small;
  small.pods = 3;
  small.racks_per_pod = 2;
  small.aggs_per_pod = 2;
  small.hosts_per_rack = 2;
  small.cores = 4;
  expect_shortest_and_complete(Topology::fat_tree(small));
  std::mt19937 noise(1);
  for (int round = 0; round < 20; ++round) {
    Topology topology;
    std::vector<NodeId> switches;
    for (int s = 0; s < 8; ++s) {
      switches.push_back(topology.add_switch("s" + std::to_string(s)));
      if (s > 0)
        topology.connect(switches[noise() % static_cast<unsigned>(s)], switches.back(), kHost);
    }
    for (int extra = 0; extra < 6; ++extra) {
      const NodeId a = switches[noise() % 8], b = switches[noise() % 8];
      if (a != b) topology.connect(a, b, kHost);
    }
    for (int h = 0; h < 5; ++h) {
      topology.connect(topology.add_host("h" + std::to_string(h)), switches[noise() % 8], kHost);
    }
    expect_shortest_and_complete(topology);
  }
}

TEST(Routing, PathsOfTheReferenceTree) {
  const Topology tree = Topology::fat_tree(FatTreeParameters{});
  const Routing routing(tree);
  EXPECT_EQ(routing.links(0, 0), 0);
  EXPECT_EQ(routing.links(0, 15), 2);
  EXPECT_EQ(routing.links(0, 16), 4);
  EXPECT_EQ(routing.links(0, 64), 6);
  EXPECT_EQ(routing.ports(tree.find("rack0"), 319).size(), 4u);
  EXPECT_EQ(routing.ports(tree.find("agg0"), 319).size(), 4u);
  EXPECT_EQ(routing.ports(tree.find("core0"), 319).size(), 1u);
  EXPECT_EQ(routing.slowest_link(0, 319), BitRate(100'000'000'000));
}

TEST(Routing, BaseRttIsDelaysAndSerialisations) {
  // Two links each way: 4 us of delay, and 1048 and 64 bytes twice at 80 ps a byte.
  LinkParameters link{BitRate(100'000'000'000), kMicroSecond, 0};
  const Topology star = Topology::star(3, link);
  const Routing routing(star);
  EXPECT_EQ(routing.base_rtt(0, 1, 1048, 64), PicoSeconds(4'000'000 + 2 * (1048 + 64) * 80));
  EXPECT_EQ(routing.longest_base_rtt(1048, 64), routing.base_rtt(0, 1, 1048, 64));
}

TEST(Routing, APacketTakesExactlyTheTimeThatIsForetold) {
  FatTreeParameters parameters;
  parameters.pods = 2;
  parameters.racks_per_pod = 2;
  parameters.aggs_per_pod = 2;
  parameters.hosts_per_rack = 2;
  parameters.cores = 4;
  test::TestNetwork net(Topology::fat_tree(parameters), SwitchParameters{});
  for (HostId to = 1; to < 8; ++to) {
    net.host[to]->keep = true;
    const PicoSeconds start = net.scheduler.now();
    net.host[0]->send(net.host[0]->make(to, 1078));
    net.scheduler.run_until(start + kMilliSecond);
    ASSERT_EQ(net.host[to]->seen.size(), 1u);
    EXPECT_EQ(net.host[to]->seen[0].when - start, net.routing.one_way(0, to, 1078)) << to;
  }
}

TEST(Routing, AWayThroughAHostIsNone) {
  // s1 - h - s2 cannot be built: a host has one cable. Two islands are refused.
  Topology topology;
  topology.connect(topology.add_host("a"), topology.add_switch("s"), kHost);
  topology.connect(topology.add_host("b"), topology.add_switch("t"), kHost);
  EXPECT_THROW(Routing{topology}, std::invalid_argument);
}

}  // namespace
}  // namespace dcc
