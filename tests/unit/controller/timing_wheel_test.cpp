// Tests the contract of the timing wheel, case by case. tests/fuzz/wheel_fuzz adds random cases.
#include "controller/timing_wheel.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <vector>

namespace dcc {
namespace {

/// Takes all expiries that are due up to `now`.
std::vector<std::pair<Tick, SlotIndex>> take_all(TimerEngine& wheel, Tick now) {
  std::vector<std::pair<Tick, SlotIndex>> taken;
  while (const auto expiry = wheel.take_expired(now)) taken.emplace_back(expiry->due, expiry->slot);
  return taken;
}
using Expiries = std::vector<std::pair<Tick, SlotIndex>>;

/// The contract is the same for every split of the wheel into levels.
class TimingWheelContract : public testing::TestWithParam<WheelSplit> {
 protected:
  TimingWheel wheel_{1024, GetParam()};
};

TEST_P(TimingWheelContract, ExpiresOnItsTickFromEveryDistance) {
  for (const Tick start :
       {Tick{0}, Tick{63}, Tick{2047}, Tick{65535}, Tick{131071}, Tick{131072}}) {
    for (const Ticks delay : {1u, 2u, 63u, 64u, 65u, 127u, 128u, 2047u, 2048u, 2049u, 4095u, 4096u,
                              32767u, 32768u, 65534u, 65535u}) {
      wheel_.reset(start);
      wheel_.start(5, delay, start);
      ASSERT_FALSE(wheel_.take_expired(start + delay - 1).has_value()) << delay;
      ASSERT_EQ(take_all(wheel_, start + delay), (Expiries{{start + delay, 5}})) << delay;
      ASSERT_FALSE(wheel_.is_started(5));
      ASSERT_FALSE(wheel_.next_due(start + delay).has_value());
    }
  }
}

TEST_P(TimingWheelContract, DelayZeroMeansOne) {
  wheel_.start(0, 0, 100);
  EXPECT_FALSE(wheel_.take_expired(100).has_value());
  EXPECT_EQ(take_all(wheel_, 101), (Expiries{{101, 0}}));
}

TEST_P(TimingWheelContract, ComesInOrderOfTickThenSlotHoweverItGotThere) {
  // All timers expire on tick 5000. They are started at distances of three levels, the highest slot
  // first.
  wheel_.start(9, 5000, 0);
  wheel_.start(3, 5000, 0);
  wheel_.start(7, 2000, 3000);
  wheel_.start(1, 40, 4960);
  wheel_.start(8, 39, 4960);
  wheel_.start(0, 1, 4999);
  wheel_.start(2, 2, 4999);
  EXPECT_EQ(
      take_all(wheel_, 6000),
      (Expiries{{4999, 8}, {5000, 0}, {5000, 1}, {5000, 3}, {5000, 7}, {5000, 9}, {5001, 2}}));
}

TEST_P(TimingWheelContract, RestartMovesTheEventEitherWay) {
  wheel_.start(1, 3000, 0);
  wheel_.start(2, 30, 0);
  wheel_.start(1, 30, 10);    // restarted with an earlier tick
  wheel_.start(2, 3000, 10);  // restarted with a later tick
  EXPECT_EQ(take_all(wheel_, 100), (Expiries{{40, 1}}));
  EXPECT_EQ(take_all(wheel_, 3009), Expiries{});
  EXPECT_EQ(take_all(wheel_, 3010), (Expiries{{3010, 2}}));
}

TEST_P(TimingWheelContract, RestartAndCancelWinOverAnExpiryNotTaken) {
  for (const SlotIndex slot : {1u, 2u, 3u}) wheel_.start(slot, 10, 0);
  EXPECT_EQ(wheel_.take_expired(10)->slot, 1u);  // the events of tick 10 are ready now
  EXPECT_TRUE(wheel_.cancel(2, 10));
  wheel_.start(3, 5, 12);
  EXPECT_EQ(take_all(wheel_, 12), Expiries{});
  EXPECT_EQ(take_all(wheel_, 17), (Expiries{{17, 3}}));
}

TEST_P(TimingWheelContract, CancelOfNothingIsNothing) {
  EXPECT_FALSE(wheel_.cancel(4, 0));
  wheel_.start(4, 10, 0);
  EXPECT_TRUE(wheel_.cancel(4, 5));
  EXPECT_FALSE(wheel_.cancel(4, 5));
  EXPECT_EQ(take_all(wheel_, 1000), Expiries{});
  EXPECT_EQ(wheel_.counters().cancelled, 1u);
}

TEST_P(TimingWheelContract, LagIsTheAgeOfTheOldestAndTheNextTickWaits) {
  wheel_.start(0, 10, 0);
  wheel_.start(1, 12, 0);
  EXPECT_EQ(wheel_.lag(9), 0u);
  EXPECT_EQ(wheel_.lag(10), 0u);
  EXPECT_EQ(wheel_.lag(50), 40u);
  EXPECT_EQ(wheel_.take_expired(50)->due, 10u);
  EXPECT_EQ(wheel_.lag(50), 38u);
  EXPECT_EQ(wheel_.take_expired(50)->due, 12u);
  EXPECT_EQ(wheel_.lag(50), 0u);
}

TEST_P(TimingWheelContract, OverrunIsSetAt32768TicksAndStays) {
  wheel_.start(0, 100, 0);
  wheel_.lag(100 + 32767);
  EXPECT_FALSE(wheel_.overrun());
  wheel_.lag(100 + 32768);
  EXPECT_TRUE(wheel_.overrun());
  take_all(wheel_, 100 + 32768);
  EXPECT_TRUE(wheel_.overrun());
  wheel_.reset(40'000);
  EXPECT_FALSE(wheel_.overrun());
}

TEST_P(TimingWheelContract, TheLongestDelayKeepsItsMeaningAtAnyLag) {
  for (const Tick lag : {Tick{1}, Tick{32768}, Tick{65535}}) {
    wheel_.reset(0);
    wheel_.start(0, 7, 0);  // the consumer takes this expiry later
    const Tick now = 7 + lag;
    wheel_.start(1, 65535, now);
    wheel_.start(2, 1, now);
    ASSERT_EQ(take_all(wheel_, now + 65534), (Expiries{{7, 0}, {now + 1, 2}})) << lag;
    ASSERT_EQ(take_all(wheel_, now + 65535), (Expiries{{now + 65535, 1}})) << lag;
  }
}

TEST_P(TimingWheelContract, RefusesToLoseTrackBeyond65535TicksOfLag) {
  wheel_.start(0, 7, 0);
  EXPECT_THROW(wheel_.start(1, 65535, 7 + 65536), std::logic_error);
  EXPECT_EQ(take_all(wheel_, 7 + 65536), (Expiries{{7, 0}}));
}

TEST_P(TimingWheelContract, WorksAcrossYearsOfSilence) {
  wheel_.start(0, 5, 0);
  take_all(wheel_, 5);
  const Tick later = Tick{1} << 40;
  wheel_.start(0, 65535, later + 3);
  EXPECT_EQ(wheel_.lag(later + 3), 0u);
  EXPECT_EQ(take_all(wheel_, later + 70'000), (Expiries{{later + 65538, 0}}));
}

TEST_P(TimingWheelContract, StoredDueHasSixteenBitsAndAnEpochBit) {
  wheel_.start(0, 65535, 3);
  EXPECT_EQ(wheel_.stored_due(0), 65538u);
  wheel_.start(1, 1, 131071);
  EXPECT_EQ(wheel_.stored_due(1), 0u);
  EXPECT_FALSE(wheel_.stored_due(2).has_value());
}

TEST_P(TimingWheelContract, ResetWithdrawsEverything) {
  for (SlotIndex slot = 0; slot < 1024; ++slot) wheel_.start(slot, slot * 64, 0);
  take_all(wheel_, 640);
  wheel_.lag(5000);
  wheel_.reset(5000);
  EXPECT_EQ(wheel_.counters().started, 0u);
  EXPECT_EQ(wheel_.counters().pending(), 0u);
  EXPECT_FALSE(wheel_.next_due(5000).has_value());
  for (SlotIndex slot = 0; slot < 1024; ++slot) wheel_.start(slot, 1 + slot * 64, 5000);
  const auto taken = take_all(wheel_, 200'000);
  ASSERT_EQ(taken.size(), 1024u);
  for (SlotIndex slot = 0; slot < 1024; ++slot) {
    ASSERT_EQ(taken[slot], (std::pair<Tick, SlotIndex>{5001 + slot * 64, slot}));
  }
}

TEST_P(TimingWheelContract, AThousandEventsOnOneTickComeInSlotOrder) {
  std::mt19937 random(1);
  constexpr Tick kDue = 50'000;
  Tick now = 0;
  for (std::uint32_t i = 0; i < 1024; ++i) {
    now += random() % 48;
    // Starts the timers of all slots in mixed order.
    wheel_.start(i * 389 % 1024, static_cast<Ticks>(kDue - now), now);
  }
  const auto taken = take_all(wheel_, kDue);
  ASSERT_EQ(taken.size(), 1024u);
  for (SlotIndex slot = 0; slot < 1024; ++slot) {
    ASSERT_EQ(taken[slot], (std::pair<Tick, SlotIndex>{kDue, slot}));
  }
}

// A user of next_due() sleeps until the returned tick, which must not miss any expiry.
TEST_P(TimingWheelContract, SleepingUntilNextDueMissesNothing) {
  std::mt19937 random(2);
  std::vector<Tick> due(1024);
  for (SlotIndex slot = 0; slot < 1024; ++slot) {
    due[slot] = 1 + random() % 65535;
    wheel_.start(slot, static_cast<Ticks>(due[slot]), 0);
  }
  Tick now = 0;
  std::size_t expired = 0;
  std::uint64_t sleeps = 0;
  for (auto next = wheel_.next_due(now); next.has_value(); next = wheel_.next_due(now)) {
    ASSERT_GE(*next, now);
    now = *next;
    ++sleeps;
    while (const auto expiry = wheel_.take_expired(now)) {
      ASSERT_EQ(due[expiry->slot], now);
      ++expired;
    }
  }
  EXPECT_EQ(expired, 1024u);
  EXPECT_LE(sleeps, 1024u);  // without restarts the bound of next_due() is exact
}

INSTANTIATE_TEST_SUITE_P(Splits, TimingWheelContract,
                         testing::Values(WheelSplit{5, 5, 6}, WheelSplit{6, 5, 5},
                                         WheelSplit{4, 4, 8}, WheelSplit{1, 3, 12},
                                         WheelSplit{12, 3, 1}),
                         [](const auto& p) {
                           return std::to_string(p.param.top) + "_" +
                                  std::to_string(p.param.middle) + "_" +
                                  std::to_string(p.param.last);
                         });

TEST(TimingWheel, MovesAnEventAtMostTwice) {
  TimingWheel wheel(1);
  for (int i = 0; i < 100; ++i) {
    const Tick now = static_cast<Tick>(i) * 70'000;
    const std::uint64_t before = wheel.moves();
    wheel.start(0, 65535 - static_cast<Ticks>(i), now);
    ASSERT_EQ(take_all(wheel, now + 65535).size(), 1u);
    ASSERT_LE(wheel.moves() - before, 2u);
  }
}

TEST(TimingWheel, ARestartToALaterTimeIsFollowedLazily) {
  TimingWheel wheel(1);
  for (Tick now = 0; now < 300; ++now) wheel.start(0, 300, now);
  EXPECT_LE(wheel.moves(), 2u);  // the only entry moved between levels on its way
  EXPECT_EQ(take_all(wheel, 599).size(), 1u);
  EXPECT_LE(wheel.moves(), 4u);
  EXPECT_EQ(wheel.counters().started, 300u);
  EXPECT_EQ(wheel.counters().cancelled, 299u);
}

TEST(TimingWheel, CountsItsWork) {
  TimingWheel wheel(1024);
  for (SlotIndex slot = 0; slot < 1024; ++slot) wheel.start(slot, 30'000, 0);
  EXPECT_EQ(take_all(wheel, 30'000).size(), 1024u);
  EXPECT_EQ(wheel.largest_snapshot(), 1024u);
  EXPECT_EQ(wheel.moves(), 2048u);
}

TEST(TimingWheel, KnowsNothingOfSlotsThatWereNeverStarted) {
  TimingWheel wheel(1024);
  EXPECT_FALSE(wheel.is_started(1023));
  EXPECT_FALSE(wheel.stored_due(1023).has_value());
  EXPECT_FALSE(wheel.cancel(1023, 0));
  wheel.start(3, 10, 0);
  EXPECT_TRUE(wheel.is_started(3));
  EXPECT_FALSE(wheel.is_started(1023));
}

TEST(TimingWheel, RefusesImpossibleShapes) {
  EXPECT_THROW(TimingWheel(0), std::invalid_argument);
  EXPECT_THROW(TimingWheel(16385), std::invalid_argument);
  EXPECT_THROW(TimingWheel(16, WheelSplit{5, 5, 5}), std::invalid_argument);
  EXPECT_THROW(TimingWheel(16, WheelSplit{0, 8, 8}), std::invalid_argument);
  EXPECT_THROW(TimingWheel(16, WheelSplit{1, 2, 13}), std::invalid_argument);
}

}  // namespace
}  // namespace dcc
