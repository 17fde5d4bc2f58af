#include "describe/readable.h"

#include <gtest/gtest.h>

namespace dcc {
namespace {

TEST(Readable, MeasuredTimesHaveFourDigitsAndAUnitForPeople) {
  EXPECT_EQ(readable(PicoSeconds(417'798'056)), "417.8us");
  EXPECT_EQ(readable(PicoSeconds(12'345)), "12.35ns");
  EXPECT_EQ(readable(PicoSeconds(999'960'000)), "1ms");
  EXPECT_EQ(readable(PicoSeconds(999'940'000)), "999.9us");
  EXPECT_EQ(readable(PicoSeconds(0)), "0us");
}

TEST(Readable, WrittenValuesStayAsTheyAreWritten) {
  EXPECT_EQ(readable(kMicroSecond * 1500), "1500us");
  EXPECT_EQ(readable(Bytes{32} << 20), "32MiB");
  EXPECT_EQ(readable(Bytes{1'234'567}), "1.235MB");
  EXPECT_EQ(readable(Bytes{12'345'600'000'000}), "12346GB");
  EXPECT_EQ(readable(Bytes{1} << 41), "2048GiB");
  EXPECT_EQ(readable((Bytes{1} << 41) + 1), "2199GB");
  EXPECT_EQ(readable(BitRate(25'000'000'000)), "25Gbps");
  EXPECT_EQ(readable(BitRate(123'456'789)), "123.5Mbps");
}

}  // namespace
}  // namespace dcc
