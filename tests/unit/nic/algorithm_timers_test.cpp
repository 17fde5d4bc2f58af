// Tests the timers that an algorithm may set for one flow.
#include "nic/algorithm_timers.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace dcc::algorithm_timers_test {
namespace {

struct Recorder final : Algorithm {
  explicit Recorder(Scheduler& clock) : scheduler(clock) {}
  AlgorithmNeeds needs() const override { return {}; }
  void on_flow_start(FlowNumber, const FlowStart&) override {}
  void on_timer(FlowNumber flow, int id) override {
    EXPECT_EQ(flow, 6u);
    expired.emplace_back(id, scheduler.now().count);
  }
  View view(FlowNumber) const override { return {}; }
  AlgorithmCounters counters() const override { return {}; }

  Scheduler& scheduler;
  std::vector<std::pair<int, std::int64_t>> expired;
};
using Expired = std::vector<std::pair<int, std::int64_t>>;

TEST(AlgorithmTimers, EachExpiresOnceAfterItsDelay) {
  Scheduler scheduler;
  Recorder algorithm(scheduler);
  AlgorithmTimers timers(scheduler, algorithm, 6, 1);
  timers.start(0, PicoSeconds(300));
  timers.start(2, PicoSeconds(100));
  scheduler.run_until(PicoSeconds(1000));
  EXPECT_EQ(algorithm.expired, (Expired{{2, 100}, {0, 300}}));
}

TEST(AlgorithmTimers, StartingAgainMovesAndStoppingWithdraws) {
  Scheduler scheduler;
  Recorder algorithm(scheduler);
  AlgorithmTimers timers(scheduler, algorithm, 6, 1);
  timers.start(0, PicoSeconds(300));
  timers.start(0, PicoSeconds(500));
  timers.start(1, PicoSeconds(400));
  timers.stop(1);
  timers.stop(2);  // stopping timer 2, which was never started, does nothing
  scheduler.run_until(PicoSeconds(1000));
  EXPECT_EQ(algorithm.expired, (Expired{{0, 500}}));
}

}  // namespace
}  // namespace dcc::algorithm_timers_test
