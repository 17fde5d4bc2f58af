// Tests retransmission of RoCE: when the timer runs, and how a queue pair continues after a
// timeout.
#include <gtest/gtest.h>

#include "nic/recovery/recovery_window.h"
#include "unit/nic/nic_pair_test.h"

namespace dcc::test {
namespace {

class Recovery : public PairTest {
 protected:
  Recovery() {
    parameters.ack = AckMode::kPerMessage;
    parameters.recovery.timeout = kMicroSecond * 50;
  }
  std::uint64_t timeouts() const { return nic[0]->counters().timeouts; }
};

TEST_F(Recovery, AMessageMayTakeLongerThanTheTimeout) {
  parameters.line_rate = 1_Gbps;  // 100 KB take 800 us at this rate
  build();
  post(100'000, 1);
  post(100'000, 2);
  scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(done.size(), 2u);
  EXPECT_EQ(timeouts(), 0u);
  EXPECT_EQ(seen_data(), 200u);
}

TEST_F(Recovery, APacedMessageMayHaveGapsLongerThanTheTimeout) {
  build();
  nic[0]->transmitter().set_rate(3, Rate::from(10_Mbps));  // one packet of 1000 B every 0.8 ms
  post(4'000);
  scheduler.run_until(kMilliSecond * 10);
  EXPECT_EQ(done.size(), 1u);
  EXPECT_EQ(timeouts(), 0u);
}

TEST_F(Recovery, APauseWithinAMessageIsNoTimeout) {
  build();
  nic[0]->transmitter().set_pfc_mask(0xFF);
  post(100'000);
  scheduler.run_until(kMicroSecond * 2);
  nic[0]->transmitter().on_pause(0xFF);
  scheduler.run_until(kMilliSecond);
  nic[0]->transmitter().on_pause(0);
  scheduler.run_until(kMilliSecond * 2);
  EXPECT_EQ(done.size(), 1u);
  EXPECT_EQ(timeouts(), 0u);
}

TEST_F(Recovery, TheTimeoutCountsFromThePacketThatAsks) {
  parameters.line_rate = 1_Gbps;
  build();
  bool lost = false;
  PicoSeconds left{};
  on_wire = [&](Packet& packet) {
    if (lost || packet.kind != PacketKind::kData || !packet.last) return true;
    lost = true;
    left = packet.sent;
    return false;
  };
  post(100'000);
  scheduler.run_until(kMicroSecond * 900);  // 99 packets of 8.7 us have left before the last one
  ASSERT_TRUE(lost);
  EXPECT_EQ(timeouts(), 0u);
  scheduler.run_until(left + kMicroSecond * 50);
  EXPECT_EQ(timeouts(), 1u);
  scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(done.size(), 1u);
  // The retransmitted packets request ACKs, and the first ACK reports that 99 packets had arrived.
  EXPECT_LE(seen_data(), 100u + 2u);
  EXPECT_EQ(nic[0]->counters().retransmits, seen_data() - 100u);
}

TEST_F(Recovery, AMessageThatIsCutShortEnds) {
  parameters.line_rate = 1_Gbps;
  build();
  post(100'000);
  scheduler.run_until(kMicroSecond * 400);
  nic[0]->transmitter().stop(3);
  scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(done.size(), 1u);
  EXPECT_LE(timeouts(), 1u);  // the last packet that was sent requested no ACK
}

TEST_F(Recovery, AWindowThatClosesWithinAMessageReopens) {
  parameters.line_rate = 1_Gbps;
  build();
  post(100'000);
  scheduler.run_until(kMicroSecond * 400);  // no packet has requested an ACK yet
  nic[0]->transmitter().set_window(3, 4'000);
  scheduler.run_until(kMilliSecond * 3);
  EXPECT_EQ(done.size(), 1u);
}

TEST_F(Recovery, NoTimeoutComesBeforeAnAnswerCan) {
  parameters.ack = AckMode::kPerPacket;
  parameters.recovery.timeout = kMicroSecond;  // the base round trip takes 2 us
  join(*this);
  nic[0]->transmitter().set_completion_sink(this);
  QueuePairConfig there;
  there.remote_host = 1;
  there.remote_qpn = 5;
  there.base_rtt = kMicroSecond * 3;
  nic[0]->create_queue_pair(3, there);
  QueuePairConfig back;
  back.remote_qpn = 3;
  back.flow = 1;
  nic[1]->create_queue_pair(5, back);
  nic[0]->connect_queue_pair(3);
  nic[1]->connect_queue_pair(5);
  post(100'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(done.size(), 1u);
  EXPECT_EQ(timeouts(), 0u);
}

TEST_F(Recovery, TimeoutsInARowComeEverMoreRarely) {
  build();
  on_wire = [](Packet& packet) { return packet.kind != PacketKind::kData; };
  post(1'000);
  // timeouts expire at 1, 2, 4, 8 and 16 times 50 us
  scheduler.run_until(kMicroSecond * 50 * 17);
  EXPECT_EQ(timeouts(), 5u);
}

TEST_F(Recovery, ALimitedNumberOfRetriesKeepsTheirPace) {
  parameters.recovery.retries = 7;
  build();
  on_wire = [](Packet& packet) { return packet.kind != PacketKind::kData; };
  post(1'000);
  scheduler.run_until(kMicroSecond * 50 * 9);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, Status::kRetryExceeded);
}

/// Adaptive retransmission timeouts of a queue pair whose data never arrives.
class AdaptiveRecovery : public Recovery {
 protected:
  AdaptiveRecovery() {
    parameters.recovery.timeout = kMicroSecond * 800;
    parameters.recovery.adaptive = true;
    on_wire = [this](Packet& packet) {
      if (packet.kind != PacketKind::kData) return true;
      sent.push_back(scheduler.now());
      return false;
    };
  }
  /// Times between the transmissions, in microseconds.
  std::vector<std::int64_t> gaps() const {
    std::vector<std::int64_t> all;
    for (std::size_t i = 1; i < sent.size(); ++i) {
      all.push_back((sent[i] - sent[i - 1]).count / kMicroSecond.count);
    }
    return all;
  }
  std::vector<PicoSeconds> sent;
};

TEST_F(AdaptiveRecovery, TimeoutsGrowFromASixteenthToTheTimeout) {
  build();
  post(1'000);
  scheduler.run_until(kMicroSecond * 50 * 70);
  EXPECT_EQ(gaps(), (std::vector<std::int64_t>{50, 50, 100, 200, 400, 800, 800, 800}));
}

TEST_F(AdaptiveRecovery, TheLeastTimeoutMayBeWrittenAndAWrittenOneIsKept) {
  parameters.recovery.least_timeout = kMicroSecond * 300;
  build();
  post(1'000);
  scheduler.run_until(kMicroSecond * 3'500);
  EXPECT_EQ(gaps(), (std::vector<std::int64_t>{300, 300, 600, 800, 800}));
}

TEST_F(AdaptiveRecovery, OnlyTimeoutsOfFullLengthCountAsRetries) {
  parameters.recovery.retries = 2;
  build();
  post(1'000);
  scheduler.run_until(kMilliSecond * 10);
  EXPECT_EQ(gaps(), (std::vector<std::int64_t>{50, 50, 100, 200, 400, 800, 800}));
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, Status::kRetryExceeded);
  EXPECT_EQ(done[0].when.count / kMicroSecond.count, 50 + 50 + 100 + 200 + 400 + 3 * 800);
}

TEST_F(AdaptiveRecovery, NoTimeoutIsShorterThanTwoRoundTrips) {
  join(*this);
  nic[0]->transmitter().set_completion_sink(this);
  QueuePairConfig there;
  there.remote_host = 1;
  there.remote_qpn = 5;
  there.base_rtt = kMicroSecond * 150;
  nic[0]->create_queue_pair(3, there);
  nic[0]->connect_queue_pair(3);
  post(1'000);
  scheduler.run_until(kMicroSecond * 3'500);
  EXPECT_EQ(gaps(), (std::vector<std::int64_t>{300, 300, 600, 800, 800}));
}

TEST_F(AdaptiveRecovery, ProgressMakesTheTimeoutShortAgain) {
  build();
  post(1'000, 1);
  scheduler.run_until(kMicroSecond * 450);  // timeouts have expired at 50, 100, 200 and 400 us
  ASSERT_EQ(timeouts(), 4u);
  const auto lose = on_wire;
  on_wire = [](Packet&) { return true; };
  scheduler.run_until(kMicroSecond * 850);
  ASSERT_EQ(done.size(), 1u);
  sent.clear();
  on_wire = lose;
  post(1'000, 2);
  scheduler.run_until(kMicroSecond * 990);
  EXPECT_EQ(gaps(), (std::vector<std::int64_t>{50, 50}));
}

TEST_F(AdaptiveRecovery, TheLeastIsTheShortestThatAdaptersKnow) {
  parameters.recovery.timeout = kMicroSecond * 20;
  EXPECT_EQ(parameters.recovery.first_timeout(), kNanoSecond * 4096);
  parameters.recovery.timeout = kMicroSecond * 3;
  EXPECT_EQ(parameters.recovery.first_timeout(), kMicroSecond * 3);
  parameters.recovery.adaptive = false;
  parameters.recovery.timeout = kMicroSecond * 20;
  EXPECT_EQ(parameters.recovery.first_timeout(), kMicroSecond * 20);
}

// A slow link after a queue of one packet, so that at full rate only every 16th packet gets
// through.
TEST_F(Recovery, GoesBackWithAWindowThatThePathCarries) {
  parameters.ack = AckMode::kPerPacket;
  build();
  PicoSeconds free{};
  on_wire = [&](Packet& packet) {
    if (packet.kind != PacketKind::kData) return true;
    if (scheduler.now() < free) return false;
    free = scheduler.now() + PicoSeconds(1'300'000);
    return true;
  };
  post(200'000);
  scheduler.run_until(kMilliSecond * 2);  // 200 packets take 260 us at best
  EXPECT_EQ(done.size(), 1u);
}

TEST(RecoveryWindow, DoublesUpToHalfOfWhatWasOutThenGrowsByAPacket) {
  RecoveryWindow window(1000, 16'000);
  window.timed_out(PicoSeconds(0));
  EXPECT_EQ(window.limit(), 1000);
  for (int i = 0; i < 7; ++i) window.acknowledged(1000);
  EXPECT_EQ(window.limit(), 8'000);
  for (int i = 0; i < 8; ++i) window.acknowledged(1000);
  EXPECT_NEAR(static_cast<double>(window.limit()), 9'000, 1000 * 0.1);
  window.gap_reported(2'000);
  EXPECT_NEAR(static_cast<double>(window.limit()), 4'500, 50);
  window.gap_reported(4'200);  // the window does not fall below the bandwidth-delay product
  EXPECT_EQ(window.limit(), 4'200);
}

}  // namespace
}  // namespace dcc::test
