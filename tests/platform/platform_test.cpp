// Tests the whole platform: names, drivers of hosts, platform parts, and errors before the run.
#include "build/platform.h"

#include <gtest/gtest.h>

#include "build/ranks.h"
#include "build/run_loop.h"
#include "debug/console.h"
#include "measure/measurement.h"
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
  EXPECT_EQ(platform.part<Console>(), nullptr);
  EXPECT_NE(platform.part<Measurement>(), nullptr);
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

/// A platform part that records the order in which the platform calls its parts.
class NotedPart final : public PlatformPart {
 public:
  NotedPart(std::string name, std::string& notes) : name_(std::move(name)), notes_(notes) {}
  ~NotedPart() override { notes_ += "-" + name_; }
  void begin() override { notes_ += "b" + name_; }
  void finish(RunResults& results) override {
    notes_ += "f" + name_;
    results.failures.push_back(name_);
  }

 private:
  std::string name_;
  std::string& notes_;
};

TEST(Platform, PartsBeginAndFinishInOrderAndGoInReverse) {
  const PlatformConfig config = config_of(star("traffic: [{kind: flow, from: 1, to: 0}]\n"));
  std::string notes;
  RunResults results;
  {
    Platform platform("platform", config, {});
    platform.add(std::make_unique<NotedPart>("1", notes));
    platform.add(std::make_unique<NotedPart>("2", notes));
    Unwatched observer;
    RunLoop loop(platform, observer);
    loop.run(results);
  }
  EXPECT_EQ(notes, "b1b2f1f2-2-1");
  EXPECT_EQ(results.failures, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(results.hosts.size(), 4u) << "the parts that every platform has have finished, too";
}

TEST(Platform, KindsOfPartsStandInTheirOrder) {
  const std::vector<PartKind>& kinds = PartKind::all();
  EXPECT_GE(kinds.size(), 15u);
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    EXPECT_LT(kinds[i - 1].order(), kinds[i].order()) << i;
  }
}

TEST(Platform, AFaultOnALinkThatIsNotThereIsRefused) {
  const PlatformConfig config =
      config_of(star("faults: [{kind: link_down, link: h7->s0, stop: 9us}]\n"
                     "traffic: [{kind: flow, from: 1, to: 0}]\n"));
  EXPECT_THROW(Platform("platform", config, {}), SettingError);
}

}  // namespace
}  // namespace dcc::vp
