// The whole platform put together: names, who drives what, and what it refuses before it runs.
#include "build/platform.h"

#include <gtest/gtest.h>

#include "build/ranks.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

TEST(Platform, EveryPartHasItsPlace) {
  const PlatformConfig config =
      config_of(star("hosts: {2: {driver: native}}\nnic: {congestion_control: {algorithm: dcc}}\n"
                     "traffic: [{kind: flow, from: 1, to: 0, bytes: 5KB}]\n"));
  Platform platform("platform", config, {});
  ASSERT_EQ(platform.hosts.size(), 4u);
  EXPECT_TRUE(platform.hosts[1]->is_direct());
  EXPECT_FALSE(platform.hosts[2]->is_direct());
  EXPECT_NE(platform.hosts[1]->controller(), nullptr);
  EXPECT_NE(platform.hosts[1]->dcc(), nullptr);
  EXPECT_STREQ(platform.hosts[2]->name(), "platform.host2");
  EXPECT_EQ(platform.network.wires().size(), 8u);
  EXPECT_LE(platform.network.ranks_used(), kNicRank);
  EXPECT_EQ(platform.ledger[0].target_bytes, 5'000);
  EXPECT_EQ(platform.partitions.count(), 1u);
  EXPECT_EQ(platform.console, nullptr);
}

TEST(Platform, AnAlgorithmWithoutAControllerHasNoRegisters) {
  const PlatformConfig config =
      config_of(star("nic: {congestion_control: {algorithm: dctcp}}\n"
                     "traffic: [{kind: flow, from: 1, to: 0}]\n"));
  Platform platform("platform", config, {});
  EXPECT_NE(platform.hosts[1]->algorithm(), nullptr);
  EXPECT_EQ(platform.hosts[1]->dcc(), nullptr);
  EXPECT_EQ(platform.hosts[1]->controller(), nullptr);
}

TEST(Platform, AFaultOnALinkThatIsNotThereIsRefused) {
  const PlatformConfig config =
      config_of(star("faults: [{kind: link_down, link: h7->s0, stop: 9us}]\n"
                     "traffic: [{kind: flow, from: 1, to: 0}]\n"));
  EXPECT_THROW(Platform("platform", config, {}), SettingError);
}

}  // namespace
}  // namespace dcc::vp
