// Tests DX against its equation, on a link of 100 Gb/s and 10 us, which 125 packets of 1000 bytes
// fill.
#include "schemes/dx/dx.h"

#include <gtest/gtest.h>

#include <array>

#include "unit/schemes/delay_bottleneck.h"

namespace dcc::dx_test {
namespace {

class DxTest : public testing::Test {
 protected:
  void build(double noise_us) {
    p_.noise = PicoSeconds(static_cast<std::int64_t>(noise_us * 1e6));
    link_.algorithm = std::make_unique<Dx>(link_.host, p_, link_.kMtu);
  }
  DxParameters p_;
  test::DelayBottleneck link_;
};

TEST_F(DxTest, GrowsByAPacketUpToTheNoiseAndThenShrinksByTheDelay) {
  p_.initial_window = 50'000;
  build(1);
  link_.begin(1);
  link_.ack(10);
  EXPECT_NEAR(link_.window(), 51'000, 1e-6);
  link_.ack(11);
  EXPECT_NEAR(link_.window(), 52'000, 1e-6);
  link_.ack(12.5);  // of an RTT of 12.5 us 2.5 us are queueing delay
  EXPECT_NEAR(link_.window(), 52'000 * 0.8, 1e-6);
}

// The mean queueing delay decides: one late packet of ten hardly changes the window. With the
// greatest delay the window would lose half, with the least delay nothing.
TEST_F(DxTest, GoesByTheMeanOfTheRoundTrip) {
  p_.initial_window = 50'000;
  build(0);
  link_.begin(1);
  link_.ack(10);
  AckInfo info;
  info.next_psn = 100;
  info.psn = 2;
  info.rtt = kMicroSecond * 10;
  link_.algorithm->on_ack(0, info);
  const double before = link_.window();
  for (int i = 0; i < 10; ++i) {
    info.psn = i < 9 ? 3 : 100;
    info.rtt = kMicroSecond * (i == 4 ? 20 : 10);
    link_.algorithm->on_ack(0, info);
  }
  EXPECT_NEAR(link_.window(), before * (1 - 1.0 / 11), 1.0);
}

// All flows begin with windows of a whole bandwidth-delay product, so all products but one wait in
// the queue. When each flow has cut its window once, the queue is empty and the link is still full.
// A rule with a constant V in place of the RTT achieves this for a single queue length only.
TEST_F(DxTest, OneStepEmptiesTheQueueWhateverTheNumberOfFlows) {
  for (const FlowNumber flows : {2u, 8u, 50u}) {
    p_.initial_window = 125'000;
    build(0);
    link_.begin(flows);
    EXPECT_GT(link_.queue(), 0.9 * (flows - 1) * link_.kProduct);
    link_.round();
    EXPECT_NEAR(link_.queue(), 0, 1.0) << flows;
    double sum = 0;
    for (FlowNumber flow = 0; flow < flows; ++flow) sum += link_.window(flow);
    EXPECT_NEAR(sum, link_.kProduct, 1.0) << flows;
  }
}

// The ACKs of the round trip after a deep cut still report the queue before the cut.
TEST_F(DxTest, ADeepCutIsNotRepeatedForTheSameQueue) {
  p_.initial_window = 50'000;
  build(1);
  link_.begin(1);
  link_.ack(25);  // of an RTT of 25 us 15 us are queueing delay
  EXPECT_NEAR(link_.window(), 20'000, 1e-6);
  link_.ack(25);
  EXPECT_NEAR(link_.window(), 20'000, 1e-6);
  link_.ack(25);
  EXPECT_NEAR(link_.window(), 8'000, 1e-6) << "this queue is of packets sent since the cut";
  link_.ack(10);
  link_.ack(25);
  EXPECT_NEAR(link_.window(), 3'600, 1e-6) << "a round trip without a queue lies between";
}

TEST_F(DxTest, SmallCutsFollowEachOther) {
  p_.initial_window = 50'000;
  build(1);
  link_.begin(1);
  link_.ack(12.5);
  link_.ack(12.5);
  EXPECT_NEAR(link_.window(), 50'000 * 0.8 * 0.8, 1e-6);
}

// In equilibrium each flow adds a packet in one round trip and cuts its window in the next. At most
// one packet of each flow waits, and the windows always fill the link.
TEST_F(DxTest, AtRestTheQueueIsAPacketOfEachFlowAtMost) {
  constexpr FlowNumber kFlows = 8;
  build(0);
  link_.begin(kFlows);
  for (int i = 0; i < 50; ++i) {
    link_.round();
    EXPECT_LE(link_.queue(), kFlows * link_.kMtu + 1.0);
    double sum = 0;
    for (FlowNumber flow = 0; flow < kFlows; ++flow) sum += link_.window(flow);
    EXPECT_GE(sum, link_.kProduct - 1.0);
  }
}

// A NIC sends a packet while fewer bytes than its window are unacknowledged. With a window of w
// payload bytes floor((w - 1) / packet) + 1 packets are therefore in flight. Here eight flows have
// a window of 1.6 packets each. Each flow sends two packets in 60 % of its round trips and one
// packet in the others. In each round trip about 60 % of the flows send two packets, never all of
// them or none.
TEST_F(DxTest, PartsOfAPacketAreSentInPartOfTheRoundTrips) {
  constexpr FlowNumber kFlows = 8;
  constexpr int kRounds = 100;
  p_.initial_window = 1'600;
  p_.growth = 1;  // the window practically keeps its size
  p_.noise = kSecond;
  build(1e6);
  link_.begin(kFlows);
  std::array<int, kFlows> sent{};
  for (int i = 0; i < kRounds; ++i) {
    link_.round();
    int together = 0;
    for (FlowNumber flow = 0; flow < kFlows; ++flow) {
      const Bytes packets = (link_.host.window(flow) - 1) / link_.kMtu + 1;
      sent.at(flow) += static_cast<int>(packets);
      together += static_cast<int>(packets);
    }
    EXPECT_NEAR(together, 1.65 * kFlows, 2.01);
  }
  for (const int packets : sent) EXPECT_NEAR(packets, 1.65 * kRounds, 3);
}

}  // namespace
}  // namespace dcc::dx_test
