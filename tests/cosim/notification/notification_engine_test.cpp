// The platform's notification point in RTL must equal the model, packet by packet.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "controller/lockstep_report.h"
#include "notification_engine_lockstep.h"
#include "notification_engine_rtl.h"

namespace dcc {
namespace {

std::unique_ptr<NotificationEngine> lockstep(unsigned fault = 0) {
  RtlNotificationOptions options;
  options.host = 3;
  options.fault = fault;
  return make_lockstep_notification_engine(make_rtl_notification_engine(options),
                                           {"host 3 notification point", 9});
}

struct Traffic {
  std::uint64_t marks = 0, cnps = 0, clears = 0;
};

/// Sends packets on twenty queue pairs at random times. A receiver answers marked packets of a
/// queue pair in one of three ways: with CNPs that carry the number of marks, with CNPs without
/// this number, or with no CNP. During the run queue pairs are destroyed, and new ones replace
/// them.
Traffic drive(NotificationEngine& engine, std::uint64_t packets) {
  std::mt19937_64 random(5);
  std::array<CnpParameters, 3> profiles;
  profiles[0].carry_marks = true;
  profiles[0].interval = kMicroSecond * 4;
  profiles[1].interval = PicoSeconds(0);
  profiles[1].dscp = 7;
  profiles[1].priority = 2;
  Traffic seen;
  Qpn first = 0x10;
  const auto count = 20u;
  for (Qpn qpn = first; qpn < first + count; ++qpn) engine.begin(qpn);
  NotifiedPacket packet;
  for (std::uint64_t i = 0; i < packets; ++i) {
    packet.now += PicoSeconds(static_cast<std::int64_t>(random() % 90'000));
    packet.qpn = first + random() % count;
    packet.flow = packet.qpn + 100;
    packet.sender = packet.qpn % 7;
    packet.sender_qpn = packet.qpn * 3;
    packet.wanted = packet.qpn % 3 != 2;
    // CE marks are so frequent in half of the sequence that the counts saturate.
    packet.marked = random() % 4 != 0 || (i / 4096) % 2 == 0;
    const auto told = engine.packet(packet, profiles[packet.qpn % 3]);
    seen.marks += packet.marked;
    if (told) ++(told->marks == 0 ? seen.clears : seen.cnps);
    if (random() % 500 == 0) {
      engine.end(first);
      engine.begin(first++ + count);
    }
  }
  return seen;
}

TEST(NotificationEngine, RtlDecidesAsTheModel) {
  const auto both = lockstep();
  const Traffic seen = drive(*both, 60'000);
  EXPECT_GT(seen.cnps, 10'000u);
  EXPECT_GT(seen.clears, 100u);
  EXPECT_LT(seen.cnps, seen.marks);
}

TEST(NotificationEngine, RtlAloneGivesTheSameCnps) {
  RtlNotificationOptions options;
  const auto both = lockstep();
  const auto alone = make_rtl_notification_engine(options);
  const Traffic one = drive(*both, 5'000), other = drive(*alone, 5'000);
  EXPECT_EQ(one.cnps, other.cnps);
  EXPECT_EQ(one.clears, other.clears);
}

TEST(NotificationEngine, AFaultIsToldWithNameTimeAndFlow) {
  for (unsigned fault = 1; fault <= kNotificationFaults; ++fault) {
    const auto both = lockstep(fault);
    try {
      drive(*both, 60'000);
      ADD_FAILURE() << "fault " << fault << " is not found";
    } catch (const LockstepMismatch& difference) {
      const std::string report = difference.what();
      EXPECT_EQ(report.find("host 3 notification point: model and RTL differ after "), 0u)
          << report;
      for (const char* part : {"seed 9: packet at ", " flow ", " queue pair ",
                               "\n  model: ", "\n  RTL:   ", "\n  last calls:\n    packet at "}) {
        EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report;
      }
    }
  }
}

TEST(NotificationEngine, MoreQueuePairsThanBuiltForAreRefused) {
  const auto engine = make_rtl_notification_engine({});
  for (Qpn qpn = 0; qpn < verilated_notifications(); ++qpn) engine->begin(qpn);
  engine->begin(5);  // creates an existing queue pair anew, in the same place
  EXPECT_THROW(engine->begin(verilated_notifications()), std::runtime_error);
  engine->end(7);
  engine->end(7);
  EXPECT_NO_THROW(engine->begin(verilated_notifications()));
}

}  // namespace
}  // namespace dcc
