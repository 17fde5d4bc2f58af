// Tests the allocation of timeslots and paths against values computed by hand, and against oracles
// that use other methods.
#include "schemes/fastpass/timeslot_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "schemes/fastpass/edge_colouring.h"
#include "sim/random.h"

namespace dcc::timeslot_test {
namespace {

using Order = TimeslotAllocator::Order;
using Pairs = std::vector<std::pair<HostId, HostId>>;

Pairs next(TimeslotAllocator& allocator) {
  Pairs pairs;
  for (const auto& match : allocator.allocate())
    pairs.emplace_back(match.source, match.destination);
  return pairs;
}

TEST(TimeslotAllocator, WhoHasWaitedLongestIsFirst) {
  TimeslotAllocator allocator(Order::kMaxMin);
  allocator.demand(1, 9, 3);
  allocator.demand(2, 9, 2);
  EXPECT_EQ(next(allocator), (Pairs{{1, 9}}));
  allocator.demand(3, 9, 1);  // this pair has had no slot yet
  EXPECT_EQ(next(allocator), (Pairs{{2, 9}}));
  EXPECT_EQ(next(allocator), (Pairs{{3, 9}}));
  EXPECT_EQ(next(allocator), (Pairs{{1, 9}}));
  EXPECT_EQ(next(allocator), (Pairs{{2, 9}}));
  EXPECT_EQ(next(allocator), (Pairs{{1, 9}}));
  EXPECT_TRUE(allocator.idle());
  EXPECT_EQ(allocator.given(1, 9), 3u);
  EXPECT_EQ(next(allocator), Pairs{});
}

TEST(TimeslotAllocator, WhoLacksLeastIsFirst) {
  TimeslotAllocator allocator(Order::kShortest);
  allocator.demand(1, 9, 5);
  allocator.demand(2, 9, 2);
  EXPECT_EQ(next(allocator), (Pairs{{2, 9}}));
  allocator.demand(2, 9, 10);  // this pair now lacks nine slots
  EXPECT_EQ(next(allocator), (Pairs{{1, 9}}));
  allocator.demand(3, 9, 4);  // this pair lacks as many slots as the other pair, which came first
  EXPECT_EQ(next(allocator), (Pairs{{1, 9}}));
}

TEST(TimeslotAllocator, ASlotThatBothEndsHaveFreeIsNotLeft) {
  TimeslotAllocator allocator(Order::kMaxMin);
  allocator.demand(1, 5, 1);
  allocator.demand(1, 6, 1);
  allocator.demand(2, 5, 1);
  allocator.demand(2, 6, 1);
  EXPECT_EQ(next(allocator), (Pairs{{1, 5}, {2, 6}}));
  EXPECT_EQ(next(allocator), (Pairs{{1, 6}, {2, 5}}));
  EXPECT_TRUE(allocator.idle());
}

TEST(TimeslotAllocator, ADemandHeardTwiceOrLateIsOne) {
  TimeslotAllocator allocator(Order::kMaxMin);
  allocator.demand(1, 2, 2);
  allocator.demand(1, 2, 2);
  allocator.demand(1, 2, 1);
  next(allocator);
  next(allocator);
  EXPECT_TRUE(allocator.idle());
  allocator.demand(1, 2, 2);
  EXPECT_TRUE(allocator.idle());
}

/// The rules of Fastpass's paper, evaluated anew over all pairs in each slot.
class Oracle {
 public:
  explicit Oracle(Order order) : order_(order) {}
  void demand(HostId s, HostId d, std::uint64_t slots) {
    One& one = pairs_[{s, d}];
    if (slots > one.wanted) one.wanted = slots;
  }
  /// Checks the allocation of one slot and records it for later slots.
  void check(const std::vector<TimeslotAllocator::Match>& matches) {
    ++slot_;
    const auto lacking = [](const One& one) { return one.wanted - one.given; };
    std::set<HostId> sources, destinations;
    std::uint64_t before = 0;
    std::map<std::pair<HostId, HostId>, std::uint64_t> rank;
    for (const auto& [pair, one] : pairs_) {
      rank[pair] = order_ == Order::kMaxMin ? one.last : lacking(one);
    }
    for (const auto& match : matches) {
      const std::pair<HostId, HostId> pair{match.source, match.destination};
      One& one = pairs_.at(pair);
      ASSERT_GT(lacking(one), 0u);
      ASSERT_TRUE(sources.insert(match.source).second) << "a source is oversubscribed";
      ASSERT_TRUE(destinations.insert(match.destination).second)
          << "a destination is oversubscribed";
      ASSERT_GE(rank[pair], before) << "somebody was passed over";
      before = rank[pair];
      ASSERT_EQ(match.given, one.given + 1);
      one.given = match.given;
      one.last = slot_;
    }
    for (const auto& [pair, one] : pairs_) {
      const bool free = sources.count(pair.first) == 0 && destinations.count(pair.second) == 0;
      ASSERT_FALSE(free && lacking(one) > 0) << "not maximal";
      if (lacking(one) == 0 || one.last == slot_) continue;
      const auto blocks = [&, own = pair](const TimeslotAllocator::Match& match) {
        return (match.source == own.first || match.destination == own.second) &&
               rank[{match.source, match.destination}] <= rank[own];
      };
      ASSERT_TRUE(std::any_of(matches.begin(), matches.end(), blocks))
          << "held up by nobody who was before it";
    }
  }
  bool idle() const {
    return std::all_of(pairs_.begin(), pairs_.end(),
                       [](const auto& one) { return one.second.wanted == one.second.given; });
  }

