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
  statistics.changed(1000, kMicroSecond * 20);                  // queue length 0 lasted 10 us
  statistics.changed(5000, kMicroSecond * 20);                  // queue length 1000 lasted 0 us
  statistics.changed(40, kMicroSecond * 50);                    // queue length 5000 lasted 30 us
  const auto figures = statistics.figures(kMicroSecond * 110);  // queue length 40 lasted 60 us
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
  // In an empty window every figure is the present queue length.
  EXPECT_EQ(statistics.figures(kMicroSecond * 3).mean, 10);
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

/// Compares the statistics with exact values. `lengths` are pairs (queue length, nanoseconds for
/// which it lasted).
void expect_queue_brackets(const char* name, std::vector<std::pair<Bytes, std::int64_t>> lengths) {
  QueueStatistics statistics;
  statistics.restart(lengths[0].first, PicoSeconds(0));
  PicoSeconds now{};
  std::int64_t span = 0;
  for (const auto& [length, lasted] : lengths) {
    statistics.changed(length, now);
    now += kNanoSecond * lasted;
    span += lasted;
  }
  const auto figures = statistics.figures(now);
  std::sort(lengths.begin(), lengths.end());
  const auto exact = [&](std::int64_t percent) {
    std::int64_t below = 0;
    for (const auto& [length, lasted] : lengths) {
      below += lasted;
      if (below * 100 >= span * percent) return length;
    }
    return lengths.back().first;
  };
  EXPECT_EQ(figures.max, lengths.back().first) << name;
  EXPECT_LE(figures.mean, figures.max) << name;
  for (const auto& [found, is] :
       {std::pair(figures.p50, exact(50)), std::pair(figures.p99, exact(99))}) {
    EXPECT_LE(found, is + is / 32) << name;  // the quantile is within one bucket of the exact value
    EXPECT_GE(found + is / 32, is) << name;
    EXPECT_LE(found, figures.max) << name;
    EXPECT_GE(found, lengths.front().first) << name;
  }
  EXPECT_LE(figures.p50, figures.p99) << name;
}

TEST(QueueStatistics, QuantilesBracketTheExactOnes) {
  expect_queue_brackets("constant", {{5'001, 100}});
  expect_queue_brackets("two points", {{5'001, 60}, {90'000, 40}});
  expect_queue_brackets("two points in a bucket", {{5'001, 60}, {5'100, 40}});
  std::vector<std::pair<Bytes, std::int64_t>> lengths;
  for (Bytes b = 1'000; b < 9'000; ++b) lengths.emplace_back(b, 1);
  expect_queue_brackets("uniform", lengths);
  lengths.clear();
  for (int i = 1; i <= 2'000; ++i) lengths.emplace_back(static_cast<Bytes>(1e9 / i / i), i);
  expect_queue_brackets("heavy tail", lengths);
}

TEST(QueueStatistics, AConstantLengthIsExact) {
  QueueStatistics statistics;
  statistics.restart(5'001, kMicroSecond);
  const auto figures = statistics.figures(kMicroSecond * 9);
  EXPECT_EQ(figures.p50, 5'001);
  EXPECT_EQ(figures.p99, 5'001);
  EXPECT_EQ(figures.mean, 5'001);
}

TEST(QueueStatistics, AQueueThatIsNotUsedIsOneCacheLine) {
  EXPECT_EQ(sizeof(QueueStatistics), 64u);
}

TEST(QueueStatistics, WhatWasSeenSinceIsRepeatedInTimeThatDoesNotPass) {
  QueueStatistics statistics;
  statistics.restart(0, PicoSeconds(0));
  statistics.changed(60, kMicroSecond * 10);  // queue length 0 lasted 10 us
  const QueueStatistics earlier = statistics.as_of(kMicroSecond * 10);
  statistics.changed(20, kMicroSecond * 11);  // length 60 lasted 1 us; length 20 then lasts 3 us
  statistics.repeat_since(earlier, kMicroSecond * 14, {kMicroSecond * 80, kMicroSecond * 4});
  const auto figures = statistics.figures(kMicroSecond * 14);
  EXPECT_EQ(figures.mean, (21 * 60 + 63 * 20 + 94 / 2) / 94);
  EXPECT_EQ(figures.p50, 20);
  EXPECT_EQ(figures.p99, 60);
  EXPECT_EQ(figures.max, 60);
  statistics.changed(0, kMicroSecond * 20);  // The time of the queue itself continues.
  EXPECT_EQ(statistics.figures(kMicroSecond * 20).mean, (21 * 60 + 69 * 20 + 50) / 100);
}

TEST(QueueStatistics, ARepeatedStretchTakesThePlaceOfAnEmptyQueue) {
  const auto burst = [](QueueStatistics& to, PicoSeconds from) {
    to.changed(3000, from + kMicroSecond);
    to.changed(70, from + kMicroSecond * 3);
    to.changed(0, from + kMicroSecond * 4);
  };
  QueueStatistics whole;
  QueueStatistics quick;
  for (QueueStatistics* const one : {&whole, &quick}) one->restart(0, PicoSeconds(0));
  for (int i = 0; i < 4; ++i) burst(whole, kMicroSecond * 10 * i);
  burst(quick, PicoSeconds(0));
  const QueueStatistics earlier = quick.as_of(kMicroSecond * 10);
  burst(quick, kMicroSecond * 10);
  const QueueStatistics later = quick.as_of(kMicroSecond * 15);
  quick.repeat_between(earlier, later, 2);  // called before the repeated time passes
  for (const PicoSeconds now : {kMicroSecond * 40, kMicroSecond * 50}) {
    const auto a = whole.figures(now);
    const auto b = quick.figures(now);
    EXPECT_EQ(b.mean, a.mean);
    EXPECT_EQ(b.p50, a.p50);
    EXPECT_EQ(b.p99, a.p99);
    EXPECT_EQ(b.max, a.max);
  }
}

}  // namespace
}  // namespace dcc
