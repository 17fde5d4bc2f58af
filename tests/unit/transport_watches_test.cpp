// Watches: when a silent queue pair is looked at, and which.
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "transport/watches.h"

namespace dcc {
namespace {

constexpr PicoSeconds kTimeout{1000};

class WatchesTest : public testing::Test {
 protected:
  void check() {
    watches_.look([this](Qpn qpn) {
      looks_.emplace_back(qpn, scheduler_.now());
      return goes_on_.count(qpn) != 0;
    });
  }
  void at(PicoSeconds when, Qpn qpn) {
    scheduler_.run_until(when);
    watches_.watch(qpn);
  }
  using Looks = std::vector<std::pair<Qpn, PicoSeconds>>;
  Scheduler scheduler_;
  Looks looks_;
  std::set<Qpn> goes_on_;
  Watches watches_{scheduler_, kTimeout, Event::calling<&WatchesTest::check>(*this, 0)};
};

TEST_F(WatchesTest, LooksATimeoutAfterTheWatchBegan) {
  at(PicoSeconds(10), 3);
  at(PicoSeconds(400), 0);
  scheduler_.run_until(PicoSeconds(5000));
  EXPECT_EQ(looks_, (Looks{{3, PicoSeconds(1010)}, {0, PicoSeconds(1400)}}));
}

TEST_F(WatchesTest, AWatchThatGoesOnDoesNotPutOffTheNextQueuePair) {
  goes_on_ = {1};
  at(PicoSeconds(0), 1);
  at(PicoSeconds(1), 2);
  scheduler_.run_until(PicoSeconds(2500));
  EXPECT_EQ(looks_,
            (Looks{{1, PicoSeconds(1000)}, {2, PicoSeconds(1001)}, {1, PicoSeconds(2000)}}));
}

TEST_F(WatchesTest, AWatchedQueuePairIsNotWatchedTwice) {
  at(PicoSeconds(0), 1);
  at(PicoSeconds(500), 1);
  scheduler_.run_until(PicoSeconds(5000));
  EXPECT_EQ(looks_, (Looks{{1, PicoSeconds(1000)}}));
  at(PicoSeconds(5000), 1);
  scheduler_.run_until(PicoSeconds(9000));
  EXPECT_EQ(looks_.size(), 2u);
}

TEST_F(WatchesTest, AnEarlierQueuePairOfTheNumberIsForgotten) {
  at(PicoSeconds(0), 1);
  scheduler_.run_until(PicoSeconds(200));
  watches_.forget(1);
  watches_.forget(7);  // never watched
  at(PicoSeconds(300), 1);
  scheduler_.run_until(PicoSeconds(5000));
  EXPECT_EQ(looks_, (Looks{{1, PicoSeconds(1300)}}));
}

}  // namespace
}  // namespace dcc
