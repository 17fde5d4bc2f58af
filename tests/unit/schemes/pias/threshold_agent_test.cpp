// Tests AuTO's agent for thresholds. It receives reports of completed messages and sets the
// thresholds of every host.
#include "schemes/pias/threshold_agent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "schemes/pias/feedback_thresholds.h"
#include "schemes/pias/pias.h"
#include "sim/state_digest.h"
#include "unit/schemes/transport_network.h"

namespace dcc::threshold_agent_test {
namespace {

using test::TransportStar;

TransportChoice pias() {
  TransportChoice choice;
  choice.choose("pias");
  choice.of<PiasParameters>("pias").thresholds = {50'000};
  return choice;
}

/// A star whose senders have 10 Gb/s and one threshold. The test sees the priorities of the data on
/// the links.
struct Star : TransportStar {
  explicit Star(PicoSeconds delay)
      : TransportStar(3, pias(), {}, {10_Gbps, kMicroSecond, 0}, 1000) {
    tuning.every = kMilliSecond;
    tuning.delay = delay;
    tuning.flows = 40;
    agent = std::make_unique<ThresholdAgent>(scheduler, 5000, tuning, 1);
    for (auto& nic : nics) agent->add_host(nic->transmitter(), 10_Gbps);
    agent->begin();
    lose([this](const Packet& packet) {
      if (packet.kind == PacketKind::kData && packet.flow == watched)
        seen.push_back(packet.priority);
      return false;
    });
  }
  void send_some(int count, Bytes bytes) {
    for (int i = 0; i < count; ++i) send(static_cast<HostId>(i % 2), 2, bytes);
  }
  ThresholdTuning tuning;
  std::unique_ptr<ThresholdAgent> agent;
  std::uint32_t watched = ~0u;
  std::vector<int> seen;
};

TEST(ThresholdAgent, SetsWhatTheModelSaysOfTheLastThatEnded) {
  Star star(kMicroSecond * 100);
  star.send_some(10, 100'000);  // too few messages for a decision; the next 2000 replace them
  star.scheduler.run_until(kMicroSecond * 1050);
  EXPECT_TRUE(star.agent->thresholds().empty());
  star.send_some(38, 2000);
  star.send_some(2, 300'000);
  star.scheduler.run_until(kMilliSecond * 3);
  std::vector<Bytes> sizes(38, 2000);
  sizes.insert(sizes.end(), 2, 300'000);
  ASSERT_EQ(star.agent->thresholds().size(), 1u);
  EXPECT_EQ(star.agent->thresholds(), FeedbackThresholds(sizes, 0.05).best(2));
  EXPECT_LT(star.agent->thresholds()[0], 4000);
}

TEST(ThresholdAgent, HostsGoByThemAfterTheDelay) {
  for (const bool early : {true, false}) {
    Star star(kMicroSecond * 500);
    star.send_some(30, 2000);
    star.send_some(2, 100'000);
    star.scheduler.run_until(kMilliSecond + kMicroSecond * (early ? 300 : 600));
    star.watched = 32;
    ASSERT_EQ(star.send(0, 1, 5000), star.watched);
    star.scheduler.run_until(kMilliSecond + kMicroSecond * (early ? 400 : 700));
    // Five packets cross two links each. The fourth packet begins beyond 2048 bytes.
    EXPECT_EQ(star.seen.size(), 10u);
    EXPECT_EQ(std::count(star.seen.begin(), star.seen.end(), 7), early ? 10 : 6);
    EXPECT_EQ(std::count(star.seen.begin(), star.seen.end(), 6), early ? 0 : 4);
  }
}

TEST(ThresholdAgent, SaysNothingOfTooFew) {
  Star star(kMicroSecond);
  star.send_some(static_cast<int>(ThresholdAgent::kMin) - 1, 2000);
  star.scheduler.run_until(kMilliSecond * 5);
  EXPECT_TRUE(star.agent->thresholds().empty());
  star.send(0, 1, 2000);
  star.scheduler.run_until(kMilliSecond * 7);
  EXPECT_FALSE(star.agent->thresholds().empty());
}

// The digest must differ for the same number of bytes in messages of other sizes.
TEST(ThresholdAgent, WhatItHasHeardIsInItsDigest) {
  const auto digest = [](Bytes small, Bytes large) {
    Star star(kMicroSecond);
    star.send_some(4, small);
    star.send_some(4, large);
    star.scheduler.run_until(kMilliSecond * 2);
    StateDigest d;
    d(*star.agent);
    return d.value();
  };
  EXPECT_EQ(digest(2000, 2000), digest(2000, 2000));
  EXPECT_NE(digest(2000, 2000), digest(1000, 3000));
}

}  // namespace
}  // namespace dcc::threshold_agent_test
