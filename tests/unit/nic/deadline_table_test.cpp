// Tests the deadlines of many queue pairs that share one scheduler event.
#include "nic/deadline_table.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sim/state_digest.h"

namespace dcc::deadlines_test {
namespace {

struct Owner {
  void check() {
    deadlines.expire([this](Qpn qpn) { expired.emplace_back(qpn, scheduler.now().count); });
  }
  Scheduler scheduler;
  DeadlineTable deadlines{scheduler, Event::calling<&Owner::check>(*this, 1)};
  std::vector<std::pair<Qpn, std::int64_t>> expired;
};
using Expired = std::vector<std::pair<Qpn, std::int64_t>>;

TEST(DeadlineTable, RingEachAtItsMoment) {
  Owner owner;
  owner.deadlines.set(3, PicoSeconds(500));
  owner.deadlines.set(1, PicoSeconds(200));
  owner.deadlines.set(2, PicoSeconds(200));
  owner.scheduler.run_until(PicoSeconds(1000));
  EXPECT_EQ(owner.expired, (Expired{{1, 200}, {2, 200}, {3, 500}}));
  EXPECT_FALSE(owner.deadlines.is_set(1));
}

TEST(DeadlineTable, ArePutOffBroughtForwardAndCleared) {
  Owner owner;
  owner.deadlines.set(0, PicoSeconds(100));
  owner.deadlines.set(1, PicoSeconds(900));
  owner.deadlines.set(2, PicoSeconds(100));
  owner.deadlines.set(0, PicoSeconds(700));
  owner.deadlines.set(1, PicoSeconds(300));
  owner.deadlines.clear(2);
  owner.scheduler.run_until(PicoSeconds(2000));
  EXPECT_EQ(owner.expired, (Expired{{1, 300}, {0, 700}}));
}

TEST(DeadlineTable, OnlyWhatIsSetIsPutOff) {
  Owner owner;
  owner.deadlines.set(0, PicoSeconds(100));
  owner.deadlines.postpone(0, PicoSeconds(400));
  owner.deadlines.postpone(1, PicoSeconds(400));
  owner.deadlines.postpone(7, PicoSeconds(400));  // queue pair 7 has no deadline yet
  owner.scheduler.run_until(PicoSeconds(2000));
  EXPECT_EQ(owner.expired, (Expired{{0, 400}}));
}

// Setting a queue pair's deadline again while it expires does not postpone the other deadlines.
TEST(DeadlineTable, WhatRingsMayBeSetAgain) {
  struct Again {
    void check() {
      deadlines.expire([this](Qpn qpn) {
        expired.emplace_back(qpn, scheduler.now().count);
        if (qpn == 1 && expired.size() < 4) deadlines.set(qpn, scheduler.now() + PicoSeconds(1000));
      });
    }
    Scheduler scheduler;
    DeadlineTable deadlines{scheduler, Event::calling<&Again::check>(*this, 1)};
    Expired expired;
  } owner;
  owner.deadlines.set(1, PicoSeconds(1000));
  owner.deadlines.set(2, PicoSeconds(1001));
  owner.scheduler.run_until(PicoSeconds(9000));
  EXPECT_EQ(owner.expired, (Expired{{1, 1000}, {2, 1001}, {1, 2000}, {1, 3000}}));
}

TEST(DeadlineTable, APlanThatWasPassedOverIsNoSecondRing) {
  Owner owner;
  owner.deadlines.set(0, PicoSeconds(900));
  owner.deadlines.set(0, PicoSeconds(300));
  owner.scheduler.run_until(PicoSeconds(400));
  owner.deadlines.set(0, PicoSeconds(900));
  owner.scheduler.run_until(PicoSeconds(2000));
  EXPECT_EQ(owner.expired, (Expired{{0, 300}, {0, 900}}));
}

TEST(DeadlineTable, PuttingOffCostsOneEventATime) {
  Owner owner;
  for (int i = 0; i < 1000; ++i) {
    owner.deadlines.set(0, PicoSeconds(1'000'000 + i));
    owner.scheduler.advance_to(PicoSeconds(i));
  }
  owner.scheduler.run_until(PicoSeconds(2'000'000));
  EXPECT_EQ(owner.expired, (Expired{{0, 1'000'999}}));
  EXPECT_EQ(owner.scheduler.events_run(), 2u);
}

TEST(DeadlineTable, MomentsShowInTheDigestAndPlansDoNot) {
  const auto digest_of = [](const std::vector<std::int64_t>& moments) {
    Owner owner;
    for (const std::int64_t moment : moments) owner.deadlines.set(4, PicoSeconds(moment));
    StateDigest d;
    d(owner.deadlines);
    return d.value();
  };
  EXPECT_NE(digest_of({}), digest_of({900}));
  EXPECT_NE(digest_of({800}), digest_of({900}));
  // the table wakes at 300, although nothing is due then
  EXPECT_EQ(digest_of({300, 900}), digest_of({900}));
  EXPECT_NE(digest_of({0}), digest_of({}));
}

}  // namespace
}  // namespace dcc::deadlines_test
