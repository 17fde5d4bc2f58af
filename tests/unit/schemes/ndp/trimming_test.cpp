// Tests a trimming port packet by packet: which packet is trimmed, which is sent first, which is
// dropped.
#include "schemes/ndp/trimming.h"

#include <gtest/gtest.h>

#include <vector>

#include "describe/parameter_error.h"

namespace dcc {
namespace {

class TrimmingPortTest : public testing::Test {
 protected:
  TrimmingPortTest() {
    p_.data_packets = 2;
    p_.header_queue = 64 * 12;
    p_.headers_a_packet = 3;
  }
  TrimmingPort& port() {
    if (port_ == nullptr) port_ = std::make_unique<TrimmingPort>(p_, random_);
    return *port_;
  }
  Packet* make(Psn psn, PacketKind kind = PacketKind::kData) {
    Packet* const packet = pool_.allocate();
    packet->psn = psn;
    packet->kind = kind;
    packet->source = 1;
    packet->destination = 2;
    packet->source_qpn = 11;
    packet->destination_qpn = 22;
    packet->payload_bytes = kind == PacketKind::kData ? 1000 : 0;
    packet->wire_bytes = packet->payload_bytes + 64;
    return packet;
  }
  /// Dequeues all packets, in the order of service.
  std::vector<Packet> drain() {
    std::vector<Packet> order;
    while (!port().empty()) {
      Packet* const packet = port().dequeue();
      order.push_back(*packet);
      pool_.free(packet);
    }
    EXPECT_EQ(port().bytes(), 0);
    return order;
  }
  TrimmingParameters p_;
  RandomStream random_{1, "trimming"};
  PacketPool pool_;
  std::unique_ptr<TrimmingPort> port_;
};

TEST_F(TrimmingPortTest, DataWaitsAsLongAsThereIsRoom) {
  for (Psn psn : {0, 1}) {
    const PortDiscipline::EnqueueResult result = port().enqueue(make(psn));
    EXPECT_EQ(result.trimmed, 0u);
    EXPECT_TRUE(result.dropped.empty());
  }
  EXPECT_EQ(port().bytes(), 2 * 1064);
  const std::vector<Packet> order = drain();
  EXPECT_EQ(order[0].psn, 0u);
  EXPECT_EQ(order[1].psn, 1u);
}

// At a full queue either the arriving packet or the last queued packet is trimmed, never the first
// one.
TEST_F(TrimmingPortTest, AFullQueueCutsTheArrivalOrTheLast) {
  std::array<int, 3> cut{};
  for (int i = 0; i < 200; ++i) {
    port().enqueue(make(0));
    port().enqueue(make(1));
    const PortDiscipline::EnqueueResult result = port().enqueue(make(2));
    EXPECT_EQ(result.trimmed, 1u);
    EXPECT_EQ(result.trimmed_bytes, 1000);
    EXPECT_EQ(port().bytes(), 2 * 1064 + 64);
    const std::vector<Packet> order = drain();
    ASSERT_EQ(order.size(), 3u);
    EXPECT_EQ(order[0].kind, PacketKind::kTrimmed) << "headers go first";
    EXPECT_EQ(order[0].wire_bytes, 64u);
    EXPECT_EQ(order[0].payload_bytes, 0u);
    EXPECT_EQ(order[1].psn, 0u);
    ++cut.at(order[0].psn);
  }
  EXPECT_EQ(cut[0], 0);
  // 200 fair coin tosses give 100 heads. Five standard deviations of sqrt(50) are 36.
  EXPECT_NEAR(cut[1], 100, 36);
  EXPECT_EQ(cut[1] + cut[2], 200);
}

TEST_F(TrimmingPortTest, DataIsServedAfterSoManyHeaders) {
  for (Psn psn = 0; psn < 7; ++psn) port().enqueue(make(psn, PacketKind::kAck));
  port().enqueue(make(100));
  port().enqueue(make(101));
  std::vector<Psn> order;
  for (const Packet& packet : drain()) order.push_back(packet.psn);
  EXPECT_EQ(order, (std::vector<Psn>{0, 1, 2, 100, 3, 4, 5, 101, 6}));
}

TEST_F(TrimmingPortTest, AHeaderWithoutRoomIsTurnedRoundOnce) {
  p_.header_queue = 64;
  port().enqueue(make(0));
  port().enqueue(make(1));
  port().enqueue(make(9, PacketKind::kAck));  // the ACK takes the last room in the control queue
  const PortDiscipline::EnqueueResult result = port().enqueue(make(2));
  ASSERT_NE(result.returned, nullptr);
  EXPECT_TRUE(result.dropped.empty());
  Packet* const back = result.returned;
  EXPECT_EQ(back->kind, PacketKind::kReturned);
  EXPECT_EQ(back->source, 2u);
  EXPECT_EQ(back->destination, 1u);
  EXPECT_EQ(back->destination_qpn, 11u);
  EXPECT_EQ(back->source_qpn, 22u);
  PortDiscipline::EnqueueResult second = port().enqueue(back);
  EXPECT_EQ(second.returned, nullptr);
  EXPECT_EQ(second.dropped.pop(), back) << "a second time it is lost";
  pool_.free(back);
  drain();
}

TEST_F(TrimmingPortTest, WithoutReturnsItIsDropped) {
  p_.header_queue = 64;
  p_.return_to_sender = false;
  port().enqueue(make(0));
  port().enqueue(make(1));
  port().enqueue(make(9, PacketKind::kAck));
  PortDiscipline::EnqueueResult result = port().enqueue(make(2));
  EXPECT_EQ(result.returned, nullptr);
  ASSERT_FALSE(result.dropped.empty());
  pool_.free(result.dropped.pop());
  EXPECT_TRUE(result.dropped.empty());
  drain();
}

TEST_F(TrimmingPortTest, AQueueOfOneIsReplacedWhole) {
  p_.data_packets = 1;
  for (int i = 0; i < 20; ++i) {
    port().enqueue(make(0));
    port().enqueue(make(1));
    const std::vector<Packet> order = drain();
    ASSERT_EQ(order.size(), 2u);
    EXPECT_NE(order[0].psn, order[1].psn);
    EXPECT_EQ(order[1].kind, PacketKind::kData);
  }
}

// The port marks packets by the length of the queue behind them, if they are ECN-capable.
TEST_F(TrimmingPortTest, MarksWhatLeavesMuchBehindIt) {
  p_.data_packets = 10;
  p_.ecn = true;
  p_.kmin = 1064 * 2;
  p_.kmax = 1064 * 4 - 1;
  port().attach({10_Gbps, kMicroSecond, 0});
  for (Psn psn = 0; psn < 10; ++psn) {
    Packet* const packet = make(psn);
    if (psn != 3) packet->ecn = Ecn::kEct0;
    port().enqueue(packet);
  }
  port().enqueue(make(10, PacketKind::kAck));
  const std::vector<Packet> order = drain();
  EXPECT_EQ(order[0].ecn, Ecn::kNotEct) << "the ACK goes first";
  for (const Packet& packet : order) {
    if (packet.kind != PacketKind::kData) continue;
    const Psn behind = 9 - packet.psn;
    if (packet.psn == 3) {
      EXPECT_EQ(packet.ecn, Ecn::kNotEct) << "does not understand marks";
    } else if (behind >= 4) {
      EXPECT_EQ(packet.ecn, Ecn::kCe) << behind << " behind it";
    } else if (behind <= 2) {
      EXPECT_EQ(packet.ecn, Ecn::kEct0) << behind << " behind it";
    }
  }
  // three packets wait behind it, so its mark is random
  const std::uint64_t by_lot = order[7].ecn == Ecn::kCe ? 1 : 0;
  EXPECT_EQ(order[7].psn, 6u);
  EXPECT_EQ(port().consume_departure_marks(), 5u + by_lot);
  EXPECT_EQ(port().consume_departure_marks(), 0u) << "they are told once";
}

TEST_F(TrimmingPortTest, MarksNothingUnlessItIsAsked) {
  p_.data_packets = 10;
  port().attach({10_Gbps, kMicroSecond, 0});
  for (Psn psn = 0; psn < 10; ++psn) {
    Packet* const packet = make(psn);
    packet->ecn = Ecn::kEct0;
    port().enqueue(packet);
  }
  for (const Packet& packet : drain()) EXPECT_EQ(packet.ecn, Ecn::kEct0);
  EXPECT_EQ(port().consume_departure_marks(), 0u);
}

TEST(TrimmingParameters, RefuseThresholdsInTheWrongOrder) {
  TrimmingParameters p;
  p.kmin = p.kmax + 1;
  EXPECT_NO_THROW(p.check()) << "they are not asked";
  p.ecn = true;
  EXPECT_THROW(p.check(), ParameterError);
}

}  // namespace
}  // namespace dcc
