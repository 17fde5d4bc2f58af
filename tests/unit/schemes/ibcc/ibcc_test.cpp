// Tests InfiniBand's congestion control (CCT) against values calculated by hand: rising and falling
// index, limits, and the meaning of a delay.
#include "schemes/ibcc/ibcc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "switch/ecn_marker.h"
#include "switch/switch_device.h"
#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

using test::FakeHost;
using test::kRateStep;

class IbccTest : public testing::Test {
 protected:
  IbccTest() {
    table_ = {PicoSeconds(0), PicoSeconds(2'048'000), PicoSeconds(20'480'000),
              PicoSeconds(204'800'000)};
    p_.ccti_limit = 3;
    p_.ccti_timer = kMicroSecond * 150;
    p_.becn_every = 1;
  }
  /// Reports a sent packet of 1024 bytes to the algorithm, with the wire size `wire`.
  static void sent(Ibcc& ibcc, FlowNumber flow, std::uint32_t wire = 1024) {
    SentInfo info;
    info.payload_bytes = 1024;
    info.wire_bytes = wire;
    ibcc.on_sent(flow, info);
  }
  IbccParameters p_;
  std::vector<PicoSeconds> table_;
  FakeHost host_{10'000};
};

TEST_F(IbccTest, DelaysGiveThePartitionPapersRates) {
  Ibcc ibcc(host_, p_, 1024, table_);
  ibcc.on_flow_start(0, {});
  sent(ibcc, 0);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000) << "CCT[0] = 0: no limit";
  // the rate is 8192 bits per 4 times the delay IRD
  for (const double expected : {1000.0, 100.0, 10.0}) {
    ibcc.on_cnp(0, {});
    EXPECT_NEAR(host_.mbps(0), expected, kRateStep);
  }
  ibcc.on_cnp(0, {});
  EXPECT_EQ(ibcc.ccti(0), 3u) << "CCTI_Limit";
}

TEST_F(IbccTest, TheTableWithAScaleGrowsByTheSquareOfTheIndex) {
  p_.cct_scale = Ratio(14, 106 * 106);
  p_.ccti_limit = 127;
  const std::vector<PicoSeconds> table = p_.table();
  ASSERT_EQ(table.size(), 128u);
  EXPECT_EQ(table[0], PicoSeconds());
  EXPECT_EQ(table[53], PicoSeconds(3'500'000));    // a quarter of the delay of 14 us
  EXPECT_EQ(table[106], PicoSeconds(14'000'000));  // CCT(i) = 14 i^2 / 106^2 us
  EXPECT_EQ(table[127], PicoSeconds(20'096'653));
}

TEST_F(IbccTest, ACongestionManagerReadsAndSetsALevel) {
  Ibcc ibcc(host_, p_, 1024, table_);
  CongestionAgent& agent = ibcc;
  const CongestionAgent::Setting given{1, 0, kMicroSecond * 150};
  EXPECT_TRUE(agent.setting(46) == given);
  EXPECT_EQ(agent.limit(), 3u);
  EXPECT_EQ(agent.entry(2), PicoSeconds(20'480'000));
  EXPECT_TRUE(agent.controls_queue_pairs());

  const CongestionAgent::Setting set{2, 1, kMicroSecond * 50};
  EXPECT_TRUE(agent.set(46, set));
  EXPECT_TRUE(agent.setting(46) == set);
  EXPECT_TRUE(agent.setting(45) == given);
  FlowStart start;
  start.dscp = 46;
  ibcc.on_flow_start(0, start);
  EXPECT_EQ(ibcc.ccti(0), 1u) << "CCTI_Min";
  ibcc.on_cnp(0, {});
  EXPECT_EQ(ibcc.ccti(0), 3u) << "CCTI_Increase";
  EXPECT_EQ(host_.due(0, 0), kMicroSecond * 50) << "CCTI_Timer";

  EXPECT_FALSE(agent.set(46, {0, 1, kMicroSecond}));
  EXPECT_FALSE(agent.set(46, {1, 4, kMicroSecond})) << "a minimum above CCTI_Limit";
  EXPECT_FALSE(agent.set(46, {1, 1, PicoSeconds(0)}));
  EXPECT_TRUE(agent.setting(46) == set) << "what is refused changes nothing";
}

