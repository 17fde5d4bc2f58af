// Tests the demotion of flows to lower priorities by the number of bytes sent.
#include "nic/demotion.h"

#include <gtest/gtest.h>

namespace dcc::demotion_test {
namespace {

TEST(Demotion, APacketMovesOnePriorityDownAtEachThreshold) {
  const Demotion demotion({1000, 5000});
  EXPECT_EQ(demotion.priority_at(0), 7);
  EXPECT_EQ(demotion.priority_at(999), 7);
  EXPECT_EQ(demotion.priority_at(1000), 6);
  EXPECT_EQ(demotion.priority_at(4999), 6);
  EXPECT_EQ(demotion.priority_at(5000), 5);
}

TEST(Demotion, WithoutThresholdsItIsNotActive) {
  EXPECT_FALSE(Demotion({}).is_active());
  EXPECT_TRUE(Demotion({1}).is_active());
}

}  // namespace
}  // namespace dcc::demotion_test
