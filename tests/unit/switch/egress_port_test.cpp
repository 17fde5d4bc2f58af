// Tests the common part of all egress ports: pauses from the neighbour, and telemetry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "switch/switch_device.h"
#include "unit/switch/test_devices.h"

namespace dcc::egress_port_test {
namespace {

using test::TestStar;

constexpr LinkParameters k100G{BitRate(100'000'000'000), kMicroSecond, 20};

SwitchParameters plain() {
  SwitchParameters parameters;
  parameters.ecn.enabled = false;
  return parameters;
}

TEST(EgressPort, APausedPriorityStopsAloneAndItsTimeIsMeasured) {
  TestStar star(3, plain(), k100G);
  // Host 0 pauses priority 3 for 100 us.
  const auto pause = [&](std::uint16_t classes) {
    Packet* const frame = star.pool.allocate();
    frame->kind = PacketKind::kPause;
    frame->wire_bytes = kPauseFrameBytes;
    frame->pause_classes = classes;
    star.host[0]->send(frame);
  };
  star.host[1]->blast(0, 1230, 3);
  star.host[2]->blast(0, 1230, 5);
  star.scheduler.run_until(kMicroSecond * 20);
  pause(1u << 3);
  star.scheduler.run_until(kMicroSecond * 40);
  const Bytes before = star.host[0]->by_priority[3];
  const Bytes others = star.host[0]->by_priority[5];
  star.scheduler.run_until(kMicroSecond * 120);
  EXPECT_EQ(star.host[0]->by_priority[3], before);
  EXPECT_NEAR(static_cast<double>(star.host[0]->by_priority[5] - others), 800 * 1230, 3 * 1230);
  pause(0);
  star.scheduler.run_until(kMicroSecond * 200);
  EXPECT_GT(star.host[0]->by_priority[3], before);
  EXPECT_EQ(star.device.pause_time(0), kMicroSecond * 100);
  EXPECT_EQ(star.device.pause_time(0, 3), kMicroSecond * 100);
  EXPECT_EQ(star.device.pause_time(0, 5), PicoSeconds(0));
  EXPECT_EQ(star.device.pause_time(1), PicoSeconds(0));
  EXPECT_EQ(star.device.pfc_totals().pauses_received, 1u);
  EXPECT_EQ(star.device.pfc_totals().resumes_received, 1u);
}

TEST(EgressPort, AcknowledgementsBringTelemetryBackAsItWas) {
  TestStar star(3, plain(), k100G);
  Packet* const packet = star.host[1]->make(0, 64);
  packet->kind = PacketKind::kAck;
  star.pool.attach_telemetry(*packet);
  packet->telemetry_hops = 2;
  star.host[1]->send(packet);
  star.scheduler.run_until(kMilliSecond);
  ASSERT_EQ(star.host[0]->telemetry.size(), 1u);
  EXPECT_EQ(star.host[0]->telemetry[0].hops, 2);
}

TEST(EgressPort, TelemetryTellsTheQueueLeftBehindAndTheBytesSentBefore) {
  TestStar star(3, plain(), k100G);
  for (int i = 0; i < 3; ++i) {
    for (HostId h = 1; h <= 2; ++h) {
      Packet* const packet = star.host[h]->make(0, 1230);
      star.pool.attach_telemetry(*packet);
      star.host[h]->send(packet);
    }
  }
  star.scheduler.run_until(kMilliSecond);
  ASSERT_EQ(star.host[0]->telemetry.size(), 6u);
  Bytes longest = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const IntStack& stack = star.host[0]->telemetry[i].stack;
    ASSERT_EQ(star.host[0]->telemetry[i].hops, 1);
    EXPECT_EQ(stack.hop[0].tx_bytes, i * 1250);
    EXPECT_EQ(stack.hop[0].timestamp, PicoSeconds(1'100'000 + static_cast<int>(i) * 100'000));
    EXPECT_EQ(stack.hop[0].rate, k100G.rate);
    longest = std::max(longest, stack.hop[0].queue);
  }
  EXPECT_EQ(star.host[0]->telemetry[5].stack.hop[0].queue, 0);
  EXPECT_GE(longest, 2 * 1230);
}

}  // namespace
}  // namespace dcc::egress_port_test
