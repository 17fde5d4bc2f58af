// Two hosts with rings and memory on a cable: READ, SEND and datagrams, what is lost of them, and
// the errors that an adapter gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "fake_host.h"
#include "net/roce_headers.h"
#include "net/wire_size.h"
#include "nic/host_link.h"
#include "nic/nic_host_interface.h"
#include "registers/generated/nic_map.h"

namespace dcc {
namespace {

namespace map = regs::nic_map;

constexpr std::uint32_t kRam = 0x40000;
constexpr std::uint32_t kSendRing = 0x1000;
constexpr std::uint32_t kReceiveRing = 0x2000;
constexpr std::uint32_t kCompletionRing = 0x3000;
constexpr std::uint32_t kData = 0x10000;  // what may be read and written from outside begins here
constexpr Qpn kQpn[2] = {3, 5};

class Rdma : public ::testing::Test, public PacketSink, public ConnectionManager {
 protected:
  struct Host {
    Host(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger, const NicParameters& p,
         ConnectionManager& connections)
        : ram(kRam),
          nic(scheduler, pool, ledger, p, 10 + p.host),
          link(scheduler, ram, p.dma, 20 + p.host),
          rings(scheduler, nic, link, connections, 30 + p.host) {}
    test::FakeMemory ram;
    NicDevice nic;
    HostLink link;
    NicHostInterface rings;
    std::uint16_t sent = 0, received = 0, reaped = 0;
  };

  Scheduler scheduler;
  PacketPool pool;
  FlowLedger ledger{2};
  NicParameters parameters;
  std::unique_ptr<Host> host[2];
  std::unique_ptr<Link> link[2];
  std::function<bool(const Packet&)> on_wire = [](const Packet&) { return true; };  // false: lost
  std::vector<Packet> seen;

  Rdma() {
    parameters.payload = NicParameters::Payload::kReal;
    parameters.recovery.timeout = kMicroSecond * 50;
  }

  QueuePairIdentity identify(HostId at, Qpn) const override {
    QueuePairIdentity identity;
    identity.flow = at;
    return identity;
  }
  void created(HostId, Qpn, HostId, Qpn) override {}
  void destroyed(HostId, Qpn) override {}

  void receive(Packet* packet, int port) override {
    seen.push_back(*packet);
    if (on_wire(*packet)) {
      host[port]->nic.receive(packet, 0);
    } else {
      pool.give_back(packet);
    }
  }

  void put(int at, std::uint32_t offset, std::uint32_t value) {
    ASSERT_EQ(host[at]->rings.registers().write(offset, value, 0xF), regs::AccessResult::kOk);
  }
  void build(Service service = Service::kRc) {
    LinkParameters wire;
    wire.rate = parameters.line_rate;
    for (std::uint32_t i = 0; i < 2; ++i) {
      parameters.host = i;
      host[i] = std::make_unique<Host>(scheduler, pool, ledger, parameters, *this);
      link[i] = std::make_unique<Link>(scheduler, pool, wire, i);
    }
    for (int i = 0; i < 2; ++i) {
      link[i]->connect(*this, 1 - i);
      host[i]->nic.connect(*link[i]);
      for (std::uint32_t a = 0; a < kRam - kData; ++a) {
        host[i]->ram.bytes[kData + a] =
            static_cast<std::uint8_t>(a * 7 + a / 251 + (i == 0 ? 0 : 99));
      }
      put(i, map::kSqBaseLoOffset, kSendRing);
      put(i, map::kRqBaseLoOffset, kReceiveRing);
      put(i, map::kCqBaseLoOffset, kCompletionRing);
      put(i, map::kCqSizeLog2Offset, 6);
      put(i, map::kMrBaseLoOffset, kData);
      put(i, map::kMrLengthOffset, kRam - kData);
      put(i, map::kCtrlOffset, map::kCtrlEnableMask | 1u << map::kCtrlAckModeShift);
      create(i, service);
    }
    for (int i = 0; i < 2; ++i) host[i]->nic.connect_queue_pair(kQpn[i]);
  }
  void create(int at, Service service) {
    put(at, map::kQpSelectOffset, kQpn[at]);
    put(at, map::kQpRemoteHostOffset, static_cast<std::uint32_t>(1 - at));
    put(at, map::kQpRemoteQpnOffset, kQpn[1 - at]);
    put(at, map::kQpServiceOffset, static_cast<std::uint32_t>(service));
    put(at, map::kQpCmdOffset, map::kQpCmdOperationCreate);
  }

