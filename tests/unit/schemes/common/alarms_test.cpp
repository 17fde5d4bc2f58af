// Moments of many queue pairs behind one event.
#include "schemes/common/alarms.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sim/state_digest.h"

namespace dcc::alarms_test {
namespace {

struct Owner {
  void ring() {
    alarms.ring([this](Qpn qpn) { rung.emplace_back(qpn, scheduler.now().count); });
  }
  Scheduler scheduler;
  Alarms alarms{scheduler, Event::calling<&Owner::ring>(*this, 1)};
  std::vector<std::pair<Qpn, std::int64_t>> rung;
};
using Rung = std::vector<std::pair<Qpn, std::int64_t>>;

TEST(Alarms, RingEachAtItsMoment) {
  Owner owner;
  owner.alarms.set(3, PicoSeconds(500));
  owner.alarms.set(1, PicoSeconds(200));
  owner.alarms.set(2, PicoSeconds(200));
  owner.scheduler.run_until(PicoSeconds(1000));
  EXPECT_EQ(owner.rung, (Rung{{1, 200}, {2, 200}, {3, 500}}));
  EXPECT_FALSE(owner.alarms.is_set(1));
}

TEST(Alarms, ArePutOffBroughtForwardAndCleared) {
  Owner owner;
  owner.alarms.set(0, PicoSeconds(100));
  owner.alarms.set(1, PicoSeconds(900));
  owner.alarms.set(2, PicoSeconds(100));
  owner.alarms.set(0, PicoSeconds(700));
  owner.alarms.set(1, PicoSeconds(300));
  owner.alarms.clear(2);
  owner.scheduler.run_until(PicoSeconds(2000));
  EXPECT_EQ(owner.rung, (Rung{{1, 300}, {0, 700}}));
}

TEST(Alarms, OnlyWhatIsSetIsPutOff) {
  Owner owner;
  owner.alarms.set(0, PicoSeconds(100));
  owner.alarms.put_off(0, PicoSeconds(400));
  owner.alarms.put_off(1, PicoSeconds(400));
  owner.alarms.put_off(7, PicoSeconds(400));  // never heard of
  owner.scheduler.run_until(PicoSeconds(2000));
  EXPECT_EQ(owner.rung, (Rung{{0, 400}}));
}

// A queue pair that is set again as it rings does not put off the others.
TEST(Alarms, WhatRingsMayBeSetAgain) {
  struct Again {
    void ring() {
      alarms.ring([this](Qpn qpn) {
        rung.emplace_back(qpn, scheduler.now().count);
        if (qpn == 1 && rung.size() < 4) alarms.set(qpn, scheduler.now() + PicoSeconds(1000));
      });
    }
    Scheduler scheduler;
    Alarms alarms{scheduler, Event::calling<&Again::ring>(*this, 1)};
    Rung rung;
  } owner;
  owner.alarms.set(1, PicoSeconds(1000));
  owner.alarms.set(2, PicoSeconds(1001));
  owner.scheduler.run_until(PicoSeconds(9000));
  EXPECT_EQ(owner.rung, (Rung{{1, 1000}, {2, 1001}, {1, 2000}, {1, 3000}}));
}

TEST(Alarms, APlanThatWasPassedOverIsNoSecondRing) {
  Owner owner;
  owner.alarms.set(0, PicoSeconds(900));
  owner.alarms.set(0, PicoSeconds(300));
  owner.scheduler.run_until(PicoSeconds(400));
  owner.alarms.set(0, PicoSeconds(900));
  owner.scheduler.run_until(PicoSeconds(2000));
  EXPECT_EQ(owner.rung, (Rung{{0, 300}, {0, 900}}));
}

TEST(Alarms, PuttingOffCostsOneEventATime) {
  Owner owner;
  for (int i = 0; i < 1000; ++i) {
    owner.alarms.set(0, PicoSeconds(1'000'000 + i));
    owner.scheduler.advance_to(PicoSeconds(i));
  }
  owner.scheduler.run_until(PicoSeconds(2'000'000));
  EXPECT_EQ(owner.rung, (Rung{{0, 1'000'999}}));
  EXPECT_EQ(owner.scheduler.events_run(), 2u);
}

TEST(Alarms, MomentsShowInTheDigestAndPlansDoNot) {
  const auto digest_of = [](const std::vector<std::int64_t>& moments) {
    Owner owner;
    for (const std::int64_t moment : moments) owner.alarms.set(4, PicoSeconds(moment));
    StateDigest d;
    d(owner.alarms);
    return d.value();
  };
  EXPECT_NE(digest_of({}), digest_of({900}));
  EXPECT_NE(digest_of({800}), digest_of({900}));
  EXPECT_EQ(digest_of({300, 900}), digest_of({900}));  // it will be looked at at 300, in vain
  EXPECT_NE(digest_of({0}), digest_of({}));
}

}  // namespace
}  // namespace dcc::alarms_test
