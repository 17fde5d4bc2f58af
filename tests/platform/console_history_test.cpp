// Tests the choice of the snapshot to which the prompt returns, the request that accompanies the
// return, and searches that continue at earlier snapshots.
#include "debug/console_history.h"

#include <gtest/gtest.h>

namespace dcc::vp {
namespace {

struct Reversal {
  std::size_t number;
  ReverseRequest request;
};

/// A fake history that only counts snapshots. A return to a snapshot throws a Reversal.
class CountedSnapshots final : public model::SnapshotHistory {
 public:
  std::size_t snapshots() const override { return taken; }
  bool is_due() const override { return true; }
  std::optional<std::string> take_snapshot() override {
    if (room) ++taken;
    return std::exchange(come_back_with, std::nullopt);
  }
  [[noreturn]] void restore(std::size_t number, const std::string& request) override {
    throw Reversal{number, ReverseRequest::read(request)};
  }
  bool replaying() const override { return false; }
  void finish_replay() override {}

  std::size_t taken = 0;
  bool room = true;
  std::optional<std::string> come_back_with;
};

class ConsoleHistoryTest : public testing::Test {
 protected:
  /// Makes snapshots after 0, 100, 200 and 300 events, at the same number of nanoseconds.
  ConsoleHistoryTest() {
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(history_.mark(moment(i * 100)).has_value());
  }
  static Moment moment(int events) {
    return {kNanoSecond * events, static_cast<std::uint64_t>(events)};
  }
  template <class Going>
  static Reversal reversal(const Going& going) {
    try {
      going();
    } catch (const Reversal& reversal) {
      return reversal;
    }
    ADD_FAILURE() << "nobody returned";
    return {};
  }

  CountedSnapshots machine_;
  ConsoleHistory history_{machine_};
};

TEST(ConsoleOrders, AreTheSameOnTheOtherSide) {
  ReverseRequest request;
  request.kind = ReverseRequest::Kind::kSearch;
  request.time = kNanoSecond * 7;
  request.events = 12;
  request.origin = 99;
  request.what = "change host1.slot[0], with spaces";
  const ReverseRequest read = ReverseRequest::read(request.text());
  EXPECT_EQ(read.kind, request.kind);
  EXPECT_EQ(read.time, request.time);
  EXPECT_EQ(read.events, request.events);
  EXPECT_EQ(read.origin, request.origin);
  EXPECT_EQ(read.what, request.what);
  EXPECT_EQ(ReverseRequest::read(ReverseRequest().text()).what, "");
}

TEST_F(ConsoleHistoryTest, ATimeIsReachedFromASnapshotBeforeIt) {
  const Reversal between = reversal([&] { history_.to_time(kNanoSecond * 250); });
  EXPECT_EQ(between.number, 2u);
  EXPECT_EQ(between.request.kind, ReverseRequest::Kind::kToTime);
  EXPECT_EQ(between.request.time, kNanoSecond * 250);
  // A snapshot at the requested time lies between events of that time, but the prompt pauses after
  // all these events. So an earlier snapshot is chosen.
  EXPECT_EQ(reversal([&] { history_.to_time(kNanoSecond * 200); }).number, 1u);
  EXPECT_EQ(reversal([&] { history_.to_time(PicoSeconds{}); }).number, 0u);
}

TEST_F(ConsoleHistoryTest, ANumberOfEventsIsReachedFromTheLastThatHasNoMore) {
  const Reversal there = reversal([&] { history_.to_events(200, "stepped back"); });
  EXPECT_EQ(there.number, 2u);
  EXPECT_EQ(there.request.kind, ReverseRequest::Kind::kToEvents);
  EXPECT_EQ(there.request.events, 200u);
  EXPECT_EQ(there.request.what, "stepped back");
  EXPECT_EQ(reversal([&] { history_.to_events(199, ""); }).number, 1u);
  EXPECT_EQ(reversal([&] { history_.to_events(1000, ""); }).number, 3u);
}

TEST_F(ConsoleHistoryTest, ASearchBeginsAtTheLastSnapshotBeforeAndGoesOnToEarlierOnes) {
  const Reversal first = reversal([&] { history_.search(300, 350, "cut"); });
  EXPECT_EQ(first.number, 2u) << "what is looked for came before the 300th event";
  EXPECT_EQ(first.request.kind, ReverseRequest::Kind::kSearch);
  EXPECT_EQ(first.request.what, "cut");

  const Reversal earlier = reversal([&] { history_.end_search(first.request, {}, ""); });
  EXPECT_EQ(earlier.number, 1u);
  EXPECT_EQ(earlier.request.kind, ReverseRequest::Kind::kSearch);
  EXPECT_EQ(earlier.request.events, 200u) << "up to where the last search began";
  EXPECT_EQ(earlier.request.origin, 350u);
}

TEST_F(ConsoleHistoryTest, WhatWasFoundIsGoneTo) {
  ReverseRequest search;
  search.kind = ReverseRequest::Kind::kSearch;
  search.events = 300;
  search.origin = 350;
  const Reversal found = reversal([&] { history_.end_search(search, 140, "a cut"); });
  EXPECT_EQ(found.number, 1u);
  EXPECT_EQ(found.request.kind, ReverseRequest::Kind::kToEvents);
  EXPECT_EQ(found.request.events, 140u);
  EXPECT_EQ(found.request.what, "a cut");
}

TEST_F(ConsoleHistoryTest, WhatNeverHappenedEndsWhereItWasAskedFor) {
  ReverseRequest search;
  search.kind = ReverseRequest::Kind::kSearch;
  search.events = 100;  // number of events to search from the beginning
  search.origin = 350;
  const Reversal back = reversal([&] { history_.end_search(search, {}, ""); });
  EXPECT_EQ(back.request.kind, ReverseRequest::Kind::kToEvents);
  EXPECT_EQ(back.request.events, 350u);
  EXPECT_EQ(back.number, 3u);
  EXPECT_NE(back.request.what.find("not happened"), std::string::npos);
}

TEST_F(ConsoleHistoryTest, ASnapshotForWhichThereWasNoRoomIsNoPlaceToGoTo) {
  machine_.room = false;
  EXPECT_FALSE(history_.mark(moment(400)).has_value());
  machine_.room = true;
  EXPECT_FALSE(history_.mark(moment(500)).has_value());
  EXPECT_EQ(reversal([&] { history_.to_events(450, ""); }).number, 3u) << "that of 300 events";
  EXPECT_EQ(reversal([&] { history_.to_events(500, ""); }).number, 4u);
}

TEST_F(ConsoleHistoryTest, OrdersComeWithTheSnapshotThatSomebodyCameBackTo) {
  ReverseRequest request;
  request.kind = ReverseRequest::Kind::kToEvents;
  request.events = 430;
  machine_.come_back_with = request.text();
  const std::optional<ReverseRequest> got = history_.mark(moment(400));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->events, 430u);
}

TEST_F(ConsoleHistoryTest, SnapshotsOnTheWayAreNotTakenForEver) {
  EXPECT_TRUE(history_.may_take_intermediate());
  for (int i = 4; i < 63; ++i) (void)history_.mark(moment(i * 100));
  EXPECT_TRUE(history_.may_take_intermediate());
  (void)history_.mark(moment(6300));
  EXPECT_FALSE(history_.may_take_intermediate());
}

}  // namespace
}  // namespace dcc::vp
