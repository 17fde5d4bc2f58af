// Tests HULL against values calculated step by step: DCTCP's window, and the pacer's rate in each
// period.
#include "schemes/hull/hull.h"

#include <gtest/gtest.h>

#include <optional>

#include "switch/switch_device.h"
#include "unit/schemes/algorithm_host.h"

namespace dcc {
namespace {

using test::FakeHost;
using test::kRateStep;

class HullTest : public testing::Test {
 protected:
  Hull& begin(FlowNumber flows = 1) {
    hull_.emplace(host_, p_, 1000, kMicroSecond * 10, 1);
    for (FlowNumber flow = 0; flow < flows; ++flow) hull_->on_flow_start(flow, {});
    return *hull_;
  }
  void send(FlowNumber flow, std::uint32_t bytes, bool more = true) {
    SentInfo info;
    info.payload_bytes = info.wire_bytes = bytes;
    info.more_waiting = more;
    hull_->on_sent(flow, info);
  }
  void ack(FlowNumber flow, bool marked, Bytes bytes = 1000) {
    AckInfo info;
    info.newly_acked = bytes;
    info.psn = ++psn_;
    info.next_psn = psn_ + 10;
    info.ce = marked;
    hull_->on_ack(flow, info);
  }
  void always_pace() { p_.pace_chance = Ratio(1); }

  HullParameters p_;
  FakeHost host_{10'000};
  Psn psn_ = 0;
  std::optional<Hull> hull_;
};

TEST_F(HullTest, WindowsAreDctcps) {
  begin();
  EXPECT_EQ(host_.window(0), 12'500) << "10 Gb/s for 10 us";
  FakeHost other(10'000);
  Dctcp dctcp(other, DctcpParameters{}, 1000, kMicroSecond * 10);
  dctcp.on_flow_start(0, {});
  for (int i = 1; i <= 100; ++i) {
    AckInfo info;
    info.newly_acked = 1000;
    info.psn = static_cast<Psn>(i);
    info.next_psn = info.psn + 10;
    info.ce = i % 7 == 0;
    dctcp.on_ack(0, info);
    ack(0, i % 7 == 0);
    ASSERT_EQ(host_.window(0), other.window(0)) << i;
  }
  EXPECT_LT(host_.window(0), 12'500);
}

TEST_F(HullTest, AMarkPacesAFlowByChanceAndForAWhile) {
  begin(2);
  int marks = 0;
  while (!host_.is_running(0, 0) && ++marks < 1000) ack(0, true);
  EXPECT_LT(marks, 100) << "one in eight";
  EXPECT_FALSE(host_.is_running(1, 0));
  int paced = 0;
  for (int i = 0; i < 8000; ++i) {
    host_.stop_timer(1, 0);
    ack(1, true);
    paced += host_.is_running(1, 0) ? 1 : 0;
  }
  EXPECT_NEAR(paced, 1000, 120) << "three times the deviation";
  while (!host_.is_running(1, 0)) ack(1, true);  // sends marks until the flow becomes a paced flow
  host_.advance(*hull_, kMilliSecond * 9);
  EXPECT_LT(host_.mbps(0), 10'000);
  host_.advance(*hull_, kMilliSecond * 2);
  EXPECT_EQ(host_.mbps(0), 10'000) << "ten milliseconds without a mark";
  EXPECT_FALSE(host_.is_running(0, 1)) << "nobody is left to measure for";
  EXPECT_FALSE(host_.is_running(1, 1));
}

// The flows sent 40 000 bytes in 64 us, or 5000 Mb/s: R = 7/8 * 10 000 + 1/8 * 5000 = 9375. With
// 2500 bytes of the window not in flight R gains 40 Mb/s more.
TEST_F(HullTest, TheRateFollowsWhatIsSentAndWhatIsHeldBack) {
  always_pace();
  begin();
  ack(0, true, 0);
  const Bytes window = host_.window(0);
  send(0, 40'000);
  host_.advance(*hull_, kMicroSecond * 64);
  EXPECT_NEAR(host_.mbps(0), 9375, kRateStep) << "all of the window is in flight";
  ack(0, false, 40'000);
  send(0, static_cast<std::uint32_t>(window - 2500));
  host_.advance(*hull_, kMicroSecond * 64);
  const double sent = static_cast<double>(window - 2500) * 8 / 64;
  EXPECT_NEAR(host_.mbps(0), 9375 * 7 / 8.0 + sent / 8 + 40, 2 * kRateStep);
  send(0, 0, false);  // no packet waits for the window
  host_.advance(*hull_, kMicroSecond * 64);
  EXPECT_NEAR(host_.mbps(0), (9375 * 7 / 8.0 + sent / 8 + 40) * 7 / 8, 2 * kRateStep);
}

TEST_F(HullTest, PacedFlowsShareTheRateAndOneGoesOnWithoutTheOther) {
  always_pace();
  begin(3);
  ack(0, true, 0);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 10'000);
  ack(1, true, 0);
  EXPECT_DOUBLE_EQ(host_.mbps(0), 5000);
  EXPECT_DOUBLE_EQ(host_.mbps(1), 5000);
  hull_->on_flow_end(0);
  EXPECT_DOUBLE_EQ(host_.mbps(1), 10'000);
  EXPECT_FALSE(host_.is_running(0, 1));
  EXPECT_TRUE(host_.is_running(1, 1)) << "periods go on";
  hull_->on_flow_start(1, {});
  EXPECT_FALSE(host_.is_running(1, 1));
  EXPECT_DOUBLE_EQ(host_.mbps(1), 10'000);
}

TEST(HullSwitch, MarksByThePhantomQueueAlone) {
  SwitchParameters switches;
  HullParameters().ask_switch(switches);
  EXPECT_EQ(switches.ecn.kmin, kMaxThreshold);
  EXPECT_EQ(switches.ecn.phantom_threshold, 15'000);
  EcnMarker marker(switches.ecn, BitRate(10'000'000'000));
  EXPECT_TRUE(marker.has_phantom_queue());
  // Packets without gaps: 1 byte of 20 stays in the phantom queue, so packet 201 of 1500 bytes is
  // marked.
  int first = 0;
  for (int i = 1; i <= 400 && first == 0; ++i) {
    if (marker.phantom_congested(1500, PicoSeconds(1'200'000) * i)) first = i;
  }
  EXPECT_NEAR(first, 181, 2) << "the one that is sent counts: 15 000 = 1500 + 180 * 75";
}

}  // namespace
}  // namespace dcc