TEST_F(IbccTest, ByTheLetterItIsSixteenTimesAsFast) {
  p_.gate = IbccParameters::Gate::kLiteral;
  Ibcc ibcc(host_, p_, 1024, table_);
  ibcc.on_flow_start(0, {});
  sent(ibcc, 0);
  ibcc.on_cnp(0, {});
  ibcc.on_cnp(0, {});
  EXPECT_NEAR(host_.mbps(0), 1600, kRateStep);
}

TEST_F(IbccTest, AShortPacketSaysNothingOfAFullOnesHeaders) {
  Ibcc ibcc(host_, p_, 1024, table_);
  ibcc.on_flow_start(0, {});
  sent(ibcc, 0);
  ibcc.on_cnp(0, {});
  SentInfo tail;
  tail.payload_bytes = 64;
  tail.wire_bytes = 126;
  ibcc.on_sent(0, tail);
  EXPECT_NEAR(host_.mbps(0), 1000, kRateStep);
}

TEST_F(IbccTest, HeadersComeOnTopOfThePayloadRate) {
  Ibcc ibcc(host_, p_, 1024, table_);
  ibcc.on_flow_start(0, {});
  ibcc.on_cnp(0, {});
  sent(ibcc, 0, 1102);  // the first packet of a message has a RETH
  sent(ibcc, 0, 1086);
  EXPECT_NEAR(host_.mbps(0), 1000.0 * 1086 / 1024, kRateStep);
}

TEST_F(IbccTest, TheTimerStepsDownAndABecnStartsItAnew) {
  Ibcc ibcc(host_, p_, 1024, table_);
  ibcc.on_flow_start(0, {});
  ibcc.on_cnp(0, {});
  ibcc.on_cnp(0, {});
  host_.advance(ibcc, kMicroSecond * 149);
  EXPECT_EQ(ibcc.ccti(0), 2u);
  ibcc.on_cnp(0, {});
  host_.advance(ibcc, kMicroSecond * 149);
  EXPECT_EQ(ibcc.ccti(0), 3u);
  host_.advance(ibcc, kMicroSecond);
  EXPECT_EQ(ibcc.ccti(0), 2u);
  host_.advance(ibcc, kMicroSecond * 300);
  EXPECT_EQ(ibcc.ccti(0), 0u);
  EXPECT_FALSE(host_.is_running(0, 0)) << "nothing to time at CCTI_Min";
}

TEST_F(IbccTest, AFreeRunningTimerTakesNoNoticeOfBecns) {
  p_.ccti_timer_restart = false;
  Ibcc ibcc(host_, p_, 1024, table_);
  ibcc.on_flow_start(0, {});
  ibcc.on_cnp(0, {});
  host_.advance(ibcc, kMicroSecond * 149);
  ibcc.on_cnp(0, {});
  EXPECT_EQ(ibcc.ccti(0), 2u);
  host_.advance(ibcc, kMicroSecond);
  EXPECT_EQ(ibcc.ccti(0), 1u);
}

TEST_F(IbccTest, MinimumHoldsTheRateDown) {
  p_.ccti_min = 1;
  Ibcc ibcc(host_, p_, 1024, table_);
  ibcc.on_flow_start(0, {});
  sent(ibcc, 0);
  EXPECT_NEAR(host_.mbps(0), 1000, kRateStep);
  ibcc.on_cnp(0, {});
  host_.advance(ibcc, kMilliSecond);
  EXPECT_EQ(ibcc.ccti(0), 1u);
}

