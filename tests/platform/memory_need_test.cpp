#include "traffic/memory_need.h"

#include <gtest/gtest.h>

#include "traffic/traffic_spec.h"

namespace dcc::vp {
namespace {

TEST(MemoryNeed, TheFlowThatDoesNotFitIsRefusedWithBothFigures) {
  EXPECT_NO_THROW(require_memory(1000, kLiveFlowBytes, "flows", 1000 * kLiveFlowBytes));
  try {
    require_memory(17'000'000, kLiveFlowBytes, "flows that start at once", 23'000'000'000);
    FAIL() << "27 GB fit into 23 GB";
  } catch (const TrafficError& error) {
    EXPECT_STREQ(error.what(),
                 "traffic.0: 17000000 flows that start at once need about 27 GB of memory (1600 B "
                 "each), and 23 GB are available; use fewer flows, or spread their starts");
  }
}

TEST(MemoryNeed, TheMachineTellsWhatIsLeft) {
  const std::uint64_t left = available_memory();
  EXPECT_GT(left, 1'000'000u);  // or this test could not run
  EXPECT_NO_THROW(check_memory(1, true));
}

}  // namespace
}  // namespace dcc::vp
