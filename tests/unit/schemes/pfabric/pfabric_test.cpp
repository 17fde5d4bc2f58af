// Tests pFabric on one switch of 10 Gb/s against values calculated step by step. 1500 bytes occupy
// a link for 1.2 us, an ACK of 40 bytes for 32 ns, and each link adds 0.2 us.
#include "schemes/pfabric/pfabric.h"

#include <gtest/gtest.h>

#include "unit/schemes/transport_network.h"

namespace dcc::pfabric_test {
namespace {

using test::TransportStar;

constexpr PicoSeconds kPacket{1'200'000};
constexpr PicoSeconds kAck{32'000};
constexpr PicoSeconds kWire{200'000};

TransportChoice pfabric(unsigned window = 12) {
  TransportChoice choice;
  choice.choose("pfabric");
  auto& p = choice.of<PfabricParameters>("pfabric");
  p.framing = {40, 40};
  p.initial_window = window;
  return choice;
}

struct Star : TransportStar {
  explicit Star(HostId hosts, unsigned window = 12)
      : TransportStar(hosts, pfabric(window), {},
                      {BitRate(10'000'000'000), PicoSeconds(200'000), 0}, 1460) {}
};

// In the published replay a packet within an idle rack takes 3.264 us to its ACK.
TEST(Pfabric, OnePacketTakesWhatTheReplayTook) {
  Star star(2);
  star.send(0, 1, 1460);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.done.at(0).when, PicoSeconds(2 * (1'200'000 + 200'000 + 32'000 + 200'000)));
  EXPECT_EQ(star.done.at(0).when, PicoSeconds(2 * 1'632'000));
  star.expect_all_arrived();
}

TEST(Pfabric, AWindowFillsTheWire) {
  Star star(2);
  star.send(0, 1, 1460 * 100);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.done.at(0).when, kPacket * 101 + kAck * 2 + kWire * 4);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 0u);
  star.expect_all_arrived();
}

TEST(Pfabric, AtTheSenderTheFlowWithLeastLeftGoesFirst) {
  Star star(3);
  star.send(0, 1, 1460 * 100);
  star.scheduler.run_until(kMicroSecond * 24);
  star.send(0, 2, 1460 * 3);
  star.scheduler.run_until(kMilliSecond);
  // The short flow waits for at most one packet, which is already on the link.
  EXPECT_LE(star.received_at(1), kMicroSecond * 24 + kPacket * 5 + kWire * 2);
  EXPECT_EQ(star.received_at(0), kPacket * 104 + kWire * 2) << "and the wire was never idle";
  star.expect_all_arrived();
}

TEST(Pfabric, AtThePortTheShortFlowPassesTheCrowd) {
  Star star(10);
  for (HostId h = 1; h <= 8; ++h) star.send(h, 0, 1460 * 60);
  star.scheduler.run_until(kMicroSecond * 100);
  EXPECT_GT(star.device->totals().dropped, 0u);
  star.send(9, 0, 1460 * 5);
  star.scheduler.run_until(kMilliSecond * 5);
  // The last flow waits for five queued packets, and for one packet of a flow that is nearly
  // complete.
  EXPECT_LE(star.received_at(8), kMicroSecond * 100 + kPacket * 12 + kWire * 2);
  star.expect_all_arrived();
}

TEST(Pfabric, AfterTimeoutsInARowItProbes) {
  Star star(2);
  bool dead = true;
  std::uint64_t data = 0, probes = 0;
  star.lose([&](const Packet& packet) {
    data += packet.kind == PacketKind::kData ? 1 : 0;
    probes += packet.kind == PacketKind::kRequest ? 1 : 0;
    return dead;
  });
  star.send(0, 1, 1460 * 30);
  star.scheduler.run_until(kMicroSecond * 44);
  EXPECT_EQ(data, 12u) << "a window, and nothing comes back";
  // The timeouts at 45, 90, 135 and 180 us send one packet each. From 225 us on they send probes.
  star.scheduler.run_until(kMicroSecond * 224);
  EXPECT_EQ(data, 16u);
  EXPECT_EQ(probes, 0u);
  star.scheduler.run_until(kMicroSecond * 500);
  EXPECT_EQ(data, 16u);
  EXPECT_EQ(probes, 7u);
  EXPECT_EQ(star.sum_of(&NicCounters::timeouts), 11u);
  dead = false;
  star.scheduler.run_until(kMilliSecond * 2);
  star.expect_all_arrived();
}

class PfabricLosses : public testing::TestWithParam<std::uint64_t> {};

TEST_P(PfabricLosses, EveryByteArrivesOnceAllTheSame) {
  Star star(12);
  RandomStream random(GetParam(), "losses");
  std::array<std::uint64_t, kPacketKinds> lost{};
  star.lose([&](const Packet& packet) {
    if (!random.chance((std::uint64_t{1} << 32) / 10)) return false;
    ++lost.at(static_cast<std::size_t>(packet.kind));
    return true;
  });
  for (int round = 0; round < 3; ++round) {
    for (HostId h = 1; h < 12; ++h) star.send(h, h % 2, 1 + 1460 * static_cast<Bytes>(20 + h));
    for (HostId h = 2; h < 12; ++h) star.send(0, h, 700);
  }
  star.scheduler.run_until(kMilliSecond * 200);
  star.expect_all_arrived();
  EXPECT_GT(lost.at(static_cast<std::size_t>(PacketKind::kData)), 0u);
  EXPECT_GT(lost.at(static_cast<std::size_t>(PacketKind::kAck)), 0u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, PfabricLosses, testing::Values(1, 2, 3, 4, 5));

}  // namespace
}  // namespace dcc::pfabric_test
