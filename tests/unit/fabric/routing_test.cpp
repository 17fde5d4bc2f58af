#include "fabric/routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <stdexcept>
#include <string>

#include "unit/switch/test_devices.h"

namespace dcc::routing_test {
namespace {

constexpr LinkParameters kHost{BitRate(100'000'000'000), kMicroSecond, 20};

/// Distances by the algorithm of Floyd and Warshall, an oracle that is independent of the routing
/// code.
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
    if (topology.nodes()[k].is_host) continue;  // hosts do not forward packets
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
    }
  }
  return d;
}

std::set<int> listed(PortSet ports) {
  std::set<int> list;
  for (const int port : ports) list.insert(port);
  return list;
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
      EXPECT_EQ(listed(routing.ports(static_cast<NodeId>(n), host)), expected);
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

TEST(Routing, NoWayLeadsThroughASwitchThatDoesNotForward) {
  // Two hosts whose ports are switches, between two other switches. A third switch offers a path of
  // the same length.
  const auto ports_to = [](bool forwards) {
    Topology topology;
    const NodeId a = topology.add_switch("a"), b = topology.add_switch("b");
    const NodeId middle = topology.add_switch("middle");
    const NodeId ports = topology.add_switch("h0_ports", forwards);
    topology.connect(a, middle, kHost);
    topology.connect(middle, b, kHost);
    topology.connect(a, ports, kHost);
    topology.connect(ports, b, kHost);
    topology.connect(topology.add_host("h0"), ports, kHost);
    topology.connect(topology.add_host("h1"), b, kHost);
    topology.connect(topology.add_host("h2"), a, kHost);
    const Routing routing(topology);
    const auto to = [&](NodeId node, HostId host) {
      return listed(routing.ports(node, host)).size();
    };
    return std::array<std::size_t, 3>{to(a, 1), to(a, 0), to(ports, 1)};
  };
  EXPECT_EQ(ports_to(true), (std::array<std::size_t, 3>{2, 1, 1}));
  EXPECT_EQ(ports_to(false), (std::array<std::size_t, 3>{1, 1, 1}));
}

using PortsByNodeAndHost = std::vector<std::vector<std::vector<int>>>;

/// Oracle: routes by node and destination, found by a breadth-first search from every host, over
/// all nodes or over the allowed nodes.
PortsByNodeAndHost breadth_first(const Topology& topology, const std::vector<bool>& allowed = {}) {
  const std::size_t nodes = topology.nodes().size();
  const auto hosts = static_cast<std::size_t>(topology.hosts());
  PortsByNodeAndHost ports(nodes, std::vector<std::vector<int>>(hosts));
  const auto may_pass = [&](NodeId node) {
    return allowed.empty() || allowed[static_cast<std::size_t>(node)];
  };
  for (std::size_t host = 0; host < hosts; ++host) {
    const NodeId destination = topology.node_of(static_cast<HostId>(host));
    std::vector<int> distance(nodes, -1);
    distance[static_cast<std::size_t>(destination)] = 0;
    std::vector<NodeId> order{destination};
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (int port = 0; port < topology.node(order[i]).ports; ++port) {
        const NodeId next = topology.peer(order[i], port).node;
        if (distance[static_cast<std::size_t>(next)] >= 0 || !may_pass(next)) continue;
        distance[static_cast<std::size_t>(next)] = distance[static_cast<std::size_t>(order[i])] + 1;
        order.push_back(next);
      }
    }
    for (std::size_t n = 0; n < nodes; ++n) {
      const auto node = static_cast<NodeId>(n);
      for (int port = 0; port < topology.node(node).ports; ++port) {
        const auto next = static_cast<std::size_t>(topology.peer(node, port).node);
        if (distance[next] >= 0 && distance[next] == distance[n] - 1)
          ports[n][host].push_back(port);
      }
    }
  }
  return ports;
}

/// Expects that the longest path equals the result of a search over all pairs of hosts.
void expect_longest(const Topology& topology, const Routing& routing, const std::string& what) {
  const auto hosts = static_cast<HostId>(topology.hosts());
  PicoSeconds longest{};
  for (HostId from = 0; from < hosts; ++from) {
    for (HostId to = 0; to < hosts; ++to) {
      if (from != to) longest = std::max(longest, routing.base_rtt(from, to, 1048, 64));
    }
  }
  EXPECT_EQ(routing.longest_base_rtt(1048, 64), longest) << what;
}

/// Expects that ports, their order and the longest path equal those of an exhaustive search.
void expect_as_searched(const Topology& topology, const std::string& what) {
  const Routing routing(topology);
  const auto searched = breadth_first(topology);
  const auto hosts = static_cast<HostId>(topology.hosts());
  for (std::size_t n = 0; n < topology.nodes().size(); ++n) {
    for (HostId host = 0; host < hosts; ++host) {
      std::vector<int> ports;
      for (const int port : routing.ports(static_cast<NodeId>(n), host)) ports.push_back(port);
      ASSERT_EQ(ports, searched[n][host])
          << what << ": " << topology.nodes()[n].name << " to host " << host;
    }
    if (topology.nodes()[n].is_host) continue;
    EXPECT_TRUE(routing.table(static_cast<NodeId>(n)).ports(hosts).empty()) << what;
  }
  expect_longest(topology, routing, what);
}

constexpr LinkParameters kFabric{BitRate(400'000'000'000), kMicroSecond * 2, 20};

TEST(Routing, StructureSaysWhatASearchFinds) {
  std::mt19937 noise(3);
  const auto upto = [&](unsigned most) { return static_cast<int>(noise() % most) + 1; };
  for (int round = 0; round < 30; ++round) {
    const int hosts = upto(40);
    const Topology star = Topology::star(hosts, kHost);
    ASSERT_NE(star.structure(), nullptr);
    expect_as_searched(star, "star of " + std::to_string(hosts));

    std::vector<int> chain(static_cast<std::size_t>(upto(6)));
    for (int& own : chain) own = upto(5) - 1;
    chain.back() += 1;
    const Topology lot = Topology::parking_lot(chain, kHost, kFabric);
    ASSERT_NE(lot.structure(), nullptr);
    expect_as_searched(lot, "chain");

    FatTreeParameters tree;
    const auto some = [&](int most) { return static_cast<unsigned>(upto(most)); };
    tree.pods = some(4);
    tree.racks_per_pod = some(4);
    tree.aggs_per_pod = some(3);
    tree.hosts_per_rack = some(5);
    tree.cores = tree.aggs_per_pod * (some(3) - (tree.pods == 1 ? 1 : 0));
    tree.host_link = kHost;
    tree.fabric_link = kFabric;
    const Topology fat = Topology::fat_tree(tree);
    ASSERT_NE(fat.structure(), nullptr);
    expect_as_searched(fat, "fat tree");
  }
}

TEST(Routing, TwoLayersAndTreesOfOneSwitchAreTrees) {
  std::mt19937 noise(4);
  const auto upto = [&](unsigned most) { return noise() % most + 1; };
  for (int round = 0; round < 20; ++round) {
    LeafSpineParameters leaf_spine;
    leaf_spine.leaves = upto(6);
    leaf_spine.hosts_per_leaf = upto(5);
    leaf_spine.spines = upto(4);
    const Topology two = Topology::leaf_spine(leaf_spine);
    ASSERT_NE(two.structure(), nullptr);
    ASSERT_EQ(static_cast<std::uint64_t>(two.hosts()), leaf_spine.hosts());
    expect_as_searched(two, "leaf and spine");
    RailParameters rails;
    rails.units = upto(3);
    rails.rails = upto(4);
    rails.servers = upto(4);
    rails.spines = upto(3);
    const Topology rail = Topology::rail(rails);
    ASSERT_NE(rail.structure(), nullptr);
    ASSERT_EQ(static_cast<std::uint64_t>(rail.hosts()), rails.hosts());
    expect_as_searched(rail, "rail");
  }
  for (const unsigned k : {2u, 4u, 6u}) {
    for (const unsigned over : {1u, 3u}) {
      FatTreeParameters tree;
      tree.k = k;
      tree.oversubscription = over;
      const Topology topology = Topology::fat_tree(tree);
      EXPECT_EQ(static_cast<unsigned>(topology.hosts()), k * k * k / 4 * over);
      EXPECT_EQ(tree.hosts(), k * k * k / 4 * over);
      expect_as_searched(topology, "k = " + std::to_string(k));
    }
  }
}

/// Expects all shortest paths on which the last differing dimension is traversed first.
void expect_dimension_order(const TorusParameters& p) {
  const Topology torus = Topology::torus(p);
  ASSERT_NE(torus.structure(), nullptr);
  ASSERT_EQ(static_cast<std::uint64_t>(torus.hosts()), p.hosts());
  const Routing routing(torus);
  const PortsByNodeAndHost shortest = breadth_first(torus);
  const auto coordinates = [&](int router) {
    std::vector<int> at;
    for (const unsigned size : p.dimensions) {
      at.push_back(router % static_cast<int>(size));
      router /= static_cast<int>(size);
    }
    return at;
  };
  const auto differ_in = [&](int a, int b) {
    int last = -1;
    for (int d = 0; d < static_cast<int>(p.dimensions.size()); ++d) {
      const auto i = static_cast<std::size_t>(d);
      if (coordinates(a)[i] != coordinates(b)[i]) last = d;
    }
    return last;
  };
  for (NodeId n = 0; n < static_cast<NodeId>(torus.nodes().size()); ++n) {
    if (torus.node(n).is_host) continue;
    const int here = torus.node(n).switch_no;
    for (HostId host = 0; host < static_cast<HostId>(torus.hosts()); ++host) {
      const int there = static_cast<int>(host / p.hosts_per_router);
      std::vector<int> expected;
      for (const int port : shortest[static_cast<std::size_t>(n)][host]) {
        const TopologyNode& next = torus.node(torus.peer(n, port).node);
        if (next.is_host || differ_in(here, next.switch_no) == differ_in(here, there)) {
          expected.push_back(port);
        }
      }
      std::vector<int> ports;
      for (const int port : routing.ports(n, host)) ports.push_back(port);
      ASSERT_EQ(ports, expected) << torus.node(n).name << " to host " << host;
      ASSERT_FALSE(ports.empty());
    }
  }
  expect_longest(torus, routing, "torus");
}

TEST(Routing, TorusesAndMeshesGoByDimension) {
  std::mt19937 noise(6);
  for (int round = 0; round < 30; ++round) {
    TorusParameters p;
    p.dimensions.resize(1 + noise() % 3);
    for (unsigned& size : p.dimensions) size = 2 + noise() % 4;
    p.wrap = noise() % 2 == 0;
    p.hosts_per_router = 1 + noise() % 2;
    expect_dimension_order(p);
  }
}

TEST(Routing, ADragonflyCrossesOneCableBetweenGroups) {
  std::mt19937 noise(7);
  for (int round = 0; round < 12; ++round) {
    DragonflyParameters p;
    p.groups = 2 + noise() % 6;
    p.routers = 1 + noise() % 4;
    p.hosts_per_router = 1 + noise() % 2;
    const Topology dragonfly = Topology::dragonfly(p);
    ASSERT_NE(dragonfly.structure(), nullptr);
    ASSERT_EQ(static_cast<std::uint64_t>(dragonfly.hosts()), p.hosts());
    const Routing routing(dragonfly);
    const unsigned in_group = p.routers * p.hosts_per_router;
    const auto group_of = [&](NodeId n) {
      const TopologyNode& node = dragonfly.node(n);
      return node.is_host ? node.host / in_group
                          : static_cast<unsigned>(node.switch_no) / p.routers;
    };
    for (unsigned a = 0; a < p.groups; ++a) {
      for (unsigned b = 0; b < p.groups; ++b) {
        // Marks the allowed cables, which are the only paths between two groups.
        std::vector<bool> allowed;
        for (NodeId n = 0; n < static_cast<NodeId>(dragonfly.nodes().size()); ++n) {
          allowed.push_back(group_of(n) == a || group_of(n) == b);
        }
        const PortsByNodeAndHost shortest = breadth_first(dragonfly, allowed);
        for (NodeId n = 0; n < static_cast<NodeId>(dragonfly.nodes().size()); ++n) {
          if (group_of(n) != a) continue;
          for (HostId host = b * in_group; host < (b + 1) * in_group; ++host) {
            std::vector<int> ports;
            for (const int port : routing.ports(n, host)) ports.push_back(port);
            ASSERT_EQ(ports, shortest[static_cast<std::size_t>(n)][host])
                << dragonfly.node(n).name << " to host " << host;
          }
        }
      }
    }
    expect_longest(dragonfly, routing, "dragonfly");
  }
}

TEST(Routing, NetworksWithoutStructureAreSearched) {
  std::mt19937 noise(5);
  for (int round = 0; round < 40; ++round) {
    Topology topology;
    std::vector<NodeId> switches;
    for (int s = 0; s < 7; ++s) {
      switches.push_back(topology.add_switch("s" + std::to_string(s)));
      if (s > 0) {
        topology.connect(switches[noise() % static_cast<unsigned>(s)], switches.back(), kFabric);
      }
    }
    // Parallel cables, and hosts of one switch whose numbers and ports are not consecutive.
    for (int h = 0; h < 12; ++h) {
      topology.connect(topology.add_host("h" + std::to_string(h)), switches[noise() % 7],
                       noise() % 3 == 0 ? kFabric : kHost);
      const NodeId a = switches[noise() % 7], b = switches[noise() % 7];
      if (a != b) topology.connect(a, b, kFabric);
    }
    EXPECT_EQ(topology.structure(), nullptr);
    expect_as_searched(topology, "round " + std::to_string(round));
  }
  Topology changed = Topology::star(4, kHost);
  changed.connect(changed.add_host("h4"), changed.find("s0"), kHost);
  EXPECT_EQ(changed.structure(), nullptr) << "a shape that was added to is none";
  expect_as_searched(changed, "a star and one more");
  Topology pair;
  pair.connect(pair.add_host("a"), pair.add_host("b"), kHost);
  expect_as_searched(pair, "two hosts and a cable");
}

TEST(Routing, ADataCentreIsRoutedWithoutMemoryForIt) {
  // A network of 65536 hosts and 5120 switches. Tables with two bytes per pair would take 671 MB.
  FatTreeParameters k64;
  k64.pods = 64;
  k64.racks_per_pod = k64.aggs_per_pod = k64.hosts_per_rack = 32;
  k64.cores = 1024;
  k64.host_link = k64.fabric_link = kHost;
  const Topology tree = Topology::fat_tree(k64);
  const Routing routing(tree);
  ASSERT_EQ(tree.hosts(), 65'536);
  std::size_t bytes = 0;
  for (std::size_t n = 0; n < tree.nodes().size(); ++n) {
    if (!tree.nodes()[n].is_host) bytes += routing.table(static_cast<NodeId>(n)).bytes();
  }
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(routing.links(0, 65'535), 6);
  EXPECT_EQ(routing.longest_base_rtt(1048, 64), routing.base_rtt(0, 65'535, 1048, 64));
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
  // Two links in each direction have 4 us of delay. Packets of 1048 and 64 bytes take 80 ps per
  // byte, twice each.
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
  // The network s1 - h - s2 cannot be built, since a host has one cable. Two networks without a
  // link between them are refused.
  Topology topology;
  topology.connect(topology.add_host("a"), topology.add_switch("s"), kHost);
  topology.connect(topology.add_host("b"), topology.add_switch("t"), kHost);
  EXPECT_THROW(Routing{topology}, std::invalid_argument);
}

}  // namespace
}  // namespace dcc::routing_test
