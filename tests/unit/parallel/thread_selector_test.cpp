#include "parallel/thread_selector.h"

#include <gtest/gtest.h>

namespace dcc {
namespace {

/// Simulates a machine with given event rates of one thread and of all threads for `seconds`, in
/// stretches of a fixed number of events. Returns the share of the time in which all threads
/// worked.
double live(ThreadSelector& judge, double seconds, double alone, double together,
            std::uint64_t stretch = 3'000) {
  double shared = 0;
  double t = 0;
  while (t < seconds) {
    const bool all = judge.together();
    const double took = static_cast<double>(stretch) / (all ? together : alone);
    judge.ran(stretch, 1, took);
    t += took;
    if (all) shared += took;
  }
  return shared / t;
}

TEST(ThreadSelector, KeepsTheFasterWay) {
  ThreadSelector quiet;
  EXPECT_GT(live(quiet, 20, 1e7, 1.7e7), 0.98);
  // All threads together are slower than one thread by different factors, with different amounts of
  // work between two readings of the clock.
  for (const double together : {8e6, 1e6, 4e5, 1e5}) {
    for (const std::uint64_t stretch : {500u, 3'000u, 12'000u}) {
      ThreadSelector crowded;
      // duration of a trial of the slower mode
      const double twice = 2 * static_cast<double>(stretch) / together;
      EXPECT_LT(live(crowded, 40, 1e7, together, stretch), 0.02 + twice / 1.6)
          << together << " together, " << stretch;
    }
  }
}

TEST(ThreadSelector, FollowsAMachineThatChanges) {
  ThreadSelector judge;
  live(judge, 5, 1e7, 1.7e7);
  EXPECT_LT(live(judge, 5, 1e7, 4e5), 0.05);
  // The selector tries the slower mode again after 1.6 s at the latest.
  EXPECT_GT(live(judge, 20, 1e7, 1.7e7), 0.9);
}

TEST(ThreadSelector, ForgivesOneInterruption) {
  ThreadSelector judge;
  live(judge, 1, 1e7, 1.7e7);
  while (!judge.together()) live(judge, 0.001, 1e7, 1.7e7);
  judge.ran(100, 1, 0.004);
  EXPECT_TRUE(judge.together());
  live(judge, 0.003, 1e7, 1.7e7);
  judge.ran(100, 1, 0.004);
  judge.ran(100, 1, 0.004);  // two slow batches in a row count, unlike a single interruption
  EXPECT_FALSE(judge.together());
}

TEST(ThreadSelector, LongWindowsNeedNoTrial) {
  ThreadSelector judge;
  EXPECT_DOUBLE_EQ(live(judge, 20, 3e6, 4e6, 20'000), 1.0);
  // With little work per window the selector tries both modes.
  EXPECT_LT(live(judge, 20, 3e6, 1e6, 1'000), 0.1);
  EXPECT_GT(live(judge, 20, 3e6, 1e6, 20'000), 0.99);
}

TEST(ThreadSelector, ATrialIsShort) {
  // A window takes 2 ms, and a trial needs one window.
  ThreadSelector judge;
  const double alone = 0.3 * (1 - live(judge, 0.3, 3e6, 6e6, 6'000));
  EXPECT_LT(alone, 4 * 0.002 + 1e-9);
  // A stretch has as many windows as fit into the time of a batch, at least one.
  judge.ran(100, 10, 0.0001);
  EXPECT_EQ(judge.windows(), 200u);
  judge.ran(100, 1, 0.5);
  EXPECT_EQ(judge.windows(), 1u);
}

}  // namespace
}  // namespace dcc
