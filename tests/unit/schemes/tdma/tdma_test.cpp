// Tests TDMA on one switch of 10 Gb/s against values calculated by hand. A packet of 4096 bytes
// occupies a link for 3.328 us, and each link adds 1 us. Slots of 20 us with a guard of 4 us hold
// four packets.
#include "schemes/tdma/tdma.h"

#include <gtest/gtest.h>

#include <functional>

#include "unit/schemes/transport_network.h"

namespace dcc::tdma_test {
namespace {

constexpr PicoSeconds kPacket{3'328'000};
constexpr PicoSeconds kSlot = kMicroSecond * 20;
constexpr Bytes kPayload = 4096;
constexpr unsigned kPackets = 4;  // number of packets per slot
const PicoSeconds kThere = (kPacket + kMicroSecond) * 2;

using Change = std::function<void(TdmaParameters&)>;

/// A star of four hosts. In three slots each host has sent to each other host once.
struct Star : test::TransportStar {
  explicit Star(const Change& change = [](TdmaParameters&) {})
      : TransportStar(4, tdma(change), {}, {10_Gbps, kMicroSecond, 0}, 4096) {}
  static TransportChoice tdma(const Change& change) {
    TransportChoice choice;
    choice.choose("tdma");
    auto& p = choice.of<TdmaParameters>("tdma");
    p.slot = kSlot;
    p.guard = kMicroSecond * 4;
    change(p);
    return choice;
  }
};

/// Arrival time of the last of `packets` packets, from a host whose first slot to the receiver is
/// `first`.
PicoSeconds arrival(unsigned packets, unsigned first) {
  const unsigned slot = first + 3 * ((packets - 1) / kPackets);
  return kSlot * slot + kPacket * ((packets - 1) % kPackets) + kThere;
}

// Host h sends to host h + 1 in slot 0, to h + 2 in slot 1, to h + 3 in slot 2.
TEST(Tdma, AHostSendsInTheSlotsOfItsReceiver) {
  for (unsigned packets : {1u, 4u, 5u, 50u}) {
    for (const HostId to : {1u, 2u, 3u}) {
      Star star;
      star.send(0, to, kPayload * packets);
      star.scheduler.run_until(kMilliSecond * 5);
      star.expect_all_arrived();
      EXPECT_EQ(star.received_at(0), arrival(packets, to - 1)) << packets << " to " << to;
    }
  }
}

// No packet of one sender waits for packets of another sender, so each flow completes as if it were
// alone. With turns instead of slots the three flows would complete together, and packets would
// wait in the switch.
TEST(Tdma, AnIncastHasNoQueue) {
  Star star;
  for (const HostId from : {1u, 2u, 3u}) star.send(from, 0, kPayload * 40);
  star.scheduler.run_until(kMilliSecond * 5);
  star.expect_all_arrived();
  for (const HostId from : {1u, 2u, 3u}) {
    EXPECT_EQ(star.received_at(from - 1), arrival(40, 3 - from)) << from;
  }
}

// Two flows of the same pair of hosts alternate. The first packet of the first flow leaves before
// the second flow exists, so the first flow sends the packets 1, 2, 4, 6 … 18 of both.
TEST(Tdma, FlowsOfOnePairTakeTurns) {
  Star star;
  star.send(0, 1, kPayload * 10);
  star.send(0, 1, kPayload * 10);
  star.scheduler.run_until(kMilliSecond * 5);
  star.expect_all_arrived();
  EXPECT_EQ(star.received_at(0), arrival(18, 0));
  EXPECT_EQ(star.received_at(1), arrival(20, 0));
}

// Slots in which the host has nothing to send are lost. The flow waits for the next slot of its
// receiver.
TEST(Tdma, AFlowThatBeginsInAGuardWaitsForTheNextSlotOfItsPair) {
  Star star;
  // a packet sent now would end in the guard time
  star.scheduler.run_until(kSlot - kMicroSecond * 7);
  star.send(0, 1, kPayload);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kSlot * 3 + kThere);
}

// One packet may leave at the beginning of a slot that is too short for it.
TEST(Tdma, AShortSlotHoldsOnePacket) {
  Star star([](TdmaParameters& p) { p.guard = kSlot; });
  star.send(0, 1, kPayload * 3);
  star.scheduler.run_until(kMilliSecond);
  EXPECT_EQ(star.received_at(0), kSlot * 6 + kThere);
}

TEST(Tdma, LostPacketsAreSentAgain) {
  Star star;
  int count = 0;
  star.lose(
      [&](const Packet& packet) { return packet.kind == PacketKind::kData && ++count % 7 == 0; });
  star.send(0, 1, kPayload * 40);
  star.send(2, 1, kPayload * 40);
  star.scheduler.run_until(kMilliSecond * 20);
  star.expect_all_arrived();
}

}  // namespace
}  // namespace dcc::tdma_test