TEST_F(IbccTest, IncreaseByFlowClassAndTime) {
  table_.assign(128, PicoSeconds(1000));
  p_.ccti_limit = 127;
  p_.schedule = {{PicoSeconds(0), 11, 2}, {kMilliSecond, 11, 3}};
  Ibcc ibcc(host_, p_, 1024, table_);
  ibcc.on_flow_start(0, {10, 0, {}, {}});
  ibcc.on_flow_start(1, {11, 0, {}, {}});
  ibcc.on_cnp(0, {});
  ibcc.on_cnp(1, {});
  EXPECT_EQ(ibcc.ccti(0), 1u);
  EXPECT_EQ(ibcc.ccti(1), 2u);
  p_.ccti_timer = kSecond;
  host_.stop_timer(0, 0);
  host_.stop_timer(1, 0);
  host_.advance(ibcc, kMilliSecond);
  ibcc.on_cnp(1, {});
  EXPECT_EQ(ibcc.ccti(1), 5u);
}

TEST_F(IbccTest, MinimumAndLimitByFlowClass) {
  // Section 4.2 of the partition paper: the index that all flows reach, limited by CCTI_Min and
  // CCTI_Limit.
  table_.assign(128, PicoSeconds(1000));
  p_.ccti_limit = 127;
  p_.ccti_timer = kSecond;
  p_.schedule = {{PicoSeconds(0), 11, 1, 4, {}}, {PicoSeconds(0), 12, 1, {}, 2}};
  Ibcc ibcc(host_, p_, 1024, table_);
  for (FlowNumber flow = 0; flow < 3; ++flow) {
    ibcc.on_flow_start(flow, {static_cast<std::uint8_t>(10 + flow), 0, {}, {}});
  }
  EXPECT_EQ(ibcc.ccti(0), 0u);
  EXPECT_EQ(ibcc.ccti(1), 4u) << "starts at its CCTI_Min";
  for (int i = 0; i < 3; ++i) {
    for (FlowNumber flow = 0; flow < 3; ++flow) ibcc.on_cnp(flow, {});
  }
  EXPECT_EQ(ibcc.ccti(0), 3u);
  EXPECT_EQ(ibcc.ccti(1), 7u);
  EXPECT_EQ(ibcc.ccti(2), 2u) << "its CCTI_Limit";
  host_.advance(ibcc, kSecond * 10);
  EXPECT_EQ(ibcc.ccti(0), 0u);
  EXPECT_EQ(ibcc.ccti(1), 4u);
  p_.schedule = {{PicoSeconds(0), 11, 1, 4, 3}};
  EXPECT_THROW(Ibcc(host_, p_, 1024, table_), std::invalid_argument);
  p_.schedule = {{PicoSeconds(0), 11, 1, {}, 128}};
  EXPECT_THROW(Ibcc(host_, p_, 1024, table_), std::invalid_argument);
}

