// Changes of parameters reach switches and controllers at their configured time.
#include "disturb/changes.h"

#include <gtest/gtest.h>

#include "build/platform.h"
#include "build/ranks.h"
#include "build/run_loop.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

constexpr PicoSeconds kInstant = kMicroSecond * 40;

/// Runs a platform and records the parameters of its first controller one nanosecond before a
/// change, and at the time `when`.
struct Looked {
  explicit Looked(const std::string& yaml, PicoSeconds when = kInstant)
      : config(config_of(yaml)), platform("platform", config, {}), loop(platform, observer) {
    before_ = std::make_unique<Look>(*this, before);
    after_ = std::make_unique<Look>(*this, after);
    platform.scheduler.schedule_at(before_->event, kInstant - kNanoSecond);
    platform.scheduler.schedule_at(after_->event, when);
    loop.run(results);
  }
  struct Seen {
    ControllerParameters parameters;
    std::uint32_t factor = 0;  // word of the factor table for DSCP 5
    bool asked = false;
  };
  Seen before;
  Seen after;
  RunResults results;

 private:
  struct Look {
    Look(Looked& of, Seen& into)
        : owner(of), seen(into), event(Event::calling<&Look::look>(*this, kConsoleRank)) {}
    void look() {
      ControllerEngine& device = owner.platform.hosts[1]->dcc()->device();
      seen = {device.parameters(), device.tables().read(RateTable::kFactor, 5), true};
    }
    Looked& owner;
    Seen& seen;
    Event event;
  };
  PlatformConfig config;
  Unwatched observer;
  Platform platform;
  RunLoop loop;
  std::unique_ptr<Look> before_;
  std::unique_ptr<Look> after_;
};

const char kChange[] =
    "changes: [{at: 40us, set: {nic.congestion_control.r_ai: 7Mbps, dscp.5.weight: 4}}]\n"
    "traffic: [{kind: incast, senders: 1..3, receiver: 0, dscp: 5}]\n";

TEST(Changes, ControllersWithoutSoftwareHaveTheirNewParametersAtOnce) {
  const Looked looked(star(kChange), kInstant + kMicroSecond * 10);
  ASSERT_TRUE(looked.after.asked);
  EXPECT_NE(looked.before.parameters.rate.r_ai, Rate::from(BitRate(7'000'000)).raw);
  EXPECT_EQ(looked.after.parameters.rate.r_ai, Rate::from(BitRate(7'000'000)).raw);
  EXPECT_EQ(looked.before.factor & 0xFFFF, 1u << 8);
  EXPECT_EQ(looked.after.factor & 0xFFFF, 4u << 8);
  EXPECT_TRUE(looked.after.parameters.enable);
  EXPECT_TRUE(looked.results.failures.empty());
}

TEST(Changes, WithSoftwareTheyComeOverItsBusInTheBusesTime) {
  const Looked looked("host: {driver: native}\n" + star(kChange).substr(star("").find("duration")) +
                          "topology: {kind: star, hosts: 4}\n",
                      kInstant + kMicroSecond * 2);
  ASSERT_TRUE(looked.after.asked);
  EXPECT_NE(looked.before.parameters.rate.r_ai, Rate::from(BitRate(7'000'000)).raw);
  EXPECT_EQ(looked.after.parameters.rate.r_ai, Rate::from(BitRate(7'000'000)).raw);
  EXPECT_EQ(looked.after.factor & 0xFFFF, 4u << 8);
  EXPECT_TRUE(looked.after.parameters.enable);
  EXPECT_TRUE(looked.results.failures.empty());
}

TEST(Changes, SwitchesMarkByTheirNewThresholds) {
  const RunResults r = run(
      star("switch: {ecn: {kmin: 1GB, kmax: 1GB}}\nnic: {congestion_control: {algorithm: none}}\n"
           "measure: {from: 40us, to: 41us}\n"
           "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"
           "changes: [{at: 40us, set: {switch.ecn: {kmin: 1KB, kmax: 1KB}}}]\n"));
  // In the microsecond of the window the packets of two or three links arrived, and all found a
  // full queue.
  EXPECT_GT(r.counters.of(&SwitchCounters::ecn_marks), 20u);
}

TEST(Changes, SwitchesDoNotMarkByThemBefore) {
  const RunResults r = run(
      star("switch: {ecn: {kmin: 1GB, kmax: 1GB}}\nnic: {congestion_control: {algorithm: none}}\n"
           "measure: {from: 0us, to: 40us}\n"
           "traffic: [{kind: incast, senders: 1..3, receiver: 0}]\n"
           "changes: [{at: 40us, set: {switch.ecn: {kmin: 1KB, kmax: 1KB}}}]\n"));
  EXPECT_EQ(r.counters.of(&SwitchCounters::ecn_marks), 0u);
}

}  // namespace
}  // namespace dcc::vp
