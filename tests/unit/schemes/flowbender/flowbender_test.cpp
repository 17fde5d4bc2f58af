// Tests FlowBender: a flow leaves its path only after a congested round trip.
#include "schemes/flowbender/flowbender.h"

#include <gtest/gtest.h>

#include <memory>

#include "fabric/fabric_map.h"
#include "unit/fabric/path_view.h"

namespace dcc::path_choice_test {
namespace {

class FlowbenderEdge : public testing::Test {
 protected:
  FlowbenderEdge() : topology(three_leaves()), routing(topology), fabric(topology, routing) {}
  void build() {
    parameters.choose("flowbender");
    bender = parameters.make(view.context());
    bender->join(fabric, topology.find("leaf0"));
  }
  FlowbenderParameters& p() { return parameters.of<FlowbenderParameters>("flowbender"); }
  /// The path tag of the flow's next data packet.
  std::uint8_t send(Psn psn) {
    Packet packet = packet_of(6, 0, 4);
    packet.psn = psn;
    const std::uint32_t peeked = bender->peek(packet, up);
    const std::uint32_t way = bender->choose(packet, up);
    EXPECT_EQ(way, peeked);
    EXPECT_EQ(way, scaled_down(mix64(flow_hash(packet, 77) ^ packet.overlay.entropy.value), 2));
    return packet.overlay.entropy.value;
  }
  void acknowledge(Psn psn, bool marked) {
    Packet ack = packet_of(6, 4, 0);
    ack.kind = PacketKind::kAck;
    ack.psn = psn;
    ack.ce_echo = marked;
    EXPECT_EQ(bender->choose(ack, PortSet::consecutive(0, 1)), 0u);
  }
  /// Simulates a round trip of 100 packets from `psn` on, of which `marked` packets after the first
  /// are marked. Returns the path tag of the packets.
  std::uint8_t round(Psn psn, int marked) {
    const std::uint8_t tag = send(psn);
    for (Psn i = 1; i < 100; ++i) EXPECT_EQ(send(psn + i), tag);
    for (Psn i = 0; i < 100; ++i) acknowledge(psn + i, i != 0 && i <= static_cast<Psn>(marked));
    return tag;
  }

  FakeSwitch view;
  Topology topology;
  Routing routing;
  FabricMap fabric;
  BalancerChoice parameters;
  std::unique_ptr<PathChoice> bender;
  const PortSet up = PortSet::consecutive(4, 2);
};

// The first ACK of a round trip ends the previous round, so every round has 100 ACKs.
TEST_F(FlowbenderEdge, MovesAfterARoundWithTooManyMarks) {
  build();
  const std::uint8_t first = round(0, 0);
  EXPECT_EQ(round(100, 6), first) << "this round is only now known to be congested";
  const std::uint8_t second = send(200);
  acknowledge(200, false);  // 6 marks of 100 ACKs are above the limit of 5 %
  EXPECT_EQ(second, first);
  EXPECT_NE(send(201), first);
}

TEST_F(FlowbenderEdge, StaysAtTheShareItself) {
  build();
  const std::uint8_t first = round(0, 0);
  for (Psn n = 1; n < 20; ++n) EXPECT_EQ(round(100 * n, 5), first);
}

TEST_F(FlowbenderEdge, SeveralRoundsMustBeCongestedInARow) {
  p().rounds = 3;
  build();
  const std::uint8_t first = round(0, 0);
  Psn psn = 100;
  for (int n = 0; n < 10; ++n, psn += 100) EXPECT_EQ(round(psn, n % 3 == 2 ? 0 : 50), first);
  for (int n = 0; n < 3; ++n, psn += 100) round(psn, 50);
  acknowledge(psn - 1, false);
  EXPECT_NE(round(psn, 0), first);
}

TEST_F(FlowbenderEdge, APacketSentAgainMovesTheFlowOnceARound) {
  build();
  const std::uint8_t first = round(0, 0);
  const std::uint8_t second = send(50);
  EXPECT_NE(second, first);
  for (Psn psn = 51; psn < 120; ++psn) EXPECT_EQ(send(psn), second);
}

// The tag V is drawn from 8 values. The next V is each of the other 7 values with equal
// probability.
TEST_F(FlowbenderEdge, DrawsEachOtherValueEquallyOften) {
  build();
  std::array<int, 8> step{};
  std::uint8_t before = send(0);
  acknowledge(0, false);
  constexpr int kMoves = 7000;
  for (Psn n = 1; n <= kMoves; ++n) {
    send(n * 10 + 100);
    acknowledge(n * 10 + 100, true);
    const std::uint8_t tag = send(n * 10 + 101);
    ++step[static_cast<std::size_t>((tag - before + 8) % 8)];
    before = tag;
  }
  EXPECT_EQ(step[0], 0);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_NEAR(step[i], kMoves / 7, 4 * 30) << i;
}

TEST_F(FlowbenderEdge, ASwitchOnTheWayHashesWhatThePacketSays) {
  build();
  const auto spine = parameters.make(view.context(9));
  spine->join(fabric, topology.find("spine0"));
  Packet packet = packet_of(6, 0, 4);
  packet.overlay.entropy.value = 5;
  EXPECT_EQ(spine->choose(packet, up), scaled_down(mix64(flow_hash(packet, 77) ^ 5u), 2));
  EXPECT_EQ(packet.overlay.entropy.value, 5);
}

}  // namespace
}  // namespace dcc::path_choice_test
