#include <gtest/gtest.h>

#include "sim/thread_judge.h"

namespace dcc {
namespace {

/// Stretches of so many seconds in all, on a machine that runs so many events a second either way.
/// Returns the share of the time in which all threads worked.
double live(ThreadJudge& judge, double seconds, double alone, double together) {
  constexpr double kStretch = 0.0005;
  double shared = 0;
  for (double t = 0; t < seconds; t += kStretch) {
    const double rate = judge.together() ? together : alone;
    if (judge.together()) shared += kStretch;
    judge.ran(static_cast<std::uint64_t>(rate * kStretch), kStretch);
  }
  return shared / seconds;
}

TEST(ThreadJudge, KeepsTheFasterWay) {
  ThreadJudge quiet;
  EXPECT_GT(live(quiet, 20, 1e7, 1.7e7), 0.98);
  ThreadJudge crowded;
  EXPECT_LT(live(crowded, 20, 1e7, 4e5), 0.02);
}

TEST(ThreadJudge, FollowsAMachineThatChanges) {
  ThreadJudge judge;
  live(judge, 5, 1e7, 1.7e7);
  EXPECT_LT(live(judge, 5, 1e7, 4e5), 0.05);
  EXPECT_GT(live(judge, 20, 1e7, 1.7e7), 0.9);  // tried again after 1.6 s at the latest
}

TEST(ThreadJudge, ForgivesOneInterruption) {
  ThreadJudge judge;
  live(judge, 1, 1e7, 1.7e7);
  while (!judge.together()) live(judge, 0.001, 1e7, 1.7e7);
  judge.ran(100, 0.004);
  EXPECT_TRUE(judge.together());
  live(judge, 0.003, 1e7, 1.7e7);
  judge.ran(100, 0.004);
  judge.ran(100, 0.004);  // two in a row are no interruption
  EXPECT_FALSE(judge.together());
}

}  // namespace
}  // namespace dcc
