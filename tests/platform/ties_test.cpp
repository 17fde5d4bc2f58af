// Senders at link rate start together and stay synchronous. With a random order of simultaneous
// events the senders lose equally without flow control, and are paused equally with it.
// jitter_test.cpp tests senders without random order.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "small_platform.h"

namespace dcc::vp::ties_test {
namespace {

std::string incast(unsigned senders, const std::string& rest) {
  return "topology: {kind: star, hosts: " + std::to_string(senders + 1) +
         ", link: {rate: 100Gbps, delay: 1us}}\n"
         "host: {driver: none}\nduration: 5ms\n"
         "traffic: [{kind: incast, senders: 1.." +
         std::to_string(senders) + ", receiver: 0}]\n" + rest;
}

const char* const kTailDrop =
    "switch: {ties: seeded, buffer: 200KB, ecn: {enabled: false}, pfc: {enabled: false}}\n"
    "nic: {congestion_control: {algorithm: none}, recovery: {kind: none}, ack: none}\n";

std::vector<double> shares(const RunResults& results) {
  std::vector<double> bytes;
  for (const FlowResult& flow : results.flows) {
    bytes.push_back(static_cast<double>(flow.delivered_total));
  }
  const double sum = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  for (double& one : bytes) one /= sum;
  return bytes;
}

// In 5 ms 57 000 packets of 87 ns arrive, each from a random sender. Four standard deviations of
// the binomial distribution are 4.4 % of a share of an eighth, and 2.9 % of a share of a quarter.
TEST(Ties, TailDropTakesFromEightAlike) {
  for (const double share : shares(run(incast(8, kTailDrop)))) EXPECT_NEAR(share * 8, 1.0, 0.044);
}

// The number of senders, five, is no power of two.
TEST(Ties, TailDropTakesFromFiveAlike) {
  for (const double share : shares(run(incast(5, kTailDrop)))) EXPECT_NEAR(share * 5, 1.0, 0.034);
}

TEST(Ties, PausesAreSpreadEvenlyAndNothingIsLost) {
  const RunResults r = run(incast(8,
                                  "switch: {ties: seeded, buffer: 2MB, ecn: {enabled: false}}\n"
                                  "nic: {congestion_control: {algorithm: none}}\n"));
  EXPECT_EQ(r.balance.packets_dropped, 0u);
  for (const double share : shares(r)) EXPECT_NEAR(share * 8, 1.0, 0.05);
  double mean = 0;
  std::vector<double> paused;
  for (const LinkResult& link : r.links) {
    if (link.name.find("->s0") == std::string::npos || link.name == "h0->s0") continue;
    paused.push_back(to_seconds(link.pause));
    mean += paused.back() / 8;
  }
  ASSERT_EQ(paused.size(), 8u);
  // the expected pause is seven eighths of 5 ms, minus the time to fill the buffer
  EXPECT_GT(mean, 4e-3);
  for (const double one : paused) EXPECT_NEAR(one / mean, 1.0, 0.05);
}

TEST(Ties, AreTheSeeds) {
  // A process can run only one platform; tie_order_test.cpp compares the random orders of different
  // seeds.
  const RunResults r = run(incast(4, kTailDrop));
  Bytes least = r.flows.front().delivered_total, most = least;
  for (const FlowResult& flow : r.flows) {
    least = std::min(least, flow.delivered_total);
    most = std::max(most, flow.delivered_total);
  }
  EXPECT_LT(least, most) << "drawn, not dealt";
}

}  // namespace
}  // namespace dcc::vp::ties_test
