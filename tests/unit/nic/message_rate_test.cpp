// Tests the limits of the number of messages that a NIC starts per second.
#include "nic/message_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "unit/nic/nic_pair_test.h"

namespace dcc::test {
namespace {

MessageRateParameters limits(std::uint64_t queue_pair, std::uint64_t nic) {
  MessageRateParameters of;
  if (queue_pair != 0) of.queue_pair = Frequency(queue_pair);
  if (nic != 0) of.nic = Frequency(nic);
  return of;
}
constexpr PicoSeconds us(std::int64_t number) { return kMicroSecond * number; }

TEST(MessageRate, AQueuePairStartsOneMessageInAnInterval) {
  MessageRate rate(limits(1'000'000, 0));
  EXPECT_EQ(rate.start(3, us(5)), us(5));
  EXPECT_EQ(rate.start(3, us(5)), us(6));
  EXPECT_EQ(rate.start(4, us(5)), us(5)) << "each queue pair has a limit of its own";
  EXPECT_EQ(rate.start(3, us(6)), us(6));
}

TEST(MessageRate, ALateStartKeepsTheAverage) {
  MessageRate rate(limits(1'000'000, 0));
  rate.start(3, us(5));
  const PicoSeconds late = us(6) + kNanoSecond * 400;
  EXPECT_EQ(rate.start(3, late), late);
  EXPECT_EQ(rate.start(3, late), us(7));
  rate.start(3, us(20));  // unused starts of a pause are lost
  EXPECT_EQ(rate.start(3, us(20)), us(21));
}

TEST(MessageRate, QueuePairsTakeTurnsInTheOrderInWhichTheyAsk) {
  MessageRate rate(limits(0, 1'000'000));
  EXPECT_EQ(rate.start(9, us(5)), us(5));
  EXPECT_EQ(rate.start(7, us(5)), us(6));
  EXPECT_EQ(rate.start(8, us(5)), us(7));
  EXPECT_EQ(rate.start(7, us(5)), us(6)) << "a queue pair that asks again keeps its turn";
  EXPECT_EQ(rate.start(7, us(6)), us(6));
  EXPECT_EQ(rate.start(7, us(6)), us(8));
  EXPECT_EQ(rate.start(8, us(7)), us(7));
}

TEST(MessageRate, AQueuePairThatMustWaitItselfTakesNoTurn) {
  MessageRate rate(limits(100'000, 1'000'000));
  EXPECT_EQ(rate.start(1, us(5)), us(5));
  EXPECT_EQ(rate.start(1, us(5)), us(15));
  EXPECT_EQ(rate.start(2, us(6)), us(6));
}

class LimitedMessages : public PairTest {
 protected:
  /// Times at which the first packets of messages arrived, relative to the first of them.
  std::vector<std::int64_t> starts() const {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i].kind != PacketKind::kData || !seen[i].first) continue;
      all.push_back((when[i] - when[0]).count);
    }
    return all;
  }
  void build_timed() {
    on_wire = [this](Packet&) {
      when.push_back(scheduler.now());
      return true;
    };
    build();
  }
  std::vector<PicoSeconds> when;
};

TEST_F(LimitedMessages, StartAtTheRateAndPacketsWithinAMessageAtLineRate) {
  parameters.message_rate = limits(1'000'000, 0);
  parameters.ack = AckMode::kPerMessage;
  build_timed();
  for (std::uint64_t id = 1; id <= 4; ++id) post(3'000, id);
  scheduler.run_until(us(50));
  EXPECT_EQ(done.size(), 4u);
  EXPECT_EQ(starts(), (std::vector<std::int64_t>{0, us(1).count, us(2).count, us(3).count}));
  // Three packets of 1000 bytes take 258 ns at 100 Gb/s.
  std::vector<PicoSeconds> data;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i].kind == PacketKind::kData) data.push_back(when[i]);
  }
  ASSERT_EQ(data.size(), 12u);
  EXPECT_LT(data[2] - data[0], kNanoSecond * 200);
}

TEST_F(LimitedMessages, DoNotSlowMessagesLongerThanTheInterval) {
  // interval of 5 us; the 100 packets of a message take 8.5 us
  parameters.message_rate = limits(200'000, 0);
  build_timed();
  for (std::uint64_t id = 1; id <= 4; ++id) post(100'000, id);
  scheduler.run_until(us(40));
  EXPECT_EQ(done.size(), 4u);
}

}  // namespace
}  // namespace dcc::test
