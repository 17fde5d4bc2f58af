// Tests when a quantity counts as steady: constant values, trends, oscillations, noise, and groups
// of similar processes, all generated from seeded random numbers.
#include "stats/rest_detector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "sim/random.h"

namespace dcc::rest_detector_test {
namespace {

using Verdict = RestDetector::Verdict;
using Quantity = RestDetector::Quantity;

/// A random number, evenly distributed between -1 and 1.
double noise(RandomStream& random) { return static_cast<double>(random.next_u32()) / 0x1p31 - 1; }

/// The verdicts on `windows` windows, without undecided ones. Like FastForward the function
/// continues until the quantities are steady.
std::vector<Verdict> verdicts(std::size_t windows, const std::vector<Quantity>& quantities,
                              const std::function<std::vector<double>(std::size_t)>& window) {
  RestDetector detector;
  detector.restart(quantities);
  std::vector<Verdict> all;
  for (std::size_t i = 0; i < windows; ++i) {
    detector.add(window(i));
    const Verdict verdict = detector.verdict();
    if (verdict == Verdict::kOpen) continue;
    all.push_back(verdict);
    if (verdict == Verdict::kRest) break;
    detector.go_on(verdict);
  }
  return all;
}

std::vector<Verdict> of_one(std::size_t windows, double bound,
                            const std::function<double(double)>& value) {
  return verdicts(windows, {{bound, 0, 0}}, [&](std::size_t i) {
    return std::vector<double>{value(static_cast<double>(i))};
  });
}

constexpr std::size_t kFirst = RestDetector::kBatches;

TEST(RestDetector, AConstantIsAtRestAsSoonAsThereAreWindowsEnough) {
  EXPECT_TRUE(of_one(kFirst - 1, 0.01, [](double) { return 5.0; }).empty());
  EXPECT_EQ(of_one(kFirst, 0.01, [](double) { return 5.0; }), std::vector{Verdict::kRest});
  EXPECT_EQ(of_one(kFirst, 0.01, [](double) { return 0.0; }), std::vector{Verdict::kRest});
}

TEST(RestDetector, ATrendNeverIs) {
  // A trend of one part in 2000 per window. The halves of the observation differ at first by half
  // the bound of 1 %, later by more.
  const auto growing = [](double i) { return 1000 + i; };
  const auto all = of_one(1000, 0.01, growing);
  ASSERT_GE(all.size(), 4u);
  for (const Verdict verdict : all) EXPECT_EQ(verdict, Verdict::kTrend);
  RandomStream random(1, "trend");
  const auto noisy = [&](double i) { return 1000 + 2 * i + 30 * noise(random); };
  for (const Verdict verdict : of_one(2000, 0.01, noisy)) EXPECT_NE(verdict, Verdict::kRest);
}

TEST(RestDetector, WhatSettlesIsAtRestAfterwardsNotBefore) {
  RandomStream random(2, "settling");
  double last = 0;
  const auto settling = [&](double i) {
    last = 100 * std::exp(-i / 100);
    return 100 + last + noise(random);
  };
  const auto all = of_one(4000, 0.01, settling);
  ASSERT_EQ(all.back(), Verdict::kRest);
  EXPECT_EQ(all.front(), Verdict::kTrend);
  EXPECT_LT(last, 1.0) << "per cent of where it is going";
}

TEST(RestDetector, AnOscillationIsOnceWindowsAreLongAgainstIt) {
  const auto slow = [](double i) { return 100 + 50 * std::sin(i * 2 * 3.14159265358979 / 100); };
  const auto all = of_one(100'000, 0.01, slow);
  ASSERT_EQ(all.back(), Verdict::kRest);
  EXPECT_GE(all.size(), 3u) << "32 windows are a third of its period";
  // The same oscillation, but so fast that each window averages over it.
  const auto fast = [](double i) { return 100 + 50 * std::sin(i * 2 * 3.14159265358979 / 4.3); };
  // A batch contains at most 0.5 * 4.3 / (pi * windows) of the oscillation, which is small enough
  // from 32 windows per batch on.
  EXPECT_LE(of_one(100'000, 0.01, fast).size(), 7u);
}

TEST(RestDetector, NoiseMakesItWaitUntilTheMeanIsKnown) {
  // The difference of the halves must be known to 2 %. With a deviation of 58 % that takes about (4
  // * 0.58 / 0.02)^2 windows, and never less than a quarter of them, although halves may be equal
  // by chance.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, "noise");
    std::size_t windows = 0;
    const auto all = of_one(200'000, 0.02, [&](double) {
      ++windows;
      return 100 + 100 * noise(random);
    });
    ASSERT_EQ(all.back(), Verdict::kRest) << seed;
    EXPECT_GT(windows, 3'000u) << seed;
    EXPECT_LT(windows, 140'000u) << seed;
  }
}

TEST(RestDetector, WhatIsSmallMayDoWhatItLikes) {
  RandomStream random(4, "small");
  const auto all = verdicts(kFirst, {{0.001, 4, 0}},
                            [&](std::size_t) { return std::vector<double>{noise(random)}; });
  EXPECT_EQ(all, std::vector{Verdict::kRest});
}

TEST(RestDetector, OneThatMovesIsEnough) {
  const auto all = verdicts(500, {{0.01, 0, 0}, {0.01, 0, 0}}, [](std::size_t i) {
    return std::vector<double>{7.0, 100 + static_cast<double>(i)};
  });
  for (const Verdict verdict : all) EXPECT_EQ(verdict, Verdict::kTrend);
}

/// Members of one group with different means and common noise: one member's gain is another
/// member's loss, since their sum is the rate of a link.
class Shares {
 public:
  Shares(std::uint64_t seed, std::vector<double> means)
      : random_(seed, "shares"), means_(std::move(means)) {}
  std::vector<double> next() {
    std::vector<double> values = means_;
    double sum = 0;
    for (double& value : values) {
      const double step = 0.3 * value * noise(random_);
      value += step;
      sum += step;
    }
    for (double& value : values) value -= sum / static_cast<double>(values.size());
    return values;
  }

 private:
  RandomStream random_;
  std::vector<double> means_;
};

struct Pooling {
  Verdict verdict = Verdict::kOpen;
  bool pooled = false;
  std::uint64_t windows = 0;
};
Pooling pooling(std::uint64_t seed, const std::vector<double>& means) {
  RestDetector detector;
  detector.restart(std::vector<Quantity>(means.size(), {0.005, 0, 1}));
  Shares shares(seed, means);
  for (std::uint64_t window = 1; window < 200'000; ++window) {
    detector.add(shares.next());
    const Verdict verdict = detector.verdict();
    if (verdict == Verdict::kOpen) continue;
    if (verdict == Verdict::kRest) return {verdict, detector.is_pooled(1), window};
    detector.go_on(verdict);
  }
  return {};
}

TEST(RestDetector, MembersThatAreAlikeNeedNotBeKnownOneByOne) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Pooling alike = pooling(seed, std::vector<double>(8, 100));
    EXPECT_EQ(alike.verdict, Verdict::kRest) << seed;
    // With a deviation of 0.16 the mean of one process is known to 0.5 % after (2 * 0.16 / 0.005)^2
    // = 4000 windows.
    EXPECT_LT(alike.windows, 500u) << seed;
    EXPECT_TRUE(alike.pooled) << seed;
  }
}

TEST(RestDetector, MembersThatDifferAreNotTakenForOne) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Pooling unlike = pooling(seed, {60, 100, 100, 100, 100, 100, 100, 140});
    EXPECT_EQ(unlike.verdict, Verdict::kRest) << seed;
    EXPECT_FALSE(unlike.pooled) << seed;
    EXPECT_GT(unlike.windows, 2'000u) << seed;
  }
}

/// Runs a quantity that is alone in its group until it is steady, like verdicts() for a quantity
/// without a group.
std::vector<Verdict> of_a_flow(std::size_t windows, double bound,
                               const std::function<double(double)>& value) {
  return verdicts(windows, {{bound, 0, 1}}, [&](std::size_t i) {
    return std::vector<double>{value(static_cast<double>(i))};
  });
}

// The halves differ by three times the bound of 1 %, and the noise leaves the mean known to 0.8 %.
// Such a flow still gains rate from other flows.
TEST(RestDetector, AFlowThatDriftsIsNotAtRestBecauseNoiseMightExplainIt) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, "drift");
    const auto drifting = [&](double i) { return 1000 * (1 + 0.03 / 16 * i) + 40 * noise(random); };
    const auto all = of_a_flow(2000, 0.01, drifting);
    ASSERT_GE(all.size(), 5u) << seed;
    for (const Verdict verdict : all) EXPECT_NE(verdict, Verdict::kRest) << seed;
  }
}

