// Tests READ and SEND between two hosts: delivery, packet loss, pacing of responses.
#include <map>

#include "sim/random.h"
#include "unit/nic/rdma_hosts.h"
#include "wire/roce_headers.h"
#include "wire/wire_size.h"

namespace dcc {
namespace {

using namespace test;
using Rdma = RdmaHosts;

TEST_F(Rdma, AReadBringsTheOtherHostsBytesInOneAnswer) {
  build();
  post(0, work(NIC_WQE_RDMA_READ, 7, kData + 0x8000, kData + 123, 10'500));
  run(kMilliSecond);
  EXPECT_EQ(bytes(0, kData + 0x8000, 10'500), bytes(1, kData + 123, 10'500));
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].wr_id, 7u);
  EXPECT_EQ(done[0].status, NIC_CQE_OK);
  EXPECT_EQ(done[0].opcode, NIC_CQE_SEND_DONE);
  EXPECT_EQ(done[0].byte_len, 10'500u);
  EXPECT_TRUE(reap(1).empty());
  EXPECT_EQ(count(Operation::kRead), 1);
  EXPECT_EQ(count(Operation::kReadResponse), 11);
  EXPECT_EQ(count(PacketKind::kAck), 0);
  for (const Packet& packet : seen) {
    if (packet.operation != Operation::kReadResponse) continue;
    EXPECT_EQ(packet.wire_bytes,
              roce::read_response_wire_bytes(packet.payload_bytes, packet.first, packet.last));
  }
  EXPECT_EQ(seen.front().wire_bytes, roce::read_request_wire_bytes());
  EXPECT_EQ(ledger[0].received_bytes, 10'500);
  EXPECT_EQ(ledger[0].acked_bytes, 10'500);
  EXPECT_EQ(pool.in_use(), 0);
}

TEST_F(Rdma, ASendFillsTheBuffersInTheOrderInWhichTheyWerePosted) {
  build();
  for (std::uint32_t i = 0; i < 3; ++i) post_receive(1, 50 + i, kData + 0x8000 + i * 0x1000, 4096);
  post(0, work(NIC_WQE_SEND, 1, kData, 0, 2'500));
  post(0, work(NIC_WQE_SEND_IMMEDIATE, 2, kData + 5'000, 0, 4'096));
  post(0, work(NIC_WQE_SEND, 3, kData + 9'000, 0, 1));
  run(kMilliSecond);
  const std::uint32_t lengths[] = {2'500, 4'096, 1};
  const std::uint32_t from[] = {0, 5'000, 9'000};
  const auto received = reap(1);
  ASSERT_EQ(received.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(received[i].wr_id, 50 + i);
    EXPECT_EQ(received[i].byte_len, lengths[i]);
    EXPECT_EQ(received[i].status, NIC_CQE_OK);
    EXPECT_EQ(bytes(1, kData + 0x8000 + i * 0x1000, lengths[i]),
              bytes(0, kData + from[i], lengths[i]));
  }
  EXPECT_EQ(received[0].opcode, NIC_CQE_RECEIVE);
  EXPECT_EQ(received[1].opcode, NIC_CQE_RECEIVE_SEND_IMMEDIATE);
  EXPECT_EQ(received[1].immediate, 1002u);
  EXPECT_EQ(reap(0).size(), 3u);
  for (const Packet& packet : seen) {
    if (packet.kind != PacketKind::kData) continue;
    EXPECT_EQ(packet.wire_bytes,
              roce::send_wire_bytes(packet.payload_bytes, packet.has_immediate, false));
  }
}

// Runs writes, sends and reads of one queue pair in both directions. Each run loses another packet.
TEST_F(Rdma, LosingAnyOnePacketLosesNothing) {
  using Kind = RecoveryParameters::Kind;
  for (const Kind kind : {Kind::kGoBackN, Kind::kSelectiveRepeat}) {
    parameters.recovery.kind = kind;
    parameters.recovery.reorder_window = kind == Kind::kSelectiveRepeat ? 64 : 0;
    SCOPED_TRACE(testing::Message() << "recovery " << static_cast<int>(kind));
    parameters.recovery.not_ready_delay = kMicroSecond * 10;
    std::size_t packets = 0;
    std::map<std::pair<int, int>, int> kinds;
    for (std::size_t lost = 0; lost <= packets; ++lost) {
      SCOPED_TRACE(lost);
      scheduler.run_until(scheduler.now() + kMilliSecond);
      seen.clear();
      ledger = FlowLedger(2);
      build();
      std::size_t passed = 0;
      on_wire = [&](const Packet& packet) {
        const bool keep = ++passed != lost;
        if (!keep) {
          const bool data = packet.kind == PacketKind::kData;
          ++kinds[{static_cast<int>(packet.kind), data ? static_cast<int>(packet.operation) : 0}];
        }
        return keep;
      };
      for (int at = 0; at < 2; ++at) {
        post(at, work(NIC_WQE_RDMA_WRITE, 1, kData, kData + 0x10000, 2'500));
        post(at, work(NIC_WQE_RDMA_READ, 2, kData + 0x14000, kData + 0x3000, 3'500));
        post(at, work(NIC_WQE_SEND, 3, kData + 0x4000, 0, 1'500));
        post(at, work(NIC_WQE_RDMA_READ, 4, kData + 0x18000, kData + 0x5000, 900));
        post(at, work(NIC_WQE_RDMA_WRITE_IMMEDIATE, 5, kData + 0x6000, kData + 0x1C000, 1'200));
      }
      run(kMicroSecond * 5);  // no receive buffer is posted for the first SEND
      for (int at = 0; at < 2; ++at) post_receive(at, 60, kData + 0x1E000, 4096);
      run(kMilliSecond * 2);
      if (lost == 0) packets = passed;
      for (int at = 0; at < 2; ++at) {
        SCOPED_TRACE(at);
        EXPECT_EQ(bytes(1 - at, kData + 0x10000, 2'500), bytes(at, kData, 2'500));
        EXPECT_EQ(bytes(at, kData + 0x14000, 3'500), bytes(1 - at, kData + 0x3000, 3'500));
        EXPECT_EQ(bytes(1 - at, kData + 0x1E000, 1'500), bytes(at, kData + 0x4000, 1'500));
        EXPECT_EQ(bytes(at, kData + 0x18000, 900), bytes(1 - at, kData + 0x5000, 900));
        EXPECT_EQ(bytes(1 - at, kData + 0x1C000, 1'200), bytes(at, kData + 0x6000, 1'200));
        std::vector<std::uint64_t> ids;
        int receives = 0;
        for (const nic_cqe& done : reap(at)) {
          EXPECT_EQ(done.status, NIC_CQE_OK);
          if (done.opcode == NIC_CQE_SEND_DONE) {
            ids.push_back(done.wr_id);
          } else {
            ++receives;
          }
        }
        // Work items complete in the order in which they were posted.
        EXPECT_EQ(ids, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
        EXPECT_EQ(receives, 2);
        EXPECT_EQ(ledger[at].acked_bytes, 9'600);
        // An ACK that overtakes a response takes effect after the response.
        if (lost == 0) {
          EXPECT_EQ(host[at]->nic.counters().timeouts, 0u);
        }
      }
      EXPECT_EQ(pool.in_use(), 0);
      for (int at = 0; at < 2; ++at) host[at]->nic.destroy_queue_pair(kQpn[at]);
      run(kMilliSecond);
    }
    EXPECT_GT(packets, 30u);
    const auto lost_once = [&](PacketKind of, Operation operation) {
      return kinds[{static_cast<int>(of), static_cast<int>(operation)}] > 0;
    };
    for (const Operation operation :
         {Operation::kWrite, Operation::kSend, Operation::kRead, Operation::kReadResponse}) {
      EXPECT_TRUE(lost_once(PacketKind::kData, operation));
    }
    EXPECT_TRUE(lost_once(PacketKind::kAck, Operation::kWrite));
    EXPECT_TRUE(lost_once(PacketKind::kNak, Operation::kWrite));
  }
}

// Runs operations of all kinds in both directions, three at a time, on a link that loses every
// eighth packet.
TEST_F(Rdma, SelectiveRepeatLosesNothingOnALossyLink) {
  parameters.recovery.kind = RecoveryParameters::Kind::kSelectiveRepeat;
  parameters.recovery.reorder_window = 64;
  build();
  RandomStream random(7, "losses");
  on_wire = [&](const Packet&) { return random.next_u64() % 8 != 0; };
  for (std::uint32_t round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    for (int at = 0; at < 2; ++at) {
      post_receive(at, 60, kData + 0x1E000, 4096);
      post(at, work(NIC_WQE_RDMA_WRITE, 1, kData + round, kData + 0x10000, 9'500));
      post(at, work(NIC_WQE_RDMA_READ, 2, kData + 0x14000, kData + 0x3000 + round, 3'500));
      post(at, work(NIC_WQE_SEND, 3, kData + 0x4000 + round, 0, 3'500));
    }
    run(kMilliSecond * 20);
    for (int at = 0; at < 2; ++at) {
      SCOPED_TRACE(at);
      ASSERT_EQ(bytes(1 - at, kData + 0x10000, 9'500), bytes(at, kData + round, 9'500));
      ASSERT_EQ(bytes(at, kData + 0x14000, 3'500), bytes(1 - at, kData + 0x3000 + round, 3'500));
      ASSERT_EQ(bytes(1 - at, kData + 0x1E000, 3'500), bytes(at, kData + 0x4000 + round, 3'500));
      const auto done = reap(at);
      ASSERT_EQ(done.size(), 4u);  // completions of three requests and a receive entry
      for (const nic_cqe& one : done) ASSERT_EQ(one.status, NIC_CQE_OK);
    }
    ASSERT_EQ(pool.in_use(), 0);
  }
  EXPECT_GT(host[0]->nic.counters().timeouts, 0u);
}

TEST_F(Rdma, AGapInAnAnswerIsAskedForAtOnceAndOnce) {
  build();
  bool lost = false;
  on_wire = [&](const Packet& packet) {
    if (lost || packet.operation != Operation::kReadResponse || packet.psn != 3) return true;
    lost = true;
    return false;
  };
  post(0, work(NIC_WQE_RDMA_READ, 1, kData + 0x8000, kData, 10'000));
  run(kMilliSecond);
  EXPECT_EQ(reap(0).size(), 1u);
  EXPECT_EQ(bytes(0, kData + 0x8000, 10'000), bytes(1, kData, 10'000));
  EXPECT_EQ(host[0]->nic.counters().timeouts, 0u);
  EXPECT_EQ(count(Operation::kRead), 2);
  const auto again = std::find_if(seen.rbegin(), seen.rend(),
                                  [](const Packet& p) { return p.operation == Operation::kRead; });
  EXPECT_EQ(again->psn, 3u);  // the repeated request begins at the lost response packet
  EXPECT_EQ(again->remote_address, kData + 3'000u);
  EXPECT_EQ(again->message_bytes, 7'000u);
}

TEST_F(Rdma, AnswersKeepARequestsWindowFullAndNoMore) {
  parameters.outstanding_reads = 4;
  build();
  for (std::uint32_t i = 0; i < 12; ++i) {
    post(0, work(NIC_WQE_RDMA_READ, i, kData + 0x8000, kData, 2'000));
  }
  int most = 0, out = 0;
  on_wire = [&](const Packet& packet) {
    if (packet.operation == Operation::kRead) most = std::max(most, ++out);
    if (packet.operation == Operation::kReadResponse && packet.last) --out;
    return true;
  };
  run(kMilliSecond);
  EXPECT_EQ(most, 4);
  EXPECT_EQ(reap(0).size(), 12u);
}

/// An algorithm that sets one rate for all flows and records the calls of the NIC.
struct Pacer final : Algorithm {
  Pacer(AlgorithmHost& nic, Rate pace) : host(nic), rate(pace) {}
  AlgorithmNeeds needs() const override {
    AlgorithmNeeds needs;
    needs.acks = true;
    return needs;
  }
  void on_flow_start(FlowNumber flow, const FlowStart&) override { host.set_rate(flow, rate); }
  void on_ack(FlowNumber, const AckInfo& info) override { acks.push_back(info); }
  View view(FlowNumber) const override { return {}; }
  AlgorithmCounters counters() const override { return {}; }
  AlgorithmHost& host;
  Rate rate;
  std::vector<AckInfo> acks;
};

TEST_F(Rdma, ReadsArePacedThroughTheirRequests) {
  parameters.host = 0;
  Scheduler& time = scheduler;
  build();
  Pacer pacer(host[0]->nic.transmitter(), Rate::from(10_Gbps));
  host[0]->nic.set_algorithm(&pacer);
  create(0, Service::kRc);
  host[0]->nic.connect_queue_pair(kQpn[0]);
  std::vector<PicoSeconds> requests;
  on_wire = [&](const Packet& packet) {
    if (packet.operation == Operation::kRead) requests.push_back(time.now());
    return true;
  };
  for (std::uint32_t i = 0; i < 5; ++i) {
    post(0, work(NIC_WQE_RDMA_READ, i, kData + 0x8000, kData, 4'000));
  }
  run(kMilliSecond);
  ASSERT_EQ(requests.size(), 5u);
  // Interval of paced responses. First and last packets have an AETH, and all packets have link
  // overhead.
  const std::uint32_t wire = roce::read_response_wire_bytes(1'000, true, false) +
                             2 * roce::read_response_wire_bytes(1'000, false, false) +
                             roce::read_response_wire_bytes(1'000, false, true) + 4 * 20;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    EXPECT_EQ((requests[i] - requests[i - 1]).count, std::int64_t{wire} * 800);
  }
  // The congestion-control algorithm gets an ACK for each READ response packet. The RTT of an ACK
  // excludes the time that earlier response packets take on the wire.
  ASSERT_EQ(pacer.acks.size(), 20u);
  EXPECT_TRUE(pacer.acks[3].last_of_message);
  EXPECT_FALSE(pacer.acks[2].last_of_message);
  EXPECT_EQ(pacer.acks[1].rtt, pacer.acks[2].rtt);
  // The tolerance is the time of four bytes.
  EXPECT_LE((pacer.acks[3].rtt - pacer.acks[1].rtt).count, 400);
}

}  // namespace
}  // namespace dcc
