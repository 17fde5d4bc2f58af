// Compares Outstanding with a map that records the state of each packet.
#include "schemes/common/outstanding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

namespace dcc::outstanding_test {
namespace {

TEST(Outstanding, SendsWhatWasLostBeforeWhatIsNew) {
  Outstanding packets;
  for (Psn psn = 0; psn < 4; ++psn) EXPECT_EQ(packets.send(psn, PicoSeconds(10)), psn);
  EXPECT_EQ(packets.out(), 4u);
  EXPECT_TRUE(packets.lost(2));
  EXPECT_FALSE(packets.lost(2)) << "known";
  EXPECT_TRUE(packets.lost(1));
  EXPECT_TRUE(packets.lost(3, Outstanding::Place::kFirst));
  EXPECT_EQ(packets.out(), 1u);
  EXPECT_EQ(packets.again(), 3u);
  EXPECT_EQ(packets.send(4, PicoSeconds(20)), 3u);
  EXPECT_TRUE(packets.is_out(3, PicoSeconds(20)));
  EXPECT_FALSE(packets.is_out(3, PicoSeconds(10))) << "sent again since";
  EXPECT_FALSE(packets.arrived(2)) << "thought to be lost, and there all the same";
  ASSERT_NE(packets.oldest_out(), nullptr);
  EXPECT_EQ(packets.oldest_out()->psn, 0u);
  EXPECT_TRUE(packets.arrived(0));
  EXPECT_EQ(packets.oldest_out()->psn, 3u) << "one and two are not under way";
  EXPECT_EQ(packets.oldest_out()->when, PicoSeconds(20)) << "since it was sent again";
  EXPECT_EQ(packets.send(4, PicoSeconds(30)), 1u);
  EXPECT_EQ(packets.send(4, PicoSeconds(30)), 4u);
  EXPECT_FALSE(packets.lost(5)) << "never sent";
  EXPECT_FALSE(packets.arrived(0)) << "long known";
}

TEST(Outstanding, IsOverdueFromTheTimeoutOnSinceItWasSentLast) {
  constexpr PicoSeconds kTimeout(100);
  Outstanding packets;
  EXPECT_EQ(packets.overdue_at(kTimeout), PicoSeconds::max());
  EXPECT_FALSE(packets.overdue(PicoSeconds(1'000'000), kTimeout));
  packets.send(0, PicoSeconds(10));
  packets.send(1, PicoSeconds(20));
  EXPECT_EQ(packets.overdue_at(kTimeout), PicoSeconds(110));
  EXPECT_FALSE(packets.overdue(PicoSeconds(109), kTimeout));
  EXPECT_EQ(packets.overdue(PicoSeconds(110), kTimeout), Psn{0});
  EXPECT_TRUE(packets.lost(0));
  EXPECT_EQ(packets.overdue_at(kTimeout), PicoSeconds(120)) << "what is to go again is not";
  EXPECT_EQ(packets.send(2, PicoSeconds(30)), Psn{0});
  EXPECT_TRUE(packets.arrived(1));
  EXPECT_EQ(packets.overdue_at(kTimeout), PicoSeconds(130));
  EXPECT_EQ(packets.overdue(PicoSeconds(130), kTimeout), Psn{0});
}

TEST(Outstanding, IsAMapWhateverTheOrder) {
  std::mt19937 random(3);
  Outstanding packets;
  // state of a packet; o: in flight, a: to be retransmitted, t: delivered
  std::map<Psn, char> slow;
  std::map<Psn, std::int64_t> left;  // time at which each packet was last sent
  std::deque<Psn> again;
  Psn fresh = 0;
  const auto count = [&](char what) {
    return static_cast<std::size_t>(std::count_if(
        slow.begin(), slow.end(), [&](const auto& one) { return one.second == what; }));
  };
  for (std::int64_t step = 0; step < 20'000; ++step) {
    const Psn psn = fresh - std::min<Psn>(fresh, random() % 40);
    switch (random() % 4) {
      case 0: {
        const Psn expected = again.empty() ? fresh : again.front();
        ASSERT_EQ(packets.send(fresh, PicoSeconds(step)), expected);
        if (again.empty()) {
          ++fresh;
        } else {
          again.pop_front();
        }
        slow[expected] = 'o';
        left[expected] = step;
        break;
      }
      case 1:
        ASSERT_EQ(packets.lost(psn), slow.count(psn) != 0 && slow[psn] == 'o');
        if (slow.count(psn) != 0 && slow[psn] == 'o') {
          slow[psn] = 'a';
          again.push_back(psn);
        }
        break;
      default:
        ASSERT_EQ(packets.arrived(psn), slow.count(psn) != 0 && slow[psn] == 'o');
        if (slow.count(psn) != 0) {
          slow[psn] = 't';
          again.erase(std::remove(again.begin(), again.end(), psn), again.end());
        }
    }
    std::int64_t oldest = step + 1;
    for (const auto& [one, what] : slow) {
      if (what == 'o') oldest = std::min(oldest, left[one]);
    }
    ASSERT_EQ(packets.oldest_out() != nullptr, oldest <= step);
    if (oldest <= step) {
      ASSERT_EQ(packets.oldest_out()->when, PicoSeconds(oldest));
      ASSERT_EQ(left[packets.oldest_out()->psn], oldest);
    }
    ASSERT_EQ(packets.again(), again.size());
    ASSERT_EQ(packets.out(), step % 100 != 0 ? packets.out() : count('o'));
  }
  EXPECT_GT(fresh, 1000u);
}

}  // namespace
}  // namespace dcc::outstanding_test
