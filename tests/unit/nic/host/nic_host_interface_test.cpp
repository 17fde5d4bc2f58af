// Tests the software interface of the NIC with descriptor rings that the test writes.
#include "nic/host/nic_host_interface.h"

#include <gtest/gtest.h>

#include <vector>

#include "driver/nic_regs.h"
#include "unit/nic/fake_host.h"
#include "wire/roce_headers.h"

namespace dcc {
namespace {

constexpr std::uint32_t kSendRing = 0x1000;
constexpr std::uint32_t kCompletionRing = 0x2000;
constexpr std::uint32_t kRamBytes = 0x10000;

/// A link that records packets and delivers none.
struct Wire final : PacketOut {
  Wire(Scheduler& time, PacketPool& owner) : scheduler(time), pool(owner) {}
  PicoSeconds send(Packet* packet) override {
    sent.push_back(*packet);
    pool.free(packet);
    return kNanoSecond * 100;
  }
  Scheduler& scheduler;
  PacketPool& pool;
  std::vector<Packet> sent;
};

struct Connections final : ConnectionManager {
  QueuePairIdentity identify(HostId, Qpn, const QueuePairConfig&) const override { return {}; }
  bool has_host(HostId) const override { return true; }
  void created(HostId, Qpn, const QueuePairConfig&) override { ++made; }
  void destroyed(HostId, Qpn) override { ++gone; }
  int made = 0;
  int gone = 0;
};

class NicHostInterfaceTest : public ::testing::Test {
 protected:
  NicHostInterfaceTest() { nic.connect(wire); }

  void put(std::uint32_t offset, std::uint32_t value) {
    EXPECT_EQ(host.registers().write(offset, value, 0xF), regs::AccessResult::kOk) << offset;
  }
  std::uint32_t get(std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_EQ(host.registers().read(offset, value), regs::AccessResult::kOk) << offset;
    return value;
  }
  /// Starts the NIC with rings of four entries. All memory is open to remote writes.
  void start(std::uint32_t ctrl = NIC_CTRL_ENABLE_MASK) {
    put(NIC_SQ_BASE_LO_OFFSET, kSendRing);
    put(NIC_SQ_SIZE_LOG2_OFFSET, 2);
    put(NIC_CQ_BASE_LO_OFFSET, kCompletionRing);
    put(NIC_CQ_SIZE_LOG2_OFFSET, 2);
    put(NIC_MR_LENGTH_OFFSET, kRamBytes);
    put(NIC_CTRL_OFFSET, ctrl);
  }
  void create_queue_pair(Qpn qpn) {
    put(NIC_QP_SELECT_OFFSET, qpn);
    put(NIC_QP_REMOTE_HOST_OFFSET, 1);
    put(NIC_QP_REMOTE_QPN_OFFSET, 9);
    put(NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_CREATE);
    nic.connect_queue_pair(qpn);
  }
  void write_entry(std::uint32_t index, const nic_wqe& entry) {
    ram.put(kSendRing + index % 4 * sizeof entry, entry);
  }
  nic_cqe completion(std::uint32_t index) const {
    return ram.get<nic_cqe>(kCompletionRing + index % 4 * sizeof(nic_cqe));
  }
  static nic_wqe write_of(std::uint32_t bytes) {
    nic_wqe entry{};
    entry.opcode = NIC_WQE_RDMA_WRITE;
    entry.qpn = 5;
    entry.length = bytes;
    return entry;
  }
  /// Delivers a message of one packet with payload to queue pair 5.
  void arrive(std::uint64_t address, const std::vector<std::uint8_t>& bytes, Psn psn,
              bool with_immediate) {
    Packet* const packet = pool.allocate();
    packet->kind = PacketKind::kData;
    packet->destination_qpn = 5;
    packet->source = 1;
    packet->source_qpn = 9;
    packet->remote_address = address;
    packet->first = packet->last = true;
    packet->has_immediate = with_immediate;
    packet->psn = psn;
    packet->payload_bytes = static_cast<std::uint32_t>(bytes.size());
    pool.attach_payload(*packet, bytes.size());
    *packet->payload = bytes;
    packet->icrc = roce::icrc_of(*packet);
    nic.receive(packet, 0);
  }
  void run(PicoSeconds time) { scheduler.run_until(scheduler.now() + time); }

