// Bandwidth shares follow the weights with ECN thresholds that operators use, and do not depend on
// a common factor of all weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "small_platform.h"

namespace dcc::vp::weights_in_force_test {
namespace {

struct Point {
  std::string rate;
  std::string ecn;
  std::vector<unsigned> weights;  // weights of the flows; each flow has its own host
  int settle_ms;
  int window_ms;
};

/// The greatest relative error of a flow's share of the goodput.
double share_error(const Point& point) {
  std::string text = "topology: {kind: star, hosts: " + std::to_string(point.weights.size() + 1) +
                     ", link: {rate: " + point.rate +
                     ", delay: 1us, overhead: 20B}}\nhost: {driver: none}\nswitch: {ecn: {" +
                     point.ecn +
                     "}}\nduration: " + std::to_string(point.settle_ms + point.window_ms) +
                     "ms\nmeasure: {from: " + std::to_string(point.settle_ms) +
                     "ms}\nnic: {recovery: {timeout: 100ms}, congestion_control: {algorithm: dcc, "
                     "policy: proportional}}\ndscp: {";
  std::string traffic;
  double weights = 0;
  for (std::size_t i = 0; i < point.weights.size(); ++i) {
    const std::string dscp = std::to_string(i + 1);
    text += (i == 0 ? "" : ", ") + dscp + ": {weight: " + std::to_string(point.weights[i]) + "}";
    traffic += "  - {kind: flow, from: " + dscp + ", to: 0, dscp: " + dscp + ", start: 200us}\n";
    weights += point.weights[i];
  }
  const std::string told = in_a_process([&] {
    const RunResults r = run(text + "}\ntraffic:\n" + traffic);
    double all = 0;
    for (const FlowResult& flow : r.flows) all += static_cast<double>(flow.delivered_measured);
    double worst = 0;
    for (std::size_t i = 0; i < r.flows.size(); ++i) {
      const double share = static_cast<double>(r.flows[i].delivered_measured) / all;
      worst = std::max(worst, std::abs(share / (point.weights[i] / weights) - 1));
    }
    return std::to_string(worst);
  });
  char* end = nullptr;
  const double error = std::strtod(told.c_str(), &end);
  return end == told.c_str() ? 1e9 : error;
}

// The share of the lightest flow has a standard deviation of 1/sqrt(N·J) = 3 to 4 % in these
// windows (models/core/controller/law/README.md, "Noise"). 15 % are four standard deviations. Flows
// that are never marked share equally, which gives the lightest flow an error of at least 150 %.
constexpr double kTolerance = 0.15;

TEST(WeightsInForce, UnderThresholdsAboveTheInitialWindows) {
  EXPECT_LE(share_error({"100Gbps", "kmin: 100KB, kmax: 400KB, pmax: 0.2", {1, 4}, 10, 10}),
            kTolerance);
  EXPECT_LE(
      share_error(
          {"100Gbps", "kmin: 400KB, kmax: 1600KB, pmax: 0.2, mark_at: dequeue", {1, 4}, 12, 10}),
      kTolerance);
  EXPECT_LE(
      share_error(
          {"25Gbps", "kmin: 500KB, kmax: 2MB, pmax: 0.05, mark_at: dequeue", {1, 2, 4, 8}, 30, 20}),
      kTolerance);
  EXPECT_LE(share_error({"10Gbps",
                         "kmin: 165KB, kmax: 708KB, pmax: 0.03, mark_at: dequeue",
                         {1, 2, 4, 8},
                         30,
                         40}),
            kTolerance);
}

// Sixteen flows with a sum of weights of 900 would need more than one CE mark per packet.
TEST(WeightsInForce, WhateverTheirScale) {
  const std::vector<unsigned> weights{15, 30, 60, 120, 15, 30, 60, 120,
                                      15, 30, 60, 120, 15, 30, 60, 120};
  EXPECT_LE(share_error(
                {"100Gbps", "kmin: 55KB, kmax: 440KB, pmax: 1, mark_at: dequeue", weights, 10, 20}),
            kTolerance);
}

/// The share of goodput of the flows with weight 3, of which there are as many (`flows`) as flows
/// with weight 1. Each flow has its own host.
double heavy_share(const std::string& algorithm, int flows, int settle_ms, int window_ms) {
  std::string text = "topology: {kind: star, hosts: " + std::to_string(2 * flows + 1) +
                     ", link: {rate: 10Gbps, delay: 1us}}\nhost: {driver: none}\nduration: " +
                     std::to_string(settle_ms + window_ms) +
                     "ms\nmeasure: {from: " + std::to_string(settle_ms) +
                     "ms}\nnic: {congestion_control: {algorithm: " + algorithm +
                     "}}\ndscp: {10: {weight: 1}, 46: {weight: 3}}\ntraffic:\n";
  for (int i = 1; i <= 2 * flows; ++i) {
    text += "  - {kind: flow, from: " + std::to_string(i) +
            ", to: 0, dscp: " + (i <= flows ? "10" : "46") + "}\n";
  }
  const std::string told = in_a_process([&] {
    const RunResults r = run(text);
    double all = 0;
    double heavy = 0;
    for (std::size_t i = 0; i < r.flows.size(); ++i) {
      const auto delivered = static_cast<double>(r.flows[i].delivered_measured);
      all += delivered;
      if (i >= static_cast<std::size_t>(flows)) heavy += delivered;
    }
    return std::to_string(heavy / all);
  });
  return std::strtod(told.c_str(), nullptr);
}

// With Seawall flows share by the configured weights from the first packet on. Without weights each
// class would get a half.
TEST(WeightsInForce, UnderSeawall) {
  EXPECT_NEAR(heavy_share("seawall", 1, 10, 20), 0.75, 0.75 * kTolerance);
}

// With AF-QCN the switches' feedback follows the weights. QCN's feedback ignores weights, so flows
// share at random, and the share of the heavy flows misses its target by more than the tolerance.
TEST(WeightsInForce, UnderAfQcnAndNotUnderQcn) {
  for (const int flows : {1, 4}) {
    EXPECT_NEAR(heavy_share("af_qcn", flows, 10, 30), 0.75, 0.75 * kTolerance) << flows;
    EXPECT_LT(heavy_share("qcn", flows, 10, 30), 0.75 * (1 - kTolerance)) << flows;
  }
}

}  // namespace
}  // namespace dcc::vp::weights_in_force_test