// Additive steps raise a rate without noise, so the trend is visible. A skipped time may be a
// thousand times the observed time, so the trend must count.
TEST(RestDetector, NorOneThatRisesEverSoSlowlyIfItCanBeTold) {
  for (const double from_half_to_half : {0.0005, 0.002, 0.01}) {
    const auto rising = [&](double i) { return 1000 * (1 + from_half_to_half / 16 * i); };
    for (const Verdict verdict : of_a_flow(5000, 0.01, rising)) {
      EXPECT_EQ(verdict, Verdict::kTrend) << from_half_to_half;
    }
  }
  RandomStream random(1, "rising");
  const auto noisy = [&](double i) { return 1000 * (1 + 0.004 / 16 * i) + 2 * noise(random); };
  for (const Verdict verdict : of_a_flow(2000, 0.01, noisy)) EXPECT_NE(verdict, Verdict::kRest);
}

TEST(RestDetector, ManyThatRiseTogetherDoNotRestOnEachOther) {
  const auto all = verdicts(2000, std::vector<Quantity>(8, {0.01, 0, 1}), [](std::size_t i) {
    return std::vector<double>(8, 1000 * (1 + 0.002 / 16 * static_cast<double>(i)));
  });
  for (const Verdict verdict : all) EXPECT_EQ(verdict, Verdict::kTrend);
}

