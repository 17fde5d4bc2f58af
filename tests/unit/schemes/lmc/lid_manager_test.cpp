// Tests the manager of InfiniBand's paths (LMC) against values calculated by hand, on a network
// with two paths.
#include "schemes/lmc/lid_manager.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "schemes/lmc/lmc.h"
#include "unit/switch/test_devices.h"

namespace dcc::lid_manager_test {
namespace {

// rate of each of the two paths; host links have half of it
constexpr std::uint64_t kRate = 20'000'000'000;

class FakeSwitch final : public FlowEntries {
 public:
  std::vector<Count> take_counts() override { return std::exchange(counts, {}); }
  void place(const FlowName& name, std::uint32_t index) override { places[name.flow] = index; }
  void clear_places() override { places.clear(); }
  std::uint64_t hash_seed() const override { return seed; }

  std::uint64_t seed = 0;
  std::vector<Count> counts;
  std::map<std::uint32_t, std::uint32_t> places;
};

/// Hosts 0 to 3 are at leaf0, hosts 4 to 7 at leaf1, with two spines between the leaves.
class TwoWays : public testing::Test {
 protected:
  TwoWays() : topology(make_topology()), routing(topology), fabric(topology, routing) {
    make_manager(nullptr);
  }
  void make_manager(std::function<std::uint64_t(std::uint32_t)> goal) {
    LidManagerParameters p;
    p.period = kMilliSecond;
    manager = std::make_unique<LidManager>(scheduler, fabric, 1, p, 1000, std::move(goal));
    for (NodeId node = 0; node < static_cast<NodeId>(topology.nodes().size()); ++node) {
      if (topology.node(node).is_host) continue;
      switches[node].seed = mix64(static_cast<std::uint64_t>(node));
      manager->add_switch(node, switches[node]);
    }
  }
  static Topology make_topology() {
    LeafSpineParameters p;
    p.leaves = 2;
    p.hosts_per_leaf = 4;
    p.spines = 2;
    p.host_link = {BitRate(kRate / 2), kMicroSecond, 0};
    p.fabric_link = {BitRate(kRate), kMicroSecond, 0};
    return Topology::leaf_spine(p);
  }
  FakeSwitch& leaf0() { return switches.at(topology.find("leaf0")); }
  /// Returns a flow to host `to` whose initial path leads over this spine.
  std::uint32_t flow_by(HostId to, std::uint32_t spine) {
    const std::uint32_t even = index_by_address(leaf0().seed, to, 0, 2);
    return 2 * to + (even == spine ? 0u : 1u);
  }
  /// Sets the bytes that a flow sent in the last millisecond, as a share of 20 Gb/s.
  void sent(std::uint32_t flow, HostId from, HostId to, double share) {
    leaf0().counts.push_back({{from, to, flow}, static_cast<Bytes>(share * 2'500'000)});
  }

