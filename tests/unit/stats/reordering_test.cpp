// Tests which packets count as reordered, and by how much.
#include "stats/reordering.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace dcc {
namespace {

using Behind = std::vector<std::uint64_t>;

/// Packets in the order of arrival, as (number, time of sending).
Behind behind_of(const std::vector<std::pair<std::uint64_t, int>>& arrivals) {
  FurthestArrival furthest;
  Behind all;
  for (const auto& [psn, sent] : arrivals) all.push_back(furthest.behind(psn, kNanoSecond * sent));
  return all;
}

TEST(Reordering, WhoComesAfterWhoWasSentLaterIsLateByTheirDistance) {
  EXPECT_EQ(behind_of({{0, 0}, {1, 1}, {2, 2}}), (Behind{0, 0, 0}));
  EXPECT_EQ(behind_of({{0, 0}, {4, 4}, {1, 1}, {5, 5}, {3, 3}, {2, 2}, {6, 6}}),
            (Behind{0, 0, 3, 0, 2, 3, 0}));
}

TEST(Reordering, WhatIsSentAgainIsNotLateForThat) {
  // Packet 1 was lost and is retransmitted after packet 4.
  EXPECT_EQ(behind_of({{0, 0}, {2, 2}, {3, 3}, {4, 4}, {1, 9}, {5, 10}}),
            (Behind{0, 0, 0, 0, 0, 0}));
  // Packet 1 is late if packet 6, which was sent after it, arrives before it.
  EXPECT_EQ(behind_of({{0, 0}, {2, 2}, {6, 10}, {1, 9}}), (Behind{0, 0, 0, 5}));
}

TEST(Reordering, KeepsMeanQuantilesAndTheFarthest) {
  Reordering one, other;
  for (std::uint64_t behind : {0, 3, 0, 1}) one.add(behind);
  EXPECT_EQ(one.depths().count(), 2u);
  EXPECT_EQ(one.depths().sum(), 4u);
  EXPECT_EQ(one.deepest(), 3u);
  other.add(50);
  one.merge(other);
  EXPECT_EQ(one.depths().count(), 3u);
  EXPECT_EQ(one.depths().quantile(500), 3u);
  EXPECT_EQ(one.deepest(), 50u);
  const Reordering before = other;
  other.add(7);
  other.repeat_since(before, {kMicroSecond * 4, kMicroSecond});  // packet 7 counts four more times
  EXPECT_EQ(other.depths().count(), 6u);
  EXPECT_EQ(other.depths().sum(), 85u);
  EXPECT_EQ(other.deepest(), 50u);
}

}  // namespace
}  // namespace dcc
