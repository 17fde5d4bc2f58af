// Tests reliable datagrams. An end-to-end context has one message in flight, whichever queue pairs
// wait.
#include <gtest/gtest.h>

#include <vector>

#include "unit/nic/nic_pair_test.h"
#include "wire/roce_headers.h"

namespace dcc {
namespace {

class ReliableDatagram : public test::PairTest {
 protected:
  struct Ended {
    Qpn qpn;
    std::uint64_t id;
    Status status;
    PicoSeconds when;
  };
  std::vector<Ended> ended;

  /// Creates queue pairs 3, 4, … on both NICs and connects equal numbers, each pair through its
  /// end-to-end context.
  void build_pairs(const std::vector<unsigned>& contexts, std::vector<unsigned> domains = {}) {
    domains.resize(contexts.size());
    join(*this);
    nic[0]->transmitter().set_completion_sink(this);
    for (unsigned i = 0; i < contexts.size(); ++i) {
      for (unsigned side = 0; side < 2; ++side) {
        QueuePairConfig config;
        config.remote_host = 1 - side;
        config.remote_qpn = 3 + i;
        config.flow = side;
        config.service = Service::kRd;
        config.ee_context = static_cast<std::uint8_t>(contexts[i]);
        config.rd_domain = static_cast<std::uint8_t>(domains[i]);
        nic[side]->create_queue_pair(3 + i, config);
        nic[side]->connect_queue_pair(3 + i);
      }
    }
  }
  void post_to(Qpn qpn, Bytes bytes, std::uint64_t id = 1, Bytes message = 0) {
    WorkItem item;
    item.id = id;
    item.bytes = bytes;
    item.message_bytes = message;
    nic[0]->transmitter().post(qpn, item);
  }
  void work_done(Qpn qpn, const WorkItem& item, Status status) override {
    ended.push_back({qpn, item.id, status, scheduler.now()});
  }
  /// Time of a message of 10 packets and its last ACK. A datagram has 12 bytes and an ACK 4 bytes
  /// more than on a connection.
  static PicoSeconds message_time() {
    const Bytes wire = roce::data_wire_bytes(1000, true, false) +
                       9 * roce::data_wire_bytes(1000, false, false) + 10 * 12 + 10 * 20;
    const Bytes ack = roce::ack_wire_bytes() + 4 + 20;
    return PicoSeconds((wire + ack) * 80) + kMicroSecond * 2;
  }
};

TEST_F(ReliableDatagram, AContextHasOneMessageUnderWay) {
  build_pairs({0, 0, 0});
  for (Qpn qpn : {3u, 4u, 5u}) post_to(qpn, 10'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(ended.size(), 3u);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(ended[i].qpn, 3 + i);
    EXPECT_EQ(ended[i].when.count, message_time().count * (i + 1));
  }
  EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(ReliableDatagram, ContextsDoNotWaitForEachOther) {
  build_pairs({0, 1, 2});
  for (Qpn qpn : {3u, 4u, 5u}) post_to(qpn, 10'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(ended.size(), 3u);
  // The three messages share the link: thirty packets, and one delay in each direction.
  const PicoSeconds alone = message_time();
  EXPECT_LT(ended[2].when.count,
            3 * (alone.count - 2 * kMicroSecond.count) + 2 * kMicroSecond.count + 1);
}

TEST_F(ReliableDatagram, QueuePairsTakeTurnsMessageByMessage) {
  build_pairs({0, 0});
  post_to(3, 30'000, 1, 10'000);
  post_to(4, 10'000, 2);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].id, 2u);  // completes after the first message of queue pair 3
  EXPECT_EQ(ended[0].when.count, 2 * message_time().count);
  EXPECT_EQ(ended[1].when.count, 4 * message_time().count);
}

TEST_F(ReliableDatagram, WhatIsLostIsSentAgain) {
  parameters.recovery.timeout = kMicroSecond * 50;
  build_pairs({0, 0});
  int packets = 0;
  on_wire = [&](Packet& packet) { return packet.kind != PacketKind::kData || ++packets % 7 != 0; };
  post_to(3, 50'000, 1, 10'000);
  post_to(4, 50'000, 2, 10'000);
  scheduler.run_until(kMilliSecond * 10);
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].status, Status::kOk);
  EXPECT_EQ(ended[1].status, Status::kOk);
  EXPECT_EQ(ledger[0].received_bytes, 100'000);
}

TEST_F(ReliableDatagram, AQueuePairOfAnotherDomainFails) {
  build_pairs({0, 0}, {7, 8});
  post_to(4, 10'000, 2);
  post_to(3, 10'000, 1);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].id, 2u);
  EXPECT_EQ(ended[0].status, Status::kLocalError);
  // the end-to-end context serves the queue pairs of its own domain
  EXPECT_EQ(ended[1].status, Status::kOk);
  EXPECT_EQ(ended[1].when.count, message_time().count);
}

TEST_F(ReliableDatagram, AQueuePairThatEndsLeavesItsContextToTheOthers) {
  build_pairs({0, 0});
  post_to(3, 30'000, 1, 10'000);
  post_to(4, 10'000, 2);
  scheduler.run_until(kMicroSecond);
  nic[0]->transmitter().destroy_queue_pair(3);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].status, Status::kFlushed);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[1].id, 2u);
  EXPECT_EQ(ended[1].status, Status::kOk);
}

TEST_F(ReliableDatagram, StoppingEndsWithTheMessageUnderWay) {
  build_pairs({0, 0});
  post_to(3, 30'000, 1, 10'000);
  post_to(4, 10'000, 2);
  scheduler.run_until(kNanoSecond * 500);
  nic[0]->transmitter().stop(3);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[1].id, 2u);
  EXPECT_EQ(ended[1].status, Status::kOk);
  EXPECT_TRUE(nic[0]->transmitter().is_quiescent(3));
}

TEST_F(ReliableDatagram, PacketsNameTheContext) {
  build_pairs({5});
  post_to(3, 10'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_GT(seen.size(), 2u);
  for (const Packet& packet : seen) {
    const roce::Headers headers = roce::headers_of(packet, 10'000);
    EXPECT_EQ(headers.ee_context, 5u);
    EXPECT_TRUE(roce::has_rdeth(headers.opcode));
    EXPECT_EQ(roce::has_deth(headers.opcode), packet.kind == PacketKind::kData);
    EXPECT_EQ(headers.opcode == roce::Opcode::kRdAcknowledge, packet.kind == PacketKind::kAck);
  }
}

}  // namespace
}  // namespace dcc
