// The verilated timing engine gives the model's answers, and lock-step detects differences.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "controller/timing_wheel.h"
#include "engine_driver.h"
#include "timer_engine_lockstep.h"

namespace dcc {
namespace {

TEST(WheelEngine, AnswersAsTheModel) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    TimingWheel model(kVerilatedTimers);
    const auto rtl = make_rtl_timer_engine();
    const EngineTrace of_model = drive_engine(model, seed, 4'000, kVerilatedTimers, false);
    const EngineTrace of_rtl = drive_engine(*rtl, seed, 4'000, kVerilatedTimers, false);
    EXPECT_EQ(of_model.expiries, of_rtl.expiries);
    EXPECT_EQ(of_model.hash, of_rtl.hash);
    EXPECT_GT(of_model.expiries, 2'000u);
  }
}

TEST(WheelEngine, LockstepFindsNoDifference) {
  for (const std::uint64_t seed : {11u, 12u}) {
    LockstepOptions options;
    options.seed = seed;
    const auto engine = make_lockstep_timer_engine(options);
    engine->finish(drive_engine(*engine, seed, 4'000, kVerilatedTimers).end);
    EXPECT_GT(engine->comparisons(), 12'000u);
  }
}

TEST(WheelEngine, FewerSlotsThanTheWheelHas) {
  LockstepOptions options;
  options.rtl.slots = 8;
  const auto engine = make_lockstep_timer_engine(options);
  drive_engine(*engine, 5, 5'000, 8);
}

TEST(WheelEngine, RefusesMoreSlotsThanItWasBuiltFor) {
  RtlWheelOptions options;
  options.slots = kVerilatedTimers + 1;
  EXPECT_THROW(make_rtl_timer_engine(options), std::invalid_argument);
}

TEST(WheelEngine, SkipsIdleTime) {
  const auto engine = make_rtl_timer_engine();
  engine->start(3, 60'000, 0);
  const std::uint64_t before = engine->figures().cycles;
  EXPECT_FALSE(engine->take_expired(59'999).has_value());
  const auto expiry = engine->take_expired(60'000);
  ASSERT_TRUE(expiry.has_value());
  EXPECT_EQ(expiry->slot, 3u);
  EXPECT_EQ(expiry->due, 60'000u);
  EXPECT_LT(engine->figures().cycles - before, 200u);
}

TEST(WheelEngine, TimeBeyondThirtyTwoBits) {
  LockstepOptions options;
  const auto engine = make_lockstep_timer_engine(options);
  const Tick base = (Tick{5} << 32) - 100;
  engine->start(1, 60'000, base);
  engine->start(2, 50, base);
  const auto first = engine->take_expired(base + 50);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->due, base + 50);
  const auto second = engine->take_expired(base + 70'000);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->due, base + 60'000);
}

TEST(WheelEngine, OverrunIsStickyUntilReset) {
  LockstepOptions options;
  const auto engine = make_lockstep_timer_engine(options);
  engine->start(1, 10, 0);
  EXPECT_EQ(engine->lag(10 + kOverrunLag - 1), kOverrunLag - 1);
  EXPECT_FALSE(engine->overrun());
  EXPECT_EQ(engine->lag(10 + kOverrunLag), kOverrunLag);
  EXPECT_TRUE(engine->take_expired(10 + kOverrunLag).has_value());
  EXPECT_TRUE(engine->overrun());
  engine->reset(100'000);
  EXPECT_FALSE(engine->overrun());
  EXPECT_FALSE(engine->is_started(1));
}

class WheelFaults : public testing::TestWithParam<WheelFault> {};

// Lock-step reports an injected fault with tick, seed, both states, the last transactions and the
// replay command. If the environment variable DCC_WHEEL_RECORDING is set, the test keeps the
// recording at this path (replay_test.sh).
TEST_P(WheelFaults, AreCaughtByLockstep) {
  LockstepOptions options;
  options.seed = 77;
  options.rtl.fault = GetParam();
  const char* keep = std::getenv("DCC_WHEEL_RECORDING");
  const std::string path =
      testing::TempDir() + "wheel_fault" + std::to_string(static_cast<int>(GetParam())) + ".log";
  options.log_path = keep != nullptr ? keep : path;
  const auto engine = make_lockstep_timer_engine(options);
  try {
    engine->finish(drive_engine(*engine, 77, 20'000, kVerilatedTimers).end);
    FAIL() << "no difference was seen";
  } catch (const LockstepMismatch& mismatch) {
    const std::string report = mismatch.what();
    for (const char* part :
         {"tick", "seed 77", "model: ", "RTL: ", "last transactions", "wheel_replay", "--fst"}) {
      EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, WheelFaults,
                         testing::Values(WheelFault::kDelayBit, WheelFault::kLostCancel,
                                         WheelFault::kLostExpiry));

}  // namespace
}  // namespace dcc
