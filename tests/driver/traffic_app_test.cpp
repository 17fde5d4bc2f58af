// The traffic application against a NIC in loopback.
#include "app/traffic_app.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "driver/dcc_regs.h"
#include "driver/dcc_tables.h"
#include "driver/irq_regs.h"
#include "driver/nic_regs.h"
#include "fake_machine.h"
#include "fake_nic.h"

namespace {

using dcc::test::FakeMachine;
using dcc::test::FakeNic;

constexpr std::uint64_t kBlock = BOOT_BLOCK_ADDRESS;
constexpr std::uint32_t kReceiveQpn = 4096;  // queue pair of a flow's far end, on the same host

class TrafficAppTest : public ::testing::Test {
 protected:
  explicit TrafficAppTest(std::uint64_t ram = 8 << 20) : machine(ram), nic(machine) {
    block.flags = BOOT_PAYLOAD_REAL;
    block.ram_bytes = ram;
    block.end_ns = 1'000'000;
    block.queue_pairs = 8192;
    block.nic.send_ring_entries = 64;
    block.nic.completion_ring_entries = 256;
    block.nic.mtu = 1000;
    block.nic.ack_mode = NIC_ACK_PER_PACKET;
    block.nic.irq_count = 1;
    block.nic.memory_base = BOOT_RAM_BASE;
    block.nic.memory_bytes = static_cast<std::uint32_t>(ram);
  }

  /// A flow from this host to itself.
  boot_tx_flow& add_flow(std::uint64_t bytes, std::uint32_t message_bytes = 4096) {
    const auto index = static_cast<std::uint32_t>(tx.size());
    boot_tx_flow t{};
    t.id = 1000 + index;
    t.qpn = index;
    t.remote_host = 7;
    t.remote_qpn = kReceiveQpn + index;
    t.dscp = 10;
    t.slots = 4;
    t.outstanding = 2;
    t.message_bytes = message_bytes;
    t.bytes = bytes;
    t.stop_ns = BOOT_NEVER;
    t.slot_bytes = message_bytes;
    t.seed = 77 + index;
    tx.push_back(t);
    return tx.back();
  }

  /// Writes block, flows and their receiving ends; buffers follow the block.
  void write_block() {
    block.tx_count = static_cast<std::uint32_t>(tx.size());
    block.rx_count = block.tx_count;
    boot_layout(&block);
    std::uint64_t buffer = boot_align(kBlock + block.total_bytes);
    rx.clear();
    for (boot_tx_flow& t : tx) {
      const std::uint64_t bytes = boot_align(static_cast<std::uint64_t>(t.slots) * t.slot_bytes);
      t.local_address = buffer;
      t.remote_address = buffer + bytes;
      if ((block.flags & BOOT_PAYLOAD_REAL) != 0) buffer += 2 * bytes;
      boot_rx_flow r{};
      r.id = t.id;
      r.qpn = t.remote_qpn;
      r.remote_host = 7;
      r.remote_qpn = t.qpn;
      r.dscp = t.dscp;
      r.slots = t.slots;
      r.message_bytes = t.message_bytes;
      r.bytes = t.bytes;
      r.local_address = t.remote_address;
      r.slot_bytes = t.slot_bytes;
      r.seed = t.seed;
      rx.push_back(r);
    }
    tx_at = block.tx_offset;
    rx_at = block.rx_offset;
    copy();
  }
  /// To where write_block() placed things, whatever the block says now.
  void copy() {
    std::memcpy(machine.ram(kBlock), &block, sizeof block);
    if (!tx.empty()) {
      std::memcpy(machine.ram(kBlock + tx_at), tx.data(), tx.size() * sizeof tx[0]);
      std::memcpy(machine.ram(kBlock + rx_at), rx.data(), rx.size() * sizeof rx[0]);
    }
  }

