// Senders at link rate start together. The test checks which senders lose packets or are paused at
// a full buffer, with devices whose delays are constant and with devices whose delays vary
// (jitter).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "small_platform.h"

namespace dcc::vp {
namespace {

constexpr unsigned kSenders = 8;

std::string incast(const std::string &rest) {
  return "topology: {kind: star, hosts: 9, link: {rate: 100Gbps, delay: 1us}}\n"
         "host: {driver: none}\nduration: 5ms\n"
         "traffic: [{kind: incast, senders: 1..8, receiver: 0}]\n" +
         rest;
}
const char *const kTailDrop =
    "switch: {buffer: 200KB, ecn: {enabled: false}, pfc: {enabled: false}}\n"
    "nic: {congestion_control: {algorithm: none}, recovery: {kind: none}, ack: "
    "none";
const char *const kPause =
    "switch: {buffer: 2MB, ecn: {enabled: false}}\n"
    "nic: {congestion_control: {algorithm: none}";

std::vector<double> shares(const RunResults &results) {
  std::vector<double> bytes;
  for (const FlowResult &flow : results.flows) {
    bytes.push_back(static_cast<double>(flow.delivered_total));
  }
  const double sum = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  for (double &one : bytes) one /= sum;
  return bytes;
}

TEST(Jitter, WithoutItTailDropFavoursWhoeverComesFirst) {
  const std::vector<double> share = shares(run(incast(std::string(kTailDrop) + "}\n")));
  EXPECT_GT(*std::max_element(share.begin(), share.end()), 0.9);
}

TEST(Jitter, WithItTailDropTakesFromAllAlike) {
  const RunResults r = run(incast(std::string(kTailDrop) + ", jitter: 20ns}\n"));
  // In 5 ms 57 000 packets of 87 ns arrive, each from a random sender. Four standard deviations of
  // the binomial distribution are 4.4 % of a share of an eighth.
  for (const double share : shares(r)) EXPECT_NEAR(share * kSenders, 1.0, 0.044);
}

TEST(Jitter, WithItPausesAreSpreadEvenlyAndNothingIsLost) {
  const RunResults r = run(incast(std::string(kPause) + ", jitter: 20ns}\n"));
  EXPECT_EQ(r.balance.packets_dropped, 0u);
  for (const double share : shares(r)) EXPECT_NEAR(share * kSenders, 1.0, 0.05);
  std::vector<double> paused;
  for (const LinkResult &link : r.links) {
    if (link.name.find("->s0") != std::string::npos && link.tx_bytes > 0 && link.name != "h0->s0") {
      paused.push_back(to_seconds(link.pause));
    }
  }
  ASSERT_EQ(paused.size(), kSenders);
  const double mean = std::accumulate(paused.begin(), paused.end(), 0.0) / kSenders;
  EXPECT_GT(mean,
            // the expected pause is seven eighths of 5 ms, minus the time to fill the buffer
            4e-3);
  for (const double one : paused) EXPECT_NEAR(one / mean, 1.0, 0.05);
}

}  // namespace
}  // namespace dcc::vp
