// Tests links that fail, slow down and recover under traffic: lost packets, kept packets, and the
// time at which routes change.
#include "switch/live_fabric.h"

#include <gtest/gtest.h>

#include <numeric>

#include "unit/switch/test_devices.h"

namespace dcc {
namespace {

constexpr PicoSeconds kConvergence = kMicroSecond * 20;

/// Topology of two leaves with four hosts each and two spines. Ports 4 and 5 of a leaf lead to the
/// spines.
Topology two_by_two() {
  LeafSpineParameters p;
  p.leaves = 2;
  p.spines = 2;
  p.hosts_per_leaf = 4;
  p.fabric_link = {BitRate(100'000'000'000), kMicroSecond, 20};
  p.host_link = {BitRate(100'000'000'000), kMicroSecond, 20};
  return Topology::leaf_spine(p);
}

SwitchParameters plain(const std::string& kind = "ecmp") {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  parameters.routing.choose(kind);
  return parameters;
}

class LiveNetwork {
 public:
  explicit LiveNetwork(const SwitchParameters& parameters = plain())
      : net(two_by_two(), parameters, 3),
        live(net.scheduler, net.topology, net.routing, net.fabric, 2'000'000) {
    for (std::size_t i = 0; i < net.links.size(); ++i) {
      live.set_link(static_cast<int>(i / 2), static_cast<int>(i % 2), *net.links[i]);
    }
    for (std::size_t n = 0; n < net.switches.size(); ++n) {
      if (net.switches[n]) live.set_switch(static_cast<NodeId>(n), *net.switches[n]);
    }
    for (HostId h = 0; h < net.host.size(); ++h) {
      live.set_host(h, [this, h](bool up) { carrier.emplace_back(h, up); });
    }
  }
  int cable(const std::string& from, const std::string& to) const {
    const NodeId a = net.topology.find(from), b = net.topology.find(to);
    for (std::size_t c = 0; c < net.topology.cables().size(); ++c) {
      const Cable& one = net.topology.cables()[c];
      if ((one.end[0].node == a && one.end[1].node == b) ||
          (one.end[0].node == b && one.end[1].node == a)) {
        return static_cast<int>(c);
      }
    }
    return -1;
  }
  /// Each host of leaf0 sends to one host of leaf1 at line rate, which is a packet every 100 ns.
  void blast() {
    for (HostId h = 0; h < 4; ++h) net.host[h]->blast(4 + h, 1230);
  }
  void until(PicoSeconds t) { net.scheduler.run_until(t); }
  void stop_and_drain() {
    for (auto& host : net.host) host->stop();
    net.scheduler.run_until(net.scheduler.now() + kMilliSecond * 5);
  }
  std::uint64_t sent() const {
    return std::accumulate(net.host.begin(), net.host.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& host) { return sum + host->sent; });
  }
  std::uint64_t received() const {
    return std::accumulate(net.host.begin(), net.host.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& host) { return sum + host->packets; });
  }
  std::uint64_t lost() const {
    return std::accumulate(
        net.links.begin(), net.links.end(), std::uint64_t{0},
        [](std::uint64_t sum, const auto& link) { return sum + link->counters().lost; });
  }
  std::uint64_t unroutable() const {
    std::uint64_t sum = 0;
    for (const auto& one : net.switches) sum += one ? one->totals().unroutable : 0;
    return sum;
  }
  std::uint64_t sent_to_spine(int spine) { return net.at("leaf0").counters(4 + spine).tx_bytes; }

  test::TestNetwork net;
  LiveFabric live;
  std::vector<std::pair<HostId, bool>> carrier;
};

TEST(LiveFabric, AFailureLosesWhatWasOnTheWireAndNothingElse) {
  LiveNetwork n(plain("spray"));
  n.blast();
  n.until(kMicroSecond * 50);
  n.live.fail(n.cable("leaf0", "spine0"), kConvergence);
  // Spraying keeps both paths full. Each failed link loses the packets of a microsecond and the one
  // in transmission, and no lost packet is sent again.
  EXPECT_GE(n.lost(), 10u);
  EXPECT_LE(n.lost(), 12u);
  const std::uint64_t lost = n.lost();
  n.until(kMicroSecond * 69);
  const std::uint64_t to_spine0 = n.sent_to_spine(0);
  EXPECT_GT(n.net.at("leaf0").queue_bytes(4), 50'000);  // packets wait at the leaf for a new route
  n.until(kMicroSecond * 71);
  EXPECT_EQ(n.net.at("leaf0").queue_bytes(4), 0);
  n.until(kMicroSecond * 200);
  EXPECT_EQ(n.sent_to_spine(0), to_spine0);
  n.stop_and_drain();
  EXPECT_EQ(n.lost(), lost);
  EXPECT_EQ(n.received() + lost, n.sent());
  EXPECT_EQ(n.net.drops(), 0u);
  EXPECT_EQ(n.unroutable(), 0u);
  EXPECT_EQ(n.net.pool.in_use(), 0);
  EXPECT_FALSE(n.live.parted());
  for (const auto& one : n.net.switches) {
    if (one) {
      EXPECT_EQ(one->buffer().used(), 0);
    }
  }
}

TEST(LiveFabric, AMendedCableIsUsedAgainOnceThatIsKnown) {
  LiveNetwork n(plain("spray"));
  const int cable = n.cable("leaf0", "spine0");
  n.blast();
  n.live.fail(cable, kConvergence);
  n.until(kMicroSecond * 100);
  EXPECT_EQ(n.sent_to_spine(0), 0u);
  n.live.repair(cable, kConvergence);
  n.until(kMicroSecond * 119);
  EXPECT_EQ(n.sent_to_spine(0), 0u);
  n.until(kMicroSecond * 140);
  EXPECT_GT(n.sent_to_spine(0), 100'000u);
  n.stop_and_drain();
  EXPECT_EQ(n.received() + n.lost(), n.sent());
  EXPECT_EQ(n.net.pool.in_use(), 0);
}

TEST(LiveFabric, AFlapThatIsOverBeforeAnybodyHeardOfItOnlyLosesWhatWasOnTheWire) {
  LiveNetwork n(plain("spray"));
  const int cable = n.cable("spine1", "leaf1");
  n.blast();
  for (int flap = 1; flap <= 5; ++flap) {
    n.until(kMicroSecond * 10 * flap);
    n.live.fail(cable, kConvergence);
    n.until(kMicroSecond * (10 * flap + 3));
    n.live.repair(cable, kConvergence);
  }
  n.until(kMicroSecond * 300);
  n.stop_and_drain();
  EXPECT_GE(n.lost(), 5u * 10);
  EXPECT_LE(n.lost(), 5u * 12);
  EXPECT_EQ(n.received() + n.lost(), n.sent());
  EXPECT_EQ(n.net.pool.in_use(), 0);
}

TEST(LiveFabric, OverlappingFailuresEndWithTheLast) {
  LiveNetwork n;
  const int cable = n.cable("h0", "leaf0");
  n.live.fail(cable, kConvergence);
  n.live.fail(cable, kConvergence);
  n.live.repair(cable, kConvergence);
  EXPECT_EQ(n.carrier, (std::vector<std::pair<HostId, bool>>{{0, false}}));
  n.live.repair(cable, kConvergence);
  EXPECT_EQ(n.carrier.size(), 2u);
  EXPECT_TRUE(n.carrier.back().second);
}

TEST(LiveFabric, AHostThatIsCutOffIsToldOfAndComesBack) {
  LiveNetwork n(plain("spray"));
  const int cable = n.cable("h5", "leaf1");
  n.blast();
  n.until(kMicroSecond * 50);
  n.live.fail(cable, kConvergence);
  EXPECT_FALSE(n.live.parted());
  n.until(kMicroSecond * 100);
  ASSERT_TRUE(n.live.parted());
  EXPECT_EQ(n.live.parted()->when, kMicroSecond * 70);
  EXPECT_EQ(n.live.parted()->hosts, (std::vector<HostId>{5}));
  EXPECT_GT(n.unroutable(), 100u);
  const std::uint64_t others = n.net.host[4]->packets;
  const std::uint64_t cut_off = n.net.host[5]->packets;
  n.until(kMicroSecond * 200);
  EXPECT_GT(n.net.host[4]->packets, others + 300);
  EXPECT_EQ(n.net.host[5]->packets, cut_off);
  n.live.repair(cable, kConvergence);
  n.until(kMicroSecond * 600);  // the time in which leaf0's queue drains
  EXPECT_GT(n.net.host[5]->packets, cut_off + 300);
  n.stop_and_drain();
  EXPECT_EQ(n.received() + n.lost() + n.unroutable(), n.sent());
  EXPECT_EQ(n.net.pool.in_use(), 0);
}

TEST(LiveFabric, TwoHalvesAreToldOfByTheSmallerOne) {
  LiveNetwork n;
  for (const char* spine : {"spine0", "spine1"}) n.live.fail(n.cable("leaf1", spine), kConvergence);
  // disconnects a host, so that leaf0's part becomes the larger one
  n.live.fail(n.cable("h4", "leaf1"), kConvergence);
  n.until(kMicroSecond * 30);
  ASSERT_TRUE(n.live.parted());
  EXPECT_EQ(n.live.parted()->hosts, (std::vector<HostId>{4, 5, 6, 7}));
}

TEST(LiveFabric, APauseDoesNotOutliveTheCable) {
  SwitchParameters parameters = plain("spray");
  parameters.buffer = 500'000;
  parameters.pfc.alpha = Ratio(1, 16);
  LiveNetwork n(parameters);
  // Three hosts send to one host at leaf1, so leaf1 pauses the spines and the spines pause leaf0.
  for (HostId h = 0; h < 3; ++h) n.net.host[h]->blast(4, 1230);
  n.until(kMicroSecond * 100);
  ASSERT_GT(n.net.at("leaf1").pfc_totals().pauses_sent, 0u);
  for (int i = 0; i < 20; ++i) {  // cuts the link at different times of pausing and sending
    n.until(kMicroSecond * 100 + PicoSeconds(7'777'777) * (2 * i + 1));
    n.live.fail(n.cable("spine0", "leaf1"), kConvergence);
    n.live.fail(n.cable("spine1", "leaf1"), kConvergence);
    n.until(kMicroSecond * 100 + PicoSeconds(7'777'777) * (2 * i + 2));
    n.live.repair(n.cable("spine0", "leaf1"), kConvergence);
    n.live.repair(n.cable("spine1", "leaf1"), kConvergence);
  }
  n.until(kMilliSecond);
  const std::uint64_t before = n.net.host[4]->packets;
  n.until(kMilliSecond * 2);
  // the last link is full: a packet every 100 ns
  EXPECT_GT(n.net.host[4]->packets - before, 9'900u);
  n.stop_and_drain();
  std::uint64_t frames = 0;  // number of lost pause frames
  for (const auto& one : n.net.switches) {
    if (one) frames += one->pfc_totals().frames_sent - one->pfc_totals().frames_received;
  }
  for (const auto& host : n.net.host) frames -= host->pause_frames;
  EXPECT_EQ(n.received() + n.lost() + n.unroutable(), n.sent() + frames);
  EXPECT_EQ(n.net.drops(), 0u);
  EXPECT_EQ(n.net.pool.in_use(), 0);
  for (int port = 0; port < 6; ++port) EXPECT_FALSE(n.net.at("leaf0").is_paused(port, 0));
}

TEST(LiveFabric, ASlowerLinkIsFeltAtOnceAndKnownLater) {
  LiveNetwork n(plain("wcmp"));
  const int cable = n.cable("spine1", "leaf1");
  const int side = n.net.topology.cables()[static_cast<std::size_t>(cable)].end[0].node ==
                           n.net.topology.find("spine1")
                       ? 0
                       : 1;
  n.live.set_rate(cable, side, BitRate(25'000'000'000), kConvergence);
  const NodeId leaf0 = n.net.topology.find("leaf0");
  EXPECT_EQ(n.net.fabric.capacity(leaf0, 5, 4), 100'000'000'000u);
  n.until(kMicroSecond * 20);
  EXPECT_EQ(n.net.fabric.capacity(leaf0, 5, 4), 25'000'000'000u);
  n.blast();
  n.until(kMilliSecond);
  const LinkCounters slow = n.net.links[static_cast<std::size_t>(2 * cable + side)]->counters();
  const double on_wire = static_cast<double>(slow.bytes + 20 * slow.packets) * 8;
  EXPECT_LE(on_wire / 980e-6, 25.2e9);
  n.stop_and_drain();
  EXPECT_EQ(n.received(), n.sent());
}

}  // namespace
}  // namespace dcc
