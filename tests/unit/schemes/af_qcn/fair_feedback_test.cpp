// Tests AF-QCN's congestion point: flows and their weighted shares.
#include "schemes/af_qcn/fair_feedback.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace dcc {
namespace {

constexpr PicoSeconds kInterval = kMicroSecond * 100;

TEST(FlowShares, ExcessByHand) {
  FlowShares shares(kInterval);
  shares.arrival(7, 1, 30'000, kMicroSecond);
  shares.arrival(3, 3, 10'000, kMicroSecond * 2);
  EXPECT_DOUBLE_EQ(shares.excess(7), 0);  // no interval has ended
  // The average arrivals are 15000 and 5000 bytes; the fair parts of 20000 are 5000 and 15000.
  shares.arrival(7, 1, 1'000, kInterval);
  EXPECT_DOUBLE_EQ(shares.excess(7), 1 - 5'000.0 / 15'000);
  EXPECT_DOUBLE_EQ(shares.excess(3), 0);
  EXPECT_DOUBLE_EQ(shares.excess(99), 0);
  // The average arrivals are (15000 + 1000)/2 = 8000 and 2500 bytes; the fair part of flow 7 is
  // 10500/4 = 2625.
  shares.arrival(3, 3, 1'000, kInterval * 2);
  EXPECT_DOUBLE_EQ(shares.excess(7), 1 - 2'625.0 / 8'000);
}

TEST(FlowShares, AFlowThatStopsIsForgotten) {
  FlowShares shares(kInterval);
  shares.arrival(1, 1, 64'000, {});
  shares.arrival(2, 1, 64'000, {});
  for (int i = 1; i <= 20; ++i) shares.arrival(2, 1, 64'000, kInterval * i);
  EXPECT_DOUBLE_EQ(shares.excess(1), 0);
  EXPECT_DOUBLE_EQ(shares.excess(2), 0);         // a single flow is entitled to the whole link
  shares.arrival(2, 1, 64'000, kSecond * 1000);  // this packet arrives after a long silence
  EXPECT_DOUBLE_EQ(shares.excess(2), 0);
}

// Both flows send the same number of bytes with weights 1 and 3. The light flow sends twice its
// share, so its excess is 1/2. The heavy flow has no excess.
TEST(FlowShares, FeedbackMixesQueueAndExcess) {
  std::vector<double> weights(64, 1);
  weights[46] = 3;
  FairFeedback rule(0.5, kInterval, weights);
  Packet light, heavy;
  light.flow = 1;
  heavy.flow = 2;
  heavy.dscp = 46;
  light.wire_bytes = heavy.wire_bytes = 1'000;
  EXPECT_EQ(rule.feedback(0, light, {}), 0u);
  EXPECT_EQ(rule.feedback(0, heavy, {}), 0u);
  EXPECT_EQ(rule.feedback(20, light, kInterval), 25u);  // feedback of 10 + 63/4 = 25.75
  EXPECT_EQ(rule.feedback(20, heavy, kInterval), 10u);
  EXPECT_EQ(rule.feedback(0, light, kInterval), 0u);  // without a sample there is no message
}

TEST(FlowShares, AnIntervalOfNoTimeIsRefused) {
  EXPECT_THROW(FairFeedback(0.5, {}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace dcc
