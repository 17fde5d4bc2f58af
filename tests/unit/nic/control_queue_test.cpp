// Tests the order in which control packets leave a NIC.
#include "nic/control_queue.h"

#include <gtest/gtest.h>

namespace dcc::control_queue_test {
namespace {

class ControlQueueTest : public testing::Test {
 protected:
  Packet* packet(std::uint8_t priority) {
    Packet* const made = pool.allocate();
    made->priority = priority;
    return made;
  }
  PacketPool pool;
  ControlQueue queue;
};

TEST_F(ControlQueueTest, HighestPriorityFirstThenByArrival) {
  Packet* const low = packet(1);
  Packet* const high = packet(6);
  Packet* const next = packet(6);
  for (Packet* const one : {low, high, next}) queue.push(one);
  EXPECT_EQ(queue.pop(0), high);
  EXPECT_EQ(queue.pop(0), next);
  EXPECT_EQ(queue.pop(0), low);
  EXPECT_EQ(queue.pop(0), nullptr);
  EXPECT_TRUE(queue.empty());
}

TEST_F(ControlQueueTest, BlockedPrioritiesWait) {
  Packet* const low = packet(1);
  Packet* const high = packet(6);
  queue.push(low);
  queue.push(high);
  EXPECT_EQ(queue.pop(1u << 6), low);
  EXPECT_FALSE(queue.has_sendable(1u << 6));
  EXPECT_EQ(queue.pop(1u << 6), nullptr);
  EXPECT_FALSE(queue.empty());
  EXPECT_EQ(queue.pop(0), high);
}

TEST_F(ControlQueueTest, LinkControlComesFirstWhateverIsBlocked) {
  Packet* const ack = packet(7);
  Packet* const frame = packet(0);
  queue.push(ack);
  queue.push_link_control(frame);
  EXPECT_TRUE(queue.has_sendable(0xFF));
  EXPECT_EQ(queue.pop(0xFF), frame);
  EXPECT_EQ(queue.pop(0xFF), nullptr);
}

}  // namespace
}  // namespace dcc::control_queue_test
