// Tests the NIC's driver against a fake NIC that is implemented from the descriptor format alone.
#include "driver/nic_driver.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "driver/nic_regs.h"
#include "fake_machine.h"
#include "fake_nic.h"

namespace nic_driver_test {
namespace {

using dcc::test::FakeMachine;
using dcc::test::FakeNic;

constexpr std::uint64_t kSendRing = 0x8010'0000;
constexpr std::uint64_t kCompletionRing = 0x8020'0000;

nic_config sound_config(std::uint32_t send = 8, std::uint32_t completion = 8) {
  nic_config config{};
  config.send_ring_entries = send;
  config.completion_ring_entries = completion;
  config.parameters.mtu = 1000;
  config.ack_mode = NIC_ACK_PER_PACKET;
  config.cnp_enable = 1;
  config.cnp_carry_marks = 1;
  config.irq_count = 1;
  config.parameters.cnp_interval = 4000;
  config.parameters.cnp_dscp = 48;
  config.parameters.cnp_priority = 6;
  config.memory_base = 0x1'8000'0000;
  config.memory_bytes = 4 << 20;
  return config;
}

nic_error outside(nic_parameter parameter) {
  return static_cast<nic_error>(NIC_ERROR_OUTSIDE_RANGE + parameter);
}

class NicDriverTest : public ::testing::Test {
 protected:
  std::uint32_t reg(std::uint32_t offset) { return machine.reg(NIC_BASE + offset); }
  void start(const nic_config& config) {
    ASSERT_EQ(nic_probe(&nic, machine.machine(), NIC_BASE), NIC_OK);
    ASSERT_EQ(nic_start(&nic, &config, kSendRing, kCompletionRing), NIC_OK);
  }
  void connect(std::uint32_t qpn) {
    const nic_queue_pair pair = {qpn, 7, qpn + 100, 10, 0, NIC_QP_SERVICE_SERVICE_RC};
    ASSERT_EQ(nic_create_queue_pair(&nic, &pair), NIC_OK);
  }
  nic_error post(std::uint32_t qpn, std::uint64_t id, std::uint32_t length = 64) {
    nic_write write{};
    write.qpn = qpn;
    write.wr_id = id;
    write.local_address = 0x8030'0000;
    write.remote_address = 0x8031'0000;
    write.length = length;
    write.signaled = 1;
    return nic_post_write(&nic, &write);
  }
  void let_pass(std::uint64_t ns) {
    const std::uint64_t end = machine.now() + ns;
    while (machine.now() < end) {
      machine.machine()->wait_for_interrupt(machine.machine()->context, end);
    }
  }

