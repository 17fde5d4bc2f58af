// Faults below and above the drivers: devices that never become ready, registers that lose written
// values, stopped clocks, and calls with invalid arguments.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "driver/dcc_driver.h"
#include "driver/dcc_regs.h"
#include "driver/dcc_tables.h"
#include "driver/nic_driver.h"
#include "driver/nic_regs.h"
#include "driver/register_access.h"
#include "fake_machine.h"
#include "fake_nic.h"
#include "sound_config.h"

namespace driver_misuse_test {
namespace {

using dcc::test::FakeMachine;
using dcc::test::FakeNic;
using dcc::test::sound_config;

constexpr std::uint64_t kSendRing = 0x8010'0000;
constexpr std::uint64_t kCompletionRing = 0x8020'0000;

nic_config nic_settings() {
  nic_config config{};
  config.send_ring_entries = config.completion_ring_entries = 8;
  config.parameters.mtu = 1000;
  config.ack_mode = NIC_ACK_PER_PACKET;
  config.irq_count = 1;
  config.memory_base = 0x1'8000'0000;
  config.memory_bytes = 4 << 20;
  return config;
}

/// A machine with a NIC and a controller that work. Each test breaks one part.
class DriverMisuse : public ::testing::Test {
 protected:
  DriverMisuse() {
    machine.reg(DCC_BASE + DCC_ID_OFFSET) = DCC_ID_RESET;
    machine.reg(DCC_BASE + DCC_VERSION_OFFSET) = DCC_VERSION_RESET;
    machine.reg(DCC_BASE + DCC_CAPS_OFFSET) = DCC_CAPS_RESET;
    machine.reg(DCC_BASE + DCC_STATUS_OFFSET) = DCC_STATUS_READY_MASK;
    EXPECT_EQ(nic_probe(&nic, machine.machine(), NIC_BASE), NIC_OK);
    EXPECT_EQ(dcc_probe(&dcc, machine.machine(), DCC_BASE), DCC_OK);
    sound_read = machine.on_read;
  }
  /// After this call a read of the register returns its value with the lowest bit inverted.
  void spoil(std::uint64_t address) {
    machine.on_read = [this, address](std::uint64_t a, std::uint32_t v) {
      return a == address ? sound_read(a, v) ^ 1u : sound_read(a, v);
    };
  }
  /// After this call a read of the register returns 0.
  void silence(std::uint64_t address) {
    machine.on_read = [this, address](std::uint64_t a, std::uint32_t v) {
      return a == address ? 0u : sound_read(a, v);
    };
  }
  nic_error start_nic() {
    const nic_config config = nic_settings();
    return nic_start(&nic, &config, kSendRing, kCompletionRing);
  }

