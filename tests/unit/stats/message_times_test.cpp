#include "stats/message_times.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace dcc {
namespace {

using Times = std::vector<std::pair<Bytes, std::int64_t>>;  // pairs of (bytes, microseconds)

struct Messages {
  MessageTimes times;

  void packet(std::uint64_t psn, bool first, bool last, int us) {
    times.sent(2, psn, psn + 1, first, last, 2'000, kMicroSecond * us);
  }
  Times acknowledged(std::uint64_t psn, int us) {
    Times done;
    times.acknowledged(2, psn, kMicroSecond * us, [&](Bytes bytes, PicoSeconds lasted) {
      done.emplace_back(bytes, lasted.count / kMicroSecond.count);
    });
    return done;
  }
};

TEST(MessageTimes, RunFromTheFirstPacketToTheLastAck) {
  Messages m;
  m.packet(0, true, false, 1);
  m.packet(1, false, true, 2);
  m.packet(2, true, true, 3);
  EXPECT_EQ(m.acknowledged(1, 5), Times{});
  EXPECT_EQ(m.acknowledged(3, 7), (Times{{2'000, 6}, {2'000, 4}}));
  EXPECT_EQ(m.acknowledged(3, 9), Times{});
}

TEST(MessageTimes, ARepetitionDoesNotStartTheClockAgain) {
  Messages m;
  m.packet(0, true, false, 1);
  m.packet(1, false, true, 2);
  m.packet(0, true, false, 50);  // go-back-N sends packet 0 again
  m.packet(1, false, true, 51);
  EXPECT_EQ(m.acknowledged(2, 53), (Times{{2'000, 52}}));
}

TEST(MessageTimes, AMessageWhoseBeginWasNotSeenIsLeftOut) {
  Messages m;
  m.packet(7, false, true, 1);
  m.packet(8, true, true, 2);
  EXPECT_EQ(m.acknowledged(9, 4), (Times{{2'000, 2}}));
}

TEST(MessageTimes, AQueuePairMadeAnewNumbersFromZero) {
  Messages m;
  m.packet(100, true, true, 1);
  m.times.forget(2);
  m.packet(0, true, true, 5);
  EXPECT_EQ(m.acknowledged(1, 6), (Times{{2'000, 1}}));
}

}  // namespace
}  // namespace dcc
