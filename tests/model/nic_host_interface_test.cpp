// The NIC as software sees it, against a ring that a test writes by hand.
#include "nic_host_interface.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "model_test.h"
#include "ram.h"
#include "registers/generated/nic_map.h"

namespace dcc::model {
namespace {

namespace map = regs::nic_map;

constexpr std::uint32_t kSendRing = 0x1000;
constexpr std::uint32_t kCompletionRing = 0x2000;
constexpr std::uint32_t kRamBytes = 0x10000;

/// A wire that brings packets nowhere, and keeps what they were.
struct Wire final : PacketOut {
  Wire(Scheduler& time, PacketPool& owner) : scheduler(time), pool(owner) {}
  PicoSeconds send(Packet* packet) override {
    sent.push_back(*packet);
    pool.give_back(packet);
    return kNanoSecond * 100;
  }
  Scheduler& scheduler;
  PacketPool& pool;
  std::vector<Packet> sent;
};

struct Connections final : ConnectionManager {
  QueuePairIdentity identify(HostId, Qpn) const override { return {}; }
  void created(HostId, Qpn, HostId, Qpn) override { ++made; }
  void destroyed(HostId, Qpn) override { ++gone; }
  int made = 0;
  int gone = 0;
};

class NicHostInterfaceTest : public ModelTest {
 protected:
  NicHostInterfaceTest() {
    dma.socket.bind(ram.socket);
    nic.connect(wire);
    host = std::make_unique<NicHostInterface>(scheduler, nic, dma, connections, 1);
  }

  void put(std::uint32_t offset, std::uint32_t value) {
    EXPECT_EQ(host->registers().write(offset, value, 0xF), regs::AccessResult::kOk) << offset;
  }
  std::uint32_t get(std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_EQ(host->registers().read(offset, value), regs::AccessResult::kOk) << offset;
    return value;
  }
  /// Rings of four entries, everything of RAM open to remote writes.
  void start(std::uint32_t ctrl = map::kCtrlEnableMask) {
    put(map::kSqBaseLoOffset, kSendRing);
    put(map::kSqSizeLog2Offset, 2);
    put(map::kCqBaseLoOffset, kCompletionRing);
    put(map::kCqSizeLog2Offset, 2);
    put(map::kMrLengthOffset, kRamBytes);
    put(map::kCtrlOffset, ctrl);
  }
  void create_queue_pair(Qpn qpn) {
    put(map::kQpSelectOffset, qpn);
    put(map::kQpRemoteHostOffset, 1);
    put(map::kQpRemoteQpnOffset, 9);
    put(map::kQpCmdOffset, map::kQpCmdOperationCreate);
  }
  void write_entry(std::uint32_t index, const nic_wqe& entry) {
    std::memcpy(ram.data() + kSendRing + index % 4 * sizeof entry, &entry, sizeof entry);
  }
  nic_cqe completion(std::uint32_t index) const {
    nic_cqe entry;
    std::memcpy(&entry, ram.data() + kCompletionRing + index % 4 * sizeof entry, sizeof entry);
    return entry;
  }
  void run(PicoSeconds time) { scheduler.run_until(scheduler.now() + time); }