TEST_F(IbccTest, AServiceLevelsFlowsShareOneIndex) {
  p_.per_qp = false;
  Ibcc ibcc(host_, p_, 1024, table_);
  ibcc.on_flow_start(0, {10, 0, {}, {}});
  ibcc.on_flow_start(1, {10, 0, {}, {}});
  ibcc.on_flow_start(2, {11, 0, {}, {}});
  sent(ibcc, 0);
  ibcc.on_cnp(1, {});
  EXPECT_NEAR(host_.mbps(0), 1000, kRateStep);
  EXPECT_NEAR(host_.mbps(1), 1000, kRateStep);
  EXPECT_DOUBLE_EQ(host_.mbps(2), 10'000);
  ibcc.on_cnp(0, {});
  EXPECT_FALSE(host_.is_running(1, 0)) << "one timer a level";
  host_.advance(ibcc, kMicroSecond * 300);
  EXPECT_EQ(ibcc.ccti(1), 0u);
}

// The timer of a service level belongs to one of its flows. When that flow ends, another flow of
// the level, or the next new one, must take over the timer.
TEST_F(IbccTest, AServiceLevelOutlivesTheFlowThatHadItsTimer) {
  p_.per_qp = false;
  Ibcc ibcc(host_, p_, 1024, table_);
  for (const FlowNumber flow : {0u, 1u}) ibcc.on_flow_start(flow, {10, 0, {}, {}});
  sent(ibcc, 0);
  for (int i = 0; i < 2; ++i) ibcc.on_cnp(0, {});
  ASSERT_EQ(ibcc.ccti(1), 2u);
  ibcc.on_flow_end(0);
  EXPECT_FALSE(host_.is_running(0, 0));
  EXPECT_TRUE(host_.is_running(1, 0));
  host_.advance(ibcc, kMicroSecond * 150);
  EXPECT_EQ(ibcc.ccti(1), 1u);
  EXPECT_NEAR(host_.mbps(1), 1000, kRateStep);
  EXPECT_NEAR(host_.mbps(0), 100, kRateStep) << "it is gone: nobody sets its rate";
  ibcc.on_flow_end(1);
  EXPECT_FALSE(host_.is_running(1, 0));
  ibcc.on_flow_start(0, {10, 0, {}, {}});  // creates the queue pair again
  EXPECT_NEAR(host_.mbps(0), 1000, kRateStep) << "the port still knows the level's index";
  host_.advance(ibcc, kMicroSecond * 150);
  EXPECT_EQ(ibcc.ccti(0), 0u);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
  EXPECT_FALSE(host_.is_running(0, 0));
  ibcc.on_cnp(0, {});
  host_.stop_timer(0, 0);  // creating a flow again without destroy() starts new timers
  ibcc.on_flow_start(0, {10, 0, {}, {}});
  host_.advance(ibcc, kMicroSecond * 150);
  EXPECT_EQ(ibcc.ccti(0), 0u);
}

// Equation 2 of the paper: after congestion has raised CCTI to i, a flow has the full rate again
// after i timer periods. After a time t its index has fallen by t / timer.
TEST_F(IbccTest, RecoveryTakesATimerForEveryStepOfTheIndex) {
  p_.ccti_limit = 40;
  p_.ccti_increase = 20;
  p_.cct_scale = {1, 10};
  Ibcc ibcc(host_, p_, 1024, p_.table());
  ibcc.on_flow_start(0, {});
  sent(ibcc, 0);
  ibcc.on_cnp(0, {});
  host_.advance(ibcc, kMicroSecond * (150 * 7 + 149));
  EXPECT_EQ(ibcc.ccti(0), 13u);
  host_.advance(ibcc, kMicroSecond * (150 * 12));
  EXPECT_EQ(ibcc.ccti(0), 1u);
  EXPECT_LT(host_.mbps(0), 10'000 + 1);
  host_.advance(ibcc, kMicroSecond);
  EXPECT_EQ(ibcc.ccti(0), 0u);
  EXPECT_FALSE(host_.is_running(0, 0));
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
}

// Two flows have CCTI 20 and 40. With equal timers the indices are 10 and 30 after ten periods.
// With half the period for the larger index they are 10 and 20, in the same proportion as before,
// and both flows reach the full rate at the same time.
TEST_F(IbccTest, AShorterTimerForTheLargerIndexKeepsTheProportion) {
  p_.ccti_limit = 40;
  p_.ccti_increase = 20;
  p_.schedule = {{{}, 7, 40, {}, {}, kMicroSecond * 75}};
  Ibcc ibcc(host_, p_, 1024, p_.table());
  FlowStart other;
  other.dscp = 7;
  ibcc.on_flow_start(0, {});
  ibcc.on_flow_start(1, other);
  for (FlowNumber flow : {0u, 1u}) ibcc.on_cnp(flow, {});
  for (int i = 0; i <= 20; ++i) {
    EXPECT_EQ(ibcc.ccti(0), 20u - static_cast<unsigned>(i));
    EXPECT_EQ(ibcc.ccti(1), 2 * ibcc.ccti(0));
    host_.advance(ibcc, kMicroSecond * 150);
  }
}

// With CCTI_Increase 10 and a timer of 150 units of 1.024 us, weight 2.5 gives 4 and 150, weight 3
// gives 3 and 167 (500 divided by 3), and weight 20 gives 1 and 75.
TEST_F(IbccTest, AWeightDividesIncreaseTimesTimerOfItsClass) {
  p_.ccti_limit = 40;
  p_.ccti_increase = 10;
  p_.ccti_timer = kNanoSecond * 1024 * 150;
  const auto unit = [](int units) { return kNanoSecond * 1024 * units; };
  struct Case {
    Ratio weight;
    unsigned increase;
    int timer;
  };
  for (const Case& c : {Case{Ratio(1), 10, 150}, Case{Ratio(5, 2), 4, 150}, Case{Ratio(3), 3, 167},
                        Case{Ratio(20), 1, 75}, Case{Ratio(100'000), 1, 1}}) {
    Ibcc ibcc(host_, p_, 1024, p_.table());
    FlowStart weighted;
    weighted.dscp = 7;
    ibcc.on_flow_start(0, {});
    ibcc.on_flow_start(1, weighted);
    ibcc.on_weight(7, c.weight);
    for (FlowNumber flow : {0u, 1u}) ibcc.on_cnp(flow, {});
    EXPECT_EQ(ibcc.ccti(0), 10u) << "another class";
    ASSERT_EQ(ibcc.ccti(1), c.increase);
    host_.advance(ibcc, unit(c.timer) - kNanoSecond);
    EXPECT_EQ(ibcc.ccti(1), c.increase) << c.timer;
    host_.advance(ibcc, kNanoSecond);
    EXPECT_EQ(ibcc.ccti(1), c.increase - 1) << c.timer;
    ibcc.on_flow_end(0);
    ibcc.on_flow_end(1);
  }
}

TEST_F(IbccTest, BecnsMayComeInAcks) {
  p_.becn = IbccParameters::Becn::kAck;
  Ibcc ibcc(host_, p_, 1024, table_);
  EXPECT_FALSE(ibcc.needs().cnp);
  EXPECT_TRUE(ibcc.needs().acks && ibcc.needs().ack_each && ibcc.needs().marks);
  ibcc.on_flow_start(0, {});
  AckInfo info;
  ibcc.on_ack(0, info);
  EXPECT_EQ(ibcc.ccti(0), 0u);
  info.ce = true;
  ibcc.on_ack(0, info);
  EXPECT_EQ(ibcc.ccti(0), 1u);
}

TEST_F(IbccTest, OneBecnOfSoManyCounts) {
  p_.becn_every = 3;
  Ibcc ibcc(host_, p_, 1024, table_);
  ibcc.on_flow_start(0, {});
  for (unsigned becns = 1; becns <= 7; ++becns) {
    ibcc.on_cnp(0, {});
    EXPECT_EQ(ibcc.ccti(0), becns / 3) << becns;
  }
}

// A BECN that does not raise the index still restarts the timer, since the link is congested.
TEST_F(IbccTest, ABecnThatDoesNotCountStartsTheTimer) {
  p_.becn_every = 2;
  Ibcc ibcc(host_, p_, 1024, table_);
  ibcc.on_flow_start(0, {});
  for (int i = 0; i < 2; ++i) ibcc.on_cnp(0, {});
  ASSERT_EQ(ibcc.ccti(0), 1u);
  host_.advance(ibcc, kMicroSecond * 149);
  ibcc.on_cnp(0, {});
  host_.advance(ibcc, kMicroSecond * 149);
  EXPECT_EQ(ibcc.ccti(0), 1u);
  host_.advance(ibcc, kMicroSecond);
  EXPECT_EQ(ibcc.ccti(0), 0u);
}

// Without cct_scale entry i of the table leaves 1 - i/cct_steps of the full rate, down to 1/8 of
// it. From there on each entry's delay is 1 + 8/cct_steps times that of the entry before, rounded
// to 1 ps.
TEST_F(IbccTest, RatesOfATableWithoutScaleFallInEqualSteps) {
  p_.ccti_limit = 85;
  p_.cct_steps = 64;
  p_.cct_base = PicoSeconds(100'000);
  const std::vector<PicoSeconds> table = p_.table();
  ASSERT_EQ(table.size(), 86u);
  for (unsigned i = 0; i <= 56; ++i) {
    const double rate = 100'000 / static_cast<double>(table[i].count);
    // the delay is at least 100 000 ps and rounded to 1 ps
    EXPECT_NEAR(rate, 1 - i / 64.0, 1e-5) << i;
  }
  for (unsigned i = 57; i <= 85; ++i) {
    EXPECT_NEAR(static_cast<double>(table[i].count),
                static_cast<double>(table[i - 1].count) * 1.125, 1)
        << i;
  }
  EXPECT_NEAR(static_cast<double>(table[85].count), 100'000 * 8 * std::pow(1.125, 29), 1000);
  p_.ccti_limit = 65535;
  EXPECT_EQ(p_.table().back(), kSecond) << "no delay is longer";
  for (const unsigned steps : {8u, 1024u}) {
    p_.cct_steps = steps;
    const std::vector<PicoSeconds> rising = p_.table();
    EXPECT_TRUE(std::is_sorted(rising.begin(), rising.end())) << steps;
    EXPECT_EQ(rising[steps * 7 / 8].count, 800'000) << steps;
  }
}

// Threshold 15 marks from a load of 60 % on, that of packets of 256 bytes with gaps of 176 bytes.
// Each lower threshold needs a higher load, in equal steps, so that threshold 1 marks at the full
// link rate.
TEST(IbccThresholds, OfLoadRiseInAStraightLine) {
  EXPECT_NEAR(IbccParameters::load_of(15).value(), 256.0 / (256 + 176), 0.01);
  EXPECT_DOUBLE_EQ(IbccParameters::load_of(15).value(), 0.6);
  EXPECT_DOUBLE_EQ(IbccParameters::load_of(8).value(), 0.8);
  EXPECT_DOUBLE_EQ(IbccParameters::load_of(1).value(), 1);
}

/// Share of the packets that a port marks at this load of evenly spaced packets.
double marked_at(unsigned threshold, double load) {
  IbccParameters parameters;
  parameters.threshold = threshold;
  parameters.threshold_of = IbccParameters::ThresholdOf::kLoad;
  SwitchParameters asked;
  parameters.ask_switch(asked);
  const BitRate port = 10_Gbps;
  EcnMarker marker(asked.ecn, port);
  RandomStream random(1, "marks");
  EXPECT_FALSE(marker.congested(1'000'000, random)) << "the queue itself counts for nothing";
  const Bytes packet = 256;
  const PicoSeconds gap(static_cast<std::int64_t>(
      static_cast<double>(serialization_time(packet, port).count) / load));
  int marks = 0;
  constexpr int kPackets = 20'000;
  for (int i = 0; i < kPackets; ++i) marks += marker.phantom_congested(packet, gap * i) ? 1 : 0;
  return static_cast<double>(marks) / kPackets;
}

TEST(IbccThresholds, OfLoadMarkWhatIsAboveThemAndNothingBelow) {
  for (unsigned threshold = 2; threshold <= 15; ++threshold) {
    const double load = IbccParameters::load_of(threshold).value();
    EXPECT_EQ(marked_at(threshold, load - 0.01), 0) << threshold;
    EXPECT_GT(marked_at(threshold, load + 0.01), 0.9) << threshold;
  }
  EXPECT_EQ(marked_at(1, 1), 0) << "no load is above the whole link";
}

TEST_F(IbccTest, LimitsMustFitTheTable) {
  p_.ccti_limit = 4;
  EXPECT_THROW(Ibcc(host_, p_, 1024, table_), std::invalid_argument);
  p_.ccti_limit = 2;
  p_.ccti_min = 3;
  EXPECT_THROW(Ibcc(host_, p_, 1024, table_), std::invalid_argument);
}

}  // namespace
}  // namespace dcc
