// Tests the mean length of a queue that is rarely used.
#include "stats/rare_queue.h"

#include <gtest/gtest.h>

namespace dcc {
namespace rare_queue {

TEST(RareQueue, OneThatNothingJoinedIsEmpty) {
  RareQueue queue;
  EXPECT_EQ(queue.mean(PicoSeconds(100)), 0.0);
  queue.restart(PicoSeconds(100));
  EXPECT_EQ(queue.mean(PicoSeconds(200)), 0.0);
}

TEST(RareQueue, ItsTimeBeginsAtTheRestartNotWithTheFirstThatJoins) {
  RareQueue queue;
  queue.restart(PicoSeconds(100));
  queue.changed_by(60, PicoSeconds(200));
  queue.changed_by(40, PicoSeconds(300));
  // The queue is empty for 100 ps, then has 60 bytes for 100 ps and 100 bytes for 50 ps.
  EXPECT_DOUBLE_EQ(queue.mean(PicoSeconds(350)), (60 * 100 + 100 * 50) / 250.0);
}

TEST(RareQueue, WhatIsInItStaysOverARestart) {
  RareQueue queue;
  queue.changed_by(80, PicoSeconds(10));
  queue.restart(PicoSeconds(1000));
  EXPECT_DOUBLE_EQ(queue.mean(PicoSeconds(1100)), 80.0);
  queue.changed_by(-80, PicoSeconds(1100));
  EXPECT_DOUBLE_EQ(queue.mean(PicoSeconds(1200)), 40.0);
}

}  // namespace rare_queue
}  // namespace dcc
