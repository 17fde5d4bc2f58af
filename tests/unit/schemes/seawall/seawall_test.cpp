// Tests the rates of Seawall's tunnels against their equation, and in a fluid model of a bottleneck
// of 10 Gb/s.
#include "schemes/seawall/seawall.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "unit/schemes/algorithm_host.h"

namespace dcc::seawall_test {
namespace {

constexpr PicoSeconds kPeriod = kMicroSecond * 50;
constexpr double kLine = 10'000;

SeawallParameters parameters() {
  SeawallParameters p;
  p.step = 50_Mbps;
  p.r_min = 10_Mbps;
  p.cut = Ratio(1, 2);
  p.gain = Ratio(1);
  return p;
}

/// A NIC with flows of several classes (DSCPs) to one host.
struct Nic {
  explicit Nic(const SeawallParameters& p = parameters()) : seawall(host, p) {}
  FlowNumber open(std::uint8_t dscp, HostId to = 7) {
    FlowStart start;
    start.dscp = dscp;
    start.destination = to;
    seawall.on_flow_start(flows, start);
    return flows++;
  }
  /// Simulates a period in which every flow sends and `marked` of 100 ACKs have a mark.
  void period(int marked) {
    for (FlowNumber flow = 0; flow < flows; ++flow) {
      seawall.on_sent(flow, {});
      AckInfo info;
      for (int ack = 0; ack < 100; ++ack) {
        info.ce = ack < marked;
        seawall.on_ack(flow, info);
      }
    }
    host.advance(seawall, kPeriod);
  }
  double rate() {
    double sum = 0;
    for (FlowNumber flow = 0; flow < flows; ++flow) sum += host.mbps(flow);
    return sum;
  }
  test::FakeHost host{10'000};
  Seawall seawall;
  FlowNumber flows = 0;
};

TEST(Seawall, CutsByTheShareOfMarksAndAddsByTheWeight) {
  Nic nic;
  nic.seawall.on_weight(3, Ratio(4));
  nic.open(3);
  EXPECT_NEAR(nic.rate(), kLine, 0.01);
  nic.period(40);
  EXPECT_NEAR(nic.rate(), kLine * 0.8, 0.01);
  nic.period(0);
  EXPECT_NEAR(nic.rate(), kLine * 0.8 + 4 * 50, 0.01);
}

TEST(Seawall, TheShareOfMarksIsAMovingAverageThatBeginsWithOne) {
  SeawallParameters p = parameters();
  p.gain = Ratio(1, 4);
  Nic nic(p);
  nic.open(3);
  nic.period(40);
  const double first = 1 - 0.6 / 4;
  EXPECT_NEAR(nic.rate(), kLine * (1 - first / 2), 0.01);
  nic.period(0);
  nic.period(40);
  const double third = first * 0.75 * 0.75 + 0.1;
  EXPECT_NEAR(nic.rate(), (kLine * (1 - first / 2) + 50) * (1 - third / 2), 0.01);
}

TEST(Seawall, FlowsOfATunnelShareItsRateAndOtherDestinationsHaveTheirOwn) {
  Nic nic;
  for (int i = 0; i < 4; ++i) nic.open(3);
  const FlowNumber other = nic.open(3, 8);
  EXPECT_NEAR(nic.host.mbps(0), kLine / 4, 0.01);
  EXPECT_NEAR(nic.host.mbps(other), kLine, 0.01);
}

TEST(Seawall, WhoSendsNothingLeavesItsShareToTheOthers) {
  Nic nic;
  for (int i = 0; i < 2; ++i) nic.open(3);
  nic.period(0);
  EXPECT_NEAR(nic.host.mbps(0), kLine / 2, 0.01);
  for (int i = 0; i < 2; ++i) {
    nic.seawall.on_sent(0, {});
    nic.host.advance(nic.seawall, kPeriod);
  }
  EXPECT_NEAR(nic.host.mbps(0), kLine, 0.01);
  nic.seawall.on_sent(1, {});
  EXPECT_NEAR(nic.host.mbps(0), kLine / 2, 0.01);
  EXPECT_NEAR(nic.host.mbps(1), kLine / 2, 0.01);
}

// Entities have weights 1, 2 and 4, and the lightest opens eight flows. With a rate per flow it
// would get 8 / 14 of the link, without weights each entity a third. A step is 3.5 % of the
// lightest entity's share of 10 000 / 7 Mb/s, and its rate has an error of at most a step and a
// half.
TEST(Seawall, EntitiesGetTheirWeightsWhateverTheyOpen) {
  const int flows[] = {8, 1, 2};
  std::vector<std::unique_ptr<Nic>> nics;
  for (std::uint8_t i = 0; i < 3; ++i) {
    nics.push_back(std::make_unique<Nic>());
    nics.back()->seawall.on_weight(i, Ratio(1u << i));
    for (int flow = 0; flow < flows[i]; ++flow) nics.back()->open(i);
  }
  const auto sum = [&] {
    double all = 0;
    for (const auto& nic : nics) all += nic->rate();
    return all;
  };
  double got[3] = {}, all = 0;
  for (int period = 0; period < 4000; ++period) {
    const double load = sum();
    // The link marks the part of the traffic that it cannot carry.
    const int marked = static_cast<int>(std::max(0.0, 100 * (load - kLine) / load) + 0.5);
    for (const auto& nic : nics) nic->period(marked);
    if (period < 2000) continue;
    for (int i = 0; i < 3; ++i) got[i] += nics[static_cast<std::size_t>(i)]->rate();
    all += load;
  }
  EXPECT_NEAR(all / 2000 / kLine, 1, 0.05);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(got[i] / all * 7 / (1 << i), 1, 0.05) << i;
}

}  // namespace
}  // namespace dcc::seawall_test