  Scheduler scheduler;
  PacketPool pool;
  FlowLedger ledger{1};
  Wire wire{scheduler, pool};
  Connections connections;
  NicDevice nic{scheduler, pool, ledger, parameters(), 0};
  Ram ram{"ram", kRamBytes, sc_core::SC_ZERO_TIME};
  DmaEngine dma{"dma", kNanoSecond * 300, BitRate(256'000'000'000)};
  std::unique_ptr<NicHostInterface> host;

 private:
  /// A platform's: not what the registers say before software has written them.
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

TEST_F(NicHostInterfaceTest, TheDeviceIsWhatItsRegistersSay) {
  simulate([&] {
    const auto expect_reset_values = [&] {
      EXPECT_EQ(get(map::kMtuOffset), 1000u);
      EXPECT_EQ(nic.parameters().mtu, 1000u);
      EXPECT_EQ(nic.parameters().ack, AckMode::kPerPacket);
      EXPECT_EQ(nic.parameters().cnp.interval, kMicroSecond * 50);
      EXPECT_EQ(nic.parameters().cnp.dscp, 48);
      EXPECT_EQ(nic.parameters().cnp.priority, 6);
      EXPECT_FALSE(nic.parameters().cnp.carry_marks);
    };
    expect_reset_values();
    EXPECT_EQ(get(map::kCapsOffset), 25'000u << map::kCapsLinkRateShift | 14u);
    start(map::kCtrlEnableMask | map::kCtrlCnpCarryMarksMask |
          map::kCtrlAckModePerMessage << map::kCtrlAckModeShift);
    put(map::kMtuOffset, 256);
    put(map::kCnpIntervalOffset, 1000);
    put(map::kCnpDscpOffset, 1);
    put(map::kCnpPriorityOffset, 2);
    EXPECT_EQ(nic.parameters().mtu, 256u);
    EXPECT_EQ(nic.parameters().ack, AckMode::kPerMessage);
    create_queue_pair(5);
    EXPECT_EQ(get(map::kQpStatusOffset), map::kQpStatusValidMask);
    EXPECT_EQ(connections.made, 1);

    put(map::kCtrlOffset, map::kCtrlSoftResetMask | map::kCtrlEnableMask);
    EXPECT_EQ(get(map::kCtrlOffset) & map::kCtrlEnableMask, 0u);
    EXPECT_EQ(connections.gone, 1);
    expect_reset_values();
    put(map::kQpSelectOffset, 5);
    EXPECT_EQ(get(map::kQpStatusOffset), 0u);
    Packet* const packet = pool.take();  // a NIC whose CTRL reads disabled is disabled
    packet->kind = PacketKind::kAck;
    nic.receive(packet, 0);
    EXPECT_EQ(nic.counters().not_enabled, 1u);
  });
}

TEST_F(NicHostInterfaceTest, NonsenseInTheRingIsRefusedEntryByEntry) {
  simulate([&] {
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
    put(map::kSqTailOffset, 4);
    run(kMicroSecond * 10);
    EXPECT_EQ(get(map::kSqHeadOffset), 4u);
    EXPECT_EQ(get(map::kCqTailOffset), 4u);
    for (std::uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(completion(i).wr_id, 40u + i);
      EXPECT_EQ(completion(i).status, NIC_CQE_LOCAL_ERROR);
      EXPECT_EQ(completion(i).phase, 1);
    }
    EXPECT_EQ(get(map::kIrqStatusOffset) & map::kIrqStatusSqErrorMask, map::kIrqStatusSqErrorMask);
    EXPECT_TRUE(wire.sent.empty());
  });
}

TEST_F(NicHostInterfaceTest, AFullCompletionRingKeepsTheRestInOrder) {
  simulate([&] {
    start();
    // All refused: six completions for a ring of four.
    for (std::uint32_t i = 0; i < 6; ++i) {
      nic_wqe entry{};
      entry.wr_id = i;
      write_entry(i, entry);
      put(map::kSqTailOffset, i + 1);
      run(kMicroSecond * 10);
    }
    EXPECT_EQ(get(map::kCqTailOffset), 4u);
    EXPECT_EQ(host->completions_waiting(), 2u);
    EXPECT_EQ(completion(0).wr_id, 0u);
    put(map::kCqHeadOffset, 1);
    run(kMicroSecond * 10);
    EXPECT_EQ(get(map::kCqTailOffset), 5u);
    EXPECT_EQ(completion(4).wr_id, 4u);
    EXPECT_EQ(completion(4).phase, 0);  // the second turn
    put(map::kCqHeadOffset, 5);
    run(kMicroSecond * 10);
    EXPECT_EQ(completion(5).wr_id, 5u);
    EXPECT_EQ(host->completions_waiting(), 0u);
    EXPECT_EQ(host->completions_written(), 6u);
    EXPECT_EQ(host->completions_unread(), 1u);
  });
}

TEST_F(NicHostInterfaceTest, InterruptsCoalesceByCountAndAge) {
  simulate([&] {
    start();
    put(map::kIrqCoalesceOffset,
        2u << map::kIrqCoalesceCountShift | 50u << map::kIrqCoalesceDelayShift);
    const auto finish_one = [&](std::uint32_t tail) {
      put(map::kSqTailOffset, tail);
      run(kMicroSecond * 10);
      return get(map::kIrqStatusOffset) & map::kIrqStatusCompletionMask;
    };
    EXPECT_EQ(finish_one(1), 0u);
    EXPECT_NE(finish_one(2), 0u);  // the second
    put(map::kIrqStatusOffset, map::kIrqStatusCompletionMask);
    EXPECT_EQ(finish_one(3), 0u);
    run(kMicroSecond * 60);  // alone, but old
    EXPECT_NE(get(map::kIrqStatusOffset) & map::kIrqStatusCompletionMask, 0u);
  });
}

TEST_F(NicHostInterfaceTest, OnlyTheOpenWindowCanBeWrittenFromOutside) {
  simulate([&] {
    start();
    create_queue_pair(5);
    put(map::kMrBaseLoOffset, 0x4000);
    put(map::kMrLengthOffset, 0x100);
    const auto arrives = [&](std::uint64_t address, std::uint32_t bytes, Psn psn) {
      Packet* const packet = pool.take();
      packet->kind = PacketKind::kData;
      packet->destination_qpn = 5;
      packet->remote_address = address;
      packet->payload_bytes = bytes;
      packet->psn = psn;
      nic.receive(packet, 0);
      return nic.counters().mr_violations;
    };
    EXPECT_EQ(arrives(0x4000, 0x100, 0), 0u);
    EXPECT_EQ(arrives(0x40FF, 1, 1), 0u);
    EXPECT_EQ(arrives(0x3FFF, 1, 2), 1u);
    EXPECT_EQ(arrives(0x40FF, 2, 2), 2u);
    EXPECT_EQ(arrives(0xFFFF'FFFF'FFFF'FFFF, 2, 2), 3u);
    EXPECT_EQ(arrives(0x4000, 0x101, 2), 4u);
    EXPECT_EQ(nic.counters().bytes_received, 0x101u);
  });
}

}  // namespace
}  // namespace dcc::model
