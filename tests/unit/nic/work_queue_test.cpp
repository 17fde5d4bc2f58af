// Tests the work queue: packets of posted work, and the two cursors of go-back-N.
#include "nic/work_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace dcc {
namespace {

WorkItem item(std::uint64_t id, Bytes bytes, Bytes message = 0) {
  WorkItem work;
  work.id = id;
  work.bytes = bytes;
  work.message_bytes = message;
  return work;
}

struct Sent {
  std::uint32_t bytes;
  bool first, last, ends;
  Bytes offset;
};
std::vector<Sent> send_all(WorkQueue& queue) {
  std::vector<Sent> packets;
  while (queue.has_unsent()) {
    const PacketPlan plan = queue.plan_next();
    packets.push_back(
        {plan.payload_bytes, plan.first, plan.last, plan.ends_item, plan.item_offset});
    queue.sent(plan);
  }
  return packets;
}

TEST(WorkQueue, CutsAnItemIntoMessagesAndThoseIntoPackets) {
  WorkQueue queue(1000);
  queue.post(item(1, 5'000, 2'500));  // two messages with packets of 1000, 1000 and 500 bytes
  const auto packets = send_all(queue);
  ASSERT_EQ(packets.size(), 6u);
  EXPECT_EQ(packets[2].bytes, 500u);
  EXPECT_TRUE(packets[0].first && !packets[0].last);
  EXPECT_TRUE(packets[2].last && !packets[2].ends);
  EXPECT_TRUE(packets[3].first);
  EXPECT_EQ(packets[3].offset, 2'500);
  EXPECT_TRUE(packets[5].last && packets[5].ends);
  EXPECT_EQ(queue.in_flight(), 5'000);
}

TEST(WorkQueue, SingleByteIsOnePacketFirstAndLast) {
  WorkQueue queue(1000);
  queue.post(item(1, 1));
  const auto packets = send_all(queue);
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_TRUE(packets[0].first && packets[0].last && packets[0].ends);
}

TEST(WorkQueue, KnowsWhatIsLeftOfTheLastItemOnly) {
  WorkQueue queue(1000);
  EXPECT_EQ(queue.left_of_last(), 0);
  queue.post(item(1, 2'500));
  EXPECT_EQ(queue.left_of_last(), 2'500);
  queue.sent(queue.plan_next());
  EXPECT_EQ(queue.left_of_last(), 1'500);
  queue.post(item(2, 4'000));
  EXPECT_GT(queue.left_of_last(), 1'000'000) << "another item waits behind";
  queue.sent(queue.plan_next());
  queue.sent(queue.plan_next());
  EXPECT_EQ(queue.left_of_last(), 4'000) << "what is sent counts no more, acknowledged or not";
  send_all(queue);
  EXPECT_EQ(queue.left_of_last(), 0);
}

TEST(WorkQueue, AcknowledgementsCompleteItemsInOrder) {
  WorkQueue queue(1000);
  queue.post(item(7, 1'500));
  queue.post(item(8, 1'000));
  send_all(queue);
  std::vector<std::uint64_t> done;
  const auto completed = [&](const WorkItem& work) { done.push_back(work.id); };
  EXPECT_EQ(queue.acknowledge_before(1, completed), 1'000);
  EXPECT_TRUE(done.empty());
  EXPECT_EQ(queue.acknowledge_before(3, completed), 1'500);
  EXPECT_EQ(done, (std::vector<std::uint64_t>{7, 8}));
  EXPECT_EQ(queue.acknowledge_before(3, completed), 0);
  EXPECT_TRUE(queue.idle());
  EXPECT_EQ(queue.in_flight(), 0);
}

TEST(WorkQueue, GoesBackToTheOldestUnacknowledgedAndSendsTheSameAgain) {
  WorkQueue queue(1000);
  queue.post(item(1, 4'200));
  send_all(queue);
  queue.acknowledge_before(2, [](const WorkItem&) {});
  EXPECT_EQ(queue.go_back(), 3u);
  EXPECT_EQ(queue.next_psn(), 2u);
  EXPECT_EQ(queue.in_flight(), 0);
  const auto again = send_all(queue);
  ASSERT_EQ(again.size(), 3u);
  EXPECT_EQ(again[0].offset, 2'000);
  EXPECT_EQ(again[2].bytes, 200u);
}

TEST(WorkQueue, AcknowledgementOfWhatWasNeverSentCoversNothing) {
  WorkQueue queue(1000);
  queue.post(item(1, 2'000));
  queue.sent(queue.plan_next());
  EXPECT_EQ(queue.acknowledge_before(99, [](const WorkItem&) {}), 1'000);
  EXPECT_TRUE(queue.has_unsent());
}

TEST(WorkQueue, WhatArrivedAlthoughItWasWithdrawnIsNotSentAgain) {
  WorkQueue queue(1000);
  queue.post(item(1, 4'200));
  queue.post(item(2, 3'000));
  for (int i = 0; i < 6; ++i) queue.sent(queue.plan_next());
  queue.go_back();
  queue.sent(queue.plan_next());
  EXPECT_EQ(queue.restore(99), 5u) << "six packets were sent";
  EXPECT_EQ(queue.next_psn(), 6u);
  std::vector<std::uint64_t> done;
  queue.acknowledge_before(99, [&](const WorkItem& work) { done.push_back(work.id); });
  EXPECT_EQ(done, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(queue.in_flight(), 0);
  EXPECT_EQ(queue.restore(99), 0u);
  EXPECT_EQ(queue.plan_next().item_offset, 1'000);
}

TEST(WorkQueue, TruncateKeepsWhatIsToBeSentAgain) {
  WorkQueue queue(1000);
  queue.post(item(1, 10'000));
  for (int i = 0; i < 4; ++i) queue.sent(queue.plan_next());
  queue.go_back();
  queue.sent(queue.plan_next());
  EXPECT_EQ(queue.truncate(), 0u);
  EXPECT_EQ(send_all(queue).size(), 3u);
  EXPECT_EQ(queue.next_psn(), 4u);
  queue.acknowledge_before(4, [](const WorkItem& work) { EXPECT_EQ(work.bytes, 4'000); });
  EXPECT_TRUE(queue.idle());
}

TEST(WorkQueue, TruncateEndsTheItemWithWhatIsOut) {
  WorkQueue queue(1000);
  queue.post(item(1, 1 << 30));
  queue.post(item(2, 500));
  queue.sent(queue.plan_next());
  queue.sent(queue.plan_next());
  EXPECT_EQ(queue.truncate(), 1u);
  EXPECT_FALSE(queue.has_unsent());
  std::vector<Bytes> sizes;
  queue.acknowledge_before(2, [&](const WorkItem& work) { sizes.push_back(work.bytes); });
  EXPECT_EQ(sizes, (std::vector<Bytes>{2'000}));
  EXPECT_TRUE(queue.idle());
}

TEST(WorkQueue, FlushDropsEverythingAndLateAcknowledgementsCoverNothing) {
  WorkQueue queue(1000);
  queue.post(item(1, 3'000));
  queue.post(item(2, 3'000));
  queue.sent(queue.plan_next());
  std::vector<std::uint64_t> dropped;
  queue.flush([&](const WorkItem& work) { dropped.push_back(work.id); });
  EXPECT_EQ(dropped, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(queue.acknowledge_before(1, [](const WorkItem&) { FAIL(); }), 0);
  queue.post(item(3, 100));
  EXPECT_EQ(send_all(queue).size(), 1u);
}

// Random work items, messages and retransmissions. The oracle is a list of all packets.
TEST(WorkQueue, MatchesAListOfAllPackets) {
  constexpr Bytes kMtu = 1'000;
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    WorkQueue queue(kMtu);
    std::vector<Sent> all;
    for (int i = 0; i < 5; ++i) {
      const Bytes bytes = 1 + random() % 9'000;
      const Bytes message = random() % 3 == 0 ? 0 : 1 + random() % 4'000;
      queue.post(item(1, bytes, message));
      for (Bytes at = 0, in_message = 0; at < bytes;) {
        const Bytes whole = message == 0 ? bytes : message;
        const Bytes size = std::min({kMtu, bytes - at, whole - in_message});
        Sent packet{static_cast<std::uint32_t>(size), in_message == 0, false, at + size == bytes,
                    at};
        at += size;
        in_message += size;
        packet.last = packet.ends || in_message == whole;
        if (packet.last) in_message = 0;
        all.push_back(packet);
      }
    }
    std::size_t next = 0, oldest = 0;
    while (oldest < all.size()) {
      switch (random() % 8) {
        case 0:
          queue.go_back();
          next = oldest;
          break;
        case 1:
        case 2: {
          const std::size_t to = oldest + random() % (next - oldest + 1);
          queue.acknowledge_before(static_cast<Psn>(to), [](const WorkItem&) {});
          oldest = to;
          break;
        }
        default: {
          if (!queue.has_unsent()) break;
          const PacketPlan plan = queue.plan_next();
          ASSERT_EQ(plan.payload_bytes, all[next].bytes);
          ASSERT_EQ(plan.first, all[next].first);
          ASSERT_EQ(plan.last, all[next].last);
          ASSERT_EQ(plan.ends_item, all[next].ends);
          ASSERT_EQ(plan.item_offset, all[next].offset);
          queue.sent(plan);
          ++next;
        }
      }
      ASSERT_EQ(queue.next_psn(), next);
      ASSERT_EQ(queue.oldest_unacked(), oldest);
      ASSERT_EQ(queue.has_unsent(), next < all.size());
    }
  }
}

TEST(WorkQueue, ThousandsOfItemsPassThroughWithTheirIdentity) {
  WorkQueue queue(1000);
  std::uint64_t next = 0, expected = 0;
  Psn acknowledged = 0;
  for (int round = 0; round < 2'000; ++round) {
    queue.post(item(next++, 1 + round % 3'000));
    while (queue.has_unsent()) queue.sent(queue.plan_next());
    if (round % 7 == 0) {
      acknowledged = queue.next_psn();
      queue.acknowledge_before(acknowledged,
                               [&](const WorkItem& work) { ASSERT_EQ(work.id, expected++); });
    }
  }
  EXPECT_GT(expected, 1'990u);
}

TEST(WorkQueue, WhatIsLeftOutIsMissingInTheMiddle) {
  const auto rest = [](Bytes left_out) {
    WorkQueue queue(1000);
    queue.post(item(1, 100'300, 2'500));
    for (int i = 0; i < 7; ++i) queue.sent(queue.plan_next());
    // sent are 1000, 1000 and 500 bytes, twice, and 1000 bytes
    EXPECT_EQ(queue.unsent(), 100'300 - 6'000);
    if (left_out != 0) queue.mark_delivered(left_out);
    EXPECT_EQ(queue.in_flight(), 6'000);
    EXPECT_EQ(queue.plan_next().payload_bytes, 1'000u);
    EXPECT_FALSE(queue.plan_next().first);
    std::vector<Sent> packets = send_all(queue);
    Bytes acknowledged = 0;
    int completed = 0;
    acknowledged +=
        queue.acknowledge_before(queue.next_psn(), [&](const WorkItem&) { ++completed; });
    EXPECT_EQ(acknowledged, 100'300 - left_out);
    EXPECT_EQ(completed, 1);
    EXPECT_EQ(queue.unsent(), 0);
    return packets;
  };
  const auto whole = rest(0);
  const auto shorter = rest(50'000);
  EXPECT_LT(shorter.size(), whole.size());
  EXPECT_TRUE(shorter.back().ends && shorter.back().last);
  // The transfer contains twenty whole messages.
  EXPECT_EQ(shorter.back().bytes, whole.back().bytes);
  rest(93'000);
}

}  // namespace
}  // namespace dcc
