#include "fabric/faults.h"

#include <gtest/gtest.h>

#include "unit/switch/test_devices.h"

namespace dcc::faults_test {
namespace {

using test::TestStar;
constexpr LinkParameters k100G{BitRate(100'000'000'000), kMicroSecond, 20};

TEST(Faults, RandomLossTakesItsShareAndTheBooksBalance) {
  TestStar star(2, SwitchParameters{}, k100G);
  star.up[0]->set_loss_hook(
      lose_randomly(star.scheduler, FaultWindow{}, Ratio(1, 100).to_fixed(32), 1, 0));
  star.host[0]->blast(1, 1230);
  star.scheduler.run_until(kMilliSecond * 10);
  star.host[0]->stop();
  star.scheduler.run_until(kMilliSecond * 11);
  const LinkCounters& counters = star.up[0]->counters();
  EXPECT_EQ(star.host[0]->sent, star.host[1]->packets + counters.lost);
  EXPECT_EQ(star.pool.in_use(), 0);
  // The tolerance is four standard deviations.
  EXPECT_NEAR(static_cast<double>(counters.lost), 1'000, 4 * 31.5);
}

TEST(Faults, ACutLinkCarriesNothingForAWhile) {
  TestStar star(2, SwitchParameters{}, k100G);
  star.up[0]->set_loss_hook(cut(star.scheduler, FaultWindow{kMilliSecond * 2, kMilliSecond * 3}));
  star.host[0]->blast(1, 1230);
  star.scheduler.run_until(kMilliSecond * 5);
  const LinkCounters counters = star.up[0]->counters();
  EXPECT_EQ(counters.lost, 10'000u);  // packets of 1250 bytes take 100 ns each
  EXPECT_EQ(counters.busy,
            kNanoSecond * 100 * static_cast<std::int64_t>(counters.packets + counters.lost));
}

TEST(Faults, ALossIsForThePacketsThatAreNamed) {
  Scheduler scheduler;
  FaultParameters fault;
  fault.probability = Ratio(1);
  const auto lost = [&](LossOf of, PacketKind kind) {
    fault.packets = of;
    Packet packet;
    packet.kind = kind;
    return fault_hook(fault, scheduler, 1, 0)(packet);
  };
  for (const PacketKind control :
       {PacketKind::kAck, PacketKind::kNak, PacketKind::kCnp, PacketKind::kCnm}) {
    EXPECT_TRUE(lost(LossOf::kAll, control));
    EXPECT_TRUE(lost(LossOf::kControl, control));
    EXPECT_FALSE(lost(LossOf::kData, control));
  }
  EXPECT_TRUE(lost(LossOf::kAll, PacketKind::kData));
  EXPECT_TRUE(lost(LossOf::kData, PacketKind::kData));
  EXPECT_FALSE(lost(LossOf::kControl, PacketKind::kData));
  for (const LossOf any : {LossOf::kAll, LossOf::kData, LossOf::kControl}) {
    EXPECT_FALSE(lost(any, PacketKind::kPause));
  }
}

TEST(Faults, OnlyTheCnpsOfTheFlowAreLost) {
  Scheduler scheduler;
  const Link::LossHook hook = lose_cnps(scheduler, FaultWindow{kMicroSecond, kMilliSecond}, 7);
  Packet packet;
  packet.flow = 7;
  packet.kind = PacketKind::kCnp;
  EXPECT_FALSE(hook(packet));  // the fault begins at 1 us
  scheduler.advance_to(kMicroSecond);
  EXPECT_TRUE(hook(packet));
  packet.flow = 8;
  EXPECT_FALSE(hook(packet));
  packet.flow = 7;
  packet.kind = PacketKind::kAck;
  EXPECT_FALSE(hook(packet));
  packet.kind = PacketKind::kCnp;
  scheduler.advance_to(kMilliSecond);
  EXPECT_FALSE(hook(packet));
}

TEST(Faults, PauseFramesAlwaysPass) {
  Scheduler scheduler;
  Packet packet;
  packet.kind = PacketKind::kPause;
  EXPECT_FALSE(cut(scheduler, FaultWindow{})(packet));
  EXPECT_FALSE(lose_randomly(scheduler, FaultWindow{}, std::uint64_t{1} << 32, 1, 0)(packet));
  packet.kind = PacketKind::kData;
  EXPECT_TRUE(cut(scheduler, FaultWindow{})(packet));
  EXPECT_TRUE(lose_randomly(scheduler, FaultWindow{}, std::uint64_t{1} << 32, 1, 0)(packet));
}

TEST(Faults, CombinedFaultsDoNotDisturbEachOther) {
  Scheduler scheduler;
  const std::uint64_t half = std::uint64_t{1} << 31;
  const Link::LossHook alone = lose_randomly(scheduler, FaultWindow{}, half, 1, 3);
  const Link::LossHook both = combine({lose_cnps(scheduler, FaultWindow{}, 1),
                                       lose_randomly(scheduler, FaultWindow{}, half, 1, 3)});
  Packet packet;
  int lost = 0;
  for (int i = 0; i < 1000; ++i) {
    packet.kind = i % 3 == 0 ? PacketKind::kCnp : PacketKind::kData;
    packet.flow = 1;
    const bool expected = alone(packet) || packet.kind == PacketKind::kCnp;
    EXPECT_EQ(both(packet), expected);
    lost += expected ? 1 : 0;
  }
  EXPECT_GT(lost, 500);
}

}  // namespace
}  // namespace dcc::faults_test
