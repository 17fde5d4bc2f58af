// Tests the due times of paced packets, and the order in which flows are served.
#include "schemes/common/pacing.h"

#include <gtest/gtest.h>

#include <vector>

namespace dcc::pacing_test {
namespace {

constexpr BitRate kGigabit{1'000'000'000};
constexpr PicoSeconds kPacket = kMicroSecond * 8;  // time of a packet of 1000 bytes at 1 Gb/s

TEST(Pacer, TheFirstIsDueAtOnceAndTheNextAfterItsTime) {
  Pacer pacer;
  EXPECT_EQ(pacer.due(kGigabit, kMicroSecond), kMicroSecond);
  pacer.sends(1000, kGigabit, kMicroSecond);
  EXPECT_EQ(pacer.due(kGigabit, kMicroSecond), kMicroSecond + kPacket);
  EXPECT_EQ(pacer.due(BitRate(2'000'000'000), kMicroSecond), kMicroSecond * 5) << "a new rate";
}

TEST(Pacer, KeepsItsPaceIfItIsLateByLessThanAPacket) {
  Pacer pacer;
  pacer.sends(1000, kGigabit, {});
  pacer.sends(1000, kGigabit, kPacket + kMicroSecond);
  EXPECT_EQ(pacer.due(kGigabit, kPacket * 2), kPacket * 2);
  pacer.sends(1000, kGigabit, kPacket * 5);
  EXPECT_EQ(pacer.due(kGigabit, kPacket * 5), kPacket * 6) << "what it did not use is gone";
}

struct Turns {
  Scheduler scheduler;
  PacedTurns turns{scheduler, Event::calling<&Turns::ring>(*this, 1)};
  std::vector<Qpn> rung;
  void ring() {
    turns.ring([this](Qpn qpn) {
      rung.push_back(qpn);
      turns.put(qpn, scheduler.now());
    });
  }
};

TEST(PacedTurns, ThoseThatAreDueTakeTurnsAndTheOthersAreWoken) {
  Turns t;
  EXPECT_TRUE(t.turns.empty());
  t.turns.put(3, {});
  t.turns.put(1, {});
  t.turns.put(3, {});
  t.turns.put(2, kMicroSecond);
  EXPECT_EQ(t.turns.take(), 3u);
  EXPECT_EQ(t.turns.take(), 1u);
  EXPECT_TRUE(t.turns.empty());
  t.scheduler.run_until(kMicroSecond);
  EXPECT_EQ(t.rung, std::vector<Qpn>{2});
  EXPECT_EQ(t.turns.take(), 2u);
  t.turns.put(2, t.scheduler.now());
  EXPECT_EQ(t.turns.take(), 2u) << "again";
}

TEST(PacedTurns, WhoHasNothingToSendHasNoTurn) {
  Turns t;
  t.turns.put(1, {});
  t.turns.put(2, {});
  t.turns.put(3, kMicroSecond);
  t.turns.put(1, PicoSeconds::max());
  t.turns.put(3, PicoSeconds::max());
  EXPECT_EQ(t.turns.take(), 2u);
  EXPECT_TRUE(t.turns.empty());
  t.scheduler.run_until(kMicroSecond * 2);
  EXPECT_TRUE(t.rung.empty());
  t.turns.put(2, {});
  t.turns.put(2, kMicroSecond * 9);
  EXPECT_TRUE(t.turns.empty()) << "put off";
}

}  // namespace
}  // namespace dcc::pacing_test
