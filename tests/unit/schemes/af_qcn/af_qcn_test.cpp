// Tests AF-QCN in a closed loop: the congestion point of one link and the reaction points of its
// flows.
#include "schemes/af_qcn/af_qcn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "switch/switch_parameters.h"
#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

constexpr double kLink = 10e9;   // rate of the link in bits per second
constexpr double kBytes = 1000;  // bytes of a packet

struct Shared {
  std::vector<double> shares;  // share of each flow in the sent bytes
  double use = 0;              // utilisation of the link
};

/// Simulates flows that always have data and share one link. Feedback arrives without delay.
Shared share(const QcnParameters& parameters, const std::vector<double>& weights,
             std::uint64_t seed) {
  constexpr double kFrom = 50e-3;
  constexpr double kEnd = 150e-3;
  SwitchParameters network;
  parameters.ask_switch(network);
  network.qcn.weights.assign(64, 1);
  std::copy(weights.begin(), weights.end(), network.qcn.weights.begin());
  QcnPoint point(network.qcn);
  RandomStream random(seed, "af_qcn");
  test::FakeHost host(static_cast<std::uint32_t>(kLink / 1e6));
  Qcn qcn(host, parameters);
  std::vector<double> next(weights.size()), sent(weights.size());
  for (FlowNumber flow = 0; flow < weights.size(); ++flow) qcn.on_flow_start(flow, {});
  double now = 0;
  double queue = 0;
  double all = 0;
  for (;;) {
    const auto flow =
        static_cast<FlowNumber>(std::min_element(next.begin(), next.end()) - next.begin());
    const double step = next[flow] - now;
    now = next[flow];
    if (now > kEnd) break;
    queue = std::max(0.0, queue - step * kLink / 8) + kBytes;
    host.advance(qcn, PicoSeconds(std::llround(step * 1e12)));
    if (now > kFrom) {
      sent[flow] += kBytes;
      all += kBytes;
    }
    Packet packet;
    packet.flow = flow;
    packet.dscp = static_cast<std::uint8_t>(flow);
    packet.wire_bytes = static_cast<std::uint32_t>(kBytes);
    SentInfo info;
    info.wire_bytes = packet.wire_bytes;
    qcn.on_sent(flow, info);
    const std::uint32_t feedback = point.arrival(packet, std::llround(queue), random, host.now());
    if (feedback != 0) qcn.on_cnm(flow, feedback);
    next[flow] = now + kBytes * 8 / (host.mbps(flow) * 1e6);
  }
  Shared result;
  for (const double one : sent) result.shares.push_back(one / all);
  result.use = all * 8 / (kLink * (kEnd - kFrom));
  return result;
}

AfQcnParameters parameters() {
  AfQcnParameters p;
  p.timer = kMilliSecond;  // a slow flow recovers several times during the test
  return p;
}

/// Greatest relative error of a flow's share.
double worst_error(const Shared& shared, const std::vector<double>& weights) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double worst = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    worst = std::max(worst, std::abs(shared.shares[i] * all / weights[i] - 1));
  }
  return worst;
}

// The limit of 10 % is that of the studies in configs/differentiation. The resolution of the
// feedback hides an excess of 1 / (63 · 7/8) = 1.8 %, and a flow's rate varies between two cuts.
TEST(AfQcn, SharesFollowTheWeights) {
  const std::vector<std::vector<double>> cases{
      {1, 1}, {1, 4}, {1, 8}, {1, 2, 4, 8}, {1, 1, 1, 1, 4, 4, 4, 4}};
  for (const std::vector<double>& weights : cases) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Shared shared = share(parameters(), weights, seed);
      EXPECT_LE(worst_error(shared, weights), 0.1)
          << weights.size() << " flows, seed " << seed << ", last share " << shared.shares.back();
      EXPECT_GE(shared.use, 0.995);
    }
  }
}

// Without the fair part of the feedback both flows get about a half, so the heavy flow misses its
// share of 0.8 by at least 0.2.
TEST(AfQcn, PlainQcnKnowsNoWeights) {
  QcnParameters plain;
  plain.timer = kMilliSecond;
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_LE(share(plain, {1, 4}, seed).shares[1], 0.6);
  }
}

}  // namespace
}  // namespace dcc
