// Tests DCBX at the ports of a switch: PFC pauses begin and end when the neighbour agrees to other
// priorities.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "switch/switch_device.h"
#include "unit/switch/test_devices.h"
#include "wire/lldp_frame.h"

namespace dcc::dcbx_ports_test {
namespace {

constexpr LinkParameters k100G{BitRate(100'000'000'000), kMicroSecond, 20};
constexpr int kPriority = 3;
constexpr std::uint8_t kThree = 1u << kPriority;

/// Hosts 1 and 2 send to host 0 in priority 3. The switch sends host 1 pauses for the priorities
/// that host 1 agreed to.
class DcbxPorts : public ::testing::Test {
 protected:
  static SwitchParameters parameters() {
    SwitchParameters p;
    p.ecn.enabled = false;
    p.buffer = 400'000;
    p.pfc.priorities = kThree;
    return p;
  }
  DcbxPorts() : star(3, parameters(), k100G) {
    DcbxSettings willing;
    willing.willing = true;
    willing.pfc = kThree;
    const DcbxEnd::Identity identity{roce::mac_of(9), roce::mac_of(9), "port1"};
    star.device.enable_dcbx(1, identity, willing, kSecond, 77);
    star.device.set_carrier(1, true);
    for (HostId h = 1; h < 3; ++h) star.host[h]->blast(0, 1'000, kPriority);
  }
  void hear(std::uint8_t pfc) {
    LldpFrame frame;
    frame.source = frame.chassis = roce::mac_of(1);
    frame.port = "port0";
    frame.seconds_to_live = 121;
    frame.pfc = LldpFrame::Pfc{false, kPriorities, pfc};
    const std::vector<std::uint8_t> bytes = serialize(frame);
    Packet* const packet = star.pool.allocate();
    packet->kind = PacketKind::kLldp;
    star.pool.attach_payload(*packet, bytes.size());
    std::copy(bytes.begin(), bytes.end(), packet->payload->begin());
    star.device.receive(packet, 1);
  }
  void run_until(PicoSeconds when) { star.scheduler.run_until(when); }
  void run_until_stopped() {
    PicoSeconds until = star.scheduler.now();
    for (int i = 0; i < 10'000 && !star.device.has_stopped(1, kPriority); ++i) {
      run_until(until = until + kNanoSecond * 10);
    }
    ASSERT_TRUE(star.device.has_stopped(1, kPriority));
  }
  /// Checks that every arrived packet left again or was counted as dropped, and that no packet
  /// remains.
  void drain() {
    for (HostId h = 1; h < 3; ++h) star.host[h]->stop();
    run_until(star.scheduler.now() + kMilliSecond);
    const auto sent = star.host[1]->sent + star.host[2]->sent;
    EXPECT_EQ(star.host[0]->packets + star.device.totals().dropped, sent);
    EXPECT_EQ(star.device.buffer().used(), 0);
    EXPECT_EQ(star.device.pfc_totals().pauses_sent, star.device.pfc_totals().resumes_sent);
    EXPECT_EQ(star.pool.in_use(), 0);
  }
  test::TestStar star;
};

TEST_F(DcbxPorts, WhoWasStoppedIsLetGoWhenItsPriorityIsPausedNoMore) {
  run_until_stopped();
  const Bytes held = star.device.buffer().held(1, kPriority);
  EXPECT_GT(held, 10'000);
  hear(0);
  EXPECT_FALSE(star.device.has_stopped(1, kPriority));
  EXPECT_FALSE(star.device.buffer().is_lossless(1, kPriority));
  EXPECT_TRUE(star.device.buffer().is_lossless(2, kPriority));
  EXPECT_EQ(star.device.buffer().held(1, kPriority), held);
  run_until(kMilliSecond);
  // Host 1 alone now fills the buffer, and its packets without room are lost. Host 2 loses none.
  EXPECT_FALSE(star.device.has_stopped(1, kPriority));
  EXPECT_GT(star.device.buffer().held(1, kPriority), 300'000);
  EXPECT_GT(star.device.totals().dropped, 0u);
  drain();
  EXPECT_EQ(star.host[0]->by_source[2], static_cast<Bytes>(star.host[2]->sent) * 1'000);
}

TEST_F(DcbxPorts, AFullBufferIsPausedAtOnceAndDrainsWhenItsPriorityIsPausedAgain) {
  hear(0);
  run_until(kMilliSecond);
  ASSERT_GT(star.device.buffer().held(1, kPriority), 300'000);
  hear(kThree);
  run_until(kMilliSecond + kMicroSecond * 2);
  EXPECT_TRUE(star.device.has_stopped(1, kPriority));
  run_until(kMilliSecond * 2);
  EXPECT_LT(star.device.buffer().held(1, kPriority), 60'000);
  const std::uint64_t dropped = star.device.totals().dropped;
  run_until(kMilliSecond * 3);
  EXPECT_EQ(star.device.totals().dropped, dropped);
  drain();
}

TEST_F(DcbxPorts, BooksBalanceHoweverOftenItChanges) {
  for (int change = 0; change < 400; ++change) {
    run_until(star.scheduler.now() + kNanoSecond * (700 + change * 7));
    if (change % 50 == 49) {
      star.device.set_carrier(1, false);
      star.device.set_carrier(1, true);
    } else {
      hear(change % 2 == 0 ? 0 : kThree);
    }
  }
  EXPECT_GT(star.device.pfc_totals().pauses_sent, 10u);
  hear(kThree);
  drain();
}

}  // namespace
}  // namespace dcc::dcbx_ports_test