// The noise of one process needs some 850 windows: (2 * 0.29 / 0.02)^2.
TEST(RestDetector, ASteadyFlowHoweverNoisyIsAtRestInTheEnd) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, "steady");
    std::size_t windows = 0;
    const auto all = of_a_flow(100'000, 0.02, [&](double) {
      ++windows;
      return 100 + 50 * noise(random);
    });
    ASSERT_EQ(all.back(), Verdict::kRest) << seed;
    EXPECT_GT(windows, 500u) << seed;
    EXPECT_LT(windows, 20'000u) << seed;
  }
}

// A single process may at times be judged as moving, but all processes together must become steady.
TEST(RestDetector, NorDoManySteadyFlowsKeepEachOtherAwake) {
  std::size_t windows = 0;
  std::vector<Quantity> flows;
  for (unsigned flow = 1; flow <= 100; ++flow) flows.push_back({0.02, 0, flow});
  RandomStream random(1, "many");
  const auto all = verdicts(100'000, flows, [&](std::size_t) {
    ++windows;
    std::vector<double> values;
    for (unsigned flow = 0; flow < 100; ++flow) values.push_back(100 + 50 * noise(random));
    return values;
  });
  ASSERT_EQ(all.back(), Verdict::kRest);
  EXPECT_LT(windows, 20'000u);
}

TEST(RestDetector, AloneInAGroupItIsKnownByItself) {
  const auto all =
      verdicts(kFirst, {{0.01, 0, 3}}, [](std::size_t) { return std::vector<double>{9.0}; });
  EXPECT_EQ(all, std::vector{Verdict::kRest});
}

}  // namespace
}  // namespace dcc::rest_detector_test
