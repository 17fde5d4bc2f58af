// Flows change their class during the run (`new_dscp` of an entry of traffic).
#include "disturb/class_changes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "build/platform.h"
#include "build/ranks.h"
#include "build/run_loop.h"
#include "small_platform.h"

namespace dcc::vp {
namespace {

constexpr HostId kSender = 1;
constexpr PicoSeconds kChangeOfClass = kMicroSecond * 300;

/// Records, every five microseconds, the DSCP that host 1 has for its first queue pair: the DSCP in
/// the NIC's transmitter, and the DSCP in the controller's slot of that queue pair.
class ClassWatch {
 public:
  explicit ClassWatch(const std::string& yaml)
      : config_(config_of(yaml)),
        platform_("platform", config_, {}),
        loop_(platform_, observer_),
        event_(Event::calling<&ClassWatch::look>(*this, kConsoleRank)) {
    platform_.scheduler.schedule_at(event_, kMicroSecond * 5);
    loop_.run(results_);
  }
  struct Seen {
    PicoSeconds at;
    unsigned of_pair;
    int of_slot;  // DSCP in the controller's slot; -1: the flow has no slot
  };
  std::vector<Seen> seen;
  std::string failure() { return platform_.hosts[kSender]->software_report().failure; }

 private:
  void look() {
    const Qpn qpn = platform_.plan.flows().front().from_qpn;
    Host& host = *platform_.hosts[kSender];
    Seen now{platform_.scheduler.now(), host.nic().device().transmitter().view(qpn).dscp, -1};
    ControllerEngine& device = host.dcc()->device();
    if (const auto slot = device.slot_of(qpn)) now.of_slot = device.slot(*slot).parameters.dscp;
    seen.push_back(now);
    platform_.scheduler.schedule_in(event_, kMicroSecond * 5);
  }
  PlatformConfig config_;
  Unwatched observer_;
  RunResults results_;
  Platform platform_;
  RunLoop loop_;
  Event event_;
};

std::string two_flows(const std::string& host) {
  return "topology: {kind: star, hosts: 3, link: {rate: 100Gbps, delay: 1us}}\n"
         "host: {" +
         host +
         "}\nduration: 500us\n"
         "nic: {congestion_control: {algorithm: dcc, policy: proportional}}\n"
         "dscp: {10: {weight: 1}, 12: {weight: 4}}\n"
         "traffic:\n"
         "  - {kind: flow, from: 1, to: 0, dscp: 10, new_dscp: 12, new_dscp_at: 300us}\n"
         "  - {kind: flow, from: 2, to: 0, dscp: 10}\n";
}

/// Expects the new DSCP in the NIC within `late` of its configured time, and in the controller's
/// slot with the flow's next packets.
void expect_change(const std::vector<ClassWatch::Seen>& seen, PicoSeconds late) {
  bool had_slot = false;
  for (const ClassWatch::Seen& one : seen) {
    if (one.at < kMicroSecond * 50) continue;  // software has not created the queue pair yet
    if (one.at < kChangeOfClass) {
      ASSERT_EQ(one.of_pair, 10u) << one.at.count;
      ASSERT_NE(one.of_slot, 12) << one.at.count;
      had_slot = had_slot || one.of_slot == 10;
    } else if (one.at >= kChangeOfClass + late) {
      ASSERT_EQ(one.of_pair, 12u) << one.at.count;
      ASSERT_EQ(one.of_slot, 12) << one.at.count;
    }
  }
  EXPECT_TRUE(had_slot);
}

TEST(ClassChanges, ThePlatformChangesTheClassWithoutSoftware) {
  expect_change(ClassWatch(two_flows("driver: none")).seen, kMicroSecond * 5);
}

TEST(ClassChanges, ANativeDriverChangesTheClass) {
  ClassWatch watch(two_flows("driver: native"));
  EXPECT_EQ(watch.failure(), "");
  expect_change(watch.seen, kMicroSecond * 10);
}

TEST(ClassChanges, WhatTheAlgorithmCannotChangeIsAnError) {
  const std::string text = in_a_process([] {
    std::string said;
    for (const std::string& failure :
         run(star("nic: {congestion_control: {algorithm: seawall}}\n"
                  "traffic: [{kind: flow, from: 1, to: 0, new_dscp: 12, new_dscp_at: 50us}]\n"))
             .failures) {
      said += failure;
    }
    return said;
  });
  EXPECT_NE(text.find("traffic.0.new_dscp: the NIC of host 1 cannot change the class of flow 0"),
            std::string::npos)
      << text;
}

std::string refusal_of_change(const std::string& keys) {
  return in_a_process([&] {
    config_of(star("traffic: [{kind: flow, from: 1, to: 0, new_dscp: 12, " + keys + "}]\n"));
    return std::string("loaded");
  });
}

TEST(ClassChanges, TimesThatCannotBeAreRefused) {
  EXPECT_EQ(refusal_of_change("start: 10us, new_dscp_at: 11us"), "loaded");
  EXPECT_NE(refusal_of_change("start: 10us, new_dscp_at: 10us").find("new_dscp_at"),
            std::string::npos);
  EXPECT_EQ(refusal_of_change("flows: 5, stagger: 10us, new_dscp_at: 41us"), "loaded");
  EXPECT_NE(
      refusal_of_change("flows: 5, stagger: 10us, new_dscp_at: 40us").find("start of every flow"),
      std::string::npos);
  EXPECT_NE(refusal_of_change("new_dscp_at: 100us").find("end of the run"), std::string::npos);
  EXPECT_NE(refusal_of_change("operation: read, new_dscp_at: 50us").find("write or send"),
            std::string::npos);
}

}  // namespace
}  // namespace dcc::vp