  nic_wqe work(std::uint8_t opcode, std::uint64_t id, std::uint64_t local, std::uint64_t remote,
               std::uint32_t length) const {
    nic_wqe entry{};
    entry.opcode = opcode;
    entry.flags = NIC_WQE_SIGNALED;
    entry.wr_id = id;
    entry.local_address = local;
    entry.remote_address = remote;
    entry.length = length;
    entry.immediate = static_cast<std::uint32_t>(id) + 1000;
    return entry;
  }
  void post(int at, nic_wqe entry) {
    Host& h = *host[at];
    entry.qpn = kQpn[at];
    entry.remote_host = static_cast<std::uint32_t>(1 - at);
    entry.remote_qpn = kQpn[1 - at];
    h.ram.put(kSendRing + h.sent % 16 * sizeof entry, entry);
    put(at, map::kSqTailOffset, ++h.sent);
  }
  void post_receive(int at, std::uint64_t id, std::uint64_t address, std::uint32_t length) {
    Host& h = *host[at];
    const nic_rqe entry{kQpn[at], length, id, address, 0};
    h.ram.put(kReceiveRing + h.received % 16 * sizeof entry, entry);
    put(at, map::kRqTailOffset, ++h.received);
  }
  void run(PicoSeconds time) { scheduler.run_until(scheduler.now() + time); }
  /// All completions since the last call.
  std::vector<nic_cqe> reap(int at) {
    Host& h = *host[at];
    std::uint32_t tail = 0;
    h.rings.registers().read(map::kCqTailOffset, tail);
    std::vector<nic_cqe> list;
    while (h.reaped != static_cast<std::uint16_t>(tail)) {
      list.push_back(h.ram.get<nic_cqe>(kCompletionRing + h.reaped++ % 64 * sizeof(nic_cqe)));
    }
    put(at, map::kCqHeadOffset, h.reaped);
    return list;
  }
  std::vector<std::uint8_t> bytes(int at, std::uint32_t address, std::uint32_t length) const {
    const auto& all = host[at]->ram.bytes;
    return {all.begin() + address, all.begin() + address + length};
  }
  int count(Operation operation) const {
    return static_cast<int>(std::count_if(seen.begin(), seen.end(), [&](const Packet& p) {
      return p.kind == PacketKind::kData && p.operation == operation;
    }));
  }
  int count(PacketKind kind) const {
    return static_cast<int>(
        std::count_if(seen.begin(), seen.end(), [&](const Packet& p) { return p.kind == kind; }));
  }
};

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

// Writes, sends and reads of one queue pair, both ways at once, and any one packet of them lost.
TEST_F(Rdma, LosingAnyOnePacketLosesNothing) {
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
    run(kMicroSecond * 5);  // the first SEND finds nobody ready
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
      EXPECT_EQ(ids, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));  // in the order posted
      EXPECT_EQ(receives, 2);
      EXPECT_EQ(ledger[at].acked_bytes, 9'600);
      // An ACK that overtakes an answer is remembered: nobody has to be reminded.
      if (lost == 0) {
        EXPECT_EQ(host[at]->nic.counters().timeouts, 0u);
      }
    }
    EXPECT_EQ(pool.in_use(), 0);
    for (int at = 0; at < 2; ++at) host[at]->nic.destroy_queue_pair(kQpn[at]);
    run(kMilliSecond);
  }
  EXPECT_GT(packets, 30u);
  const auto lost_once = [&](PacketKind kind, Operation operation) {
    return kinds[{static_cast<int>(kind), static_cast<int>(operation)}] > 0;
  };
  for (const Operation operation :
       {Operation::kWrite, Operation::kSend, Operation::kRead, Operation::kReadResponse}) {
    EXPECT_TRUE(lost_once(PacketKind::kData, operation));
  }
  EXPECT_TRUE(lost_once(PacketKind::kAck, Operation::kWrite));
  EXPECT_TRUE(lost_once(PacketKind::kNak, Operation::kWrite));
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
  EXPECT_EQ(again->psn, 3u);  // from where it was lost, and all behind it
  EXPECT_EQ(again->remote_address, kData + 3'000u);
  EXPECT_EQ(again->message_bytes, 7'000u);
}

TEST_F(Rdma, ASenderWaitsForABufferAsLongAsItIsToldTo) {
  parameters.recovery.not_ready_delay = kMicroSecond * 100;  // its code says 120
  build();
  post(0, work(NIC_WQE_SEND, 1, kData, 0, 3'000));
  run(kMicroSecond * 60);
  EXPECT_EQ(count(PacketKind::kNak), 1);
  const auto nak = std::find_if(seen.begin(), seen.end(),
                                [](const Packet& p) { return p.kind == PacketKind::kNak; });
  EXPECT_EQ(nak->nak, NakReason::kNotReady);
  EXPECT_EQ(roce::headers_of(*nak, 0, false).syndrome, 0x27);  // table 46: 0.12 ms
  EXPECT_EQ(host[1]->nic.counters().receives_missing, 1u);
  post_receive(1, 9, kData + 0x8000, 3'000);
  const std::size_t before = seen.size();
  run(kMicroSecond * 60);
  EXPECT_EQ(seen.size(), before);
  run(kMicroSecond * 60);
  EXPECT_EQ(bytes(1, kData + 0x8000, 3'000), bytes(0, kData, 3'000));
  EXPECT_EQ(reap(0).size(), 1u);
}

TEST_F(Rdma, ASendThatNobodyIsReadyForEndsAfterItsRetriesAndFlushesTheRest) {
  parameters.recovery.not_ready_retries = 2;
  build();
  post(0, work(NIC_WQE_SEND, 1, kData, 0, 100));
  post(0, work(NIC_WQE_RDMA_WRITE, 2, kData, kData, 100));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].status, NIC_CQE_NOT_READY);
  EXPECT_EQ(done[1].status, NIC_CQE_FLUSHED);
  EXPECT_EQ(host[1]->nic.counters().receives_missing, 3u);
}

TEST_F(Rdma, ASendLongerThanItsBufferIsAnErrorAtBothEnds) {
  build();
  post_receive(1, 9, kData + 0x8000, 1'999);
  const auto before = bytes(1, kData + 0x8000 + 1'999, 100);
  post(0, work(NIC_WQE_SEND, 1, kData, 0, 2'000));
  run(kMilliSecond);
  EXPECT_EQ(bytes(1, kData + 0x8000 + 1'999, 100), before);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_REMOTE_INVALID);
  const auto received = reap(1);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].status, NIC_CQE_LENGTH_ERROR);
  EXPECT_EQ(received[0].wr_id, 9u);
}

TEST_F(Rdma, AReadOfWhatIsNotOpenIsRefusedBehindTheAnswersBeforeIt) {
  build();
  post(0, work(NIC_WQE_RDMA_READ, 1, kData + 0x8000, kData, 5'000));
  post(0, work(NIC_WQE_RDMA_READ, 2, kData + 0x8000, kRam - 10, 11));
  post(0, work(NIC_WQE_RDMA_WRITE, 3, kData, kData, 10));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[0].status, NIC_CQE_OK);
  EXPECT_EQ(done[1].status, NIC_CQE_REMOTE_ERROR);
  EXPECT_EQ(done[1].wr_id, 2u);
  EXPECT_EQ(done[2].status, NIC_CQE_FLUSHED);
  EXPECT_EQ(host[1]->nic.counters().mr_violations, 1u);
}

TEST_F(Rdma, AReadIntoWhatIsNotOpenIsALocalError) {
  build();
  post(0, work(NIC_WQE_RDMA_READ, 1, kData - 1, kData, 100));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_LOCAL_ERROR);
  EXPECT_TRUE(seen.empty());
}

TEST_F(Rdma, AWindowOverMemoryThatIsNotThereRefusesReads) {
  build();
  put(1, map::kMrLengthOffset, kRam);  // beyond the end of memory
  post(0, work(NIC_WQE_RDMA_READ, 1, kData, kRam - 1'000, 3'000));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_REMOTE_ERROR);
}

TEST_F(Rdma, ADeadWireEndsWorkAfterItsRetries) {
  parameters.recovery.retries = 3;
  build();
  on_wire = [](const Packet&) { return false; };
  post(0, work(NIC_WQE_RDMA_READ, 1, kData, kData, 3'000));
  run(kMilliSecond);
  const auto done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_RETRY_EXCEEDED);
  EXPECT_EQ(count(Operation::kRead), 4);
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

TEST_F(Rdma, DatagramsCarryTheirSenderAndNeedABuffer) {
  build(Service::kUd);
  post_receive(1, 9, kData + 0x8000, 40 + 700);
  post(0, work(NIC_WQE_SEND, 1, kData, 0, 700));
  post(0, work(NIC_WQE_SEND, 2, kData, 0, 700));    // finds no buffer: lost
  post(0, work(NIC_WQE_SEND, 3, kData, 0, 1'001));  // longer than a packet
  post(0, work(NIC_WQE_RDMA_READ, 4, kData, kData, 10));
  run(kMilliSecond);
  const auto received = reap(1);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].byte_len, 740u);
  EXPECT_EQ(received[0].immediate, kQpn[0]);
  EXPECT_EQ(bytes(1, kData + 0x8000 + 40, 700), bytes(0, kData, 700));
  const auto header = bytes(1, kData + 0x8000 + 20, 20);
  EXPECT_EQ(header[0], 0x45);  // IPv4 …
  EXPECT_EQ(header[12], 10);   // … from 10.0.0.1
  EXPECT_EQ(header[15], 1);
  std::map<std::uint64_t, int> status;
  for (const nic_cqe& done : reap(0)) status[done.wr_id] = done.status;
  EXPECT_EQ(
      status,
      (std::map<std::uint64_t, int>{
          {1, NIC_CQE_OK}, {2, NIC_CQE_OK}, {3, NIC_CQE_LOCAL_ERROR}, {4, NIC_CQE_LOCAL_ERROR}}));
  EXPECT_EQ(host[1]->nic.counters().receives_missing, 1u);
  EXPECT_EQ(seen.size(), 2u);  // and no ACK
  EXPECT_EQ(seen[0].wire_bytes, roce::send_wire_bytes(700, false, true));
}

TEST_F(Rdma, AnUnreliableConnectionLosesMessagesWhole) {
  build(Service::kUc);
  for (std::uint32_t i = 0; i < 3; ++i) post_receive(1, 50 + i, kData + 0x8000 + i * 0x1000, 4096);
  int data = 0;
  on_wire = [&](const Packet&) { return ++data != 5; };  // the second message's middle
  for (std::uint32_t i = 0; i < 3; ++i) post(0, work(NIC_WQE_SEND, i, kData + i * 5'000, 0, 3'000));
  run(kMilliSecond);
  EXPECT_EQ(reap(0).size(), 3u);
  const auto received = reap(1);
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[1].wr_id, 51u);  // whose buffer the lost message left
  EXPECT_EQ(bytes(1, kData + 0x8000, 3'000), bytes(0, kData, 3'000));
  EXPECT_EQ(bytes(1, kData + 0x9000, 3'000), bytes(0, kData + 10'000, 3'000));
  EXPECT_EQ(count(PacketKind::kAck) + count(PacketKind::kNak), 0);
}

TEST_F(Rdma, ReceiveEntriesAreCheckedAndEndWithTheirQueuePair) {
  build();
  post_receive(0, 1, kData - 1, 100);
  post_receive(0, 2, kData, 0);
  post_receive(0, 3, kData, 100);
  run(kMicroSecond * 10);
  auto done = reap(0);
  ASSERT_EQ(done.size(), 2u);
  for (const nic_cqe& completion : done) EXPECT_EQ(completion.status, NIC_CQE_LOCAL_ERROR);
  put(0, map::kQpCmdOffset, map::kQpCmdOperationDestroy);
  run(kMicroSecond * 10);
  done = reap(0);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, NIC_CQE_FLUSHED);
  EXPECT_EQ(done[0].wr_id, 3u);
}

/// Gives every flow one rate and keeps what it hears.
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
  // As the answers would be if they were paced: first and last acknowledge, all have overhead.
  const std::uint32_t wire = roce::read_response_wire_bytes(1'000, true, false) +
                             2 * roce::read_response_wire_bytes(1'000, false, false) +
                             roce::read_response_wire_bytes(1'000, false, true) + 4 * 20;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    EXPECT_EQ((requests[i] - requests[i - 1]).count, std::int64_t{wire} * 800);
  }
  // Every packet of the answer is heard of, and its round trip does not hold those before it.
  ASSERT_EQ(pacer.acks.size(), 20u);
  EXPECT_TRUE(pacer.acks[3].last_of_message);
  EXPECT_FALSE(pacer.acks[2].last_of_message);
  EXPECT_EQ(pacer.acks[1].rtt, pacer.acks[2].rtt);
  EXPECT_LE((pacer.acks[3].rtt - pacer.acks[1].rtt).count, 400);  // four bytes more
}

}  // namespace
}  // namespace dcc
