// Tests Vivace: the utility against values computed by hand, and flows in a closed loop with one
// link.
#include "schemes/vivace/vivace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <queue>
#include <vector>

#include "unit/schemes/algorithm_host.h"

namespace dcc::vivace_test {
namespace {

constexpr double kLinkMbps = 10'000;
constexpr std::uint32_t kPacket = 1000;
constexpr double kBaseUs = 20;  // base RTT in us; 25 packets fill the path

VivaceParameters parameters() {
  VivaceParameters p;
  p.unit = BitRate(100'000'000);  // a hundredth of the link rate, as in the paper
  p.r_min = BitRate(10'000'000);
  return p;
}

struct Result {
  std::vector<double> shares;  // rate of each flow relative to an equal share
  double use = 0;              // utilisation of the link
  double queue_us = 0;         // mean queueing delay in us
};

/// Simulates flows that always have data and share one link. Flow i starts at i times `apart_us`.
Result share(const VivaceParameters& p, std::size_t flows, double apart_us, std::uint64_t seed) {
  constexpr double kFromUs = 15'000;
  constexpr double kEndUs = 40'000;
  constexpr double kPacketUs = kPacket * 8 / kLinkMbps;
  struct Event {
    double at;
    bool ack;
    FlowNumber flow;
    Psn psn;
    double rtt;
    bool operator>(const Event& other) const { return at > other.at; }
  };
  test::FakeHost host(static_cast<std::uint32_t>(kLinkMbps));
  Vivace vivace(host, p, kPacket, seed);
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  FlowStart start;
  start.base_rtt = kMicroSecond * static_cast<std::int64_t>(kBaseUs);
  for (FlowNumber flow = 0; flow < flows; ++flow) {
    vivace.on_flow_start(flow, start);
    events.push({flow * apart_us + 0.1, false, flow, 0, 0});
  }
  Result result;
  std::vector<double> sent(flows);
  double free_at = 0;
  double all = 0;
  while (events.top().at < kEndUs) {
    const Event event = events.top();
    events.pop();
    host.advance(vivace, PicoSeconds(std::llround(event.at * 1e6)) - host.now());
    if (event.ack) {
      AckInfo info;
      info.psn = event.psn;
      info.rtt = PicoSeconds(std::llround(event.rtt * 1e6));
      info.newly_acked = kPacket;
      vivace.on_ack(event.flow, info);
      continue;
    }
    SentInfo info;
    info.psn = event.psn;
    info.payload_bytes = info.wire_bytes = kPacket;
    vivace.on_sent(event.flow, info);
    const double wait = std::max(0.0, free_at - event.at);
    free_at = event.at + wait + kPacketUs;
    if (event.at > kFromUs) {
      sent[event.flow] += 1;
      result.queue_us += wait;
      all += 1;
    }
    const double rtt = kBaseUs + wait;
    events.push({event.at + rtt, true, event.flow, event.psn, rtt});
    events.push(
        {event.at + kPacket * 8 / host.mbps(event.flow), false, event.flow, event.psn + 1, 0});
  }
  for (const double one : sent) result.shares.push_back(one / all * static_cast<double>(flows));
  result.use = all * kPacketUs / (kEndUs - kFromUs);
  result.queue_us /= all;
  return result;
}

TEST(Vivace, UtilityByHand) {
  test::FakeHost host(10'000);
  const Vivace vivace(host, parameters(), kPacket, 1);
  // A rate of 100 units has the utility 100^0.9 = 10^1.8.
  const double goodput = std::pow(10.0, 1.8);
  EXPECT_NEAR(vivace.utility(10'000, 0, 0), goodput, 1e-9);
  EXPECT_NEAR(vivace.utility(10'000, 0.1, 0), goodput - 900 * 100 * 0.1, 1e-9);
  EXPECT_NEAR(vivace.utility(10'000, -0.1, 0), goodput + 900 * 100 * 0.1, 1e-9);
  // A loss rate below the tolerance does not count.
  EXPECT_NEAR(vivace.utility(10'000, 0.009, 0), goodput, 1e-9);
  EXPECT_NEAR(vivace.utility(10'000, 0, 0.02), goodput - 11.35 * 100 * 0.02, 1e-9);
  EXPECT_NEAR(vivace.utility(1, 0, 0), std::pow(0.01, 0.9), 1e-12);
  EXPECT_EQ(vivace.utility(0, 0, 0), 0);
}

// A single flow reaches the line rate and stays there, except for probes of 1 − ε in one of three
// intervals.
TEST(Vivace, AFlowAloneFillsTheLink) {
  const Result r = share(parameters(), 1, 0, 1);
  EXPECT_GE(r.use, 1 - 0.05 / 2);
  EXPECT_LT(r.queue_us, 0.1);
}

// The link use is at least (1 − ε)(1 − ω0), which remains of a full link when every flow has just
// stepped down by ω0 and probes with 1 − ε. A probe of 1 + ε over an interval of 1.1 base RTTs adds
// 1.1 us to the queue, and a step of ω0 the same. The bound has room for four of them. The shares
// vary with steps of 5 %, of which up to four follow each other before the other flow reacts.
TEST(Vivace, FlowsComeToEqualShares) {
  for (const std::size_t flows : {2u, 4u}) {
    for (const double apart_us : {0.0, 1000.0}) {
      for (const std::uint64_t seed : {1, 2}) {
        const Result r = share(parameters(), flows, apart_us, seed);
        const auto [least, most] = std::minmax_element(r.shares.begin(), r.shares.end());
        EXPECT_GE(*least, 0.75) << flows << " flows, seed " << seed;
        EXPECT_LE(*most, 1.25) << flows << " flows, seed " << seed;
        EXPECT_GE(r.use, 0.95 * 0.95) << flows << " flows, seed " << seed;
        EXPECT_LE(r.queue_us, 4.4) << flows << " flows, seed " << seed;
      }
    }
  }
}

// Flows whose steps are nearly zero keep the rates with which their start phases ended. The first
// flow had the link to itself.
TEST(Vivace, WithoutStepsTheFirstFlowKeepsItsRate) {
  VivaceParameters p = parameters();
  p.first_bound = Ratio(1, 1000);
  p.bound_growth = Ratio(0);
  EXPECT_LE(share(p, 2, 1000, 1).shares[1], 0.6);
}

// Without a price of latency each of two flows grows to the line rate, and half of the traffic
// queues up.
TEST(Vivace, WithoutTheCostOfLatencyTheQueueGrows) {
  VivaceParameters p = parameters();
  p.latency_cost = Ratio(0);
  EXPECT_GE(share(p, 2, 0, 1).queue_us, 1000);
}

// Retransmitted packets count as lost. Losses above the line rate less ε lower the rate by ω0.
// Losses below that leave the rate at the line rate.
TEST(Vivace, LossDrivesTheRateAway) {
  for (const bool lose_above : {false, true}) {
    test::FakeHost host(10'000);
    VivaceParameters p = parameters();
    p.initial = BitRate(5'000'000'000);
    Vivace vivace(host, p, kPacket, 1);
    FlowStart start;
    start.base_rtt = kMicroSecond * 20;
    vivace.on_flow_start(0, start);
    Psn psn = 0;
    const auto interval = [&](bool lossy) {
      const Psn first = psn;
      SentInfo sent;
      for (int i = 0; i < 10; ++i) {
        sent.psn = psn++;
        vivace.on_sent(0, sent);
      }
      if (lossy) {
        for (sent.psn = first; sent.psn < first + 5; ++sent.psn) vivace.on_sent(0, sent);
      }
      host.advance(vivace, kMicroSecond * 30);
    };
    const auto acknowledge = [&](Psn from) {
      AckInfo ack;
      ack.rtt = kMicroSecond * 20;
      for (ack.psn = from; ack.psn < psn; ++ack.psn) vivace.on_ack(0, ack);
    };
    interval(false);  // the start phase: 5000, then 10000 Mb/s, the line rate, which ends it
    acknowledge(0);
    interval(false);
    acknowledge(10);
    ASSERT_DOUBLE_EQ(vivace.view(0).rate.raw / 256.0, 10'000);
    // At the line rate the flow cannot probe a higher rate, so it compares 10000 and 9500 Mb/s.
    const auto is_above = [&] { return host.mbps(0) > 9'900; };
    const Psn first = psn;
    const bool above_first = is_above();
    interval(above_first == lose_above);
    EXPECT_NE(is_above(), above_first);
    interval(above_first != lose_above);
    EXPECT_DOUBLE_EQ(host.mbps(0), 10'000);  // the flow keeps its rate until the ACKs arrive
    EXPECT_TRUE(vivace.is_quiescent(0));     // the flow has no running timer
    acknowledge(first);
    EXPECT_DOUBLE_EQ(vivace.view(0).rate.raw / 256.0, lose_above ? 9'500 : 10'000);
  }
}

TEST(Vivace, AFlowThatEndsStopsItsTimer) {
  test::FakeHost host(10'000);
  Vivace vivace(host, parameters(), kPacket, 1);
  vivace.on_flow_start(0, {});
  EXPECT_TRUE(vivace.is_quiescent(0));
  vivace.on_sent(0, {});
  EXPECT_TRUE(host.is_running(0, 0));
  EXPECT_FALSE(vivace.is_quiescent(0));
  vivace.on_flow_end(0);
  EXPECT_FALSE(host.is_running(0, 0));
  EXPECT_TRUE(vivace.is_quiescent(0));
}

}  // namespace
}  // namespace dcc::vivace_test
