// Tests the gaps between the packets of a paced flow.
#include "nic/flow_pacer.h"

#include <gtest/gtest.h>

namespace dcc::flow_pacer_test {
namespace {

constexpr std::uint32_t kWire = 1000;

class FlowPacerTest : public testing::Test {
 protected:
  FlowPacerTest() {
    pacer.set_mtu(1000);
    pacer.set_rate(pair.pacing, Rate::from(10_Gbps));
    gap = pacing_gap(kWire, pair.pacing.rate);
  }
  void send(PicoSeconds now, bool last = false) { pacer.sent(pair, kWire, 940, last, now); }

  FlowPacer pacer{100_Gbps, 20};
  SendQueuePair pair{1000};
  PicoSeconds gap;
};

TEST_F(FlowPacerTest, TheFirstPacketStartsAtOnceAndTheNextAfterItsGap) {
  EXPECT_EQ(pacer.next_start(pair, PicoSeconds(50)), PicoSeconds(50));
  send(PicoSeconds(50));
  EXPECT_EQ(pacer.next_start(pair, PicoSeconds(50)), PicoSeconds(50) + gap);
}

TEST_F(FlowPacerTest, AGapCountsFromWhenThePacketWasDue) {
  send(PicoSeconds(0));
  send(gap + PicoSeconds(300));  // a packet of another flow has delayed this packet
  EXPECT_EQ(pacer.next_start(pair, gap + PicoSeconds(300)), gap * 2);
}

TEST_F(FlowPacerTest, APacketLateByAWholeGapStartsANewCount) {
  send(PicoSeconds(0));
  send(gap * 2);
  EXPECT_EQ(pacer.next_start(pair, gap * 2), gap * 3);
}

TEST_F(FlowPacerTest, ARateOfZeroNeverSendsAgain) {
  send(PicoSeconds(0));
  pacer.set_rate(pair.pacing, Rate());
  EXPECT_EQ(pacer.next_start(pair, PicoSeconds(0)), PicoSeconds::max());
}

TEST_F(FlowPacerTest, PacketsOfABurstShareOneGap) {
  AlgorithmNeeds needs;
  needs.burst = 2 * 940;
  pacer.set_needs(needs);
  pair.config.governed = true;
  send(PicoSeconds(0));
  EXPECT_EQ(pacer.next_start(pair, PicoSeconds(0)), PicoSeconds(0)) << "still in the burst";
  send(PicoSeconds(0));
  EXPECT_EQ(pacer.next_start(pair, PicoSeconds(0)), pacing_gap(2 * kWire, pair.pacing.rate));
}

TEST_F(FlowPacerTest, TheEndOfAMessageEndsItsBurst) {
  AlgorithmNeeds needs;
  needs.burst = 10 * 940;
  pacer.set_needs(needs);
  pair.config.governed = true;
  send(PicoSeconds(0));
  send(PicoSeconds(0), true);
  EXPECT_EQ(pacer.next_start(pair, PicoSeconds(0)), pacing_gap(2 * kWire, pair.pacing.rate));
}

// At line rate the link itself paces the flow, even if the rate format rounds the rate down.
TEST(FlowPacer, AtLineRateAGapIsNeverLongerThanThePacketOnTheWire) {
  const BitRate line{25'781'250'000};
  FlowPacer pacer(line, 20);
  pacer.set_mtu(1000);
  SendQueuePair pair{1000};
  pacer.set_rate(pair.pacing, Rate::from(line));
  pacer.sent(pair, kWire, 940, false, PicoSeconds(0));
  EXPECT_LE(pacer.next_start(pair, PicoSeconds(0)), serialization_time(kWire, line));
}

}  // namespace
}  // namespace dcc::flow_pacer_test
