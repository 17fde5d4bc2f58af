// Tests the timing that an algorithm requests from the sending NIC: bursts, their rate, and where
// an RTT begins.
#include <gtest/gtest.h>

#include <vector>

#include "unit/nic/nic_pair.h"
#include "wire/wire_size.h"

namespace dcc {
namespace {

/// An algorithm whose needs the test sets. It records the RTTs.
class Asking final : public Algorithm {
 public:
  AlgorithmNeeds wanted;
  std::vector<PicoSeconds> rtts;

  Asking() { wanted.acks = true; }
  AlgorithmNeeds needs() const override { return wanted; }
  void on_flow_start(FlowNumber, const FlowStart&) override {}
  void on_ack(FlowNumber, const AckInfo& info) override { rtts.push_back(info.rtt); }
  View view(FlowNumber) const override { return {}; }
  AlgorithmCounters counters() const override { return {}; }
};

/// A sender and a receiver on a cable of 10 Gb/s. The test records when each data packet arrived.
class Bursts : public testing::Test, public test::NicPair, public PacketSink {
 protected:
  Bursts() : NicPair(8) {}

  Asking asking;
  std::vector<PicoSeconds> arrived;
  std::vector<int> brought_back;  // entropy values that the ACKs returned

  void build(Qpn pairs) {
    parameters.line_rate = 10_Gbps;
    join(*this);
    nic[0]->set_algorithm(&asking);
    for (Qpn pair = 0; pair < pairs; ++pair) {
      for (std::uint32_t i = 0; i < 2; ++i) {
        QueuePairConfig config;
        config.remote_host = 1 - i;
        config.remote_qpn = pair;
        config.flow = 2 * pair + i;
        nic[i]->create_queue_pair(pair, config);
        nic[i]->connect_queue_pair(pair);
      }
    }
  }
  void post(Qpn pair, Bytes bytes) {
    WorkItem item;
    item.bytes = bytes;
    nic[0]->transmitter().post(pair, item);
  }
  void receive(Packet* packet, int port) override {
    if (packet->kind == PacketKind::kData) {
      arrived.push_back(scheduler.now());
      packet->overlay.entropy.value = static_cast<std::uint8_t>(arrived.size());
    }
    if (packet->kind == PacketKind::kAck) brought_back.push_back(packet->overlay.entropy.echo);
    nic[port]->receive(packet, 0);
  }
  /// Wire bytes, with gap, of a full packet that is not the first one of its message.
  Bytes full() const { return roce::data_wire_bytes(1000, false, false) + 20; }
  // Time of `bytes` bytes at 10 Gb/s.
  PicoSeconds on_wire(Bytes bytes) const { return PicoSeconds{bytes * 800}; }
};

TEST_F(Bursts, LeaveBackToBackUnlessTheyHaveARate) {
  asking.wanted.burst = 4000;
  build(1);
  nic[0]->transmitter().set_rate(0, Rate::from(1_Gbps));
  post(0, 8000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(arrived.size(), 8u);
  for (std::size_t i : {2u, 3u, 5u, 6u, 7u}) {
    EXPECT_EQ(arrived[i] - arrived[i - 1], on_wire(full())) << i;
  }
  // The gap after a burst covers all bytes of the burst at the flow's rate. The first packet has a
  // longer header.
  const Bytes first = roce::data_wire_bytes(1000, true, false) + 20;
  EXPECT_EQ(arrived[4] - arrived[0],
            on_wire((first + 3 * full()) * 10) - on_wire(first) + on_wire(full()));
}

TEST_F(Bursts, PaceTheirPacketsBelowLineRateAndTheFlowKeepsItsOwn) {
  asking.wanted.burst = 4000;
  asking.wanted.burst_rate = Rate::from(5_Gbps);
  build(1);
  nic[0]->transmitter().set_rate(0, Rate::from(1_Gbps));
  post(0, 8000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(arrived.size(), 8u);
  for (std::size_t i : {2u, 3u, 5u, 6u, 7u}) {
    EXPECT_EQ(arrived[i] - arrived[i - 1], on_wire(2 * full())) << i;
  }
  const Bytes first = roce::data_wire_bytes(1000, true, false) + 20;
  EXPECT_EQ(arrived[4] - arrived[0],
            on_wire((first + 3 * full()) * 10) - on_wire(first) + on_wire(full()));
}

// Two flows of one NIC send at line rate, so that each packet waits in the NIC for a packet of the
// other flow.
TEST_F(Bursts, AnRttFromTheWireDoesNotSeeTheNicsQueue) {
  build(2);
  post(0, 3000);
  post(1, 3000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(asking.rtts.size(), 6u);
  for (const PicoSeconds rtt : asking.rtts) EXPECT_LT(rtt, kMicroSecond * 4);
  EXPECT_EQ(asking.rtts[3], asking.rtts[4]);
}

TEST_F(Bursts, AnRttFromWhenAPacketWasDueHoldsItsWaitInTheNic) {
  build(2);
  post(0, 3000);
  post(1, 3000);
  scheduler.run_until(kMilliSecond);
  const std::vector<PicoSeconds> wire = asking.rtts;

  // Repeats the check with a new pair of NICs.
  asking.rtts.clear();
  asking.wanted.rtt_from_due = true;
  build(2);
  post(0, 3000);
  post(1, 3000);
  scheduler.run_until(kMilliSecond * 2);
  ASSERT_EQ(asking.rtts.size(), wire.size());
  EXPECT_EQ(asking.rtts[0], wire[0]) << "nothing was in the way of the first";
  // Both flows are posted at the same time, so the first packet of flow 2 waits for the first
  // packet of flow 1.
  const Bytes first = roce::data_wire_bytes(1000, true, false) + 20;
  EXPECT_EQ(asking.rtts[1] - wire[1], on_wire(first));
}

// The RTT of the last packet of a burst includes the time of interleaved packets of another flow.
TEST_F(Bursts, ABurstsRttHoldsWhatOthersSentInBetween) {
  asking.wanted.burst = 4000;
  asking.wanted.rtt_from_due = true;
  build(2);
  post(0, 4000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(asking.rtts.size(), 4u);
  const PicoSeconds alone = asking.rtts[3];
  asking.rtts.clear();
  post(0, 4000);
  post(1, 4000);
  scheduler.run_until(kMilliSecond * 2);
  ASSERT_EQ(asking.rtts.size(), 8u);
  // The packets of flows 0 and 1 leave in the order 0 0 1 0 1 0 1 1. Two packets of flow 1 precede
  // the last packet of flow 0, and all four packets of flow 0 precede the last packet of flow 1.
  const Bytes first = roce::data_wire_bytes(1000, true, false) + 20;
  EXPECT_EQ(asking.rtts[5] - alone, on_wire(first + full()));
  EXPECT_EQ(asking.rtts[7] - alone, on_wire(first + 3 * full()));
}

// A burst of four packets with a window of two: the time for which the window is closed does not
// count as waiting in the NIC.
TEST_F(Bursts, AnRttDoesNotHoldTheWaitForAWindow) {
  asking.wanted.burst = 4000;
  std::vector<PicoSeconds> wire;
  for (const bool from_due : {false, true}) {
    asking.wanted.rtt_from_due = from_due;
    asking.rtts.clear();
    build(1);
    nic[0]->transmitter().set_window(0, 2000);
    post(0, 4000);
    scheduler.run_until(scheduler.now() + kMilliSecond);
    ASSERT_EQ(asking.rtts.size(), 4u);
    if (!from_due) wire = asking.rtts;
  }
  EXPECT_EQ(asking.rtts, wire);
}

TEST_F(Bursts, AnAckBringsBackTheTagOfItsPacket) {
  build(1);
  post(0, 3000);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(brought_back, (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace dcc