  Scheduler scheduler;
  PacketPool pool;
  FlowLedger ledger{1};
  Wire wire{scheduler, pool};
  Connections connections;
  NicDevice nic{scheduler, pool, ledger, parameters(), 0};
  test::FakeMemory ram{kRamBytes};
  test::FakeDma dma{ram};
  NicHostInterface host{scheduler, nic, dma, connections, 1};

 private:
  /// NIC parameters that differ from the reset values of the registers.
  static NicParameters parameters() {
    NicParameters p;
    p.mtu = 4000;
    p.line_rate = BitRate(25'000'000'000);
    p.ack = AckMode::kNone;
    p.cnp.interval = kMicroSecond * 7;
    p.cnp.dscp = 3;
    p.cnp.priority = 1;
    p.cnp.carry_marks = true;
    return p;
  }
};

/// Algorithm that records the weights that the NIC sets.
struct Weighed final : Algorithm {
  AlgorithmNeeds needs() const override { return {}; }
  void on_flow_start(FlowNumber, const FlowStart&) override {}
  View view(FlowNumber) const override { return {}; }
  AlgorithmCounters counters() const override { return {}; }
  void on_weight(std::uint8_t dscp, const Ratio& weight) override {
    heard.emplace_back(dscp, weight.value());
  }
  bool change_class(FlowNumber flow, std::uint8_t dscp) override {
    if (!keeps_classes) moved.emplace_back(flow, dscp);
    return !keeps_classes;
  }
  bool keeps_classes = false;  // true: the algorithm refuses every change of class
  std::vector<std::pair<unsigned, unsigned>> moved;
  std::vector<std::pair<unsigned, double>> heard;
};

TEST_F(NicHostInterfaceTest, AClassesWeightReachesTheAlgorithm) {
  // Without an algorithm the write of CC_CLASS has no effect.
  put(NIC_CC_CLASS_OFFSET, 640u << NIC_CC_CLASS_WEIGHT_SHIFT | 46u);
  Weighed algorithm;
  nic.set_algorithm(&algorithm);
  put(NIC_CC_CLASS_OFFSET, 640u << NIC_CC_CLASS_WEIGHT_SHIFT | 46u);
  put(NIC_CC_CLASS_OFFSET, 0xFFFFu << NIC_CC_CLASS_WEIGHT_SHIFT | 63u);
  EXPECT_EQ(algorithm.heard,
            (std::vector<std::pair<unsigned, double>>{{46u, 2.5}, {63u, 65535.0 / 256}}));
  EXPECT_EQ(host.registers().write(NIC_CC_CLASS_OFFSET, 46u, 0xF), regs::AccessResult::kOutOfRange)
      << "a weight of zero";
  EXPECT_EQ(algorithm.heard.size(), 2u);
}

TEST_F(NicHostInterfaceTest, AQueuePairChangesItsClassBetweenTwoPackets) {
  Weighed algorithm;
  nic.set_algorithm(&algorithm);
  start();
  put(NIC_QP_DSCP_OFFSET, 10);
  create_queue_pair(5);
  const auto change = [&](Qpn qpn, std::uint32_t dscp) {
    put(NIC_QP_SELECT_OFFSET, qpn);
    put(NIC_QP_DSCP_OFFSET, dscp);
    put(NIC_QP_CMD_OFFSET, NIC_QP_CMD_OPERATION_CHANGE_CLASS);
    return get(NIC_QP_STATUS_OFFSET);
  };
  const auto sent_with = [&](unsigned dscp) {
    return std::count_if(wire.sent.begin(), wire.sent.end(),
                         [&](const auto& packet) { return packet.dscp == dscp; });
  };
  write_entry(0, write_of(100'000));
  put(NIC_SQ_TAIL_OFFSET, 1);
  dma.end_all();
  run(kMicroSecond * 10);
  const std::ptrdiff_t before = sent_with(10);
  ASSERT_GT(before, 2);
  EXPECT_EQ(change(5, 46), NIC_QP_STATUS_VALID_MASK | NIC_QP_STATUS_BUSY_MASK);
  EXPECT_EQ(algorithm.moved, (std::vector<std::pair<unsigned, unsigned>>{{5u, 46u}}));
  run(kMicroSecond * 100);
  EXPECT_EQ(sent_with(10), before) << "the packet on the wire keeps its class";
  EXPECT_EQ(sent_with(10) + sent_with(46), 100);
  EXPECT_EQ(nic.transmitter().view(5).dscp, 46);

  // A refused change of the DSCP sets REFUSED and changes nothing else. The next successful change
  // clears REFUSED.
  EXPECT_EQ(change(6, 1), NIC_QP_STATUS_REFUSED_MASK) << "no such queue pair";
  EXPECT_EQ(change(1u << 14, 1), NIC_QP_STATUS_REFUSED_MASK) << "beyond the NIC's queue pairs";
  algorithm.keeps_classes = true;
  EXPECT_EQ(change(5, 1), NIC_QP_STATUS_VALID_MASK | NIC_QP_STATUS_REFUSED_MASK);
  EXPECT_EQ(nic.transmitter().view(5).dscp, 46);
  algorithm.keeps_classes = false;
  EXPECT_EQ(change(5, 1), NIC_QP_STATUS_VALID_MASK);
  EXPECT_EQ(nic.transmitter().view(5).dscp, 1);
  nic.transmitter().give_up(5);
  EXPECT_NE(change(5, 2) & NIC_QP_STATUS_REFUSED_MASK, 0u) << "a failed queue pair";
  EXPECT_EQ(nic.transmitter().view(5).dscp, 1);
  put(NIC_CTRL_OFFSET, NIC_CTRL_SOFT_RESET_MASK);
  EXPECT_EQ(get(NIC_QP_STATUS_OFFSET), 0u);
}

TEST_F(NicHostInterfaceTest, TheDeviceIsWhatItsRegistersSay) {
  const auto expect_reset_values = [&] {
    EXPECT_EQ(get(NIC_MTU_OFFSET), 1000u);
    EXPECT_EQ(nic.parameters().mtu, 1000u);
    EXPECT_EQ(nic.parameters().ack, AckMode::kPerPacket);
    EXPECT_EQ(nic.parameters().cnp.interval, kMicroSecond * 50);
    EXPECT_EQ(nic.parameters().cnp.dscp, 48);
    EXPECT_EQ(nic.parameters().cnp.priority, 6);
    EXPECT_FALSE(nic.parameters().cnp.carry_marks);
  };
  expect_reset_values();
  EXPECT_EQ(get(NIC_CAPS_OFFSET), 25'000u << NIC_CAPS_LINK_RATE_SHIFT | 14u);
  start(NIC_CTRL_ENABLE_MASK | NIC_CTRL_CNP_CARRY_MARKS_MASK |
        NIC_CTRL_ACK_MODE_PER_MESSAGE << NIC_CTRL_ACK_MODE_SHIFT);
  put(NIC_MTU_OFFSET, 256);
  put(NIC_CNP_INTERVAL_OFFSET, 1000);
  put(NIC_CNP_DSCP_OFFSET, 1);
  put(NIC_CNP_PRIORITY_OFFSET, 2);
  EXPECT_EQ(nic.parameters().mtu, 256u);
  EXPECT_EQ(nic.parameters().ack, AckMode::kPerMessage);
  create_queue_pair(5);
  EXPECT_EQ(get(NIC_QP_STATUS_OFFSET), NIC_QP_STATUS_VALID_MASK);
  EXPECT_EQ(connections.made, 1);

  put(NIC_CTRL_OFFSET, NIC_CTRL_SOFT_RESET_MASK | NIC_CTRL_ENABLE_MASK);
  EXPECT_EQ(get(NIC_CTRL_OFFSET) & NIC_CTRL_ENABLE_MASK, 0u);
  EXPECT_EQ(connections.gone, 1);
  expect_reset_values();
  put(NIC_QP_SELECT_OFFSET, 5);
  EXPECT_EQ(get(NIC_QP_STATUS_OFFSET), 0u);
  Packet* const packet = pool.allocate();  // CTRL is disabled, so the NIC drops the packet
  packet->kind = PacketKind::kAck;
  nic.receive(packet, 0);
  EXPECT_EQ(nic.counters().not_enabled, 1u);
}

TEST_F(NicHostInterfaceTest, NonsenseInTheRingIsRefusedEntryByEntry) {
  start();
  create_queue_pair(5);
  nic_wqe good{};
  good.opcode = NIC_WQE_RDMA_WRITE;
  good.qpn = 5;
  good.length = 100;
  nic_wqe entries[4] = {good, good, good, good};
  entries[0].opcode = 77;
  entries[1].length = 0;
  entries[2].length = 0x80000001u;
  entries[3].qpn = 0xFFFFFFFF;
  for (std::uint32_t i = 0; i < 4; ++i) {
    entries[i].wr_id = 40 + i;
    write_entry(i, entries[i]);
  }
  put(NIC_SQ_TAIL_OFFSET, 4);
  dma.end_all();
  EXPECT_EQ(get(NIC_SQ_HEAD_OFFSET), 4u);
  EXPECT_EQ(get(NIC_CQ_TAIL_OFFSET), 4u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(completion(i).wr_id, 40u + i);
    EXPECT_EQ(completion(i).status, NIC_CQE_LOCAL_ERROR);
    EXPECT_EQ(completion(i).phase, 1);
  }
  EXPECT_EQ(get(NIC_IRQ_STATUS_OFFSET) & NIC_IRQ_STATUS_SQ_ERROR_MASK,
            NIC_IRQ_STATUS_SQ_ERROR_MASK);
  EXPECT_TRUE(wire.sent.empty());
}

TEST_F(NicHostInterfaceTest, AFullCompletionRingKeepsTheRestInOrder) {
  start();
  // The NIC refuses all entries, which makes six completions for a completion ring of four.
  for (std::uint32_t i = 0; i < 6; ++i) {
    nic_wqe entry{};
    entry.wr_id = i;
    write_entry(i, entry);
    put(NIC_SQ_TAIL_OFFSET, i + 1);
    dma.end_all();
  }
  EXPECT_EQ(get(NIC_CQ_TAIL_OFFSET), 4u);
  EXPECT_EQ(host.completions_waiting(), 2u);
  EXPECT_EQ(completion(0).wr_id, 0u);
  put(NIC_CQ_HEAD_OFFSET, 1);
  dma.end_all();
  EXPECT_EQ(get(NIC_CQ_TAIL_OFFSET), 5u);
  EXPECT_EQ(completion(4).wr_id, 4u);
  EXPECT_EQ(completion(4).phase, 0);  // completions of the ring's second pass have phase 0
  put(NIC_CQ_HEAD_OFFSET, 5);
  dma.end_all();
  EXPECT_EQ(completion(5).wr_id, 5u);
  EXPECT_EQ(host.completions_waiting(), 0u);
  EXPECT_EQ(host.completions_written(), 6u);
  EXPECT_EQ(host.completions_unread(), 1u);
}

TEST_F(NicHostInterfaceTest, InterruptsCoalesceByCountAndAge) {
  start();
  put(NIC_IRQ_COALESCE_OFFSET,
      2u << NIC_IRQ_COALESCE_COUNT_SHIFT | 50u << NIC_IRQ_COALESCE_DELAY_SHIFT);
  const auto finish_one = [&](std::uint32_t tail) {
    put(NIC_SQ_TAIL_OFFSET, tail);
    dma.end_all();
    return get(NIC_IRQ_STATUS_OFFSET) & NIC_IRQ_STATUS_COMPLETION_MASK;
  };
  EXPECT_EQ(finish_one(1), 0u);
  EXPECT_NE(finish_one(2), 0u);  // completes the second of two posted entries
  put(NIC_IRQ_STATUS_OFFSET, NIC_IRQ_STATUS_COMPLETION_MASK);
  EXPECT_EQ(finish_one(3), 0u);
  run(kMicroSecond * 60);  // only one completion, but the interrupt delay has passed
  EXPECT_NE(get(NIC_IRQ_STATUS_OFFSET) & NIC_IRQ_STATUS_COMPLETION_MASK, 0u);
}

TEST_F(NicHostInterfaceTest, OnlyTheOpenWindowCanBeWrittenFromOutside) {
  start();
  create_queue_pair(5);
  put(NIC_MR_BASE_LO_OFFSET, 0x4000);
  put(NIC_MR_LENGTH_OFFSET, 0x100);
  const auto arrives = [&](std::uint64_t address, std::uint32_t bytes, Psn psn) {
    Packet* const packet = pool.allocate();
    packet->kind = PacketKind::kData;
    packet->destination_qpn = 5;
    packet->source = 1;
    packet->source_qpn = 9;
    packet->remote_address = address;
    packet->payload_bytes = bytes;
    packet->psn = psn;
    nic.receive(packet, 0);
    return nic.counters().mr_violations;
  };
  EXPECT_EQ(arrives(0x4000, 0x100, 0), 0u);
  EXPECT_EQ(arrives(0x40FF, 1, 1), 0u);
  EXPECT_EQ(arrives(0x3FFF, 1, 2), 1u);
  EXPECT_EQ(arrives(0x4000, 1, 2), 1u) << "a refused queue pair takes nothing until it is new";
  std::uint64_t violations = 1;
  const std::pair<std::uint64_t, std::uint32_t> others[] = {
      {0x40FF, 2}, {0xFFFF'FFFF'FFFF'FFFF, 2}, {0x4000, 0x101}};
  for (const auto& [address, bytes] : others) {
    create_queue_pair(5);
    EXPECT_EQ(arrives(address, bytes, 0), ++violations);
  }
  EXPECT_EQ(nic.counters().bytes_received, 0x101u);
}

// Tests of the send ring.

TEST_F(NicHostInterfaceTest, TheSendRingWrapsAndIsReadUpToItsEnd) {
  start();
  create_queue_pair(5);
  std::uint32_t posted = 0;
  const auto post = [&](std::uint32_t count) {
    for (; count > 0; --count, ++posted) {
      nic_wqe entry = write_of(100);
      entry.wr_id = 70 + posted;
      write_entry(posted, entry);
    }
    put(NIC_SQ_TAIL_OFFSET, posted);
  };
  post(3);
  dma.end_all();
  // Entries 3, 0 and 1 need two DMA reads: one up to the end of the ring, one from its start.
  post(3);
  ASSERT_EQ(dma.requests.size(), 1u);
  EXPECT_EQ(dma.requests.front().address, kSendRing + 3 * sizeof(nic_wqe));
  EXPECT_EQ(dma.requests.front().bytes, sizeof(nic_wqe));
  EXPECT_EQ(get(NIC_SQ_HEAD_OFFSET), 3u);
  dma.end_one();
  EXPECT_EQ(get(NIC_SQ_HEAD_OFFSET), 4u);
  ASSERT_EQ(dma.requests.size(), 1u);
  EXPECT_EQ(dma.requests.front().address, kSendRing);
  EXPECT_EQ(dma.requests.front().bytes, 2 * sizeof(nic_wqe));
  dma.end_all();
  EXPECT_EQ(get(NIC_SQ_HEAD_OFFSET), 6u);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(wire.sent.size(), 6u);
  EXPECT_EQ(wire.sent.back().payload_bytes, 100u);
}

TEST_F(NicHostInterfaceTest, RingIndicesRunOnOverSixteenBits) {
  start();
  create_queue_pair(5);
  for (std::uint32_t i = 0; i < 0x10000 + 6; ++i) {
    nic_wqe entry = write_of(64);
    entry.flags = NIC_WQE_SIGNALED;
    entry.opcode = 0;  // an opcode that the NIC refuses, so that every entry has a completion
    entry.wr_id = i;
    write_entry(i, entry);
    put(NIC_SQ_TAIL_OFFSET, (i + 1) & 0xFFFF);
    dma.end_all();
    ASSERT_EQ(completion(i).wr_id, i);
    ASSERT_EQ(completion(i).phase, (i / 4) % 2 == 0 ? 1 : 0) << i;
    put(NIC_CQ_HEAD_OFFSET, (i + 1) & 0xFFFF);
  }
  EXPECT_EQ(get(NIC_SQ_HEAD_OFFSET), 6u);
  EXPECT_EQ(get(NIC_CQ_TAIL_OFFSET), 6u);
  EXPECT_EQ(get(NIC_STAT_COMPLETIONS_LO_OFFSET), 0x10000u + 6);
  EXPECT_EQ(host.completions_unread(), 0u);
}

TEST_F(NicHostInterfaceTest, OneBurstIsUnderWayAtATime) {
  start();
  put(NIC_SQ_SIZE_LOG2_OFFSET, 5);
  create_queue_pair(5);
  for (std::uint32_t i = 0; i < 20; ++i) {
    ram.put(kSendRing + i * sizeof(nic_wqe), write_of(10 + i));
  }
  put(NIC_SQ_TAIL_OFFSET, 10);
  put(NIC_SQ_TAIL_OFFSET, 20);
  std::vector<std::uint32_t> bursts;
  while (!dma.requests.empty()) {
    ASSERT_EQ(dma.requests.size(), 1u);
    bursts.push_back(dma.requests.front().bytes / static_cast<std::uint32_t>(sizeof(nic_wqe)));
    dma.end_one();
  }
  EXPECT_EQ(bursts, (std::vector<std::uint32_t>{8, 8, 4}));
}

TEST_F(NicHostInterfaceTest, ADoorbellBeyondTheRingReadsEntriesAgainAndNothingElse) {
  start();
  create_queue_pair(5);
  for (std::uint32_t i = 0; i < 4; ++i) write_entry(i, write_of(100));
  put(NIC_SQ_TAIL_OFFSET, 0xFFFF);
  std::uint32_t entries = 0;
  while (!dma.requests.empty()) {
    const auto& request = dma.requests.front();
    if (request.is_read) {
      ASSERT_GE(request.address, kSendRing);
      ASSERT_LE(request.address + request.bytes, kSendRing + 4 * sizeof(nic_wqe));
      entries += request.bytes / static_cast<std::uint32_t>(sizeof(nic_wqe));
    }
    dma.end_one();
  }
  EXPECT_EQ(entries, 0xFFFFu);
  EXPECT_EQ(get(NIC_SQ_HEAD_OFFSET), 0xFFFFu);
}

TEST_F(NicHostInterfaceTest, ARingOutsideMemoryEndsInErrors) {
  start();
  put(NIC_SQ_BASE_LO_OFFSET, kRamBytes - 64);
  create_queue_pair(5);
  ram.put(kRamBytes - 64, write_of(100));
  put(NIC_SQ_TAIL_OFFSET, 2);  // one read for both entries, of which the second is outside memory
  dma.end_all();
  EXPECT_EQ(get(NIC_SQ_HEAD_OFFSET), 2u);
  EXPECT_EQ(get(NIC_CQ_TAIL_OFFSET), 2u);
  EXPECT_EQ(completion(0).status, NIC_CQE_LOCAL_ERROR);
  EXPECT_EQ(completion(1).status, NIC_CQE_LOCAL_ERROR);
  EXPECT_NE(get(NIC_IRQ_STATUS_OFFSET) & NIC_IRQ_STATUS_SQ_ERROR_MASK, 0u);
  put(NIC_IRQ_STATUS_OFFSET, NIC_IRQ_STATUS_SQ_ERROR_MASK);

  put(NIC_CQ_BASE_LO_OFFSET, kRamBytes);
  put(NIC_SQ_BASE_LO_OFFSET, kSendRing);
  put(NIC_SQ_TAIL_OFFSET, 3);
  put(NIC_IRQ_STATUS_OFFSET, NIC_IRQ_STATUS_SQ_ERROR_MASK);
  dma.end_one();
  EXPECT_EQ(host.completions_waiting(), 1u);
  put(NIC_IRQ_STATUS_OFFSET, NIC_IRQ_STATUS_SQ_ERROR_MASK);
  dma.end_all();
  EXPECT_EQ(host.completions_waiting(), 0u);
  EXPECT_EQ(host.completions_written(), 2u);
  EXPECT_NE(get(NIC_IRQ_STATUS_OFFSET) & NIC_IRQ_STATUS_SQ_ERROR_MASK, 0u);
}

// Tests of completions.

TEST_F(NicHostInterfaceTest, ACompletionIsVisibleWhenItIsInMemory) {
  start();
  write_entry(0, nic_wqe{});
  put(NIC_SQ_TAIL_OFFSET, 1);
  dma.end_one();  // completes the read of the entry, which is then refused
  EXPECT_EQ(get(NIC_CQ_TAIL_OFFSET), 0u);
  EXPECT_EQ(get(NIC_IRQ_STATUS_OFFSET) & NIC_IRQ_STATUS_COMPLETION_MASK, 0u);
  EXPECT_EQ(get(NIC_STATUS_OFFSET) & NIC_STATUS_IDLE_MASK, 0u);
  dma.end_one();
  EXPECT_EQ(get(NIC_CQ_TAIL_OFFSET), 1u);
  EXPECT_NE(get(NIC_IRQ_STATUS_OFFSET) & NIC_IRQ_STATUS_COMPLETION_MASK, 0u);
  EXPECT_NE(get(NIC_STATUS_OFFSET) & NIC_STATUS_IDLE_MASK, 0u);
}

TEST_F(NicHostInterfaceTest, AHeadBeyondTheTailStopsCompletionsUntilItIsPutRight) {
  start();
  put(NIC_CQ_HEAD_OFFSET, 3);  // no completion has been written yet
  write_entry(0, nic_wqe{});
  put(NIC_SQ_TAIL_OFFSET, 1);
  dma.end_all();
  EXPECT_EQ(get(NIC_CQ_TAIL_OFFSET), 0u);
  EXPECT_EQ(host.completions_waiting(), 1u);
  put(NIC_CQ_HEAD_OFFSET, 0);
  dma.end_all();
  EXPECT_EQ(get(NIC_CQ_TAIL_OFFSET), 1u);
}

TEST_F(NicHostInterfaceTest, PayloadIsWrittenBeforeTheCompletionThatTellsOfIt) {
  start();
  create_queue_pair(5);
  arrive(0x4000, {1, 2, 3}, 0, true);
  ASSERT_EQ(dma.requests.size(), 2u);
  EXPECT_EQ(dma.requests[0].address, 0x4000u);
  EXPECT_EQ(dma.requests[0].data, (std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_EQ(dma.requests[1].address, kCompletionRing);
  dma.end_all();
  EXPECT_EQ(completion(0).opcode, NIC_CQE_RECEIVE_IMMEDIATE);
  EXPECT_EQ(completion(0).byte_len, 3u);
}

TEST_F(NicHostInterfaceTest, PayloadForMemoryThatIsNotThereIsRefusedAndCounted) {
  start();
  put(NIC_MR_LENGTH_OFFSET, 2 * kRamBytes);
  create_queue_pair(5);
  arrive(kRamBytes, {1}, 0, false);
  EXPECT_EQ(get(NIC_STAT_MR_VIOLATIONS_LO_OFFSET), 1u);
  EXPECT_TRUE(dma.requests.empty());
  EXPECT_EQ(host.dma_faults().count(), 1u);
}

// Tests of a reset during DMA requests.

TEST_F(NicHostInterfaceTest, AResetForgetsWhatIsUnderWay) {
  start();
  create_queue_pair(5);
  arrive(0x4000, {1}, 0, true);  // payload and completion are in memory
  write_entry(0, write_of(100));
  put(NIC_SQ_TAIL_OFFSET, 1);
  ASSERT_EQ(dma.requests.size(), 3u);
  put(NIC_CTRL_OFFSET, NIC_CTRL_SOFT_RESET_MASK);
  EXPECT_NE(get(NIC_STATUS_OFFSET) & NIC_STATUS_IDLE_MASK, 0u);
  dma.end_all();
  EXPECT_EQ(get(NIC_SQ_HEAD_OFFSET), 0u);
  EXPECT_EQ(get(NIC_CQ_TAIL_OFFSET), 0u);
  EXPECT_EQ(get(NIC_IRQ_STATUS_OFFSET), 0u);
  EXPECT_EQ(ram.bytes[0x4000], 0u);
  EXPECT_EQ(completion(0).opcode, 0u);
  EXPECT_TRUE(wire.sent.empty());

  start();  // the NIC works again after the reset
  create_queue_pair(5);
  write_entry(0, write_of(100));
  put(NIC_SQ_TAIL_OFFSET, 1);
  dma.end_all();
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(get(NIC_SQ_HEAD_OFFSET), 1u);
  EXPECT_EQ(wire.sent.size(), 1u);
}

}  // namespace
}  // namespace dcc
