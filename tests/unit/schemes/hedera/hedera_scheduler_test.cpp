// Tests Hedera's placement of flows on a tree of four ports against values worked out by hand, and
// its effect on full links.
#include "schemes/hedera/hedera_scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "unit/switch/test_devices.h"

namespace dcc::hedera_scheduler_test {
namespace {

using Placement = HederaParameters::Placement;

constexpr std::uint64_t kRate = 100'000'000'000;

/// Topology of four pods with two racks of two hosts each: hosts 0 … 3 are in pod 0, and so on.
Topology tree() {
  FatTreeParameters p;
  p.k = 4;
  p.host_link = {BitRate(kRate), kMicroSecond, 20};
  p.fabric_link = {BitRate(kRate), kMicroSecond, 20};
  return Topology::fat_tree(p);
}

/// A fake network that reports given flow counters and records the installed paths.
class FakeEntries final : public FlowEntries {
 public:
  std::vector<Count> take_counts() override { return std::exchange(counts, {}); }
  void place(const FlowName& name, std::uint32_t index) override { places[name.flow] = index; }
  void clear_places() override { places.clear(); }

  std::vector<Count> counts;
  std::map<std::uint32_t, std::uint32_t> places;
};

class HederaOnATree : public testing::Test {
 protected:
  HederaOnATree()
      : topology(tree()),
        routing(topology),
        fabric(topology, routing),
        switches(topology.nodes().size()) {}

  HederaScheduler& make(HederaParameters p) {
    p.period = kMilliSecond;
    central = std::make_unique<HederaScheduler>(scheduler, fabric, p, 1, 1000);
    for (NodeId node = 0; node < static_cast<NodeId>(switches.size()); ++node) {
      if (!topology.node(node).is_host) central->add_switch(node, at(node));
    }
    return *central;
  }
  HederaScheduler& make(Placement placement) {
    HederaParameters p;
    p.placement = placement;
    return make(p);
  }
  FakeEntries& at(NodeId node) { return switches[static_cast<std::size_t>(node)]; }
  FakeEntries& at(const std::string& name) { return at(topology.find(name)); }
  /// Sets the counters of a flow. A host sends 12.5 MB in a millisecond at line rate.
  void sent(std::uint32_t flow, HostId from, HostId to, Bytes bytes = 12'500'000) {
    const NodeId edge = topology.peer(topology.node_of(from), 0).node;
    at(edge).counts.push_back({{from, to, flow}, bytes});
  }
  std::map<std::uint32_t, int> ways() const {
    std::map<std::uint32_t, int> ways;
    for (const auto& elephant : central->elephants()) ways[elephant.name.flow] = elephant.way;
    return ways;
  }