  FakeMachine machine;
  FakeNic hardware{machine};
  struct nic nic {};
  struct dcc_controller dcc {};
  std::function<std::uint32_t(std::uint64_t, std::uint32_t)> sound_read;
};

TEST_F(DriverMisuse, ANicThatIsNeverReady) {
  silence(NIC_BASE + NIC_STATUS_OFFSET);
  EXPECT_EQ(nic_probe(&nic, machine.machine(), NIC_BASE), NIC_ERROR_NOT_READY);
  const std::size_t before = machine.writes().size();
  EXPECT_EQ(start_nic(), NIC_ERROR_NOT_READY);
  ASSERT_EQ(machine.writes().size(), before + 1) << "nothing is programmed but the reset";
  EXPECT_EQ(machine.writes().back().address, NIC_BASE + NIC_CTRL_OFFSET);
}

TEST_F(DriverMisuse, EveryNicSettingThatDoesNotStickIsReported) {
  ASSERT_EQ(start_nic(), NIC_OK);
  for (const std::uint32_t offset :
       {NIC_IRQ_MASK_OFFSET, NIC_MTU_OFFSET, NIC_SQ_BASE_LO_OFFSET, NIC_SQ_BASE_HI_OFFSET,
        NIC_SQ_SIZE_LOG2_OFFSET, NIC_CQ_BASE_LO_OFFSET, NIC_CQ_BASE_HI_OFFSET,
        NIC_CQ_SIZE_LOG2_OFFSET, NIC_MR_BASE_LO_OFFSET, NIC_MR_BASE_HI_OFFSET, NIC_MR_LENGTH_OFFSET,
        NIC_IRQ_COALESCE_OFFSET, NIC_CNP_INTERVAL_OFFSET, NIC_CNP_DSCP_OFFSET,
        NIC_CNP_PRIORITY_OFFSET, NIC_CTRL_OFFSET}) {
    spoil(NIC_BASE + offset);
    EXPECT_EQ(start_nic(), NIC_ERROR_READ_BACK) << std::hex << offset;
  }
  machine.on_read = sound_read;
  EXPECT_EQ(start_nic(), NIC_OK);
}

TEST_F(DriverMisuse, RingsThatLieBadly) {
  const nic_config config = nic_settings();
  EXPECT_EQ(nic_start(&nic, &config, kSendRing, kCompletionRing + 1), NIC_ERROR_RING_ADDRESS);
  EXPECT_EQ(nic_start(&nic, &config, kSendRing, 0x7000'0000), NIC_ERROR_RING_ADDRESS);
  EXPECT_EQ(nic_start(&nic, &config, UINT64_MAX - 63, kCompletionRing), NIC_ERROR_RING_ADDRESS);
}

TEST_F(DriverMisuse, FlagsOfCnpsAreOneBit) {
  nic_config config = nic_settings();
  config.cnp_carry_marks = 2;
  EXPECT_EQ(nic_start(&nic, &config, kSendRing, kCompletionRing), NIC_ERROR_CNP);
}

TEST_F(DriverMisuse, AQueuePairThatWillNotGo) {
  ASSERT_EQ(start_nic(), NIC_OK);
  const nic_queue_pair pair = {5, 3, 4, 46, 2, NIC_QP_SERVICE_SERVICE_RC};
  ASSERT_EQ(nic_create_queue_pair(&nic, &pair), NIC_OK);
  hardware.refuse_queue_pairs = true;
  EXPECT_EQ(nic_destroy_queue_pair(&nic, 5), NIC_ERROR_QUEUE_PAIR_REFUSED);
  hardware.refuse_queue_pairs = false;
  EXPECT_EQ(nic_destroy_queue_pair(&nic, 5), NIC_OK);
  EXPECT_EQ(nic_destroy_queue_pair(&nic, 5), NIC_OK) << "twice is no harm";
}

TEST_F(DriverMisuse, WhatIsReapedIsNotedBeforeTheNicHearsOfIt) {
  ASSERT_EQ(start_nic(), NIC_OK);
  volatile std::uint32_t held = 99;
  nic.completions_held = &held;
  nic_cqe got[4];
  EXPECT_EQ(nic_reap(&nic, got, 4), 0u);
  EXPECT_EQ(held, 99u) << "nothing came";
  hardware.complete(nic_cqe{});
  hardware.complete(nic_cqe{});
  std::uint32_t held_at_head = 0;
  const auto sound_write = machine.on_write;
  machine.on_write = [&](std::uint64_t address, std::uint32_t value) {
    if (address == NIC_BASE + NIC_CQ_HEAD_OFFSET) held_at_head = held;
    sound_write(address, value);
  };
  EXPECT_EQ(nic_reap(&nic, got, 4), 2u);
  EXPECT_EQ(held_at_head, 2u);
  EXPECT_EQ(nic_reap(&nic, got, 0), 0u) << "no room is no error";
}

TEST_F(DriverMisuse, NumbersThatAreNoErrors) {
  EXPECT_STREQ(nic_error_text(static_cast<nic_error>(NIC_ERRORS)),
               "unknown error of the NIC's driver");
  EXPECT_STREQ(nic_error_text(static_cast<nic_error>(-1)), "unknown error of the NIC's driver");
  const char* const unknown = dcc_error_text(static_cast<dcc_error>(DCC_ERRORS));
  ASSERT_NE(unknown, nullptr);
  EXPECT_STREQ(dcc_error_text(static_cast<dcc_error>(-1)), unknown);
}

TEST_F(DriverMisuse, EveryControllerSettingThatDoesNotStickIsReported) {
  const dcc_config config = sound_config();
  machine.on_write = [this](std::uint64_t address, std::uint32_t value) {
    if (address == DCC_BASE + DCC_CTRL_OFFSET) {
      machine.reg(address) = value & ~DCC_CTRL_SOFT_RESET_MASK;
    }
  };
  ASSERT_EQ(dcc_configure(&dcc, &config), DCC_OK);
  for (const std::uint32_t offset :
       {DCC_CTRL_OFFSET, DCC_TICK_DIV_OFFSET, DCC_TIMER_INTERVAL_OFFSET, DCC_BYTE_THRESHOLD_OFFSET,
        DCC_DECREASE_PERIOD_OFFSET, DCC_ALPHA_RECIP_OFFSET, DCC_F_OFFSET, DCC_G_OFFSET,
        DCC_MI_OFFSET, DCC_R_AI_OFFSET, DCC_R_HAI_OFFSET, DCC_R_MIN_OFFSET, DCC_R_MAX_OFFSET,
        DCC_INITIAL_RATE_OFFSET, DCC_INITIAL_ALPHA_OFFSET, DCC_FIRST_CUT_OFFSET,
        DCC_MARK_SHIFT_OFFSET}) {
    // The fake inverts all bits of the word, so that the test does not depend on the field's
    // position.
    machine.on_read = [this, offset](std::uint64_t a, std::uint32_t v) {
      return a == DCC_BASE + offset ? ~v : sound_read(a, v);
    };
    EXPECT_EQ(dcc_configure(&dcc, &config), DCC_ERROR_READ_BACK) << std::hex << offset;
  }
}

TEST_F(DriverMisuse, AControllerThatDoesNotComeBackFromItsReset) {
  silence(DCC_BASE + DCC_STATUS_OFFSET);
  EXPECT_EQ(dcc_soft_reset(&dcc), DCC_ERROR_NOT_READY);
  const dcc_config config = sound_config();
  const std::size_t before = machine.writes().size();
  EXPECT_EQ(dcc_configure(&dcc, &config), DCC_ERROR_NOT_READY);
  for (std::size_t i = before; i < machine.writes().size(); ++i) {
    EXPECT_EQ(machine.writes()[i].address, DCC_BASE + DCC_CTRL_OFFSET) << "nothing else";
  }
}

TEST_F(DriverMisuse, ClassesThatCannotBe) {
  const std::size_t before = machine.writes().size();
  dcc_class upside_down = dcc_class_of(256, 2000 << 8, 1000 << 8);
  EXPECT_EQ(dcc_set_class(&dcc, 3, &upside_down), DCC_ERROR_CLASS_RATES);
  dcc_class weightless = dcc_class_of(256, 0, UINT32_MAX);
  weightless.weight_q8_8 = 0;
  EXPECT_EQ(dcc_set_class(&dcc, 3, &weightless), DCC_ERROR_WEIGHT);
  EXPECT_EQ(dcc_set_class(&dcc, 64, &weightless), DCC_ERROR_DSCP);
  EXPECT_EQ(dcc_set_weight(&dcc, 64, 256), DCC_ERROR_DSCP);
  EXPECT_EQ(dcc_set_weight(&dcc, 3, DCC_WEIGHT_MIN_Q8_8 - 1), DCC_ERROR_WEIGHT);
  EXPECT_EQ(dcc_set_weight(&dcc, 3, DCC_WEIGHT_MAX_Q8_8 + 1), DCC_ERROR_WEIGHT);
  EXPECT_EQ(machine.writes().size(), before) << "refused, and nothing written";
}

TEST_F(DriverMisuse, HelpersKeepToWhatFieldsHold) {
  EXPECT_EQ(dcc_class_of(0, 0, 0).weight_q8_8, DCC_WEIGHT_MIN_Q8_8);
  EXPECT_EQ(dcc_class_of(UINT32_MAX, 0, 0).weight_q8_8, DCC_WEIGHT_MAX_Q8_8);
  EXPECT_EQ(dcc_class_of_rank(1000).weight_q8_8, dcc_class_of_rank(DCC_RANKS - 1).weight_q8_8);
  EXPECT_EQ(dcc_decay(0, 4032), 65536u) << "without a gain nothing decays";
}

TEST_F(DriverMisuse, AClockThatStandsStill) {
  struct Machine {
    std::uint64_t looks = 0;
  } still;
  hal h{};
  h.context = &still;
  h.read32 = [](void* c, std::uint64_t) -> std::uint32_t {
    ++static_cast<Machine*>(c)->looks;
    return 0;
  };
  h.time_ns = [](void*) -> std::uint64_t { return 0; };
  h.wait_for_interrupt = [](void*, std::uint64_t) { return 0; };
  EXPECT_EQ(register_wait(&h, 0, 1, 1, 10'000), 0);
  EXPECT_EQ(still.looks, 11u) << "once a microsecond, had there been time";
  still.looks = 0;
  EXPECT_EQ(register_wait(&h, 0, 1, 0, 10'000), 1);
  EXPECT_EQ(still.looks, 1u);

  h.write32 = [](void*, std::uint64_t, std::uint32_t) {};
  struct nic stuck_nic {};
  stuck_nic.hal = &h;
  const nic_config config = nic_settings();
  EXPECT_EQ(nic_start(&stuck_nic, &config, kSendRing, kCompletionRing), NIC_ERROR_NOT_READY);
  struct dcc_controller stuck_controller {};
  stuck_controller.hal = &h;
  EXPECT_EQ(dcc_soft_reset(&stuck_controller), DCC_ERROR_NOT_READY);
}

TEST_F(DriverMisuse, AWaitEndsAtItsDeadlineNotAfterIt) {
  struct Clock {
    std::uint64_t now = 0;
  } clock;
  hal h{};
  h.context = &clock;
  h.read32 = [](void*, std::uint64_t) -> std::uint32_t { return 0; };
  h.time_ns = [](void* c) { return static_cast<Clock*>(c)->now; };
  h.wait_for_interrupt = [](void* c, std::uint64_t deadline) {
    static_cast<Clock*>(c)->now = deadline;
    return 0;
  };
  EXPECT_EQ(register_wait(&h, 0, 1, 1, 2'500), 0);
  EXPECT_EQ(clock.now, 2'500u);
}

}  // namespace
}  // namespace driver_misuse_test
