// Compares ranges of packet numbers with a plain set.
#include "schemes/common/sequence_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "sim/random.h"

namespace dcc::sequence_ranges_test {
namespace {

TEST(SequenceRanges, JoinWhatTouchesAndTellWhatIsNew) {
  SequenceRanges ranges;
  std::vector<Psn> fresh;
  const auto note = [&](Psn psn) { fresh.push_back(psn); };
  ranges.add(10, 12, note);
  ranges.add(14, 16, note);
  EXPECT_EQ(ranges.ranges(), 2u);
  ranges.add(11, 15, note);
  EXPECT_EQ(ranges.ranges(), 1u);
  EXPECT_EQ(fresh, (std::vector<Psn>{10, 11, 14, 15, 12, 13}));
  EXPECT_EQ(ranges.around(13).begin, 10u);
  EXPECT_EQ(ranges.around(13).end, 16u);
  EXPECT_EQ(ranges.around(16).begin, ranges.around(16).end);
  ranges.add(16, 17, note);
  EXPECT_EQ(ranges.ranges(), 1u) << "the next number makes it longer";
  EXPECT_EQ(ranges.count(), 7u);
}

TEST(SequenceRanges, AreWhatASetIs) {
  RandomStream random(3, "ranges");
  for (int round = 0; round < 50; ++round) {
    SequenceRanges ranges;
    std::set<Psn> set;
    for (int step = 0; step < 60; ++step) {
      const Psn begin = random.below(200), end = begin + 1 + random.below(12);
      std::size_t fresh = 0;
      ranges.add(begin, end, [&](Psn psn) { fresh += set.insert(psn).second ? 1 : 100'000; });
      EXPECT_LT(fresh, 100'000u) << "told twice";
      for (Psn psn = begin; psn < end; ++psn) EXPECT_EQ(set.count(psn), 1u) << "not told";
      if (random.below(8) == 0) {
        const Psn below = random.below(120);
        ranges.remove_before(below);
        set.erase(set.begin(), set.lower_bound(below));
      }
      ASSERT_EQ(ranges.count(), set.size());
      const Psn from = random.below(220);
      ASSERT_EQ(ranges.count_from(from),
                static_cast<Psn>(std::distance(set.lower_bound(from), set.end())));
      const Psn n = 1 + random.below(set.size() + 2);
      ASSERT_EQ(ranges.highest(n),
                n > set.size() ? 0 : *std::next(set.rbegin(), static_cast<std::ptrdiff_t>(n - 1)));
    }
  }
}

}  // namespace
}  // namespace dcc::sequence_ranges_test
