// Tests the values of a platform that can be read by name, before and during a run.
#include "debug/inspection.h"

#include <gtest/gtest.h>

#include "build/platform.h"
#include "build/run_loop.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

std::string read(const model::DebugRegistry& registry, const std::string& name) {
  std::string error;
  const auto reader = registry.find(name, error);
  return reader ? reader() : "error: " + error;
}

TEST(Inspection, RegistersSlotsFlowsAndQueuesByName) {
  const PlatformConfig config =
      config_of(star("nic: {congestion_control: {algorithm: dcc}}\n"
                     "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"));
  Platform platform("platform", config, {});
  model::DebugRegistry registry;
  describe_platform(registry, platform.hosts, platform.network, platform.plan);
  EXPECT_EQ(read(registry, "host1.slots_in_use"), "0");
  EXPECT_EQ(read(registry, "host1.slot[3]"), "free");
  EXPECT_NE(read(registry, "host1.slot[99999]").find("indices go from 0 to"), std::string::npos);
  EXPECT_NE(read(registry, "flow[0]").find("host 1 to host 0"), std::string::npos);
  EXPECT_NE(read(registry, "flow[0]").find("no queue pair yet"), std::string::npos);
  EXPECT_NE(read(registry, "host9.slot[0]").find("no such value"), std::string::npos);
  const std::string before = read(registry, "host1.dcc.CTRL");
  EXPECT_EQ(before.substr(0, 2), "0x");

  Unwatched observer;
  RunLoop loop(platform, observer);
  RunResults results;
  loop.run(results);
  EXPECT_NE(read(registry, "host1.dcc.CTRL"), before) << "it was enabled";
  EXPECT_EQ(read(registry, "host1.slots_in_use"), "1");
  EXPECT_EQ(read(registry, "host1.slot[0]").rfind("flow 0 (number 2), rate ", 0), 0u)
      << read(registry, "host1.slot[0]");
  EXPECT_NE(read(registry, "flow[0]").find("Gb/s"), std::string::npos);
  EXPECT_NE(read(registry, "queue[0]").find(" bytes"), std::string::npos);
}

}  // namespace
}  // namespace dcc::vp
