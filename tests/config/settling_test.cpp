#include "measure/settling.h"

#include <gtest/gtest.h>

#include <functional>

namespace dcc::vp {
namespace {

/// Two classes share 10 Gb/s for 40 ms; `first(ms)` is the share of the first class at that time.
struct Course {
  explicit Course(const std::function<double(double)>& first) {
    config.output.series.interval = kMicroSecond * 100;
    results.measured_to = kMilliSecond * 40;
    for (int i = 1; i <= 400; ++i) {
      const PicoSeconds t = kMicroSecond * 100 * i;
      const double share = first(i / 10.0);
      for (const unsigned dscp : {10u, 46u}) {
        results.class_series.t.push_back(t);
        results.class_series.dscp.push_back(dscp);
        results.class_series.goodput_gbps.push_back(10 * (dscp == 10 ? share : 1 - share));
      }
    }
    add(kMilliSecond * 0);
  }
  void add(PicoSeconds start, std::optional<PicoSeconds> end = std::nullopt) {
    FlowResult flow;
    flow.start = start;
    flow.end_rx = end;
    results.flows.push_back(flow);
  }
  std::vector<std::optional<PicoSeconds>> times() const {
    return settling_times(config, results, {10, 46});
  }
  PlatformConfig config;
  RunResults results;
};

TEST(Settling, IsFromTheLastChangeToTheFirstWindowAfterWhichNoneIsOff) {
  // The share of the first class is wrong (0.8 instead of 0.5) until 13 ms. The mean over a window
  // of 1 ms is within a tenth of 0.5 if less than 1/6 of the window lies before 13 ms, so the share
  // settles at about 12.9 ms.
  Course run([](double ms) { return ms <= 13 ? 0.8 : 0.5; });
  run.add(kMilliSecond * 10);
  const auto times = run.times();
  ASSERT_TRUE(times[0] && times[1]);
  EXPECT_GE(*times[0], kMicroSecond * 2700);
  EXPECT_LE(*times[0], kMicroSecond * 3000);
  EXPECT_EQ(*times[0], *times[1]);
  // A longer averaging window settles earlier, because its mean deviates less.
  run.config.measure.window = kMilliSecond * 4;
  EXPECT_LT(*run.times()[0], *times[0]);
}

TEST(Settling, WhatNeverMovedSettledAtOnce) {
  Course run([](double) { return 0.25; });
  run.add(kMilliSecond * 5, kMilliSecond * 20);
  EXPECT_EQ(run.times()[0], PicoSeconds(0));
}

TEST(Settling, ALateSwingCounts) {
  Course run([](double ms) { return ms > 35 && ms <= 36 ? 0.9 : 0.5; });
  const auto times = run.times();
  ASSERT_TRUE(times[0]);
  EXPECT_GE(*times[0], kMicroSecond * 35'500);
}

TEST(Settling, WhatIsRestlessToTheEndIsNotSettled) {
  Course run([](double ms) { return ms > 39.5 ? 0.9 : 0.5; });
  EXPECT_FALSE(run.times()[0]);
}

TEST(Settling, NeedsQuietAndASeries) {
  Course busy([](double) { return 0.5; });
  busy.add(kMilliSecond * 37);
  EXPECT_FALSE(busy.times()[0]) << "three windows since the last start";
  Course blind([](double) { return 0.5; });
  blind.results.class_series = {};
  EXPECT_FALSE(blind.times()[0]);
  Course other([](double) { return 0.5; });
  EXPECT_FALSE(settling_times(other.config, other.results, {33})[0]) << "a class without packets";
}

}  // namespace
}  // namespace dcc::vp