  /// A register file that answers as a controller, and a configuration for it.
  void give_controller() {
    block.flags |= BOOT_HAS_CONTROLLER;
    dcc_config& c = block.controller;
    c.tick_cycles = 250;
    c.timer_interval_ticks = 55;
    c.alpha_interval_ticks = 55;
    c.r_min_q24_8 = 1;
    c.r_max_q24_8 = c.initial_rate_q24_8 = 100000 << 8;
    dcc_classes_equal(c.classes);
    machine.reg(DCC_BASE + DCC_ID_OFFSET) = DCC_ID_RESET;
    machine.reg(DCC_BASE + DCC_VERSION_OFFSET) = DCC_VERSION_RESET;
    machine.reg(DCC_BASE + DCC_CAPS_OFFSET) = DCC_CAPS_RESET;
    machine.reg(DCC_BASE + DCC_STATUS_OFFSET) = DCC_STATUS_READY_MASK;
  }

  traffic_error run() {
    write_block();
    return traffic_app_run(&app, machine.machine(), kBlock);
  }
  const boot_result& result() { return machine.in_ram<boot_block>(kBlock).result; }
  const boot_tx_result& tx_result(std::uint32_t i) {
    return machine.in_ram<boot_tx_result>(kBlock + block.tx_result_offset + i * 48);
  }
  const boot_rx_result& rx_result(std::uint32_t i) {
    return machine.in_ram<boot_rx_result>(kBlock + block.rx_result_offset + i * 40);
  }

