#include "switch/deadlock.h"

#include <gtest/gtest.h>

#include "unit/switch/test_devices.h"

namespace dcc {
namespace {

using test::TestNetwork;

constexpr LinkParameters k100G{BitRate(100'000'000'000), kMicroSecond, 20};

SwitchParameters lossless() {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  parameters.buffer = 1'000'000;
  return parameters;
}

/// A ring of four switches with one host each, on port 0.
Topology ring_of_four() {
  Topology topology;
  std::vector<NodeId> node;
  for (int s = 0; s < 4; ++s) {
    node.push_back(topology.add_switch("s" + std::to_string(s)));
    topology.connect(topology.add_host("h" + std::to_string(s)), node.back(), k100G);
  }
  for (std::size_t s = 0; s < 4; ++s) topology.connect(node[s], node[(s + 1) % 4], k100G);
  return topology;
}

TEST(Deadlock, ARingOfPausesIsFoundAndNothingMovesInIt) {
  TestNetwork net(ring_of_four(), lossless());
  // Every host sends clockwise to the host two switches further. The test sets the routes, because
  // shortest paths would use both directions.
  const auto clockwise = [&](int s) {
    const NodeId node = net.topology.find("s" + std::to_string(s));
    const NodeId next = net.topology.find("s" + std::to_string((s + 1) % 4));
    for (int port = 0; port < 3; ++port) {
      if (net.topology.peer(node, port).node == next) return port;
    }
    return -1;
  };
  for (int s = 0; s < 4; ++s) {
    RouteTable routes(4);
    routes.from(0, PortSet::consecutive(static_cast<std::uint32_t>(clockwise(s)), 1));
    routes.set_block(static_cast<HostId>(s), 1, 1, 0);
    net.at("s" + std::to_string(s)).set_routes(routes);
  }
  for (HostId h = 0; h < 4; ++h) net.host[h]->blast((h + 2) % 4, 1080);
  EXPECT_TRUE(find_deadlock(net.topology, waits_of(net.devices())).empty());
  net.scheduler.run_until(kMilliSecond * 5);
  const auto stuck = find_deadlock(net.topology, waits_of(net.devices()));
  ASSERT_EQ(stuck.size(), 4u);
  for (const PausedWire& wire : stuck) {
    EXPECT_EQ(wire.priority, 0);
    EXPECT_FALSE(net.topology.node(net.topology.peer(wire.node, wire.port).node).is_host);
  }
  const std::uint64_t before = net.host[0]->packets;
  for (HostId h = 0; h < 4; ++h) net.host[h]->stop();
  net.scheduler.run_until(kMilliSecond * 50);
  EXPECT_EQ(net.host[0]->packets, before);
  EXPECT_GT(net.pool.in_use(), 0);
  EXPECT_EQ(net.drops(), 0u);
}

TEST(Deadlock, MereCongestionIsNone) {
  // All traffic goes to host 0. Links everywhere are paused, but host 0 keeps receiving, so there
  // is no deadlock.
  for (const auto arbitration :
       {SwitchParameters::Arbitration::kFifo, SwitchParameters::Arbitration::kRoundRobin}) {
    SwitchParameters parameters = lossless();
    parameters.arbitration = arbitration;
    TestNetwork net(Topology::parking_lot({2, 2, 2}, k100G, k100G), parameters);
    for (HostId h = 1; h < 6; ++h) net.host[h]->blast(0, 1080);
    bool any_paused = false;
    for (int i = 1; i <= 100; ++i) {
      net.scheduler.run_until(kMicroSecond * (20 * i));
      EXPECT_TRUE(find_deadlock(net.topology, waits_of(net.devices())).empty());
      for (const SwitchDevice* device : net.devices()) {
        if (device == nullptr) continue;
        for (int port = 0; port < device->ports(); ++port) {
          any_paused = any_paused || device->is_paused(port, 0);
        }
      }
    }
    EXPECT_TRUE(any_paused);
    EXPECT_EQ(net.drops(), 0u);
  }
}

TEST(Deadlock, ARingOfRoutersStopsAndAMeshDoesNot) {
  for (const bool wrap : {true, false}) {
    TorusParameters p;
    p.dimensions = {6};
    p.wrap = wrap;
    p.fabric_link = p.host_link;
    TestNetwork net(Topology::torus(p), lossless());
    // Each flow goes to the host two routers further. In a ring all flows have the same direction,
    // in a row the last two flows go back.
    for (HostId h = 0; h < 6; ++h) net.host[h]->blast((h + 2) % 6, 1080);
    net.scheduler.run_until(kMilliSecond * 5);
    EXPECT_EQ(find_deadlock(net.topology, waits_of(net.devices())).size(), wrap ? 6u : 0u);
    const std::uint64_t before = net.host[0]->packets;
    net.scheduler.run_until(kMilliSecond * 6);
    EXPECT_EQ(net.host[0]->packets > before, !wrap);
    EXPECT_EQ(net.drops(), 0u);
  }
}

TEST(CongestionSpreading, AVictimGetsTheShareOfTheFlowThatIsPaused) {
  // The example of the RoCE article: four ports of switch 1 and port F of switch 2 overload port G,
  // while X at switch 2 sends to Y, which is idle. Hosts 0 to 3 are the four senders, 4 is G, 5 is
  // Y, 6 is F and 7 is X.
  for (const auto arbitration :
       {SwitchParameters::Arbitration::kFifo, SwitchParameters::Arbitration::kRoundRobin}) {
    SwitchParameters parameters = lossless();
    parameters.arbitration = arbitration;
    TestNetwork net(Topology::parking_lot({6, 2}, k100G, k100G), parameters);
    for (HostId h = 0; h < 4; ++h) net.host[h]->blast(4, 1080);
    net.host[6]->blast(4, 1080);
    net.host[7]->blast(5, 1080);
    net.scheduler.run_until(kMilliSecond * 2);
    const Bytes victim = net.host[5]->bytes, paused = net.host[4]->by_source[6];
    net.scheduler.run_until(kMilliSecond * 10);
    // payload bytes that a link carries in 8 ms
    const double window = 8e-3 * 100e9 / 8 * 1080 / 1100;
    const double share_of_f = static_cast<double>(net.host[4]->by_source[6] - paused) / window;
    const double share_of_x = static_cast<double>(net.host[5]->bytes - victim) / window;
    // With arbitration in order of arrival F gets slightly less, because its pauses take longer to
    // begin and end.
    EXPECT_NEAR(share_of_f, 0.2, arbitration == SwitchParameters::Arbitration::kFifo ? 0.03 : 0.01);
    EXPECT_NEAR(share_of_x, 0.2, 0.03);  // 80 % of the link between the switches stay unused
    // The counters show that the link from switch 2 to switch 1 is paused most of the time.
    const NodeId second = net.topology.find("s1");
    EXPECT_GT(net.at(second).pause_time(2), kMilliSecond * 5);
    EXPECT_EQ(net.drops(), 0u);
  }
}

TEST(CongestionSpreading, APriorityOfItsOwnIsNotDisturbed) {
  // In the same example X uses another priority, and gets the full rate that the article calls
  // possible.
  TestNetwork net(Topology::parking_lot({6, 2}, k100G, k100G), lossless());
  for (HostId h = 0; h < 4; ++h) net.host[h]->blast(4, 1080);
  net.host[6]->blast(4, 1080);
  net.host[7]->blast(5, 1080, 3);
  net.scheduler.run_until(kMilliSecond * 10);
  const double window = 10e-3 * 100e9 / 8 * 1080 / 1100;
  EXPECT_GT(static_cast<double>(net.host[5]->bytes) / window, 0.78);
  EXPECT_GT(static_cast<double>(net.host[4]->by_source[6]) / window, 0.17);
}

}  // namespace
}  // namespace dcc
