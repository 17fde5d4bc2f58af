// Tests the retransmission timer for deadlines that their owner stores.
#include "nic/recovery/retransmit_timer.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace dcc::retransmit_timer_test {
namespace {

constexpr PicoSeconds kTimeout(1000);

struct Owner {
  void check() {
    timer.expire(
        [this](Qpn qpn) {
          const auto found = deadlines.find(qpn);
          return found != deadlines.end() ? &found->second : nullptr;
        },
        [this](Qpn qpn) { expired.emplace_back(qpn, scheduler.now().count); });
  }
  /// Starts the timer of a queue pair that has sent a packet.
  void send(Qpn qpn) { timer.arm(deadlines[qpn], qpn, scheduler.now() + kTimeout); }
  void run_until(std::int64_t when) { scheduler.run_until(PicoSeconds(when)); }

  Scheduler scheduler;
  RetransmitTimer timer{scheduler, Event::calling<&Owner::check>(*this, 1)};
  std::map<Qpn, RetransmitTimer::Deadline> deadlines;
  std::vector<std::pair<Qpn, std::int64_t>> expired;
};
using Expired = std::vector<std::pair<Qpn, std::int64_t>>;

TEST(RetransmitTimer, ExpiresOnceAtItsDeadline) {
  Owner owner;
  owner.send(3);
  owner.run_until(5000);
  EXPECT_EQ(owner.expired, (Expired{{3, 1000}}));
  EXPECT_FALSE(owner.deadlines[3].is_armed());
}

TEST(RetransmitTimer, CountsFromTheLastProgress) {
  Owner owner;
  owner.send(3);
  owner.run_until(900);
  owner.timer.progressed(owner.deadlines[3], 3, true, kTimeout);
  owner.run_until(5000);
  EXPECT_EQ(owner.expired, (Expired{{3, 1900}}));
}

TEST(RetransmitTimer, IsNotArmedWhileNothingIsOutstanding) {
  Owner owner;
  owner.send(3);
  owner.run_until(900);
  owner.timer.progressed(owner.deadlines[3], 3, false, kTimeout);
  EXPECT_FALSE(owner.deadlines[3].is_armed());
  owner.run_until(5000);
  EXPECT_TRUE(owner.expired.empty());
}

TEST(RetransmitTimer, ExpiresDeadlinesOfOneInstantByQueuePairNumber) {
  Owner owner;
  for (const Qpn qpn : {9u, 2u, 5u}) owner.timer.arm(owner.deadlines[qpn], qpn, kTimeout);
  owner.run_until(5000);
  EXPECT_EQ(owner.expired, (Expired{{2, 1000}, {5, 1000}, {9, 1000}}));
}

TEST(RetransmitTimer, IgnoresQueuePairsThatNoLongerExist) {
  Owner owner;
  owner.send(3);
  owner.send(4);
  owner.deadlines.erase(3);
  owner.run_until(500);
  owner.send(3);  // queue pair 3 exists again
  owner.run_until(5000);
  EXPECT_EQ(owner.expired, (Expired{{4, 1000}, {3, 1500}}));
}

// Many queue pairs make progress all the time, and one event per timeout serves all of them.
TEST(RetransmitTimer, RunsOneEventPerTimeoutHoweverManyQueuePairsProgress) {
  Owner owner;
  for (Qpn qpn = 0; qpn < 100; ++qpn) owner.send(qpn);
  for (std::int64_t when = 10; when <= 10'000; when += 10) {
    owner.run_until(when);
    for (auto& [qpn, deadline] : owner.deadlines) {
      owner.timer.progressed(deadline, qpn, true, kTimeout);
    }
  }
  EXPECT_TRUE(owner.expired.empty());
  EXPECT_LE(owner.scheduler.events_run(), 11u);
}

}  // namespace
}  // namespace dcc::retransmit_timer_test