  FakeMachine machine;
  FakeNic hardware{machine};
  struct nic nic {};
};

TEST_F(NicDriverTest, StartProgramsEverySetting) {
  nic_config config = sound_config(1024, 4096);
  config.irq_count = 16;
  config.irq_delay_us = 20;
  start(config);
  EXPECT_EQ(nic.queue_pairs, 16384u);
  EXPECT_EQ(nic.link_rate_mbps, 100000u);
  EXPECT_EQ(nic.host_id, 7u);
  EXPECT_EQ(reg(NIC_SQ_BASE_LO_OFFSET), 0x8010'0000u);
  EXPECT_EQ(reg(NIC_SQ_SIZE_LOG2_OFFSET), 10u);
  EXPECT_EQ(reg(NIC_CQ_BASE_LO_OFFSET), 0x8020'0000u);
  EXPECT_EQ(reg(NIC_CQ_SIZE_LOG2_OFFSET), 12u);
  EXPECT_EQ(reg(NIC_MTU_OFFSET), 1000u);
  EXPECT_EQ(reg(NIC_MR_BASE_LO_OFFSET), 0x8000'0000u);
  EXPECT_EQ(reg(NIC_MR_BASE_HI_OFFSET), 1u);
  EXPECT_EQ(reg(NIC_MR_LENGTH_OFFSET), 4u << 20);
  EXPECT_EQ(reg(NIC_IRQ_COALESCE_OFFSET), 20u << 16 | 16u);
  EXPECT_EQ(reg(NIC_CNP_INTERVAL_OFFSET), 4000u);
  EXPECT_EQ(reg(NIC_CNP_DSCP_OFFSET), 48u);
  EXPECT_EQ(reg(NIC_CNP_PRIORITY_OFFSET), 6u);
  EXPECT_EQ(reg(NIC_CTRL_OFFSET), 1u | 1u << 2 | 1u << 3 | 1u << 4);
  nic_stop(&nic);
  EXPECT_EQ(reg(NIC_CTRL_OFFSET) & NIC_CTRL_ENABLE_MASK, 0u);
}

TEST_F(NicDriverTest, ProbeRefusesAnotherDevice) {
  machine.reg(NIC_BASE + NIC_ID_OFFSET) = 0;
  EXPECT_EQ(nic_probe(&nic, machine.machine(), NIC_BASE), NIC_ERROR_ID);
  machine.reg(NIC_BASE + NIC_ID_OFFSET) = NIC_ID_RESET;
  machine.reg(NIC_BASE + NIC_VERSION_OFFSET) = 7u << 16;
  EXPECT_EQ(nic_probe(&nic, machine.machine(), NIC_BASE), NIC_ERROR_VERSION);
}

TEST_F(NicDriverTest, ImpossibleSettingsAreRefused) {
  ASSERT_EQ(nic_probe(&nic, machine.machine(), NIC_BASE), NIC_OK);
  struct Case {
    nic_error error;
    std::function<void(nic_config&)> spoil;
  };
  const Case cases[] = {
      {NIC_ERROR_RING_ENTRIES, [](nic_config& c) { c.send_ring_entries = 0; }},
      {NIC_ERROR_RING_ENTRIES, [](nic_config& c) { c.send_ring_entries = 1; }},
      {NIC_ERROR_RING_ENTRIES, [](nic_config& c) { c.completion_ring_entries = 12; }},
      {NIC_ERROR_RING_ENTRIES, [](nic_config& c) { c.completion_ring_entries = 65536; }},
      {NIC_ERROR_RING_ADDRESS, [](nic_config& c) { c.completion_ring_entries = 1 << 15; }},
      {outside(NIC_PARAMETER_MTU), [](nic_config& c) { c.parameters.mtu = 63; }},
      {outside(NIC_PARAMETER_MTU), [](nic_config& c) { c.parameters.mtu = 9001; }},
      {NIC_ERROR_ACK_MODE, [](nic_config& c) { c.ack_mode = 3; }},
      {NIC_ERROR_CNP, [](nic_config& c) { c.cnp_enable = 2; }},
      {NIC_ERROR_CNP, [](nic_config& c) { c.cnp_carry_marks = 2; }},
      {outside(NIC_PARAMETER_CNP_DSCP), [](nic_config& c) { c.parameters.cnp_dscp = 64; }},
      {outside(NIC_PARAMETER_CNP_PRIORITY), [](nic_config& c) { c.parameters.cnp_priority = 8; }},
      {NIC_ERROR_COALESCE, [](nic_config& c) { c.irq_count = 0; }},
      {NIC_ERROR_COALESCE, [](nic_config& c) { c.irq_count = 2; }},
  };
  for (const Case& c : cases) {
    nic_config config = sound_config();
    c.spoil(config);
    // The last MiB of RAM holds exactly 32768 ring entries, so a ring that begins later does not
    // fit.
    EXPECT_EQ(nic_start(&nic, &config, kSendRing, 0x8030'0040), c.error) << nic_error_text(c.error);
  }
  const nic_config config = sound_config();
  EXPECT_EQ(nic_start(&nic, &config, kSendRing + 32, kCompletionRing), NIC_ERROR_RING_ADDRESS);
  EXPECT_EQ(nic_start(&nic, &config, 0x1000, kCompletionRing), NIC_ERROR_RING_ADDRESS);
}

TEST_F(NicDriverTest, EveryErrorHasItsOwnSentence) {
  std::set<std::string> sentences;
  for (int error = 0; error < NIC_ERRORS; ++error) {
    EXPECT_TRUE(sentences.insert(nic_error_text(static_cast<nic_error>(error))).second) << error;
  }
  for (std::uint32_t status = NIC_CQE_OK; status <= NIC_CQE_LENGTH_ERROR + 1; ++status) {
    EXPECT_TRUE(sentences.insert(nic_cqe_status_text(status)).second) << status;
  }
}

TEST_F(NicDriverTest, QueuePairsAreCreatedAndDestroyed) {
  start(sound_config());
  const nic_queue_pair pair = {5, 3, 0xABCDEF, 46, 2, NIC_QP_SERVICE_SERVICE_UD};
  ASSERT_EQ(nic_create_queue_pair(&nic, &pair), NIC_OK);
  const FakeNic::QueuePair& created = hardware.queue_pairs().at(5);
  EXPECT_EQ(created.remote_host, 3u);
  EXPECT_EQ(created.remote_qpn, 0xABCDEFu);
  EXPECT_EQ(created.dscp, 46u);
  EXPECT_EQ(created.priority, 2u);
  EXPECT_EQ(reg(NIC_QP_SERVICE_OFFSET), 2u);
  EXPECT_EQ(nic_destroy_queue_pair(&nic, 5), NIC_OK);
  EXPECT_TRUE(hardware.queue_pairs().empty());

  EXPECT_EQ(nic_destroy_queue_pair(&nic, 16384), NIC_ERROR_QUEUE_PAIR);
  nic_queue_pair bad = pair;
  bad.qpn = 16384;
  EXPECT_EQ(nic_create_queue_pair(&nic, &bad), NIC_ERROR_QUEUE_PAIR);
  bad = pair;
  bad.remote_qpn = 1 << 24;
  EXPECT_EQ(nic_create_queue_pair(&nic, &bad), NIC_ERROR_QUEUE_PAIR);
  bad = pair;
  bad.dscp = 64;
  EXPECT_EQ(nic_create_queue_pair(&nic, &bad), NIC_ERROR_DSCP);
  bad = pair;
  bad.priority = 8;
  EXPECT_EQ(nic_create_queue_pair(&nic, &bad), NIC_ERROR_PRIORITY);
  bad = pair;
  bad.service = 3;
  EXPECT_EQ(nic_create_queue_pair(&nic, &bad), NIC_ERROR_SERVICE);
  hardware.refuse_queue_pairs = true;
  EXPECT_EQ(nic_create_queue_pair(&nic, &pair), NIC_ERROR_QUEUE_PAIR_REFUSED);
}

TEST_F(NicDriverTest, SendsReadsAndReceiveEntriesAreWhatTheNicReads) {
  start(sound_config());
  const nic_rqe buffer = {3, 4096, 77, 0x8032'0000, 0};
  EXPECT_EQ(nic_post_receive(&nic, &buffer), NIC_ERROR_RING_FULL) << "there is no ring yet";
  EXPECT_EQ(nic_start_receives(&nic, 0x8038'0020, 4), NIC_ERROR_RING_ADDRESS);
  EXPECT_EQ(nic_start_receives(&nic, 0x8038'0000, 3), NIC_ERROR_RING_ENTRIES);
  ASSERT_EQ(nic_start_receives(&nic, 0x8038'0000, 4), NIC_OK);
  EXPECT_EQ(reg(NIC_RQ_BASE_LO_OFFSET), 0x8038'0000u);
  EXPECT_EQ(reg(NIC_RQ_SIZE_LOG2_OFFSET), 2u);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(nic_post_receive(&nic, &buffer), NIC_OK);
  EXPECT_EQ(nic_post_receive(&nic, &buffer), NIC_ERROR_RING_FULL);
  EXPECT_EQ(reg(NIC_RQ_TAIL_OFFSET), 0u) << "the NIC learns of them at the doorbell";
  nic_ring_doorbell(&nic);
  EXPECT_EQ(reg(NIC_RQ_TAIL_OFFSET), 4u);
  const auto posted = machine.in_ram<nic_rqe>(0x8038'0000 + 3 * sizeof(nic_rqe));
  EXPECT_EQ(posted.qpn, 3u);
  EXPECT_EQ(posted.length, 4096u);
  EXPECT_EQ(posted.wr_id, 77u);
  EXPECT_EQ(posted.address, 0x8032'0000u);
  nic_rqe bad = buffer;
  bad.length = 0;
  EXPECT_EQ(nic_post_receive(&nic, &bad), NIC_ERROR_LENGTH);
  bad = buffer;
  bad.qpn = 16384;
  EXPECT_EQ(nic_post_receive(&nic, &bad), NIC_ERROR_QUEUE_PAIR);

  const nic_send send = {3, 5, 0x8030'0000, 100, 1, 1, 9, 6, 8};
  ASSERT_EQ(nic_post_send(&nic, &send), NIC_OK);
  const auto sent = machine.in_ram<nic_wqe>(kSendRing);
  EXPECT_EQ(sent.opcode, NIC_WQE_SEND_IMMEDIATE);
  EXPECT_EQ(sent.flags, NIC_WQE_SIGNALED);
  EXPECT_EQ(sent.local_address, 0x8030'0000u);
  EXPECT_EQ(sent.length, 100u);
  EXPECT_EQ(sent.immediate, 9u);
  EXPECT_EQ(sent.remote_host, 6u);
  EXPECT_EQ(sent.remote_qpn, 8u);
  const nic_read read = {3, 6, 0x8030'0000, 0x8031'0000, 200, 0};
  ASSERT_EQ(nic_post_read(&nic, &read), NIC_OK);
  const auto asked = machine.in_ram<nic_wqe>(kSendRing + sizeof(nic_wqe));
  EXPECT_EQ(asked.opcode, NIC_WQE_RDMA_READ);
  EXPECT_EQ(asked.flags, 0);
  EXPECT_EQ(asked.wr_id, 6u);
  EXPECT_EQ(asked.local_address, 0x8030'0000u);
  EXPECT_EQ(asked.remote_address, 0x8031'0000u);
  EXPECT_EQ(asked.length, 200u);
  EXPECT_EQ(asked.immediate, 0u);

  const nic_atomic atomic = {3, 7, 0x8030'0000, 0x8031'0008, 0x1'0000'0002, 0x3'0000'0004, 1};
  ASSERT_EQ(nic_post_compare_swap(&nic, &atomic), NIC_OK);
  ASSERT_EQ(nic_post_fetch_add(&nic, &atomic), NIC_OK);
  for (std::uint32_t place = 2; place < 4; ++place) {
    const auto changed = machine.in_ram<nic_wqe>(kSendRing + place * sizeof(nic_wqe));
    EXPECT_EQ(changed.opcode, place == 2 ? NIC_WQE_COMPARE_SWAP : NIC_WQE_FETCH_ADD);
    EXPECT_EQ(changed.flags, NIC_WQE_SIGNALED);
    EXPECT_EQ(changed.wr_id, 7u);
    EXPECT_EQ(changed.local_address, 0x8030'0000u);
    EXPECT_EQ(changed.remote_address, 0x8031'0008u);
    EXPECT_EQ(changed.length, 8u);
    EXPECT_EQ(changed.swap_or_add, 0x1'0000'0002u);
    EXPECT_EQ(changed.compare, 0x3'0000'0004u);
  }
}

TEST_F(NicDriverTest, FlagsAreThoseAskedFor) {
  start(sound_config());
  ASSERT_EQ(nic_start_receives(&nic, 0x8038'0000, 4), NIC_OK);
  const nic_send send = {3, 5, 0x8030'0000, 100, 0, 0, 9, 6, 8};
  ASSERT_EQ(nic_post_send(&nic, &send), NIC_OK);
  EXPECT_EQ(machine.in_ram<nic_wqe>(kSendRing).opcode, NIC_WQE_SEND);
  EXPECT_EQ(machine.in_ram<nic_wqe>(kSendRing).flags, 0);
  const nic_read read = {3, 6, 0x8030'0000, 0x8031'0000, 200, 1};
  ASSERT_EQ(nic_post_read(&nic, &read), NIC_OK);
  EXPECT_EQ(machine.in_ram<nic_wqe>(kSendRing + sizeof(nic_wqe)).flags, NIC_WQE_SIGNALED);
}

TEST_F(NicDriverTest, LengthsThatNoMessageHas) {
  start(sound_config());
  ASSERT_EQ(nic_start_receives(&nic, 0x8038'0000, 4), NIC_OK);
  EXPECT_EQ(post(3, 1, 0), NIC_ERROR_LENGTH);
  EXPECT_EQ(post(3, 1, NIC_MESSAGE_BYTES_MAX + 1), NIC_ERROR_LENGTH);
  EXPECT_EQ(post(3, 1, NIC_MESSAGE_BYTES_MAX), NIC_OK);
  const nic_rqe buffer = {3, NIC_MESSAGE_BYTES_MAX + 1, 77, 0x8032'0000, 0};
  EXPECT_EQ(nic_post_receive(&nic, &buffer), NIC_ERROR_LENGTH);
}

TEST_F(NicDriverTest, AReceiveRingTakesAgainWhatTheNicHasFetched) {
  start(sound_config());
  EXPECT_EQ(nic_start_receives(&nic, 0x7000'0000, 4), NIC_ERROR_RING_ADDRESS) << "not in memory";
  ASSERT_EQ(nic_start_receives(&nic, 0x8038'0000, 4), NIC_OK);
  const nic_rqe buffer = {3, 4096, 77, 0x8032'0000, 0};
  for (int i = 0; i < 4; ++i) ASSERT_EQ(nic_post_receive(&nic, &buffer), NIC_OK);
  machine.reg(NIC_BASE + NIC_RQ_HEAD_OFFSET) = 3;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(nic_post_receive(&nic, &buffer), NIC_OK) << i;
  EXPECT_EQ(nic_post_receive(&nic, &buffer), NIC_ERROR_RING_FULL);
}

TEST_F(NicDriverTest, AClassHasTheWeightThatWasSet) {
  start(sound_config());
  EXPECT_EQ(nic_set_weight(&nic, 46, 1024), NIC_OK);
  EXPECT_EQ(reg(NIC_CC_CLASS_OFFSET), 1024u << NIC_CC_CLASS_WEIGHT_SHIFT | 46u);
  EXPECT_EQ(nic_set_weight(&nic, 63, NIC_CC_CLASS_WEIGHT_MAX), NIC_OK);
  const std::uint32_t last = reg(NIC_CC_CLASS_OFFSET);
  EXPECT_EQ(nic_set_weight(&nic, 64, 256), NIC_ERROR_DSCP);
  EXPECT_EQ(nic_set_weight(&nic, 1, NIC_CC_CLASS_WEIGHT_MIN - 1), NIC_ERROR_WEIGHT);
  EXPECT_EQ(nic_set_weight(&nic, 1, NIC_CC_CLASS_WEIGHT_MAX + 1), NIC_ERROR_WEIGHT);
  EXPECT_EQ(reg(NIC_CC_CLASS_OFFSET), last) << "what is refused is not written";
}

TEST_F(NicDriverTest, AQueuePairChangesItsClass) {
  start(sound_config());
  const nic_queue_pair pair = {5, 7, 105, 10, 3, NIC_QP_SERVICE_SERVICE_RC};
  ASSERT_EQ(nic_create_queue_pair(&nic, &pair), NIC_OK);
  EXPECT_EQ(nic_change_class(&nic, 5, 46), NIC_OK);
  EXPECT_EQ(hardware.queue_pairs().at(5).dscp, 46u);
  EXPECT_EQ(hardware.queue_pairs().at(5).priority, 3u);
  EXPECT_EQ(hardware.queue_pairs().at(5).remote_qpn, 105u);
  EXPECT_EQ(nic_change_class(&nic, 5, 63), NIC_OK);
  // After each refusal the flow keeps its class, and a later call of nic_change_class succeeds.
  EXPECT_EQ(nic_change_class(&nic, 5, 64), NIC_ERROR_DSCP);
  EXPECT_EQ(nic_change_class(&nic, nic.queue_pairs, 1), NIC_ERROR_QUEUE_PAIR);
  EXPECT_EQ(nic_change_class(&nic, 6, 1), NIC_ERROR_QUEUE_PAIR_REFUSED) << "was never created";
  hardware.refuse_classes = true;
  EXPECT_EQ(nic_change_class(&nic, 5, 1), NIC_ERROR_QUEUE_PAIR_REFUSED);
  EXPECT_EQ(hardware.queue_pairs().at(5).dscp, 63u);
  EXPECT_EQ(hardware.queue_pairs().count(6), 0u);
  hardware.refuse_classes = false;
  EXPECT_EQ(nic_change_class(&nic, 5, 1), NIC_OK);
  EXPECT_EQ(hardware.queue_pairs().at(5).dscp, 1u);
}

TEST_F(NicDriverTest, AServiceThatThereIsNotIsRefused) {
  start(sound_config());
  const nic_queue_pair pair = {5, 7, 105, 10, 0, NIC_QP_SERVICE_SERVICE_MAX + 1};
  EXPECT_EQ(nic_create_queue_pair(&nic, &pair), NIC_ERROR_SERVICE);
}

TEST_F(NicDriverTest, APostedWriteIsTheDescriptorTheNicReads) {
  start(sound_config());
  nic_write write{};
  write.qpn = 3;
  write.wr_id = 0x1234;
  write.local_address = 0x8030'0000;
  write.remote_address = 0x1'8031'0000;
  write.length = 4096;
  write.with_immediate = 1;
  write.signaled = 1;
  write.immediate = 99;
  ASSERT_EQ(nic_post_write(&nic, &write), NIC_OK);
  const auto entry = machine.in_ram<nic_wqe>(kSendRing);
  EXPECT_EQ(entry.opcode, NIC_WQE_RDMA_WRITE_IMMEDIATE);
  EXPECT_EQ(entry.flags, NIC_WQE_SIGNALED);
  EXPECT_EQ(entry.qpn, 3u);
  EXPECT_EQ(entry.wr_id, 0x1234u);
  EXPECT_EQ(entry.local_address, 0x8030'0000u);
  EXPECT_EQ(entry.remote_address, 0x1'8031'0000u);
  EXPECT_EQ(entry.length, 4096u);
  EXPECT_EQ(entry.immediate, 99u);
  EXPECT_EQ(hardware.doorbells(), 0u) << "the NIC learns of it at the doorbell";
  write.length = 0;
  EXPECT_EQ(nic_post_write(&nic, &write), NIC_ERROR_LENGTH);
  write.length = 0x80000001;
  EXPECT_EQ(nic_post_write(&nic, &write), NIC_ERROR_LENGTH);
  write.qpn = 16384;
  EXPECT_EQ(nic_post_write(&nic, &write), NIC_ERROR_QUEUE_PAIR);
}

TEST_F(NicDriverTest, ABatchCostsOneDoorbell) {
  start(sound_config());
  connect(1);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(post(1, i), NIC_OK);
  nic_ring_doorbell(&nic);
  nic_ring_doorbell(&nic);
  EXPECT_EQ(hardware.doorbells(), 1u);
  let_pass(20'000);
  EXPECT_EQ(hardware.sent(), 5u);
}

TEST_F(NicDriverTest, AFullRingRefusesAndTakesAgainWhenTheNicHasFetched) {
  start(sound_config(8));
  connect(1);
  hardware.fetch_limit = 3;
  for (int i = 0; i < 8; ++i) ASSERT_EQ(post(1, i), NIC_OK) << i;
  EXPECT_EQ(post(1, 8), NIC_ERROR_RING_FULL);
  nic_ring_doorbell(&nic);  // the NIC fetches three descriptors at once
  for (int i = 8; i < 11; ++i) EXPECT_EQ(post(1, i), NIC_OK) << i;
  EXPECT_EQ(post(1, 11), NIC_ERROR_RING_FULL);
}

TEST_F(NicDriverTest, IndicesWrapBeyondSixteenBitsWithoutLosingOrRepeating) {
  start(sound_config(4, 8));
  connect(1);
  hardware.message_ns = 50;
  std::uint64_t posted = 0;
  std::uint64_t reaped = 0;
  constexpr std::uint64_t kMessages = 70'000;  // more than 2^16 messages, so that ring indices wrap
  while (reaped < kMessages) {
    while (posted < kMessages && post(1, posted) == NIC_OK) ++posted;
    nic_ring_doorbell(&nic);
    let_pass(200);
    nic_cqe got[3];
    std::uint32_t count;
    while ((count = nic_reap(&nic, got, 3)) != 0) {
      for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(got[i].wr_id, reaped++);
    }
    ASSERT_LT(machine.now(), 100'000'000u);
  }
  EXPECT_EQ(hardware.sent(), kMessages);
  EXPECT_EQ(nic.send_tail, static_cast<std::uint16_t>(kMessages));
  EXPECT_EQ(nic.completion_head, static_cast<std::uint16_t>(kMessages));
}

TEST_F(NicDriverTest, TheLargestRingsWork) {
  start(sound_config(2, 32768));
  connect(1);
  for (std::uint32_t i = 0; i < 32768 * 5 / 2; ++i) {
    nic_cqe done{};
    done.wr_id = i;
    hardware.complete(done);
    nic_cqe got{};
    ASSERT_EQ(nic_reap(&nic, &got, 1), 1u) << i;
    ASSERT_EQ(got.wr_id, i);
    ASSERT_EQ(nic_reap(&nic, &got, 1), 0u) << i;
  }
}

TEST_F(NicDriverTest, AFullCompletionRingHoldsTheNicBackAndNothingIsLost) {
  start(sound_config(8, 4));
  connect(1);
  for (int i = 0; i < 8; ++i) ASSERT_EQ(post(1, i), NIC_OK);
  nic_ring_doorbell(&nic);
  let_pass(20'000);
  EXPECT_EQ(hardware.completions_held(), 4u);
  nic_cqe got[16];
  ASSERT_EQ(nic_reap(&nic, got, 16), 4u);
  EXPECT_EQ(hardware.completions_held(), 0u);
  ASSERT_EQ(nic_reap(&nic, got + 4, 12), 4u);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(got[i].wr_id, i);
}

TEST_F(NicDriverTest, ACompletionIsCopiedFieldByField) {
  start(sound_config());
  nic_cqe sent{};
  sent.wr_id = 1;
  sent.timestamp_ns = 2;
  sent.byte_len = 3;
  sent.immediate = 4;
  sent.qpn = 5;
  sent.status = NIC_CQE_REMOTE_ERROR;
  sent.opcode = NIC_CQE_SEND_DONE;
  hardware.complete(sent);
  nic_cqe got{};
  ASSERT_EQ(nic_reap(&nic, &got, 1), 1u);
  EXPECT_EQ(got.wr_id, 1u);
  EXPECT_EQ(got.timestamp_ns, 2u);
  EXPECT_EQ(got.byte_len, 3u);
  EXPECT_EQ(got.immediate, 4u);
  EXPECT_EQ(got.qpn, 5u);
  EXPECT_EQ(got.status, NIC_CQE_REMOTE_ERROR);
  EXPECT_EQ(got.opcode, NIC_CQE_SEND_DONE);
}

TEST_F(NicDriverTest, InterruptsAreTakenOnlyWhereEnabled) {
  start(sound_config());
  EXPECT_EQ(nic_take_interrupts(&nic), 0u);
  hardware.raise(NIC_IRQ_STATUS_COMPLETION_MASK | NIC_IRQ_STATUS_SQ_ERROR_MASK);
  EXPECT_FALSE(hardware.interrupt());
  nic_enable_interrupts(&nic, NIC_IRQ_STATUS_COMPLETION_MASK);
  EXPECT_TRUE(hardware.interrupt());
  EXPECT_EQ(nic_take_interrupts(&nic), NIC_IRQ_STATUS_COMPLETION_MASK);
  EXPECT_FALSE(hardware.interrupt());
}

TEST_F(NicDriverTest, EveryStatisticComesFromItsOwnPair) {
  start(sound_config());
  for (std::uint32_t i = 0; i < 14; ++i) {
    machine.reg(NIC_BASE + 0x3000 + 8 * i) = 100 + i;
    machine.reg(NIC_BASE + 0x3004 + 8 * i) = i;
  }
  nic_statistics s{};
  nic_read_statistics(&nic, &s);
  const auto* const counters = reinterpret_cast<const std::uint64_t*>(&s);
  static_assert(sizeof s == 14 * 8);
  for (std::uint64_t i = 0; i < 14; ++i) EXPECT_EQ(counters[i], i << 32 | (100 + i)) << i;
  machine.reg(NIC_BASE + NIC_ERROR_INFO_OFFSET) = 1u << 24 | 0x014;
  nic_refused_access access{};
  nic_read_refused_access(&nic, &access);
  EXPECT_EQ(access.address, 0x14u);
  EXPECT_EQ(access.code, NIC_ERROR_INFO_CODE_UNMAPPED);
  EXPECT_EQ(access.write, 0u);
}

}  // namespace
}  // namespace nic_driver_test
