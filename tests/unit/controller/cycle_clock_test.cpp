// Tests the controller's clock, which finds the tick of a cycle, also if the tick length changes at
// later cycles.
#include "controller/cycle_clock.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace dcc {
namespace {

constexpr PicoSeconds kPeriod = kNanoSecond * 4;

TEST(CycleClock, AnEdgeIsTheFirstOneNotBefore) {
  const CycleClock clock(kNanoSecond, kPeriod, 64);
  EXPECT_EQ(clock.edge_at(kNanoSecond), 0);
  EXPECT_EQ(clock.edge_at(kNanoSecond + PicoSeconds(1)), 1);
  EXPECT_EQ(clock.edge_at(kNanoSecond + kPeriod), 1);
  EXPECT_EQ(clock.time_of(3), kNanoSecond + kPeriod * 3);
}

// The requested cycle may lie after several pending changes of the tick length. The oracle counts
// every cycle.
TEST(CycleClock, CountsTicksThroughChangesAhead) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    CycleClock clock(PicoSeconds(0), kPeriod, 7);
    std::map<Cycle, std::uint32_t> changes;
    Cycle latest = 0;
    Tick tick = 0;
    std::uint32_t into = 0;
    std::uint32_t divider = 7;
    for (Cycle now = 0; now < 2'000; ++now, ++into) {
      if (const auto change = changes.find(now); change != changes.end()) {
        divider = change->second;
        into = 0;
      } else if (into == divider) {
        ++tick;
        into = 0;
      }
      ASSERT_EQ(clock.tick_of(now), tick) << "cycle " << now;
      for (; random() % 30 == 0; latest += 1 + random() % 12) {
        if (latest <= now) latest = now + 1 + random() % 5;
        changes[latest] = 4 + random() % (random() % 2 == 0 ? 9 : 70'000);
        clock.set_divider(changes[latest], latest, now);
      }
    }
  }
}

}  // namespace
}  // namespace dcc
