// Compares SequenceSet with a plain set that has the same operations.
#include "schemes/common/sequence_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace dcc {
namespace {

TEST(SequenceSet, IsASetWhateverTheOrder) {
  std::mt19937 random(7);
  SequenceSet set;
  std::set<Psn> slow;
  for (Psn front = 0; front < 9000;) {  // long enough for the set to free its lower words
    const Psn psn = front + random() % 200;
    EXPECT_EQ(set.insert(psn), slow.insert(psn).second) << psn;
    while (slow.count(front) != 0) ++front;
    ASSERT_EQ(set.first_missing(), front);
    ASSERT_EQ(set.count(), slow.size());
    const Psn probe = random() % (front + 300);
    ASSERT_EQ(set.contains(probe), slow.count(probe) != 0) << probe;
  }
}

TEST(SequenceSet, AGapEndsAtWhatIsInOrAtTheLimit) {
  SequenceSet set;
  set.insert(0);
  set.insert(100);
  EXPECT_EQ(set.gap_end(1, 200), 100u);
  EXPECT_EQ(set.gap_end(1, 50), 50u);
  EXPECT_EQ(set.gap_end(101, 130), 130u);
  EXPECT_EQ(set.gap_end(99, 200), 100u);
}

TEST(SequenceSet, SixtyFourAtOnceAreWhatEachSays) {
  std::mt19937 random(11);
  SequenceSet set;
  for (Psn front = 0; front < 9000; front = set.first_missing()) {
    set.insert(front + random() % 200);
    const Psn from = random() % (front + 400);
    std::uint64_t slow = 0;
    for (Psn i = 0; i < SequenceSet::kBits; ++i) {
      slow |= std::uint64_t{set.contains(from + i)} << i;
    }
    ASSERT_EQ(set.bits(from), slow) << from << " of " << front;
  }
}

}  // namespace
}  // namespace dcc
