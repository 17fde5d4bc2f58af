// Tests one host of a platform: programming without software, interrupt lines, report.
#include "build/host.h"

#include <gtest/gtest.h>

#include "build/platform.h"
#include "build/run_loop.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

const std::string kIncast =
    "nic: {congestion_control: {algorithm: dcc}}\n"
    "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n";

struct Counting final : SlotObserver {
  void slot_changed(SlotIndex, std::uint32_t, SlotChange change) override {
    if (change == SlotChange::kBound) ++bound;
  }
  int bound = 0;
};

TEST(Host, WithoutSoftwareItsControllerIsProgrammedThroughTheRegisters) {
  const PlatformConfig config = config_of(star(kIncast));
  Platform platform("platform", config, {});
  std::vector<regs::AccessRecord> writes;
  std::vector<std::string> names;
  platform.hosts[1]->trace_transactions([&](const regs::AccessRecord& access) {
    if (!access.write) return;
    names.push_back(access.name);
    EXPECT_EQ(access.path, "host1.platform");
    EXPECT_EQ(std::string(access.response), "ok");
    EXPECT_EQ(access.begin, PicoSeconds(0)) << "in no time";
  });
  Counting first;
  Counting second;
  platform.hosts[1]->observe_slots(first);
  platform.hosts[1]->observe_slots(second);
  Unwatched observer;
  RunLoop loop(platform, observer);
  RunResults results;
  loop.run(results);
  EXPECT_GT(names.size(), 10u);
  EXPECT_GE(first.bound, 1) << "a notification bound its flow";
  EXPECT_EQ(first.bound, second.bound) << "every observer hears of it";
}

TEST(Host, WithoutSoftwareItsReportIsEmpty) {
  const PlatformConfig config = config_of(star(kIncast));
  Platform platform("platform", config, {});
  const Host::SoftwareReport report = platform.hosts[1]->software_report();
  EXPECT_EQ(report.instructions, 0u);
  EXPECT_EQ(report.failure, "");
  EXPECT_EQ(platform.hosts[1]->cpu(), nullptr);
  Counting none;
  platform.hosts[0]->observe_slots(none);
}

}  // namespace
}  // namespace dcc::vp
