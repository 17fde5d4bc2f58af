// Which snapshot the prompt goes back to, with what orders; a search goes on to earlier ones.
#include "debug/console_history.h"

#include <gtest/gtest.h>

namespace dcc::vp {
namespace {

struct Journey {
  std::size_t number;
  Orders orders;
};

/// Snapshots that are only counted; whoever travels ends up at whoever catches it.
class CountedSnapshots final : public model::SnapshotHistory {
 public:
  std::size_t snapshots() const override { return taken; }
  bool is_due() const override { return true; }
  std::optional<std::string> take_snapshot() override {
    if (room) ++taken;
    return std::exchange(come_back_with, std::nullopt);
  }
  [[noreturn]] void restore(std::size_t number, const std::string& orders) override {
    throw Journey{number, Orders::read(orders)};
  }
  bool replaying() const override { return false; }
  void finish_replay() override {}

  std::size_t taken = 0;
  bool room = true;
  std::optional<std::string> come_back_with;
};

class ConsoleHistoryTest : public testing::Test {
 protected:
  /// Snapshots after 0, 100, 200 and 300 events, at as many nanoseconds.
  ConsoleHistoryTest() {
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(history_.mark(moment(i * 100)).has_value());
  }
  static Moment moment(int events) {
    return {kNanoSecond * events, static_cast<std::uint64_t>(events)};
  }
  template <class Going>
  static Journey journey(const Going& going) {
    try {
      going();
    } catch (const Journey& journey) {
      return journey;
    }
    ADD_FAILURE() << "nobody travelled";
    return {};
  }

  CountedSnapshots machine_;
  ConsoleHistory history_{machine_};
};

TEST(ConsoleOrders, AreTheSameOnTheOtherSide) {
  Orders orders;
  orders.kind = Orders::Kind::kSearch;
  orders.time = kNanoSecond * 7;
  orders.events = 12;
  orders.origin = 99;
  orders.what = "change host1.slot[0], with spaces";
  const Orders read = Orders::read(orders.text());
  EXPECT_EQ(read.kind, orders.kind);
  EXPECT_EQ(read.time, orders.time);
  EXPECT_EQ(read.events, orders.events);
  EXPECT_EQ(read.origin, orders.origin);
  EXPECT_EQ(read.what, orders.what);
  EXPECT_EQ(Orders::read(Orders().text()).what, "");
}

TEST_F(ConsoleHistoryTest, ATimeIsReachedFromASnapshotBeforeIt) {
  const Journey between = journey([&] { history_.to_time(kNanoSecond * 250); });
  EXPECT_EQ(between.number, 2u);
  EXPECT_EQ(between.orders.kind, Orders::Kind::kToTime);
  EXPECT_EQ(between.orders.time, kNanoSecond * 250);
  // That of the same instant was taken among what happens then, and a pause comes after it.
  EXPECT_EQ(journey([&] { history_.to_time(kNanoSecond * 200); }).number, 1u);
  EXPECT_EQ(journey([&] { history_.to_time(PicoSeconds{}); }).number, 0u);
}

TEST_F(ConsoleHistoryTest, ANumberOfEventsIsReachedFromTheLastThatHasNoMore) {
  const Journey there = journey([&] { history_.to_events(200, "stepped back"); });
  EXPECT_EQ(there.number, 2u);
  EXPECT_EQ(there.orders.kind, Orders::Kind::kToEvents);
  EXPECT_EQ(there.orders.events, 200u);
  EXPECT_EQ(there.orders.what, "stepped back");
  EXPECT_EQ(journey([&] { history_.to_events(199, ""); }).number, 1u);
  EXPECT_EQ(journey([&] { history_.to_events(1000, ""); }).number, 3u);
}

TEST_F(ConsoleHistoryTest, ASearchBeginsAtTheLastSnapshotBeforeAndGoesOnToEarlierOnes) {
  const Journey first = journey([&] { history_.search(300, 350, "cut"); });
  EXPECT_EQ(first.number, 2u) << "what is looked for came before the 300th event";
  EXPECT_EQ(first.orders.kind, Orders::Kind::kSearch);
  EXPECT_EQ(first.orders.what, "cut");

  const Journey earlier = journey([&] { history_.search_over(first.orders, {}, ""); });
  EXPECT_EQ(earlier.number, 1u);
  EXPECT_EQ(earlier.orders.kind, Orders::Kind::kSearch);
  EXPECT_EQ(earlier.orders.events, 200u) << "up to where the last search began";
  EXPECT_EQ(earlier.orders.origin, 350u);
}

TEST_F(ConsoleHistoryTest, WhatWasFoundIsGoneTo) {
  Orders search;
  search.kind = Orders::Kind::kSearch;
  search.events = 300;
  search.origin = 350;
  const Journey found = journey([&] { history_.search_over(search, 140, "a cut"); });
  EXPECT_EQ(found.number, 1u);
  EXPECT_EQ(found.orders.kind, Orders::Kind::kToEvents);
  EXPECT_EQ(found.orders.events, 140u);
  EXPECT_EQ(found.orders.what, "a cut");
}

TEST_F(ConsoleHistoryTest, WhatNeverHappenedEndsWhereItWasAskedFor) {
  Orders search;
  search.kind = Orders::Kind::kSearch;
  search.events = 100;  // from the beginning
  search.origin = 350;
  const Journey back = journey([&] { history_.search_over(search, {}, ""); });
  EXPECT_EQ(back.orders.kind, Orders::Kind::kToEvents);
  EXPECT_EQ(back.orders.events, 350u);
  EXPECT_EQ(back.number, 3u);
  EXPECT_NE(back.orders.what.find("not happened"), std::string::npos);
}

TEST_F(ConsoleHistoryTest, ASnapshotForWhichThereWasNoRoomIsNoPlaceToGoTo) {
  machine_.room = false;
  EXPECT_FALSE(history_.mark(moment(400)).has_value());
  machine_.room = true;
  EXPECT_FALSE(history_.mark(moment(500)).has_value());
  EXPECT_EQ(journey([&] { history_.to_events(450, ""); }).number, 3u) << "that of 300 events";
  EXPECT_EQ(journey([&] { history_.to_events(500, ""); }).number, 4u);
}

TEST_F(ConsoleHistoryTest, OrdersComeWithTheSnapshotThatSomebodyCameBackTo) {
  Orders orders;
  orders.kind = Orders::Kind::kToEvents;
  orders.events = 430;
  machine_.come_back_with = orders.text();
  const std::optional<Orders> got = history_.mark(moment(400));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->events, 430u);
}

TEST_F(ConsoleHistoryTest, SnapshotsOnTheWayAreNotTakenForEver) {
  EXPECT_TRUE(history_.may_mark_on_the_way());
  for (int i = 4; i < 63; ++i) (void)history_.mark(moment(i * 100));
  EXPECT_TRUE(history_.may_mark_on_the_way());
  (void)history_.mark(moment(6300));
  EXPECT_FALSE(history_.may_mark_on_the_way());
}

}  // namespace
}  // namespace dcc::vp
