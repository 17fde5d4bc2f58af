// Tests a NIC whose packets the pacer block schedules. The block is its contract model.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "nic/host/host_link.h"
#include "nic/pacer/pacer_model.h"
#include "unit/nic/fake_host.h"
#include "unit/nic/nic_pair_test.h"
#include "wire/wire_size.h"

namespace dcc::test {
namespace {

constexpr PicoSeconds kCycle{4000};  // clock period at 250 MHz

class PacerTest : public PairTest {
 protected:
  std::unique_ptr<PacerModel> pacer;
  std::vector<PicoSeconds> sent;  // times at which the last bit of each data packet arrived

  void build_with_pacer() {
    join(*this);
    Transmitter& transmitter = nic[0]->transmitter();
    pacer = std::make_unique<PacerModel>(PacerShape{},
                                         transmitter.pacer_settings(PacerShape{}, kCycle));
    transmitter.set_pacer(*pacer, PacerShape{}, kCycle);
    transmitter.set_completion_sink(this);
    nic[1]->receiver().set_delivery_sink(this);
    create_queue_pairs();
    nic[0]->connect_queue_pair(3);
    nic[1]->connect_queue_pair(5);
    on_wire = [this](Packet& packet) {
      if (packet.kind == PacketKind::kData) sent.push_back(scheduler.now());
      return true;
    };
  }
  PicoSeconds end_of_run(PicoSeconds end = kMilliSecond) {
    scheduler.run_until(end);
    return done.empty() ? PicoSeconds{} : done.back().when;
  }
  /// Time between the starts of two full packets at a rate.
  PicoSeconds gap(BitRate rate) const {
    return serialization_time(
        roce::data_wire_bytes(parameters.mtu, false, false) + parameters.link_overhead, rate);
  }
};

TEST_F(PacerTest, AFlowKeepsItsRateToACycle) {
  build_with_pacer();
  const BitRate rate{7'000'000'000};
  nic[0]->transmitter().set_rate(3, Rate::from(rate));
  post(Bytes{parameters.mtu} * 400);
  end_of_run();
  ASSERT_EQ(sent.size(), 400u);
  // The first packet is larger (RETH), and the pacer rounds the time of a byte up.
  for (std::size_t i = 2; i < sent.size(); ++i) {
    const PicoSeconds planned = gap(rate) * static_cast<std::int64_t>(i - 1);
    const PicoSeconds late = sent[i] - sent[1] - planned;
    EXPECT_LE(late.count, 2 * kCycle.count) << i;
    EXPECT_GE(late.count, -2 * kCycle.count) << i;
  }
}

TEST_F(PacerTest, AFlowAtTheLineFillsIt) {
  build_with_pacer();
  post(Bytes{parameters.mtu} * 500);
  end_of_run();
  ASSERT_EQ(sent.size(), 500u);
  // The pacer decides ahead of the link, so no time is lost between packets. Only at the start the
  // pacer knows one packet at a time and has no rate yet.
  const PicoSeconds line = gap(parameters.line_rate) * 400;
  EXPECT_GE((sent[499] - sent[99]).count, line.count);
  EXPECT_LE((sent[499] - sent[99]).count, line.count + 2 * kCycle.count);
}

TEST_F(PacerTest, AFlowAtTheLineFillsItWithPayloadFromMemory) {
  parameters.payload = NicParameters::Payload::kReal;
  FakeMemory memory{1'000'000};
  HostLink host{scheduler, memory, {}, 5};
  build_with_pacer();
  nic[0]->transmitter().set_dma(&host);
  post(Bytes{parameters.mtu} * 500);
  end_of_run();
  ASSERT_EQ(sent.size(), 500u);
  const PicoSeconds line = gap(parameters.line_rate) * 400;
  EXPECT_GE((sent[499] - sent[99]).count, line.count);
  EXPECT_LE((sent[499] - sent[99]).count, line.count + 2 * kCycle.count);
  EXPECT_EQ(delivered_bytes, Bytes{parameters.mtu} * 500);
}

TEST_F(PacerTest, ANewRateActsWithinItsDivision) {
  build_with_pacer();
  nic[0]->transmitter().set_rate(3, Rate::from(BitRate{1'000'000'000}));
  post(Bytes{parameters.mtu} * 200);
  scheduler.run_until(kMicroSecond * 50);
  const std::size_t slow = sent.size();
  nic[0]->transmitter().set_rate(3, Rate::from(BitRate{50'000'000'000}));
  end_of_run();
  ASSERT_EQ(sent.size(), 200u);
  EXPECT_LT(slow, 10u);
  EXPECT_LE((sent.back() - kMicroSecond * 50).count,
            (gap(BitRate{50'000'000'000}) * 200 + kCycle * 30).count);
}

TEST_F(PacerTest, APauseActsAtOnceAndNothingIsCaughtUp) {
  const BitRate rate{20'000'000'000};
  for (int step = 0; step < 20; ++step) {  // the pause begins at different times within a packet
    sent.clear();
    build_with_pacer();
    nic[0]->transmitter().set_rate(3, Rate::from(rate));
    const PicoSeconds begin = scheduler.now();
    post(Bytes{parameters.mtu} * 100);
    const PicoSeconds paused = begin + kMicroSecond * 5 + PicoSeconds(17'000 * step);
    scheduler.run_until(paused);
    nic[0]->transmitter().on_pause(1);
    scheduler.run_until(paused + kMicroSecond * 50);
    const std::size_t before = sent.size();
    ASSERT_GT(before, 5u);
    EXPECT_LE(sent.back().count,
              (paused + gap(parameters.line_rate) + LinkParameters{}.delay).count);
    nic[0]->transmitter().on_pause(0);
    end_of_run(begin + kMilliSecond);
    ASSERT_EQ(sent.size(), 100u);
    // The first packet after the pause may be late, since the sweep reaches its row only later.
    for (std::size_t i = before + 1; i < sent.size(); ++i) {
      const std::int64_t cycles = 6 + (i == before + 1 ? PacerShape{}.rows() : 0);
      EXPECT_GE((sent[i] - sent[i - 1]).count, (gap(rate) - kCycle * cycles).count) << i;
    }
    nic[0].reset();
    nic[1].reset();
  }
}

TEST_F(PacerTest, WithdrawnPacketsAreNotSent) {
  build_with_pacer();
  nic[0]->transmitter().set_rate(3, Rate::from(BitRate{1'000'000'000}));
  post(Bytes{parameters.mtu} * 100);
  scheduler.run_until(kMicroSecond * 30);
  const std::size_t before = sent.size();
  nic[0]->transmitter().stop(3);
  scheduler.run_until(kMicroSecond * 200);
  EXPECT_EQ(sent.size(), before);
  post(Bytes{parameters.mtu} * 5, 2);
  end_of_run();
  EXPECT_EQ(sent.size(), before + 5);
}

TEST_F(PacerTest, LostPacketsAreSentAgain) {
  for (const RecoveryParameters::Kind kind :
       {RecoveryParameters::Kind::kGoBackN, RecoveryParameters::Kind::kSelectiveRepeat}) {
    done.clear();
    parameters.recovery.kind = kind;
    build_with_pacer();
    int data = 0;
    on_wire = [&](Packet& packet) { return packet.kind != PacketKind::kData || ++data % 17 != 3; };
    post(Bytes{parameters.mtu} * 100);
    end_of_run(scheduler.now() + kMilliSecond * 50);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].status, Status::kOk);
    EXPECT_GT(nic[0]->counters().retransmits, 0u);
    nic[0].reset();
    nic[1].reset();
  }
}

TEST_F(PacerTest, QueuePairsTakeTurnsInTheBlocksFlows) {
  build_with_pacer();
  QueuePairConfig there;
  there.service = Service::kUd;  // an unreliable service, so that no ACK comes
  WorkItem item;
  item.bytes = 100;
  item.operation = Operation::kSend;
  item.remote_host = 1;
  item.remote_qpn = 5;
  Transmitter& transmitter = nic[0]->transmitter();
  transmitter.set_completion_sink(nullptr);
  const Qpn most = PacerShape{}.flows;
  for (Qpn qpn = 10; qpn < 10 + most; ++qpn) {
    nic[0]->create_queue_pair(qpn, there);
    transmitter.post(qpn, item);
  }
  try {
    post(100);  // posts packets of queue pair 3
    ADD_FAILURE() << "one flow too many is taken";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("more than 1024 queue pairs"), std::string::npos);
  }
  nic[0]->destroy_queue_pair(10);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(sent.size(), most - 1);
  nic[0]->create_queue_pair(10, there);
  transmitter.post(10, item);
  scheduler.run_until(kMilliSecond * 2);
  EXPECT_EQ(sent.size(), most);
  // Destroying an idle queue pair frees its flow number as well.
  nic[0]->destroy_queue_pair(11);
  nic[0]->create_queue_pair(5000, there);
  transmitter.post(5000, item);
  scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(sent.size(), most + 1);
}

TEST_F(PacerTest, AReadIsRefused) {
  build_with_pacer();
  WorkItem item;
  item.bytes = 100;
  item.operation = Operation::kRead;
  EXPECT_THROW(nic[0]->transmitter().post(3, item), std::runtime_error);
}

}  // namespace
}  // namespace dcc::test