  Scheduler scheduler;
  Topology topology;
  Routing routing;
  FabricMap fabric;
  std::vector<FakeEntries> switches;
  std::unique_ptr<HederaScheduler> central;
};

constexpr int kByHash = HederaScheduler::kByHash;

TEST_F(HederaOnATree, FirstFitTakesTheFirstWayWithRoomOnAllItsLinks) {
  HederaScheduler& hedera = make(Placement::kFirstFit);
  sent(0, 0, 4);
  sent(1, 1, 6);
  sent(2, 2, 5);
  sent(3, 3, 7);
  hedera.run_round();
  // Flow 1: the first link of path 0 is full, so it takes the other aggregation switch. Flow 2:
  // paths 0 and 1 share links with flows 0 and 1, and path 2 shares the last link with flow 0. Flow
  // 3: paths 1 and 3 share the first link with flow 2.
  EXPECT_EQ(ways(), (std::map<std::uint32_t, int>{{0, 0}, {1, 1}, {2, 3}, {3, 2}}));
  EXPECT_EQ(hedera.excess(), 0u);
  using Places = std::map<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(at("rack0").places, (Places{{0, 0}, {1, 1}}));
  EXPECT_EQ(at("rack1").places, (Places{{2, 1}, {3, 0}}));
  EXPECT_EQ(at("agg0").places, (Places{{0, 0}, {3, 1}}));
  EXPECT_EQ(at("agg1").places, (Places{{1, 0}, {2, 1}}));
  EXPECT_EQ(at("agg2").places, Places{});  // only one path leads down, so the switch needs no entry
  // Flow 0 has ended. Flow 4 gets its path, and all other flows keep theirs.
  sent(1, 1, 6, 1);
  sent(2, 2, 5, 1);
  sent(3, 3, 7, 1);
  sent(4, 0, 8);
  hedera.run_round();
  EXPECT_EQ(ways(), (std::map<std::uint32_t, int>{{1, 1}, {2, 3}, {3, 2}, {4, 0}}));
  EXPECT_EQ(at("rack0").places, (Places{{1, 1}, {4, 0}}));
}

TEST_F(HederaOnATree, WhoFitsNowhereGoesByHash) {
  fabric.set_rate(topology.find("rack0"), 2, BitRate(kRate / 4));
  fabric.set_rate(topology.find("rack0"), 3, BitRate(kRate / 2));
  HederaScheduler& hedera = make(Placement::kFirstFit);
  sent(0, 0, 4);
  hedera.run_round();
  EXPECT_EQ(ways(), (std::map<std::uint32_t, int>{{0, kByHash}}));
  EXPECT_TRUE(at("rack0").places.empty());
  // With a second flow from the same host each flow demands half a link, for which one path has
  // room.
  sent(0, 0, 4);
  sent(1, 0, 8);
  hedera.run_round();
  EXPECT_EQ(ways(), (std::map<std::uint32_t, int>{{0, 1}, {1, kByHash}}));
  // The first flow demands a whole link again, for which its path has no room.
  sent(0, 0, 4);
  hedera.run_round();
  EXPECT_EQ(ways(), (std::map<std::uint32_t, int>{{0, kByHash}}));
}

TEST_F(HederaOnATree, OnlyLargeFlowsCountAndTheyStaySoWhileTheySend) {
  HederaParameters p;
  p.elephant = Ratio{1, 4};
  HederaScheduler& hedera = make(p);
  sent(0, 0, 4, 3'125'000);  // exactly a quarter of the link, in bytes per millisecond
  sent(1, 1, 6, 3'124'999);
  sent(2, 2, 3);  // a large flow within a rack, which needs no path
  hedera.run_round();
  const auto found = hedera.elephants();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name.flow, 0u);
  EXPECT_EQ(found[0].rate, kRate);
  EXPECT_NE(found[0].way, kByHash);
  EXPECT_EQ(found[1].name.flow, 2u);
  EXPECT_EQ(found[1].way, kByHash);
  sent(0, 0, 4, 1);
  hedera.run_round();
  ASSERT_EQ(hedera.elephants().size(), 1u);
  hedera.run_round();
  EXPECT_TRUE(hedera.elephants().empty());
  EXPECT_TRUE(at("rack0").places.empty());
}

/// The bit rate on the most loaded link according to the installed entries, if each flow sends at
/// its host's rate.
std::uint64_t fullest(const HederaScheduler& hedera, const Topology& topology,
                      const FabricMap& fabric, std::vector<FakeEntries>& switches) {
  std::map<std::size_t, std::uint64_t> load;
  for (const auto& elephant : hedera.elephants()) {
    NodeId node = topology.peer(topology.node_of(elephant.name.source), 0).node;
    while (fabric.edge_at(node) != fabric.edge_of(elephant.name.destination)) {
      const PortSet ports = fabric.routing().ports(node, elephant.name.destination);
      const auto& places = switches[static_cast<std::size_t>(node)].places;
      const int port = ports[ports.size() > 1 ? places.at(elephant.name.flow) : 0];
      load[fabric.wire(node, port)] += elephant.rate;
      node = topology.peer(node, port).node;
    }
  }
  std::uint64_t most = 0;
  for (const auto& [wire, rate] : load) most = std::max(most, rate);
  return most;
}

TEST_F(HederaOnATree, AnnealingFindsRoomForAllWhereThereIs) {
  HederaScheduler& hedera = make(Placement::kAnnealing);
  // All flows begin on path 0, and the flows of a rack share the first link.
  const std::vector<std::pair<HostId, HostId>> pairs = {{0, 4}, {1, 8}, {2, 12}, {8, 0}};
  for (std::uint32_t i = 0; i < 4; ++i) sent(i, pairs[i].first, pairs[i].second);
  hedera.run_round();
  EXPECT_EQ(hedera.excess(), 0u);
  EXPECT_EQ(fullest(hedera, topology, fabric, switches), kRate);
}

// The tree has paths for every permutation. A thousand annealing steps leave one or two flows
// misplaced. Lower temperatures or more steps leave fewer.
TEST_F(HederaOnATree, PermutationsMostlyFit) {
  struct Try {
    unsigned iterations;
    Ratio annealing;
    int least;  // minimum number of flows, of forty, that fit
  };
  for (const Try& one :
       {Try{1000, {1, 2}, 15}, Try{1000, {1000, 1}, 30}, Try{10'000, {1, 2}, 36}}) {
    HederaParameters p;
    p.iterations = one.iterations;
    p.annealing = one.annealing;
    HederaScheduler& hedera = make(p);
    RandomStream random(3, "test");
    int fitted = 0;
    for (int round = 0; round < 40; ++round) {
      std::vector<HostId> to(16);
      for (HostId i = 0; i < 16; ++i) to[i] = i;
      for (std::size_t i = 15; i > 0; --i) std::swap(to[i], to[random.below(i)]);
      const auto first = static_cast<std::uint32_t>(100 + 16 * round);
      for (HostId i = 0; i < 16; ++i) sent(first + i, i, to[i]);
      hedera.run_round();
      const std::uint64_t most = fullest(hedera, topology, fabric, switches);
      EXPECT_LE(hedera.excess(), 2 * kRate);
      EXPECT_EQ(most, hedera.excess() == 0 ? kRate : 2 * kRate);
      fitted += hedera.excess() == 0 ? 1 : 0;
    }
    EXPECT_GE(fitted, one.least) << one.iterations << " " << one.annealing.numerator;
  }
}

TEST_F(HederaOnATree, AnnealingIsTheSameForTheSameSeed) {
  std::vector<std::map<std::uint32_t, int>> found;
  for (int again = 0; again < 2; ++again) {
    HederaScheduler& hedera = make(Placement::kAnnealing);
    for (std::uint32_t i = 0; i < 8; ++i) sent(i, i, (i * 5 + 4) % 16);
    hedera.run_round();
    found.push_back(ways());
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST_F(HederaOnATree, ABadStateIsLeftWhateverTheTemperature) {
  HederaParameters p;
  // annealing accepts every exchange, so the best placement of the walk counts
  p.annealing = Ratio{0};
  HederaScheduler& hedera = make(p);
  const std::vector<std::pair<HostId, HostId>> pairs = {{0, 4}, {1, 8}, {2, 12}, {3, 9}};
  for (std::uint32_t i = 0; i < 4; ++i) sent(i, pairs[i].first, pairs[i].second);
  hedera.run_round();
  EXPECT_EQ(hedera.excess(), 0u);
  EXPECT_EQ(fullest(hedera, topology, fabric, switches), kRate);
}

/// Every host sends at line rate to the host whose number is greater by eight.
std::vector<std::uint64_t> packets_of_a_millisecond(bool scheduled, Placement placement) {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  parameters.routing.choose("hedera");
  test::TestNetwork net(tree(), parameters, 3);
  HederaParameters p;
  p.period = kMicroSecond * 200;
  p.placement = placement;
  HederaScheduler hedera(net.scheduler, net.fabric, p, 3, 2'000'000);
  for (std::size_t n = 0; n < net.switches.size(); ++n) {
    if (net.switches[n])
      hedera.add_switch(static_cast<NodeId>(n), *net.switches[n]->flow_entries());
  }
  if (scheduled) hedera.begin();
  for (HostId h = 0; h < 16; ++h) net.host[h]->blast((h + 8) % 16, 1230);  // a packet takes 100 ns
  net.scheduler.run_until(kMilliSecond);
  std::vector<std::uint64_t> before;
  for (const auto& host : net.host) before.push_back(host->packets);
  net.scheduler.run_until(kMilliSecond * 2);
  for (HostId h = 0; h < 16; ++h) before[h] = net.host[h]->packets - before[h];
  EXPECT_EQ(net.drops(), 0u);
  return before;
}

TEST(Hedera, FlowsThatTheHashPutsTogetherGetWaysOfTheirOwn) {
  std::uint64_t least = UINT64_MAX;
  for (const std::uint64_t packets : packets_of_a_millisecond(false, Placement::kAnnealing)) {
    least = std::min(least, packets);
  }
  EXPECT_LT(least, 6000u);
  for (const Placement placement : {Placement::kAnnealing, Placement::kFirstFit}) {
    for (const std::uint64_t packets : packets_of_a_millisecond(true, placement)) {
      EXPECT_GE(packets, 9990u);
    }
  }
}

}  // namespace
}  // namespace dcc::hedera_scheduler_test
