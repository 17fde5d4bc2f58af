// Tests the buffer space and the PFC pauses of the inputs of a switch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "switch/switch_device.h"
#include "unit/switch/test_devices.h"

namespace dcc::ingress_control_test {
namespace {

using test::TestStar;

constexpr LinkParameters k100G{BitRate(100'000'000'000), kMicroSecond, 20};

SwitchParameters plain() {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  return parameters;
}

TEST(IngressControl, PausesByItsNewThresholdFromTheInstantItChanges) {
  SwitchParameters parameters = plain();
  parameters.buffer = 10'000'000;
  parameters.pfc.alpha = Ratio(64);
  TestStar star(3, parameters, k100G);
  star.host[1]->blast(0, 1000);
  star.host[2]->blast(0, 1000);
  star.scheduler.run_until(kMicroSecond * 20);
  EXPECT_EQ(star.device.pfc_totals().pauses_sent, 0u);
  parameters.pfc.alpha = Ratio(1, 1024);
  star.device.change(parameters);
  star.scheduler.run_until(kMicroSecond * 21);
  EXPECT_EQ(star.device.pfc_totals().pauses_sent, 2u);
  star.scheduler.run_until(kMicroSecond * 400);
  EXPECT_GT(star.device.pfc_totals().resumes_sent, 0u);
  // A paused class resumes as soon as it is empty, even with an XON threshold above its bytes.
  parameters.pfc.resume_below = Bytes{1} << 30;
  star.device.change(parameters);
  const std::uint64_t pauses = star.device.pfc_totals().pauses_sent;
  star.scheduler.run_until(kMicroSecond * 800);
  EXPECT_LT(star.device.pfc_totals().pauses_sent - pauses, pauses);
  EXPECT_GT(star.device.pfc_totals().pauses_sent, pauses);
}

TEST(IngressControl, PriorityFlowControlLosesNothingUnderIncast) {
  SwitchParameters parameters = plain();
  parameters.buffer = 1'000'000;
  TestStar star(17, parameters, k100G);
  for (HostId h = 1; h <= 16; ++h) star.host[h]->blast(0, 1080);
  star.scheduler.run_until(kMilliSecond * 2);
  EXPECT_EQ(star.device.totals().dropped, 0u);
  EXPECT_GT(star.device.pfc_totals().pauses_sent, 16u);
  EXPECT_GE(star.device.pfc_totals().pauses_sent, star.device.pfc_totals().resumes_sent);
  // The bottleneck link is never idle. A packet of 1100 bytes takes 88 ns with overhead.
  EXPECT_GE(star.host[0]->packets, 2'000'000u / 88 - 60);
  // After the senders have stopped, all queues drain.
  for (HostId h = 1; h <= 16; ++h) star.host[h]->stop();
  star.scheduler.run_until(kMilliSecond * 4);
  EXPECT_EQ(star.pool.in_use(), 0);
  EXPECT_EQ(star.device.pfc_totals().pauses_sent, star.device.pfc_totals().resumes_sent);
}

TEST(IngressControl, AutomaticHeadroomIsEnoughAndNotLavish) {
  // The buffer has only the headroom, so every byte is charged to the headroom.
  const Bytes automatic = headroom_for(k100G, 1080);
  const auto drops_with = [&](Bytes headroom) {
    SwitchParameters parameters = plain();
    parameters.largest_packet = 1080;
    parameters.buffer = 16 * automatic + 17'000;
    parameters.pfc.headroom = headroom;
    parameters.pfc.alpha = Ratio(1, 1000);
    TestStar star(17, parameters, k100G);
    for (HostId h = 1; h <= 16; ++h) star.host[h]->blast(0, 1080);
    star.scheduler.run_until(kMilliSecond);
    return star.device.totals().dropped;
  };
  EXPECT_EQ(drops_with(automatic), 0u);
  EXPECT_GT(drops_with(automatic * 8 / 10), 0u);
}

TEST(IngressControl, WithoutFlowControlAFullBufferDropsAndCounts) {
  SwitchParameters parameters = plain();
  parameters.buffer = 100'000;
  parameters.pfc.enabled = false;
  TestStar star(3, parameters, k100G);
  star.host[1]->blast(0, 1230);
  star.host[2]->blast(0, 1230);
  star.scheduler.run_until(kMilliSecond);
  star.host[1]->stop();
  star.host[2]->stop();
  star.scheduler.run_until(kMilliSecond * 2);
  const SwitchCounters totals = star.device.totals();
  EXPECT_EQ(star.device.pfc_totals().pauses_sent, 0u);
  EXPECT_EQ(star.host[1]->sent + star.host[2]->sent, star.host[0]->packets + totals.dropped);
  // Half of the packets of two senders are dropped after 81 packets have filled the buffer.
  EXPECT_NEAR(static_cast<double>(totals.dropped), 10'000.0 - 81, 30.0);
  EXPECT_EQ(totals.dropped_bytes, totals.dropped * 1230);
  EXPECT_EQ(star.pool.in_use(), 0);
}

}  // namespace
}  // namespace dcc::ingress_control_test