  Scheduler scheduler;
  Topology topology;
  Routing routing;
  FabricMap fabric;
  std::map<NodeId, FakeSwitch> switches;
  std::unique_ptr<LidManager> manager;
};

using Places = std::map<std::uint32_t, std::uint32_t>;

TEST_F(TwoWays, TheTwoAddressesOfAHostTakeDifferentWays) {
  for (HostId host = 0; host < 8; ++host) {
    const std::uint64_t seed = leaf0().seed;
    EXPECT_NE(index_by_address(seed, host, 0, 2), index_by_address(seed, host, 1, 2));
  }
}

TEST_F(TwoWays, TheLargestFlowThatFitsMovesOffAFullWire) {
  const std::uint32_t a = flow_by(4, 0), b = flow_by(5, 0), c = flow_by(6, 0), d = flow_by(7, 1);
  for (int round = 0; round < 3; ++round) {
    sent(a, 0, 4, 0.3);
    sent(b, 1, 5, 0.4);
    sent(c, 2, 6, 0.28);
    sent(d, 3, 7, 0.5);
    manager->run_round();
    // Moving flow b would load the other wire to 0.9, above the limit of 0.88, so the manager moves
    // flow a.
    EXPECT_EQ(leaf0().places, (Places{{a, 1}})) << round;
    EXPECT_EQ(manager->moves(), 1u) << "and there it stays";
  }
}

TEST_F(TwoWays, NobodyMovesWhereThereIsNoRoomOrNoNeed) {
  sent(flow_by(4, 0), 0, 4, 0.5);
  sent(flow_by(5, 0), 1, 5, 0.5);
  sent(flow_by(6, 1), 2, 6, 0.5);
  sent(flow_by(7, 1), 3, 7, 0.5);
  manager->run_round();
  EXPECT_EQ(manager->moves(), 0u) << "both are full";
  sent(flow_by(4, 0), 0, 4, 0.5);
  sent(flow_by(5, 0), 1, 5, 0.39);
  manager->run_round();
  EXPECT_EQ(manager->moves(), 0u) << "0.89 is not full";
}

TEST_F(TwoWays, WhoWasMovedGoesBackWhenTheOtherWayFills) {
  const std::uint32_t a = flow_by(4, 0), b = flow_by(5, 0), c = flow_by(6, 1);
  sent(a, 0, 4, 0.5);
  sent(b, 1, 5, 0.5);
  manager->run_round();
  ASSERT_EQ(leaf0().places, (Places{{a, 1}}));
  sent(a, 0, 4, 0.5);
  sent(c, 2, 6, 0.5);  // flow b sends nothing
  manager->run_round();
  EXPECT_EQ(manager->moves(), 2u);
  EXPECT_EQ(leaf0().places.at(a), 0u);
}

// Congestion control keeps the wire at 0.7, below the threshold of 0.9, and both flows miss their
// goal of 0.4.
TEST_F(TwoWays, AMissedGoalMovesAFlowOffAWireThatIsNotFull) {
  const std::uint32_t a = flow_by(4, 0), b = flow_by(5, 0);
  const auto round = [&](double rate_a, double rate_b) {
    sent(a, 0, 4, rate_a);
    sent(b, 1, 5, rate_b);
    manager->run_round();
  };
  round(0.35, 0.35);
  EXPECT_EQ(manager->moves(), 0u) << "without goals";
  make_manager([](std::uint32_t) { return kRate * 4 / 10; });
  round(0.38, 0.38);
  EXPECT_EQ(manager->moves(), 0u) << "19/20 of the goal";
  round(0.35, 0.35);
  EXPECT_EQ(leaf0().places, (Places{{a, 1}}));
  EXPECT_EQ(manager->moves_for_goals(), 1u);
  EXPECT_EQ(manager->path_of({0, 4, a}), 1u - (a & 1u));
  // The remaining flow has the wire for itself, so its missed goal is no reason to move it.
  for (int i = 0; i < 3; ++i) round(0.4, 0.3);
  EXPECT_EQ(manager->moves(), 1u);
}

TEST_F(TwoWays, AGoalNeedsRoomForAllOfIt) {
  make_manager([](std::uint32_t) { return kRate * 4 / 10; });
  const std::uint32_t a = flow_by(4, 0), b = flow_by(5, 0), c = flow_by(6, 1);
  sent(a, 0, 4, 0.35);
  sent(b, 1, 5, 0.35);
  sent(c, 2, 6, 0.25);  // with 0.4 more, this wire would carry only 0.05 less than the other
  manager->run_round();
  EXPECT_EQ(manager->moves_for_goals(), 0u);
}

TEST_F(TwoWays, AFlowIsPlacedFromOutsideAtOnce) {
  const std::uint32_t a = flow_by(4, 0);
  const FlowName name{0, 4, a};
  const unsigned own = manager->path_of(name);
  EXPECT_TRUE(manager->move(name, 1 - own));
  EXPECT_EQ(manager->path_of(name), 1 - own);
  EXPECT_EQ(leaf0().places, (Places{{a, 1}}));
  sent(a, 0, 4, 0.5);
  manager->run_round();
  EXPECT_EQ(leaf0().places, (Places{{a, 1}})) << "and it stays there";
}

TEST_F(TwoWays, RoundsComeByThemselves) {
  manager->begin();
  sent(flow_by(4, 0), 0, 4, 0.5);
  sent(flow_by(5, 0), 1, 5, 0.5);
  scheduler.run_until(kMilliSecond - PicoSeconds(1));
  EXPECT_EQ(manager->moves(), 0u);
  scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(manager->moves(), 1u);
}

}  // namespace
}  // namespace dcc::lid_manager_test
