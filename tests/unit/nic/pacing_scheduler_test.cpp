// Compares the pacing scheduler with a scan over all flows.
#include "nic/pacing_scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "sim/state_digest.h"

namespace dcc {
namespace {

constexpr unsigned kAll = 0xFF;

TEST(PacingScheduler, EligibleFlowsTakeTurns) {
  PacingScheduler scheduler;
  for (std::uint32_t flow = 0; flow < 3; ++flow) {
    scheduler.add_flow(flow, 0);
    scheduler.activate(flow, PicoSeconds(0));
  }
  std::map<std::uint32_t, int> turns;
  for (int i = 0; i < 30; ++i) {
    const auto flow = scheduler.pick(PicoSeconds(i), kAll);
    ASSERT_NE(flow, PacingScheduler::kNone);
    ++turns[flow];
    scheduler.activate(flow, PicoSeconds(i));
  }
  for (const auto& [flow, count] : turns) EXPECT_EQ(count, 10) << "flow " << flow;
}

TEST(PacingScheduler, NobodyBeforeTheirTimeAndNobodyIdleAfterIt) {
  PacingScheduler scheduler;
  scheduler.add_flow(0, 0);
  scheduler.activate(0, PicoSeconds(100));
  EXPECT_EQ(scheduler.pick(PicoSeconds(99), kAll), PacingScheduler::kNone);
  EXPECT_EQ(scheduler.next_ready(), PicoSeconds(100));
  EXPECT_EQ(scheduler.pick(PicoSeconds(100), kAll), 0u);
  EXPECT_EQ(scheduler.next_ready(), PicoSeconds::max());
}

TEST(PacingScheduler, IsIdleExactlyWhereNoFlowIsReadyWhateverIsAllowed) {
  PacingScheduler scheduler;
  EXPECT_TRUE(scheduler.is_idle(PicoSeconds(0)));
  scheduler.add_flow(0, 3);
  scheduler.add_flow(1, 5);
  scheduler.activate(0, PicoSeconds(100));
  EXPECT_TRUE(scheduler.is_idle(PicoSeconds(99)));
  EXPECT_FALSE(scheduler.is_idle(PicoSeconds(100)));
  // A ready flow that the scheduler did not choose stays ready.
  scheduler.activate(1, PicoSeconds(100));
  EXPECT_EQ(scheduler.pick(PicoSeconds(100), 1u << 5), 1u);
  EXPECT_EQ(scheduler.next_ready(), PicoSeconds::max());
  EXPECT_FALSE(scheduler.is_idle(PicoSeconds(100)));
  EXPECT_EQ(scheduler.pick(PicoSeconds(100), kAll), 0u);
  EXPECT_TRUE(scheduler.is_idle(PicoSeconds(100)));
}

TEST(PacingScheduler, APausedPriorityDoesNotHoldUpAnother) {
  PacingScheduler scheduler;
  scheduler.add_flow(0, 3);
  scheduler.add_flow(1, 5);
  scheduler.activate(0, PicoSeconds(0));
  scheduler.activate(1, PicoSeconds(1));
  EXPECT_EQ(scheduler.pick(PicoSeconds(5), kAll & ~(1u << 3)), 1u);
  EXPECT_FALSE(scheduler.has_ready(1u << 5));
  EXPECT_TRUE(scheduler.has_ready(1u << 3));
  EXPECT_EQ(scheduler.pick(PicoSeconds(5), kAll), 0u);
}

TEST(PacingScheduler, AnotherPriorityIsAnotherTurn) {
  PacingScheduler scheduler;
  for (std::uint32_t flow = 0; flow < 4; ++flow) {
    scheduler.add_flow(flow, 3);
    if (flow < 3) scheduler.activate(flow, PicoSeconds(flow));
  }
  scheduler.activate(3, PicoSeconds(50));
  EXPECT_EQ(scheduler.pick(PicoSeconds(10), 0), PacingScheduler::kNone) << "three are ready";
  scheduler.set_priority(0, 5);
  scheduler.set_priority(1, 3);
  scheduler.set_priority(3, 5);
  EXPECT_EQ(scheduler.pick(PicoSeconds(10), 1u << 3), 1u) << "it has kept its turn";
  EXPECT_EQ(scheduler.pick(PicoSeconds(10), kAll), 2u);
  EXPECT_EQ(scheduler.pick(PicoSeconds(10), 1u << 3), PacingScheduler::kNone);
  EXPECT_EQ(scheduler.pick(PicoSeconds(60), 1u << 5), 0u);
  EXPECT_EQ(scheduler.pick(PicoSeconds(60), 1u << 5), 3u) << "ready when it would have been";
}

TEST(PacingScheduler, PrioritiesAreInItsDigest) {
  const auto digest = [](int priority) {
    PacingScheduler scheduler;
    scheduler.add_flow(0, priority);
    StateDigest d;
    d(scheduler);
    return d.value();
  };
  EXPECT_EQ(digest(3), digest(3));
  EXPECT_NE(digest(3), digest(5));
}

// Activates, changes and deactivates random flows. The oracle scans all flows.
void match_a_scan(std::uint32_t flows, int steps, unsigned seed) {
  struct Oracle {
    bool active = false;
    bool ready = false;
    std::int64_t when = 0;
    std::uint64_t order = 0;
    int priority = 0;
  };
  std::mt19937 random(seed);
  PacingScheduler scheduler;
  std::vector<Oracle> oracle(flows);
  std::uint64_t order = 0;
  for (std::uint32_t flow = 0; flow < flows; ++flow) {
    oracle[flow].priority = static_cast<int>(random() % 8);
    scheduler.add_flow(flow, oracle[flow].priority);
  }
  std::int64_t now = 0;
  for (int step = 0; step < steps; ++step) {
    now += random() % 40;
    for (int change = 0; change < 4; ++change) {
      const std::uint32_t flow = random() % flows;
      Oracle& o = oracle[flow];
      if (random() % 4 == 0) {
        const int priority = static_cast<int>(random() % 8);
        scheduler.set_priority(flow, priority);
        if (o.ready && priority != o.priority) o.order = order++;
        o.priority = priority;
      } else if (random() % 5 == 0) {
        scheduler.deactivate(flow);
        o.active = o.ready = false;
      } else if (!o.ready) {
        o.active = true;
        o.when = now + random() % 500;
        scheduler.activate(flow, PicoSeconds(o.when));
      }
    }
    // Ready flows in the order (time, flow).
    std::map<std::pair<std::int64_t, std::uint32_t>, Oracle*> ripe;
    for (std::uint32_t flow = 0; flow < flows; ++flow) {
      Oracle& o = oracle[flow];
      if (o.active && !o.ready && o.when <= now) ripe[{o.when, flow}] = &o;
    }
    for (auto& [key, o] : ripe) {
      o->ready = true;
      o->order = order++;
    }
    const unsigned allowed = random() & kAll;
    std::uint32_t expected = PacingScheduler::kNone;
    for (std::uint32_t flow = 0; flow < flows; ++flow) {
      const Oracle& o = oracle[flow];
      if (!o.ready || (allowed >> o.priority & 1) == 0) continue;
      if (expected == PacingScheduler::kNone || o.order < oracle[expected].order) expected = flow;
    }
    ASSERT_EQ(scheduler.pick(PicoSeconds(now), allowed), expected) << "step " << step;
    if (expected != PacingScheduler::kNone)
      oracle[expected].active = oracle[expected].ready = false;
  }
}

TEST(PacingScheduler, MatchesAScanOverAllFlows) { match_a_scan(16'384, 3'000, 7); }

// With few flows often exactly one flow is due, or two flows are due at the same time.
TEST(PacingScheduler, MatchesAScanOverFewFlows) {
  for (std::uint32_t flows = 1; flows <= 6; ++flows) match_a_scan(flows, 20'000, flows);
}

}  // namespace
}  // namespace dcc