 private:
  struct One {
    std::uint64_t wanted = 0, given = 0, last = 0;
  };
  Order order_;
  std::map<std::pair<HostId, HostId>, One> pairs_;
  std::uint64_t slot_ = 0;
};

class Random : public testing::TestWithParam<std::tuple<Order, HostId>> {};

TEST_P(Random, NoPortIsOversubscribedAndNobodyCouldBeAdded) {
  const auto [order, hosts] = GetParam();
  TimeslotAllocator allocator(order);
  Oracle oracle(order);
  RandomStream random(3, "demands", hosts);
  std::map<std::pair<HostId, HostId>, std::uint64_t> wanted;
  for (int slot = 0; slot < 400; ++slot) {
    for (std::uint64_t more = random.below(slot < 300 ? 5 : 1); more > 0; --more) {
      const auto s = static_cast<HostId>(random.below(hosts));
      const auto d = static_cast<HostId>(random.below(hosts));
      wanted[{s, d}] += 1 + random.below(8);
      allocator.demand(s, d, wanted[{s, d}]);
      oracle.demand(s, d, wanted[{s, d}]);
    }
    oracle.check(allocator.allocate());
    ASSERT_EQ(allocator.idle(), oracle.idle()) << slot;
    if (HasFatalFailure()) return;
  }
  for (int slot = 0; slot < 20'000 && !allocator.idle(); ++slot) oracle.check(allocator.allocate());
  EXPECT_TRUE(oracle.idle());
}
INSTANTIATE_TEST_SUITE_P(Orders, Random,
                         testing::Combine(testing::Values(Order::kMaxMin, Order::kShortest),
                                          testing::Values(2u, 5u, 16u, 40u)));

// The schedule is shorter than twice the load of the busiest end.
TEST(TimeslotAllocator, TakesLessThanTwiceTheBusiestEnd) {
  for (const Order order : {Order::kMaxMin, Order::kShortest}) {
    TimeslotAllocator allocator(order);
    RandomStream random(5, "load");
    std::map<HostId, std::uint64_t> out, in;
    for (HostId s = 0; s < 12; ++s) {
      for (HostId d = 0; d < 12; ++d) {
        const std::uint64_t slots = random.below(10);
        allocator.demand(s, d, slots);
        out[s] += slots;
        in[d] += slots;
      }
    }
    std::uint64_t busiest = 0, taken = 0;
    for (const auto& one : out) busiest = std::max(busiest, one.second);
    for (const auto& one : in) busiest = std::max(busiest, one.second);
    for (; !allocator.idle(); ++taken) allocator.allocate();
    EXPECT_GE(taken, busiest);
    EXPECT_LT(taken, 2 * busiest);
  }
}

void expect_proper(const std::vector<EdgeColouring::Edge>& edges, std::uint32_t colours) {
  EdgeColouring colouring(colours);
  const std::vector<std::uint32_t>& of = colouring.colour(edges);
  ASSERT_EQ(of.size(), edges.size());
  std::set<std::pair<std::uint32_t, std::uint32_t>> left, right;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    EXPECT_LT(of[e], colours);
    EXPECT_TRUE(left.insert({edges[e].left, of[e]}).second) << "edge " << e;
    EXPECT_TRUE(right.insert({edges[e].right, of[e]}).second) << "edge " << e;
  }
}

// For the last edge colour 0 is used at its left end and colour 1 at its right end. The edge with
// colour 1 at the right end changes its colour, and so do the next edges along the path.
TEST(EdgeColouring, ExchangesColoursWhereNoneIsFreeAtBothEnds) {
  EdgeColouring two(2);
  EXPECT_EQ(two.colour({{2, 3}, {2, 2}, {0, 0}, {0, 2}}), (std::vector<std::uint32_t>{1, 0, 0, 1}));
  expect_proper({{0, 1}, {0, 1}, {0, 1}}, 3);
}

TEST(EdgeColouring, NeedsNoMoreColoursThanTheBusiestNodeHasEdges) {
  RandomStream random(9, "graphs");
  for (int round = 0; round < 300; ++round) {
    const auto nodes = static_cast<std::uint32_t>(1 + random.below(9));
    const auto degree = static_cast<std::uint32_t>(1 + random.below(16));
    std::vector<std::uint32_t> left(nodes), right(nodes);
    std::vector<EdgeColouring::Edge> edges;
    for (std::uint32_t i = 0; i < nodes * degree * 3; ++i) {
      const auto l = static_cast<std::uint32_t>(random.below(nodes));
      const auto r = static_cast<std::uint32_t>(random.below(nodes));
      if (left[l] == degree || right[r] == degree) continue;
      ++left[l];
      ++right[r];
      edges.push_back({l, r});
    }
    expect_proper(edges, degree);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace dcc::timeslot_test
