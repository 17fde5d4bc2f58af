// Tests the choice of the controller's engine: model, RTL or lock-step.
#include "build/engines.h"

#include <gtest/gtest.h>

#include <algorithm>

#ifdef DCC_HAVE_CONTROLLER_RTL
#include "controller_engine_rtl.h"
#endif
#include "small_platform.h"

namespace dcc::vp {
namespace {

TEST(Engines, TheModelSplitAsConfigured) {
  const PlatformConfig config =
      config_of("nic: {controller: {split: [6, 5, 5]}, congestion_control: {algorithm: dcc}}\n");
  const WheelSplit split = wheel_split(config.nic.controller);
  EXPECT_EQ(split.top, 6);
  EXPECT_EQ(split.middle, 5);
  EXPECT_EQ(split.last, 5);
}

TEST(Engines, AModelledControllerKeepsItsOwnRateUnit) {
  const PlatformConfig config;
  EXPECT_EQ(make_rate_engine(config, 0), nullptr);
  const auto timers = make_timer_engine(config, 0);
  ASSERT_NE(timers, nullptr);
  EXPECT_EQ(timers->counters().started, 0u);
  EXPECT_NO_THROW(finish_timer_engine(*timers, 5)) << "nothing is compared, nothing can be left";
}

#ifdef DCC_HAVE_CONTROLLER_RTL
/// The error message for RTL of the whole controller with this number of slots; empty if there is
/// no error.
std::string refusal_of(std::uint32_t slots) {
  try {
    (void)config_of("nic: {controller: {engine: rtl, slots: " + std::to_string(slots) +
                    "}, congestion_control: {algorithm: dcc}}\n");
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Engines, TheCheckTakesTheSizesThatWereVerilatedAndNamesThem) {
  std::string sizes;
  std::uint32_t most = 0;
  for (const std::uint32_t slots : verilated_controllers()) {
    EXPECT_EQ(refusal_of(slots), "");
    sizes += (sizes.empty() ? "" : " or ") + std::to_string(slots);
    most = std::max(most, slots);
  }
  EXPECT_NE(refusal_of(2 * most).find("was built for " + sizes + " slots"), std::string::npos)
      << refusal_of(2 * most);
}
#endif

#if !defined(DCC_HAVE_RTL) || !defined(DCC_HAVE_RATE_RTL)
TEST(Engines, ABuildWithoutRtlSaysSo) {
  PlatformConfig config;
  config.nic.controller.timer = Implementation::kRtl;
  config.nic.controller.rate_lut = Implementation::kLockstep;
  for (const auto make : {+[](const PlatformConfig& c) { (void)make_timer_engine(c, 0); },
                          +[](const PlatformConfig& c) { (void)make_rate_engine(c, 0); }}) {
    try {
      make(config);
      ADD_FAILURE() << "there is no RTL";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("this build has no RTL"), std::string::npos);
    }
  }
}
#endif

}  // namespace
}  // namespace dcc::vp
