// Tests the thresholds of a multi-level queue: the model against values computed by hand, and the
// best thresholds against all others.
#include "schemes/pias/feedback_thresholds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/random.h"
#include "traffic/flow_sizes.h"

namespace dcc::feedback_test {
namespace {

// Half of the messages have 100 bytes and half 900, at half load: l = 0.5 / 500 = 0.001 messages
// per byte time.
TEST(FeedbackThresholds, OneLevelIsAQueueInOrderOfArrival) {
  const FeedbackThresholds model({100, 900}, 0.5);
  // The waiting time is W = 0.001 (100^2 + 900^2) / 2 / (2 * 0.5) = 410, and the message times are
  // T = 510 and 1310.
  EXPECT_NEAR(model.mean_time({}), 910, 1e-9);
}

TEST(FeedbackThresholds, TwoLevelsLetTheShortPass) {
  const FeedbackThresholds model({100, 900}, 0.5);
  // r(100) = 0.1 and W(100) = 0.001 * 100^2 / 1.8 = 5.5556 give T(100) = 105.5556. T(900) = (410 +
  // 900) / 0.9 = 1455.5556.
  EXPECT_NEAR(model.mean_time({100}), (105.5555556 + 1455.5555556) / 2, 1e-6);
  EXPECT_NEAR(model.mean_time({900}), model.mean_time({}), 1e-9) << "beyond the longest";
  EXPECT_NEAR(model.mean_time({100, 100, 100}), model.mean_time({100}), 1e-9) << "empty levels";
}

TEST(FeedbackThresholds, TheLoadIsHeldWhereTheModelHolds) {
  EXPECT_EQ(FeedbackThresholds({5, 7}, 7.0).mean_time({}),
            FeedbackThresholds({7, 5}, 0.95).mean_time({}));
  EXPECT_EQ(FeedbackThresholds({5, 7}, -1).mean_time({}),
            FeedbackThresholds({5, 7}, 0.01).mean_time({}));
}

// Compares with every ascending triple of the candidates, of which none is better.
TEST(FeedbackThresholds, NoneIsBetterThanTheBest) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RandomStream random(seed, "sizes");
    std::vector<Bytes> sizes;
    for (int i = 0; i < 200; ++i) {
      sizes.push_back(1 + static_cast<Bytes>(random.below(Bytes{4} << random.below(9))));
    }
    const FeedbackThresholds model(sizes, 0.3 + 0.1 * static_cast<double>(seed));
    const std::vector<Bytes> best = model.best(4);
    ASSERT_EQ(best.size(), 3u);
    EXPECT_TRUE(std::is_sorted(best.begin(), best.end()));
    std::vector<Bytes> candidates;
    for (Bytes octave = 4; octave < 4096; octave *= 2) {
      for (Bytes q = 0; q < 4; ++q) candidates.push_back(octave + octave / 4 * q);
    }
    double least = model.mean_time({});
    for (const Bytes a : candidates) {
      for (const Bytes b : candidates) {
        for (const Bytes c : candidates) {
          if (a <= b && b <= c) least = std::min(least, model.mean_time({a, b, c}));
        }
      }
    }
    EXPECT_NEAR(model.mean_time(best), least, least * 1e-12) << "seed " << seed;
    EXPECT_LE(model.mean_time(model.best(8)), model.mean_time(best) * (1 + 1e-12));
  }
}

// Thresholds learnt from two thousand messages are nearly as good as those from the true
// distribution.
TEST(FeedbackThresholds, FewMessagesTellOfAllOfTheirKind) {
  for (const char* const name : {"websearch", "fbhadoop"}) {
    const FlowSizes kind = FlowSizes::named_or_file(name);
    RandomStream random(4, name);
    const auto drawn = [&](int count) {
      std::vector<Bytes> sizes;
      for (int i = 0; i < count; ++i) sizes.push_back(kind.draw(random));
      return sizes;
    };
    const FeedbackThresholds all(drawn(50'000), 0.7);
    const double best = all.mean_time(all.best(8));
    for (int i = 0; i < 10; ++i) {
      const std::vector<Bytes> heard = FeedbackThresholds(drawn(2000), 0.7).best(8);
      EXPECT_LT(all.mean_time(heard), best * 1.05) << name;
    }
    EXPECT_GT(all.mean_time({1000, 2000, 3000, 4000, 5000, 6000, 7000}), best * 1.5) << name;
  }
}

TEST(FeedbackThresholds, OneSizeNeedsNone) {
  const FeedbackThresholds model({1000, 1000, 1000}, 0.7);
  const std::vector<Bytes> best = model.best(8);
  EXPECT_EQ(best.size(), 7u);
  EXPECT_GE(best.front(), 1000) << "nothing loses priority";
  EXPECT_TRUE(std::is_sorted(best.begin(), best.end()));
  EXPECT_NEAR(model.mean_time(best), model.mean_time({}), 1e-9);
}

}  // namespace
}  // namespace dcc::feedback_test
