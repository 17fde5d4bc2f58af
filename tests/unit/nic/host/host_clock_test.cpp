#include "nic/host/host_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace dcc {
namespace {

ClockParameters clock_of(PicoSeconds noise, Ratio drift) {
  ClockParameters parameters;
  parameters.noise = noise;
  parameters.drift = drift;
  return parameters;
}

TEST(HostClock, IsExactWithoutNoiseAndDrift) {
  EXPECT_TRUE(ClockParameters{}.exact());
  HostClock clock({}, 1, 7);
  for (const std::int64_t ns : {0, 1, 999, 123'456}) {
    EXPECT_EQ(clock.between(kNanoSecond * ns), kNanoSecond * ns);
  }
}

TEST(HostClock, NoiseIsThatOfTwoReadings) {
  const PicoSeconds noise = kNanoSecond * 100;
  const PicoSeconds elapsed = kMicroSecond * 10;
  HostClock clock(clock_of(noise, Ratio(0)), 1, 3);
  std::int64_t sum = 0;
  double squares = 0;
  PicoSeconds least = elapsed, most = elapsed;
  constexpr int kReadings = 20'000;
  for (int i = 0; i < kReadings; ++i) {
    const PicoSeconds read = clock.between(elapsed);
    least = std::min(least, read);
    most = std::max(most, read);
    const std::int64_t off = (read - elapsed).count;
    sum += off;
    squares += static_cast<double>(off) * static_cast<double>(off);
  }
  EXPECT_GE(least, elapsed - noise);
  EXPECT_LE(most, elapsed + noise);
  // The error of the difference of two readings has a triangular distribution from -noise to
  // +noise: mean 0, variance noise²/6.
  EXPECT_LT(least, elapsed - kNanoSecond * 95);
  EXPECT_GT(most, elapsed + kNanoSecond * 95);
  EXPECT_NEAR(static_cast<double>(sum) / kReadings, 0, 0.02 * 1e5);
  EXPECT_NEAR(squares / kReadings / (1e5 * 1e5 / 6), 1, 0.05);
}

TEST(HostClock, DriftIsOneOfEachHostWithinItsBounds) {
  const Ratio most(1, 10'000);
  std::vector<std::int64_t> drifts;
  for (std::uint64_t host = 0; host < 64; ++host) {
    HostClock clock(clock_of(PicoSeconds(0), most), 5, host);
    drifts.push_back(clock.drift_q32());
    const std::int64_t off = (clock.between(kMilliSecond) - kMilliSecond).count;
    EXPECT_LE(std::abs(off), 100'000) << "of a millisecond a ten thousandth";
    EXPECT_EQ(off, (clock.between(kMilliSecond) - kMilliSecond).count) << "always the same";
  }
  std::sort(drifts.begin(), drifts.end());
  EXPECT_LT(drifts.front(), 0);
  EXPECT_GT(drifts.back(), 0);
  EXPECT_EQ(std::unique(drifts.begin(), drifts.end()), drifts.end());
}

TEST(HostClock, SameSeedAndHostReadTheSame) {
  const ClockParameters parameters = clock_of(kMicroSecond, Ratio(1, 1000));
  HostClock one(parameters, 9, 4);
  HostClock same(parameters, 9, 4);
  HostClock other(parameters, 9, 5);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const PicoSeconds read = one.between(kMicroSecond * 30);
    EXPECT_EQ(read, same.between(kMicroSecond * 30));
    differs = differs || read != other.between(kMicroSecond * 30);
  }
  EXPECT_TRUE(differs);
}

TEST(HostClock, TimeNeverRunsBackwards) {
  HostClock clock(clock_of(kMicroSecond, Ratio(0)), 1, 1);
  for (int i = 0; i < 1000; ++i) EXPECT_GE(clock.between(kNanoSecond).count, 0);
}

}  // namespace
}  // namespace dcc
