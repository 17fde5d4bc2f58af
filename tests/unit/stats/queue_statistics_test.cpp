#include "stats/queue_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace dcc {
namespace {

TEST(QueueStatistics, WeighsLengthsWithTheirTime) {
  QueueStatistics statistics;
  statistics.restart(0, kMicroSecond * 10);
  statistics.changed(1000, kMicroSecond * 20);                  // 10 us of 0
  statistics.changed(5000, kMicroSecond * 20);                  // 0 us of 1000
  statistics.changed(40, kMicroSecond * 50);                    // 30 us of 5000
  const auto figures = statistics.figures(kMicroSecond * 110);  // 60 us of 40
  EXPECT_EQ(figures.mean, (30 * 5000 + 60 * 40) / 100);
  EXPECT_EQ(figures.p50, 40);
  EXPECT_EQ(figures.max, 5000);
  EXPECT_NEAR(static_cast<double>(figures.p99), 5000, 5000 * 0.032);
}

TEST(QueueStatistics, ARestartForgets) {
  QueueStatistics statistics;
  statistics.restart(0, PicoSeconds(0));
  statistics.changed(100'000, kMicroSecond);
  statistics.changed(10, kMicroSecond * 2);
  statistics.restart(10, kMicroSecond * 3);
  const auto figures = statistics.figures(kMicroSecond * 4);
  EXPECT_EQ(figures.mean, 10);
  EXPECT_EQ(figures.max, 10);
  EXPECT_EQ(statistics.figures(kMicroSecond * 3).mean, 10);  // an empty window: the length itself
}

TEST(QueueStatistics, AgreesWithSortingTheSamples) {
  std::mt19937 noise(1);
  QueueStatistics statistics;
  statistics.restart(0, PicoSeconds(0));
  std::vector<std::pair<Bytes, std::int64_t>> samples;
  PicoSeconds now{};
  Bytes length = 0;
  __extension__ using Wide = __int128;
  Wide area = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::int64_t lasted = noise() % 100'000;
    samples.emplace_back(length, lasted);
    area += static_cast<Wide>(length) * lasted;
    now += PicoSeconds(lasted);
    length = static_cast<Bytes>(noise() >> (noise() % 31));
    statistics.changed(length, now);
  }
  std::sort(samples.begin(), samples.end());
  const auto exact = [&](double share) {
    double left = share * static_cast<double>(now.count);
    for (const auto& sample : samples) {
      left -= static_cast<double>(sample.second);
      if (left <= 0) return static_cast<double>(sample.first);
    }
    return 0.0;
  };
  const auto figures = statistics.figures(now);
  EXPECT_EQ(figures.mean, static_cast<Bytes>((area + now.count / 2) / now.count));
  EXPECT_NEAR(static_cast<double>(figures.p50), exact(0.5), exact(0.5) * 0.033);
  EXPECT_NEAR(static_cast<double>(figures.p99), exact(0.99), exact(0.99) * 0.033);
}

TEST(QueueStatistics, AQueueThatIsNotUsedIsTwoCacheLines) {
  EXPECT_EQ(sizeof(QueueStatistics), 128u);
}

TEST(QueueStatistics, WhatWasSeenSinceIsRepeatedInTimeThatDoesNotPass) {
  QueueStatistics statistics;
  statistics.restart(0, PicoSeconds(0));
  statistics.changed(60, kMicroSecond * 10);  // 10 us of 0
  const QueueStatistics earlier = statistics.as_of(kMicroSecond * 10);
  statistics.changed(20, kMicroSecond * 11);  // 1 us of 60, then 3 us of 20
  statistics.repeat_since(earlier, kMicroSecond * 14, {kMicroSecond * 80, kMicroSecond * 4});
  const auto figures = statistics.figures(kMicroSecond * 14);
  EXPECT_EQ(figures.mean, (21 * 60 + 63 * 20 + 94 / 2) / 94);
  EXPECT_EQ(figures.p50, 20);
  EXPECT_EQ(figures.p99, 60);
  EXPECT_EQ(figures.max, 60);
  statistics.changed(0, kMicroSecond * 20);  // its own time goes on
  EXPECT_EQ(statistics.figures(kMicroSecond * 20).mean, (21 * 60 + 69 * 20 + 50) / 100);
}

}  // namespace
}  // namespace dcc
