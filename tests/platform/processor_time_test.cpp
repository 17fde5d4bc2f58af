// The measured processor time is never negative, also in a process that was forked as a snapshot.
#include "software/processor_time.h"

#include <gtest/gtest.h>

#include "small_platform.h"

namespace dcc::vp {
namespace {

TEST(ProcessorTime, OnlyTheProcessThatBeganKnowsIt) {
  for (volatile int i = 0; i < 10'000'000; i = i + 1) {
  }
  const ProcessorTime time;
  ASSERT_TRUE(time.seconds());
  EXPECT_GE(*time.seconds(), 0.0);
  const auto elsewhere = [&] { return std::string(time.seconds() ? "known" : "unknown"); };
  EXPECT_EQ(in_a_process(elsewhere), "unknown");
}

}  // namespace
}  // namespace dcc::vp
