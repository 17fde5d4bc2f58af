// What an algorithm may ask of the sending NIC's timing: bursts, their rate, and where an RTT
// begins.
#include <gtest/gtest.h>

#include <vector>

#include "unit/nic/nic_pair.h"
#include "wire/wire_size.h"

namespace dcc {
namespace {

/// Asks for what the test says and keeps the RTTs that it is told.
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

/// A sender and a receiver on a cable of 10 Gb/s; keeps when each data packet had arrived.
class Bursts : public testing::Test, public test::NicPair, public PacketSink {
 protected:
  Bursts() : NicPair(8) {}

  Asking asking;
  std::vector<PicoSeconds> arrived;
  std::vector<int> brought_back;  // by ACKs

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
  /// Of a full packet that is not its message's first, on the wire.
  Bytes full() const { return roce::data_wire_bytes(1000, false, false) + 20; }
  PicoSeconds on_wire(Bytes bytes) const { return PicoSeconds{bytes * 800}; }  // at 10 Gb/s
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
  // A burst's bytes, of which the first packet's header is longer, at the flow's rate.
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

// Two flows of one NIC at line rate: each packet waits for the other flow's.
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

  // The same once more, on a fresh pair of NICs.
  asking.rtts.clear();
  asking.wanted.rtt_from_due = true;
  build(2);
  post(0, 3000);
  post(1, 3000);
  scheduler.run_until(kMilliSecond * 2);
  ASSERT_EQ(asking.rtts.size(), wire.size());
  EXPECT_EQ(asking.rtts[0], wire[0]) << "nothing was in the way of the first";
  // Posted together: the second flow's first packet waits for the first flow's.
  const Bytes first = roce::data_wire_bytes(1000, true, false) + 20;
  EXPECT_EQ(asking.rtts[1] - wire[1], on_wire(first));
}

// The wait of a burst's last packet counts from the burst: what an interleaved one took of its
// time.
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
  // 0 0 1 0 1 0 1 1: two of the second flow's went before the first flow's last packet, all four of
  // the first flow's before the second's.
  const Bytes first = roce::data_wire_bytes(1000, true, false) + 20;
  EXPECT_EQ(asking.rtts[5] - alone, on_wire(first + full()));
  EXPECT_EQ(asking.rtts[7] - alone, on_wire(first + 3 * full()));
}

// A burst of four packets through a window of two: what the window held back did not wait in the
// NIC.
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
