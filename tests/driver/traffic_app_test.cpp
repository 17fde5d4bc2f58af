// Tests the traffic application against a fake NIC in loopback.
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
#include "traffic_fixture.h"

namespace traffic_app_test {
namespace {

using dcc::test::kBlock;
using dcc::test::kReceiveQpn;
using dcc::test::TrafficAppTest;

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

TEST_F(TrafficAppTest, AFlowChangesItsClassAtItsTime) {
  for (const std::uint64_t at : {300'000u, 500'000u, 300'000u, 0u}) {
    boot_tx_flow& flow = add_flow(0);
    flow.new_dscp = 46;
    flow.new_dscp_ns = at;
  }
  write_block();
  ASSERT_EQ(traffic_app_start(&app, machine.machine(), kBlock), TRAFFIC_OK);
  const auto class_of = [&](std::uint32_t flow) { return nic.queue_pairs().at(flow).dscp; };
  std::uint64_t first = 0;
  while (traffic_app_step(&app)) {
    const std::uint64_t now = hal_time_ns(machine.machine());
    if (first == 0 && class_of(0) == 46) first = now;
    EXPECT_EQ(class_of(2), class_of(0)) << now;
    EXPECT_TRUE(class_of(1) == 10 || now >= 500'000) << now;
  }
  EXPECT_EQ(traffic_app_finish(&app), TRAFFIC_OK) << result().text;
  EXPECT_GE(first, 300'000u);
  EXPECT_LT(first, 302'000u) << "the application wakes at the next message at the latest";
  EXPECT_EQ(class_of(1), 46u);
  EXPECT_EQ(class_of(3), 10u) << "a time of 0 is none";
}

TEST_F(TrafficAppTest, AChangeOfClassThatTheNicRefusesIsTold) {
  boot_tx_flow& flow = add_flow(0);
  flow.new_dscp = 46;
  flow.new_dscp_ns = 300'000;
  nic.refuse_classes = true;
  EXPECT_EQ(run(), TRAFFIC_ERROR_CLASS);
  EXPECT_EQ(result().state, BOOT_STATE_DONE) << "the flow goes on in its class";
  EXPECT_EQ(result().error_flow, 1000u);
  EXPECT_EQ(result().error_detail, NIC_ERROR_QUEUE_PAIR_REFUSED);
  EXPECT_NEAR(static_cast<double>(tx_result(0).messages_completed), 998.0, 12.0);
}

TEST_F(TrafficAppTest, AnUnlimitedFlowPostsUntilItsStopTime) {
  boot_tx_flow& flow = add_flow(0);
  flow.start_ns = 100'000;
  flow.stop_ns = 600'000;
  ASSERT_EQ(run(), TRAFFIC_OK) << result().text;
  // The rate limits the flow to one message per microsecond: 500 messages, plus or minus those in
  // flight.
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
  nic.corrupt_after = 2;  // bytes 512 to 767 of message 2 are the checked sample
  nic.corrupt_offset = 600;
  EXPECT_EQ(run(), TRAFFIC_ERROR_PAYLOAD);
  EXPECT_EQ(result().messages_corrupt, 1u);
  EXPECT_EQ(result().messages_verified, 9u);
}

TEST_F(TrafficAppTest, ASlowReceiverThatSamplesLeavesMessagesOut) {
  // The interrupt comes late. Completions of 40 messages are then pending at both ends, which are
  // five batches.
  boot_tx_flow& flow = add_flow(40 * 4096);
  flow.slots = flow.outstanding = 40;
  block.verify_bytes = 256;
  nic.message_ns = 0;
  ASSERT_EQ(run(), TRAFFIC_OK) << result().text;
  EXPECT_EQ(result().messages_received, 40u);
  EXPECT_EQ(result().messages_verified, 3u) << "0, 16 and 32";
  EXPECT_EQ(result().messages_unchecked, 37u);
}

TEST_F(TrafficAppTest, WithoutASampleEveryMessageIsCheckedHoweverLate) {
  boot_tx_flow& flow = add_flow(40 * 4096);
  flow.slots = flow.outstanding = 40;
  nic.message_ns = 0;
  ASSERT_EQ(run(), TRAFFIC_OK) << result().text;
  EXPECT_EQ(result().messages_verified, 40u);
  EXPECT_EQ(result().messages_unchecked, 0u);
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
  // the receiver sees the completion of message m after message m + 4 has overwritten it
  nic.payload_ahead = 4;
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
      stranger_of(NIC_CQE_SEND_DONE, 0, 9ull << 32),  // a completion of an unknown flow
      stranger_of(NIC_CQE_SEND_DONE, 0, 0),           // a completion of an idle flow
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
  boot_tx_flow& flow = add_flow(0, 1 << 30);  // a flow larger than RAM
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
      {TRAFFIC_ERROR_NIC, "MTU", [&] { block.nic.parameters.mtu = 10; }},
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

class ManyFlows : public TrafficAppTest {
 protected:
  ManyFlows() : TrafficAppTest(256 << 20) {
    block.flags = 0;
    nic.copy_payload = false;
    block.nic.send_ring_entries = 4096;
    block.nic.completion_ring_entries = 8192;
    block.end_ns = 3'000'000;
  }
  /// Number of register accesses by the HAL per completed message.
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
}  // namespace traffic_app_test
