#include "traffic/memory_need.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "traffic/traffic_spec.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

TEST(MemoryNeed, TheLargestEntryIsRefusedWithBothFigures) {
  EntryCounts entries;
  entries.add(0);
  for (int flow = 0; flow < 3; ++flow) entries.add(2);
  for (int flow = 0; flow < 3; ++flow) entries.add(4);
  EXPECT_NO_THROW(require_memory(1000, kLiveFlowBytes, "flows", 1000 * kLiveFlowBytes, entries));
  try {
    require_memory(17'000'000, kLiveFlowBytes, "flows that start at once", 23'000'000'000, entries);
    FAIL() << "27 GB fit into 23 GB";
  } catch (const TrafficError& error) {
    EXPECT_STREQ(error.what(),
                 "traffic.2: 17000000 flows that start at once need about 27 GB of memory (1600 B "
                 "each), and 23 GB are available; use fewer flows, or spread their starts");
  }
}

TEST(MemoryNeed, FlowsThatStartTogetherAreRefusedBeforeTheRun) {
  constexpr std::size_t kFits = 2 * kFlowsBetweenChecks;
  const auto available = [] { return kFits * kLiveFlowBytes; };
  FlowSpec flow;
  flow.entry = 3;
  StartsAtOnce spread(available);
  for (std::size_t i = 0; i < 4 * kFits; ++i) {
    EXPECT_NO_THROW(spread.add(flow));
    if (i % kFits == kFits - 1) flow.start = flow.start + kAhead;
  }
  StartsAtOnce together(available);
  const auto all = [&] {
    for (std::size_t i = 0; i < kFits + kFlowsBetweenChecks; ++i) together.add(flow);
  };
  try {
    all();
    FAIL() << "more flows start together than fit";
  } catch (const TrafficError& error) {
    EXPECT_NE(std::string(error.what()).find("traffic.3: 196608 flows that start at nearly"),
              std::string::npos)
        << error.what();
  }
}

TEST(MemoryNeed, TheMachineTellsWhatIsLeft) {
  const std::uint64_t left = available_memory();
  EXPECT_GT(left, 1'000'000u);  // the machine must have at least this much free memory
  EXPECT_NO_THROW(check_memory(1, true, {}));
}

/// A fake file system of control groups (cgroups), whose files a test writes.
class ControlGroups : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_); }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << "\n";
  }
  std::uint64_t left(const std::string& membership) const {
    return memory_left_to_groups(root_.string(), membership);
  }
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

 private:
  const fs::path root_ =
      fs::path(testing::TempDir()) / ("control_groups" + std::to_string(getpid()));
};

TEST_F(ControlGroups, WithoutALimitEverythingIsLeft) {
  EXPECT_EQ(left(""), kNone);
  EXPECT_EQ(left("0::/\n"), kNone);
  write("memory.max", "max");
  write("memory.current", "5000");
  EXPECT_EQ(left("0::/\n"), kNone);
}

TEST_F(ControlGroups, UnusedFilePagesCountAsFree) {
  write("memory.max", "10000");
  write("memory.current", "9000");
  EXPECT_EQ(left("0::/\n"), 1000u);
  write("memory.stat", "anon 2000\ninactive_file 6500\nactive_file 500");
  EXPECT_EQ(left("0::/\n"), 7500u);
}

TEST_F(ControlGroups, Version1IsReadToo) {
  write("memory/memory.limit_in_bytes", "10000");
  write("memory/memory.usage_in_bytes", "9000");
  write("memory/memory.stat", "inactive_file 1\ntotal_inactive_file 6000");
  EXPECT_EQ(left("4:memory:/\n"), 7000u);
}

TEST_F(ControlGroups, TheGroupOfTheProcessAndThoseAroundIt) {
  write("a/memory.max", "4000");
  write("a/memory.current", "1000");
  write("a/b/memory.max", "max");
  write("a/b/memory.current", "900");
  EXPECT_EQ(left("0::/a/b\n"), 3000u);
  EXPECT_EQ(left("0::/other\n"), kNone);
  write("memory/x/memory.limit_in_bytes", "2000");
  write("memory/x/memory.usage_in_bytes", "500");
  EXPECT_EQ(left("3:cpu:/x\n2:cpuset,memory:/x/y\n0::/a\n"), 1500u);
  EXPECT_EQ(left("3:cpu:/x\n0::/a\n"), 3000u);
}

}  // namespace
}  // namespace dcc::vp
