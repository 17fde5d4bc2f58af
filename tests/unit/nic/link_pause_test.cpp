// Tests which priorities a port may send, and for how long paused priorities stay paused.
#include "nic/link_pause.h"

#include <gtest/gtest.h>

namespace dcc::link_pause_test {
namespace {

constexpr PicoSeconds at(std::int64_t when) { return PicoSeconds(when); }

TEST(LinkPause, APauseStopsItsPrioritiesAndResumesTheOthers) {
  LinkPause pause;
  pause.pause_received(0b0110, at(0));
  EXPECT_EQ(pause.blocked(), 0b0110u);
  EXPECT_EQ(pause.allowed(), 0b11111001u);
  pause.pause_received(0b0100, at(10));
  EXPECT_EQ(pause.blocked(), 0b0100u);
}

TEST(LinkPause, PausesOfPrioritiesWithoutPfcAreIgnored) {
  LinkPause pause;
  EXPECT_FALSE(pause.set_pfc_mask(0b0010, at(0)));
  pause.pause_received(0b0110, at(0));
  EXPECT_EQ(pause.blocked(), 0b0010u);
  EXPECT_TRUE(pause.set_pfc_mask(0b0100, at(5))) << "priority 1 was resumed";
  EXPECT_EQ(pause.blocked(), 0u);
}

TEST(LinkPause, BlockingForCreditsDoesNotDependOnPfc) {
  LinkPause pause;
  pause.set_pfc_mask(0, at(0));
  pause.block(0b1000, at(0));
  EXPECT_EQ(pause.blocked(), 0b1000u);
}

TEST(LinkPause, WithoutACarrierNothingIsSentAndPausesEnd) {
  LinkPause pause;
  pause.pause_received(0b1, at(100));
  pause.set_carrier(false, at(150));
  EXPECT_EQ(pause.allowed(), 0u);
  EXPECT_EQ(pause.paused_time(at(900)), at(50)) << "a link without carrier is not paused";
  pause.set_carrier(true, at(1000));
  EXPECT_EQ(pause.allowed(), 0xFFu);
}

TEST(LinkPause, CountsTheTimeWithAnyPriorityStopped) {
  LinkPause pause;
  pause.pause_received(0b01, at(100));
  pause.pause_received(0b10, at(200));
  EXPECT_EQ(pause.paused_time(at(250)), at(150)) << "so far";
  pause.pause_received(0, at(300));
  pause.pause_received(0b01, at(1000));
  pause.pause_received(0, at(1010));
  EXPECT_EQ(pause.paused_time(at(5000)), at(210));
}

}  // namespace
}  // namespace dcc::link_pause_test