  FakeMachine machine;
  FakeNic nic;
  boot_block block{};
  std::vector<boot_tx_flow> tx;
  std::vector<boot_rx_flow> rx;
  std::uint32_t tx_at = 0;
  std::uint32_t rx_at = 0;
  traffic_app app{};
};

TEST_F(TrafficAppTest, FiniteFlowsArriveWholeAndVerified) {
  add_flow(10 * 4096 + 123);
  add_flow(1);
  add_flow(4096);
  ASSERT_EQ(run(), TRAFFIC_OK) << result().text;
  EXPECT_EQ(result().state, BOOT_STATE_DONE);
  EXPECT_EQ(result().messages_posted, 13u);
  EXPECT_EQ(result().messages_completed, 13u);
  EXPECT_EQ(result().messages_received, 13u);
  EXPECT_EQ(result().messages_verified, 13u);
  EXPECT_EQ(result().messages_corrupt + result().messages_overtaken, 0u);
  EXPECT_EQ(result().sequence_errors, 0u);
  EXPECT_EQ(tx_result(0).messages_posted, 11u);
  EXPECT_EQ(tx_result(0).bytes_completed, 10u * 4096 + 123);
  EXPECT_EQ(tx_result(0).finished, 1u);
  EXPECT_EQ(rx_result(0).bytes_received, 10u * 4096 + 123);
  EXPECT_EQ(rx_result(1).bytes_received, 1u);
  EXPECT_EQ(tx_result(2).finished, 1u);
  EXPECT_GE(result().finished_ns, block.end_ns);
  EXPECT_EQ(result().text[0], '\0');
}

TEST_F(TrafficAppTest, QueuePairsGetTheFlowsIdentity) {
  boot_tx_flow& flow = add_flow(4096);
  flow.dscp = 46;
  flow.priority = 3;
  ASSERT_EQ(run(), TRAFFIC_OK);
  const auto& sender = nic.queue_pairs().at(0);
  EXPECT_EQ(sender.remote_qpn, kReceiveQpn);
  EXPECT_EQ(sender.remote_host, 7u);
  EXPECT_EQ(sender.dscp, 46u);
  EXPECT_EQ(sender.priority, 3u);
  EXPECT_EQ(nic.queue_pairs().at(kReceiveQpn).remote_qpn, 0u);
}

TEST_F(TrafficAppTest, AnUnlimitedFlowPostsUntilItsStopTime) {
  boot_tx_flow& flow = add_flow(0);
  flow.start_ns = 100'000;
  flow.stop_ns = 600'000;
  ASSERT_EQ(run(), TRAFFIC_OK) << result().text;
  // One message a microsecond: 500 of them, give or take what was in flight.
  EXPECT_NEAR(static_cast<double>(tx_result(0).messages_posted), 500.0, 8.0);
  EXPECT_EQ(tx_result(0).messages_completed, tx_result(0).messages_posted);
  EXPECT_GE(tx_result(0).first_post_ns, 100'000u);
  EXPECT_LT(tx_result(0).first_post_ns, 100'100u);
  EXPECT_LT(tx_result(0).last_completion_ns, 603'000u);
  EXPECT_EQ(tx_result(0).finished, 0u) << "an unlimited flow never is";
  EXPECT_EQ(result().messages_verified, result().messages_received);
}

TEST_F(TrafficAppTest, AFlowWithoutStopSendsToTheEnd) {
  add_flow(0);
  ASSERT_EQ(run(), TRAFFIC_OK);
  EXPECT_NEAR(static_cast<double>(tx_result(0).messages_completed), 998.0, 12.0);
  EXPECT_LE(tx_result(0).messages_posted - tx_result(0).messages_completed, 2u);
}

TEST_F(TrafficAppTest, FlowsStartInTheOrderOfTheirTimes) {
  const std::uint64_t starts[] = {700'000, 100'000, 500'000, 300'000, 300'000, 900'000, 200'000};
  for (const std::uint64_t start : starts) add_flow(4096).start_ns = start;
  ASSERT_EQ(run(), TRAFFIC_OK);
  for (std::uint32_t i = 0; i < 7; ++i) {
    EXPECT_GE(tx_result(i).first_post_ns, starts[i]) << i;
    EXPECT_LT(tx_result(i).first_post_ns, starts[i] + 1000) << i;
    EXPECT_EQ(tx_result(i).finished, 1u) << i;
  }
}

TEST_F(TrafficAppTest, AFlowThatStartsAfterTheEndNeverSends) {
  add_flow(4096).start_ns = 2'000'000;
  ASSERT_EQ(run(), TRAFFIC_OK);
  EXPECT_EQ(tx_result(0).messages_posted, 0u);
  EXPECT_EQ(result().state, BOOT_STATE_DONE);
}

TEST_F(TrafficAppTest, NeverMoreThanOutstandingInFlight) {
  boot_tx_flow& flow = add_flow(0);
  flow.outstanding = 3;
  ASSERT_EQ(run(), TRAFFIC_OK);
  EXPECT_EQ(nic.most_in_flight(), 3u);
}

TEST_F(TrafficAppTest, ASmallRingDelaysButLosesNothing) {
  block.nic.send_ring_entries = 2;
  nic.fetch_limit = 1;
  for (int i = 0; i < 20; ++i) add_flow(10 * 4096);
  ASSERT_EQ(run(), TRAFFIC_OK) << result().text;
  EXPECT_GT(result().ring_full, 0u);
  EXPECT_EQ(result().messages_completed, 200u);
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(tx_result(i).finished, 1u) << i;
}

TEST_F(TrafficAppTest, ASmallCompletionRingDelaysButLosesNothing) {
  block.nic.completion_ring_entries = 2;
  for (int i = 0; i < 20; ++i) add_flow(10 * 4096);
  ASSERT_EQ(run(), TRAFFIC_OK) << result().text;
  EXPECT_EQ(result().messages_completed, 200u);
  EXPECT_EQ(result().messages_verified, 200u);
}

TEST_F(TrafficAppTest, AFlippedBitIsFound) {
  add_flow(10 * 4096);
  nic.corrupt_after = 6;
  nic.corrupt_offset = 2050;
  EXPECT_EQ(run(), TRAFFIC_ERROR_PAYLOAD);
  EXPECT_EQ(result().state, BOOT_STATE_DONE) << "the run goes on";
  EXPECT_EQ(result().messages_corrupt, 1u);
  EXPECT_EQ(result().messages_verified, 9u);
  EXPECT_EQ(rx_result(0).messages_corrupt, 1u);
  EXPECT_EQ(result().error_flow, 1000u);
  EXPECT_EQ(result().error_detail, 2048u);
  EXPECT_STREQ(result().text, "a received message is not what was sent");
}

TEST_F(TrafficAppTest, ASampleFindsOnlyWhatItLooksAt) {
  add_flow(10 * 4096);
  block.verify_bytes = 256;
  nic.corrupt_after = 2;  // of message 2 the sample is [512, 768)
  nic.corrupt_offset = 600;
  EXPECT_EQ(run(), TRAFFIC_ERROR_PAYLOAD);
  EXPECT_EQ(result().messages_corrupt, 1u);
  EXPECT_EQ(result().messages_verified, 9u);
}

TEST_F(TrafficAppTest, ALostReceiveCompletionIsASequenceError) {
  add_flow(10 * 4096);
  nic.drop_receives = 1;
  EXPECT_EQ(run(), TRAFFIC_ERROR_SEQUENCE);
  EXPECT_EQ(result().sequence_errors, 1u) << "it resynchronises";
  EXPECT_EQ(result().messages_received, 9u);
  EXPECT_EQ(result().error_flow, 1000u);
  EXPECT_EQ(result().error_detail, 1u);
}

TEST_F(TrafficAppTest, AMessageOvertakenBeforeTheCheckIsNoError) {
  add_flow(20 * 4096);
  nic.payload_ahead = 4;  // the receiver hears of message m when m + 4 is in its slot
  ASSERT_EQ(run(), TRAFFIC_OK) << result().text;
  EXPECT_EQ(result().messages_received, 16u);
  EXPECT_EQ(result().messages_overtaken, 16u);
  EXPECT_EQ(result().messages_corrupt, 0u);
}

TEST_F(TrafficAppTest, AFailedMessageStopsItsFlowAndIsReported) {
  add_flow(0);
  nic.fail_status = NIC_CQE_RETRY_EXCEEDED;
  EXPECT_EQ(run(), TRAFFIC_ERROR_MESSAGE_FAILED);
  EXPECT_EQ(result().messages_failed, 2u) << "the two in flight";
  EXPECT_EQ(tx_result(0).messages_posted, 2u);
  EXPECT_EQ(result().error_detail, NIC_CQE_RETRY_EXCEEDED);
  EXPECT_STREQ(result().text, "a message failed: no acknowledgement after all retries");
}

TEST_F(TrafficAppTest, ACompletionNobodyWaitsForIsFatal) {
  const auto stranger_of = [](std::uint8_t opcode, std::uint32_t qpn, std::uint64_t wr_id) {
    nic_cqe completion{};
    completion.opcode = opcode;
    completion.qpn = qpn;
    completion.wr_id = wr_id;
    completion.byte_len = 1;
    return completion;
  };
  const nic_cqe strangers[] = {
      stranger_of(NIC_CQE_SEND_DONE, 0, 9ull << 32),  // no such flow
      stranger_of(NIC_CQE_SEND_DONE, 0, 0),           // nothing of it is in flight
      stranger_of(NIC_CQE_RECEIVE_IMMEDIATE, 5, 0),
      stranger_of(NIC_CQE_RECEIVE_IMMEDIATE, 1u << 23, 0),
      stranger_of(77, 0, 0),
  };
  add_flow(4096).start_ns = 900'000;
  for (const nic_cqe& stranger : strangers) {
    write_block();
    ASSERT_EQ(traffic_app_start(&app, machine.machine(), kBlock), TRAFFIC_OK);
    nic.complete(stranger);
    while (traffic_app_step(&app) != 0) {
    }
    EXPECT_EQ(traffic_app_finish(&app), TRAFFIC_ERROR_COMPLETION);
    EXPECT_EQ(result().state, BOOT_STATE_FAILED);
    EXPECT_EQ(result().error_detail, stranger.qpn);
  }
}

TEST_F(TrafficAppTest, VirtualPayloadTouchesNoBuffer) {
  block.flags = 0;
  nic.copy_payload = false;
  boot_tx_flow& flow = add_flow(0, 1 << 30);  // larger than RAM
  flow.slot_bytes = 1 << 30;
  ASSERT_EQ(run(), TRAFFIC_OK) << result().text;
  EXPECT_GT(result().messages_received, 900u);
  EXPECT_EQ(result().messages_verified, 0u);
}

TEST_F(TrafficAppTest, ImpossibleBlocksAreRefusedWithAReason) {
  struct Case {
    traffic_error error;
    const char* words;
    std::function<void()> spoil;
  };
  add_flow(4096);
  add_flow(4096);
  const std::vector<Case> cases = {
      {TRAFFIC_ERROR_VERSION, "version", [&] { block.version = 99; }},
      {TRAFFIC_ERROR_LAYOUT, "header_bytes", [&] { block.header_bytes -= 8; }},
      {TRAFFIC_ERROR_LAYOUT, "too many flows", [&] { block.tx_count = 20'000; }},
      {TRAFFIC_ERROR_LAYOUT, "outside the block", [&] { block.rx_offset = 1u << 30; }},
      {TRAFFIC_ERROR_LAYOUT, "outside the block", [&] { block.tx_result_offset += 4; }},
      {TRAFFIC_ERROR_LAYOUT, "outside the block", [&] { block.tx_offset = 0; }},
      {TRAFFIC_ERROR_LAYOUT, "scratch area", [&] { block.queue_pairs = 1u << 20; }},
      {TRAFFIC_ERROR_LAYOUT, "beyond RAM", [&] { block.total_bytes = 0xFFFFFFFF; }},
      {TRAFFIC_ERROR_LAYOUT, "beyond RAM", [&] { block.ram_bytes = 1 << 20; }},
      {TRAFFIC_ERROR_LAYOUT, "32768", [&] { block.nic.send_ring_entries = 1u << 31; }},
      {TRAFFIC_ERROR_FLOW, "queue_pairs", [&] { tx[1].qpn = 8192; }},
      {TRAFFIC_ERROR_FLOW, "DSCP", [&] { tx[1].dscp = 64; }},
      {TRAFFIC_ERROR_FLOW, "priority", [&] { tx[1].priority = 8; }},
      {TRAFFIC_ERROR_FLOW, "slots", [&] { tx[1].slots = 0; }},
      {TRAFFIC_ERROR_FLOW, "slots", [&] { tx[1].slots = 65; }},
      {TRAFFIC_ERROR_FLOW, "outstanding", [&] { tx[1].outstanding = 5; }},
      {TRAFFIC_ERROR_FLOW, "outstanding", [&] { tx[1].outstanding = 0; }},
      {TRAFFIC_ERROR_FLOW, "message size", [&] { tx[1].message_bytes = 0; }},
      {TRAFFIC_ERROR_FLOW, "share", [&] { rx[1].qpn = rx[0].qpn; }},
      {TRAFFIC_ERROR_BUFFER, "source", [&] { tx[1].local_address = kBlock; }},
      {TRAFFIC_ERROR_BUFFER, "source", [&] { tx[1].local_address += 2; }},
      {TRAFFIC_ERROR_BUFFER, "source", [&] { tx[1].slot_bytes = 4092; }},
      {TRAFFIC_ERROR_BUFFER, "destination", [&] { rx[1].local_address = UINT64_MAX - 3; }},
      {TRAFFIC_ERROR_BUFFER, "destination",
       [&] { rx[1].local_address = BOOT_RAM_BASE + (8 << 20) - 4096 * 4 + 4; }},
      {TRAFFIC_ERROR_CONTROLLER, "DCC1", [&] { block.flags |= BOOT_HAS_CONTROLLER; }},
      {TRAFFIC_ERROR_NIC, "MTU", [&] { block.nic.mtu = 10; }},
  };
  const auto sound_block = block;
  const auto sound_tx = tx;
  for (const Case& c : cases) {
    block = sound_block;
    tx = sound_tx;
    write_block();
    c.spoil();
    copy();
    EXPECT_EQ(traffic_app_run(&app, machine.machine(), kBlock), c.error) << c.words;
    EXPECT_EQ(result().state, BOOT_STATE_FAILED) << c.words;
    EXPECT_NE(std::string(result().text).find(c.words), std::string::npos) << result().text;
    if (c.error == TRAFFIC_ERROR_FLOW || c.error == TRAFFIC_ERROR_BUFFER) {
      EXPECT_EQ(result().error_flow, 1001u) << c.words;
    }
  }
  EXPECT_EQ(nic.sent(), 0u);
}

TEST_F(TrafficAppTest, WithoutABlockNothingIsTouched) {
  EXPECT_EQ(traffic_app_run(&app, machine.machine(), kBlock), TRAFFIC_ERROR_MAGIC);
  EXPECT_EQ(traffic_app_run(&app, machine.machine(), 0x1000), TRAFFIC_ERROR_MAGIC);
  EXPECT_TRUE(machine.writes().empty());
}

TEST_F(TrafficAppTest, ARefusedQueuePairNamesItsFlow) {
  add_flow(4096);
  nic.refuse_queue_pairs = true;
  EXPECT_EQ(run(), TRAFFIC_ERROR_QUEUE_PAIR);
  EXPECT_EQ(result().error_flow, 1000u);
}

TEST_F(TrafficAppTest, ARefusedRegisterAccessEndsTheRun) {
  add_flow(0);
  machine.at(50'000, [&] {
    machine.reg(NIC_BASE + NIC_ERROR_INFO_OFFSET) = 1u << 24 | 0x14;
    nic.raise(NIC_IRQ_STATUS_ERROR_MASK);
  });
  EXPECT_EQ(run(), TRAFFIC_ERROR_NIC_ACCESS);
  EXPECT_EQ(result().error_detail, 0x14u);
  EXPECT_EQ(result().state, BOOT_STATE_FAILED);
  EXPECT_LT(result().finished_ns, 60'000u);
}

TEST_F(TrafficAppTest, TheControllersInterruptsAreCountedAndTableFullOnlyOnce) {
  give_controller();
  std::uint32_t status = 0;
  auto write_hook = machine.on_write;
  machine.on_write = [&, write_hook](std::uint64_t a, std::uint32_t v) {
    if (a == DCC_BASE + DCC_CTRL_OFFSET) machine.reg(a) = v & ~DCC_CTRL_SOFT_RESET_MASK;
    if (a == DCC_BASE + DCC_IRQ_STATUS_OFFSET) status &= ~v;
    write_hook(a, v);
  };
  auto read_hook = machine.on_read;
  machine.on_read = [&, read_hook](std::uint64_t a, std::uint32_t v) {
    return a == DCC_BASE + DCC_IRQ_STATUS_OFFSET ? status : read_hook(a, v);
  };
  machine.levels = [&] {
    const bool high = (status & machine.reg(DCC_BASE + DCC_IRQ_MASK_OFFSET)) != 0;
    return (high ? 1u << IRQ_SOURCE_CONTROLLER : 0u) |
           (nic.interrupt() ? 1u << IRQ_SOURCE_NIC : 0u);
  };
  for (std::uint64_t t = 100'000; t < 900'000; t += 10'000) {
    machine.at(t, [&] { status |= DCC_IRQ_STATUS_TABLE_FULL_MASK; });
  }
  machine.at(500'000, [&] { status |= DCC_IRQ_STATUS_OVERRUN_MASK; });
  add_flow(0);
  EXPECT_EQ(run(), TRAFFIC_ERROR_OVERRUN);
  EXPECT_EQ(result().state, BOOT_STATE_DONE);
  EXPECT_EQ(result().controller_irqs, 2u);
  EXPECT_GT(result().nic_irqs, 100u);
  EXPECT_EQ(result().irqs, result().nic_irqs + 2);
  EXPECT_NE(machine.reg(DCC_BASE + DCC_CTRL_OFFSET) & DCC_CTRL_ENABLE_MASK, 0u);
}

class TrafficQos : public TrafficAppTest {
 protected:
  TrafficQos() {
    give_controller();
    block.flags |= BOOT_PAYLOAD_REAL;
    auto hook = machine.on_write;
    machine.on_write = [this, hook](std::uint64_t a, std::uint32_t v) {
      if (a == DCC_BASE + DCC_CTRL_OFFSET) machine.reg(a) = v & ~DCC_CTRL_SOFT_RESET_MASK;
      hook(a, v);
    };
    block.end_ns = 20'000'000;
    block.qos.tenant_count = 2;
    block.qos.tenants[0] = {46, 256};
    block.qos.tenants[1] = {10, 256};
    block.qos.report_ns = QOS_REPORT_NS;
    block.qos.update_ns = QOS_UPDATE_NS;
    block.qos.local_meter = UINT32_MAX;
  }
  void add_peer(boot_qos_peer peer) {
    peers.push_back(peer);
    block.qos.peer_count = static_cast<std::uint32_t>(peers.size());
  }
  traffic_error run_with_peers() {
    write_block();
    if (!peers.empty()) {
      std::memcpy(machine.ram(kBlock + block.qos.peers_offset), peers.data(),
                  peers.size() * sizeof peers[0]);
    }
    return traffic_app_run(&app, machine.machine(), kBlock);
  }
  boot_qos_area& area() { return machine.in_ram<boot_qos_area>(kBlock + block.qos.area_offset); }
  std::uint32_t factor(std::uint32_t dscp) {
    return machine.reg(DCC_BASE + DCC_FACTOR_ENTRY_OFFSET(dscp)) & 0xFFFF;
  }
  std::vector<boot_qos_peer> peers;
};

TEST_F(TrafficQos, OneHostWithAllPartsLoadsFactorsByFlows) {
  block.qos.roles = BOOT_QOS_METER | BOOT_QOS_MANAGER | BOOT_QOS_AGENT;
  block.qos.meter_count = 1;
  block.qos.local_meter = 0;
  nic.message_ns = 10'000;
  for (int i = 0; i < 5; ++i) add_flow(0).dscp = i == 0 ? 46 : 10;
  // The loopback gives every flow the same rate whatever its factor: 1 : 4.
  ASSERT_EQ(run_with_peers(), TRAFFIC_OK) << result().text;
  EXPECT_EQ(area().report_out.begin, 19u) << "one a millisecond";
  EXPECT_EQ(area().manager.updates, 9u);
  EXPECT_EQ(area().report_out.entries[0].active_flows, 1u);
  EXPECT_EQ(area().report_out.entries[1].active_flows, 4u);
  EXPECT_EQ(area().report_out.entries[0].bytes + area().report_out.entries[1].bytes,
            std::uint64_t{4096} * result().messages_received - 4096 * 5 * 100)
      << "all but the last millisecond's";
  EXPECT_EQ(factor(10), 256u);
  EXPECT_GT(factor(46), 4u * 256) << "four times for the flows, and more for what it lacks";
  EXPECT_EQ(factor(46), area().manager.states[0].weight_q8_8);
}

TEST_F(TrafficQos, AMeterWritesItsReportsToTheManager) {
  block.qos.roles = BOOT_QOS_METER;
  add_flow(0).dscp = 46;
  const std::uint64_t there = BOOT_RAM_BASE + (7 << 20);
  add_peer({100, 9, 101, 48, 6, BOOT_QOS_SEND_REPORTS, 0, there});
  add_peer({102, 9, 103, 48, 6, BOOT_QOS_PASSIVE, 0, 0});
  ASSERT_EQ(run_with_peers(), TRAFFIC_OK) << result().text;
  const auto& arrived = machine.in_ram<qos_report>(there);
  EXPECT_EQ(arrived.begin, 19u);
  EXPECT_EQ(arrived.end, 19u);
  EXPECT_EQ(arrived.entries[0].dscp, 46u);
  EXPECT_GT(arrived.entries[0].bytes, 18'000u * 4096);
  EXPECT_EQ(nic.queue_pairs().at(100).remote_qpn, 101u);
  EXPECT_EQ(nic.queue_pairs().at(100).dscp, 48u);
  EXPECT_EQ(nic.queue_pairs().count(102), 1u);
}

TEST_F(TrafficQos, AManagerWritesCommandsAndAnAgentLoadsThem) {
  block.qos.roles = BOOT_QOS_MANAGER | BOOT_QOS_AGENT;
  block.qos.meter_count = 2;
  add_flow(4096);
  const std::uint64_t there = BOOT_RAM_BASE + (7 << 20);
  add_peer({100, 9, 101, 48, 6, BOOT_QOS_SEND_COMMANDS, 0, there});
  write_block();
  // Two meters far away report to the addresses the block promises.
  for (std::uint32_t n = 1; n < 19; ++n) {
    machine.at(n * 1'000'000 + 100'000, [this, n] {
      for (std::uint32_t meter = 0; meter < 2; ++meter) {
        qos_report r{};
        r.begin = r.end = n;
        r.count = 2;
        r.entries[0] = {1'000'000ull * n, 46, 1};
        r.entries[1] = {1'000'000ull * n, 10, 4};
        machine.in_ram<qos_report>(boot_qos_report_address(&block, meter)) = r;
      }
    });
  }
  ASSERT_EQ(run_with_peers(), TRAFFIC_OK) << result().text;
  EXPECT_EQ(factor(46), 4u * 256);
  EXPECT_EQ(factor(10), 256u);
  const auto& arrived = machine.in_ram<qos_command>(there);
  EXPECT_EQ(arrived.begin, area().manager.commands);
  EXPECT_EQ(arrived.entries[0].dscp, 46);
  EXPECT_EQ(arrived.entries[0].weight_q8_8, 4 * 256);
}

TEST_F(TrafficQos, AFailedWriteIsReported) {
  block.qos.roles = BOOT_QOS_METER;
  add_peer({100, 9, 101, 48, 6, BOOT_QOS_SEND_REPORTS, 0, BOOT_RAM_BASE});
  nic.fail_status = NIC_CQE_REMOTE_ERROR;
  EXPECT_EQ(run_with_peers(), TRAFFIC_ERROR_MESSAGE_FAILED);
}

TEST_F(TrafficQos, ImpossibleLoopsAreRefused) {
  struct Case {
    const char* words;
    std::function<void()> spoil;
  };
  const auto sound = [&] {
    block.flags |= BOOT_PAYLOAD_REAL | BOOT_HAS_CONTROLLER;
    block.qos.roles = BOOT_QOS_METER | BOOT_QOS_MANAGER | BOOT_QOS_AGENT;
    block.qos.meter_count = 1;
    block.qos.local_meter = 0;
    block.qos.tenant_count = 2;
    block.qos.tenants[1].dscp = 10;
    block.qos.report_ns = QOS_REPORT_NS;
    block.qos.update_ns = QOS_UPDATE_NS;
    block.qos.peer_count = 0;
  };
  const std::vector<Case> cases = {
      {"real payload", [&] { block.flags &= ~1u; }},
      {"controller", [&] { block.flags &= ~2u; }},
      {"multiple", [&] { block.qos.report_ns = 0; }},
      {"multiple", [&] { block.qos.update_ns = QOS_REPORT_NS * 3 / 2; }},
      {"multiple", [&] { block.qos.update_ns = 0; }},
      {"local meter", [&] { block.qos.local_meter = 1; }},
      {"tenant", [&] { block.qos.tenants[1].dscp = 46; }},
      {"tenant", [&] { block.qos.tenant_count = 17; }},
      {"meters",
       [&] {
         block.qos.meter_count = 65;
         block.qos.roles = BOOT_QOS_MANAGER;
         block.qos.local_meter = UINT32_MAX;
       }},
      {"peers", [&] { block.qos.peer_count = 1000; }},
  };
  for (const Case& c : cases) {
    sound();
    c.spoil();
    const traffic_error error = run_with_peers();
    EXPECT_TRUE(error == TRAFFIC_ERROR_QOS || error == TRAFFIC_ERROR_LAYOUT) << c.words;
    EXPECT_NE(std::string(result().text).find(c.words), std::string::npos) << result().text;
  }
}

class ManyFlows : public TrafficAppTest {
 protected:
  ManyFlows() : TrafficAppTest(256 << 20) {
    block.flags = 0;
    nic.copy_payload = false;
    block.nic.send_ring_entries = 4096;
    block.nic.completion_ring_entries = 8192;
    block.end_ns = 3'000'000;
  }
  /// HAL accesses a completed message takes.
  double accesses_per_message(std::uint32_t flows) {
    tx.clear();
    for (std::uint32_t i = 0; i < flows; ++i) add_flow(0);
    EXPECT_EQ(run(), TRAFFIC_OK) << result().text;
    EXPECT_GT(result().messages_completed, 1000u);
    return static_cast<double>(machine.reads() + machine.writes().size()) /
           static_cast<double>(result().messages_completed);
  }
};

TEST_F(ManyFlows, AThousandFlowsAllGetTheirTurn) {
  nic.message_ns = 100'000;
  for (int i = 0; i < 1024; ++i) add_flow(10 * 4096);
  ASSERT_EQ(run(), TRAFFIC_OK) << result().text;
  EXPECT_EQ(result().messages_completed, 10240u);
  EXPECT_EQ(result().messages_received, 10240u);
  for (std::uint32_t i = 0; i < 1024; ++i) ASSERT_EQ(tx_result(i).finished, 1u) << i;
}

TEST_F(ManyFlows, RegisterAccessesPerMessageStayFew) {
  nic.message_ns = 50'000;
  EXPECT_LT(accesses_per_message(1024), 4.0) << "bring-up included";
}

}  // namespace
