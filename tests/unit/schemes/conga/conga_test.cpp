// Tests the path congestion that CONGA's leaf switches report to each other, and the resulting
// choices, against values worked out by hand.
#include "schemes/conga/conga.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fabric/fabric_map.h"
#include "unit/fabric/path_view.h"

namespace dcc::path_choice_test {
namespace {

TEST(RateEstimator, FollowsTheRateOfALinkInEighths) {
  const RateEstimatorParameters
      // with the period of 16 us and a decay of a tenth the estimate of a full link of 100 Gb/s is
      // 2 MB
      parameters;
  const BitRate rate(100'000'000'000);
  RateEstimator use;
  EXPECT_EQ(use.metric(rate, PicoSeconds(0), parameters), 0u);
  use.sent(1'000'000, PicoSeconds(0), parameters);
  EXPECT_EQ(use.metric(rate, PicoSeconds(0), parameters), 4u);     // utilisation 0.5 gives 4 of 8
  EXPECT_EQ(use.metric(rate, kMicroSecond * 15, parameters), 4u);  // no decay has occurred yet
  // utilisation 0.9 / 2 gives 3.6 of 8
  EXPECT_EQ(use.metric(rate, kMicroSecond * 16, parameters), 3u);
  // utilisation 0.531 / 2 gives 2.1 of 8
  EXPECT_EQ(use.metric(rate, kMicroSecond * 16 * 6, parameters), 2u);
  // utilisation 0.478 / 2 gives 1.9 of 8
  EXPECT_EQ(use.metric(rate, kMicroSecond * 16 * 7, parameters), 1u);
  // utilisation 0.229 / 2 gives 0.9 of 8
  EXPECT_EQ(use.metric(rate, kMicroSecond * 16 * 14, parameters), 0u);
  EXPECT_EQ(use.metric(rate, kMilliSecond * 900, parameters), 0u);
  use.sent(1'000'000'000, kMilliSecond * 900, parameters);
  EXPECT_EQ(use.metric(rate, kMilliSecond * 900, parameters), 7u);
  // A link that carries 75 % of its rate for a long time has the metric 6 of 8, up to the ripple of
  // one period (0.075 · 2 MB added at its beginning and removed at its end).
  RateEstimator busy;
  for (int us = 0; us < 3200; ++us) busy.sent(9'375, kMicroSecond * us, parameters);
  EXPECT_GE(busy.metric(rate, kMicroSecond * 3199, parameters), 5u);
  EXPECT_LE(busy.metric(rate, kMicroSecond * 3199, parameters), 6u);
}

class CongaPair : public testing::Test {
 protected:
  CongaPair()
      : topology(three_leaves()),
        routing(topology),
        fabric(topology, routing),
        leaf0(parameters(), view.context(0, 6)),
        leaf1(parameters(), view.context(1, 6)),
        spine(parameters(), view.context(2, 3)) {
    leaf0.join(fabric, topology.find("leaf0"));
    leaf1.join(fabric, topology.find("leaf1"));
    spine.join(fabric, topology.find("spine1"));
  }
  static CongaParameters parameters() {
    CongaParameters p;
    p.flowlet.gap = kMicroSecond * 500;
    return p;
  }

  FakeSwitch view;
  Topology topology;
  Routing routing;
  FabricMap fabric;
  Conga leaf0, leaf1, spine;
  const PortSet up = PortSet::consecutive(4, 2);
  const PortSet down = PortSet::consecutive(0, 1);
};

TEST_F(CongaPair, NewsOfAWayComesBackAndTheNextFlowletGoesTheOther) {
  // Finds a flow that takes the path over spine1, port 5 of the leaf.
  std::uint32_t flow = 0;
  Packet there = packet_of(flow, 0, 4);
  while (leaf0.peek(there, up) != 1) there = packet_of(++flow, 0, 4);
  ASSERT_EQ(leaf0.choose(there, up), 1u);
  EXPECT_EQ(there.overlay.path_congestion.path, 2);
  EXPECT_EQ(there.overlay.path_congestion.congestion, 0);
  EXPECT_EQ(there.overlay.path_congestion.feedback_path, 0);  // that leaf has sent no feedback yet
  leaf0.departs(there, 5);
  EXPECT_EQ(there.overlay.path_congestion.congestion, 0);
  // The spine has sent 1.25 MB on its link down. A full link would have 2 MB, so the metric is 5 of
  // 8.
  Packet others;
  others.wire_bytes = 1'250'000;
  spine.departs(others, 1);
  EXPECT_EQ(spine.choose(there, PortSet::consecutive(1, 1)), 0u);
  spine.departs(there, 1);
  EXPECT_EQ(there.overlay.path_congestion.congestion, 5);
  EXPECT_EQ(leaf1.choose(there, down), 0u);
  EXPECT_EQ(there.overlay.path_congestion.path, 0);  // packets to hosts carry no overlay

  Packet back = packet_of(900, 4, 0);
  leaf1.choose(back, up);
  EXPECT_EQ(back.overlay.path_congestion.feedback_path, 2);
  EXPECT_EQ(back.overlay.path_congestion.feedback, 5);
  EXPECT_EQ(leaf0.congestion_to(1, 5), 0u);
  leaf0.choose(back, down);
  EXPECT_EQ(leaf0.congestion_to(1, 5), 5u);
  EXPECT_EQ(leaf0.congestion_to(1, 4), 0u);
  EXPECT_EQ(leaf0.congestion_to(2, 5), 0u);  // the path down to another leaf is not congested

  // The present flowlet keeps its path. After a pause, and for new flows, the other path is best.
  EXPECT_EQ(leaf0.choose(there, up), 1u);
  view.time = kMicroSecond * 500;
  EXPECT_EQ(leaf0.choose(there, up), 0u);
  for (std::uint32_t other = 1000; other < 1100; ++other) {
    Packet packet = packet_of(other, 0, 4);
    ASSERT_EQ(leaf0.peek(packet, up), 0u);
    ASSERT_EQ(leaf0.choose(packet, up), 0u);
  }
  // A reported congestion ages by one step every 10 ms.
  view.time = kMilliSecond * 10;
  EXPECT_EQ(leaf0.congestion_to(1, 5), 4u);
  view.time = kMilliSecond * 50;
  EXPECT_EQ(leaf0.congestion_to(1, 5), 0u);
}

TEST_F(CongaPair, AFlowOnlyMovesToABetterWay) {
  for (std::uint32_t flow = 0; flow < 20; ++flow) {
    Packet packet = packet_of(flow, 0, 4);
    const std::uint32_t way = leaf0.choose(packet, up);
    view.time += kMilliSecond;  // a gap in which all estimates decay to zero
    ASSERT_EQ(leaf0.choose(packet, up), way);
  }
  // The leaf's own link counts as well: 1 MB that was just sent on it is 4 of 8.
  Packet packet = packet_of(3, 0, 4);
  const std::uint32_t way = leaf0.choose(packet, up);
  Packet load;
  load.wire_bytes = 1'000'000;
  leaf0.departs(load, static_cast<int>(4 + way));
  view.time += kMicroSecond * 500;  // 0.9^31 of the estimate is left, which gives the metric 0
  EXPECT_EQ(leaf0.choose(packet, up), way);
  view.time += kMicroSecond * 500;
  leaf0.departs(load, static_cast<int>(4 + way));
  EXPECT_EQ(leaf0.choose(packet, up), 1 - way);
}

TEST_F(CongaPair, WhatChangedIsToldFirstThenAllInTurn) {
  const auto arrive = [&](std::uint8_t tag, std::uint8_t congestion) {
    Packet packet = packet_of(1, 0, 4);
    packet.overlay = {{tag, congestion, 0, 0}};
    leaf1.choose(packet, down);
  };
  const auto told = [&] {
    Packet packet = packet_of(900, 4, 0);
    leaf1.choose(packet, up);
    return std::pair<int, int>(packet.overlay.path_congestion.feedback_path,
                               packet.overlay.path_congestion.feedback);
  };
  arrive(1, 3);
  arrive(2, 6);
  EXPECT_EQ(told(), std::make_pair(1, 3));
  EXPECT_EQ(told(), std::make_pair(2, 6));
  EXPECT_EQ(told(), std::make_pair(1, 3));
  arrive(1, 4);  // a changed path is reported first, although another path is due
  EXPECT_EQ(told(), std::make_pair(1, 4));
  EXPECT_EQ(told(), std::make_pair(2, 6));
}

TEST(Conga, MoreWaysUpThanTagsAreRefused) {
  LeafSpineParameters p;
  p.leaves = 2;
  p.spines = 256;
  p.hosts_per_leaf = 1;
  const Topology topology = Topology::leaf_spine(p);
  const Routing routing(topology);
  const FabricMap fabric(topology, routing);
  FakeSwitch view;
  Conga conga(CongaParameters{}, {view, 257, 1, 1, 1});
  EXPECT_THROW(conga.join(fabric, topology.find("leaf0")), std::invalid_argument);
}

}  // namespace
}  // namespace dcc::path_choice_test
