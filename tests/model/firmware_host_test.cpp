// Tests a host that runs firmware: it loads the program, connects every interrupt line to the hart,
// passes the UART's characters on, and reports the end of the program.
#include "machine/firmware_host.h"

#include <cstdio>
#include <string>
#include <vector>

#include "driver/irq_regs.h"
#include "driver/memory_map.h"
#include "machine/interrupt_controller.h"
#include "memory_device.h"
#include "model_test.h"
#include "registers/generated/dcc_map.h"
#include "small_program.h"

namespace dcc::model::firmware_host_test {
namespace {

using namespace riscv::test;  // NOLINT: instructions by their names
using sc_core::SC_US;
using sc_core::SC_ZERO_TIME;

constexpr Word kMie = 0x304, kMhartid = 0xF14;
constexpr std::uint32_t kRamBytes = 0x4000;

/// A program that sleeps until an interrupt in `mie` is pending. No interrupt is taken, because
/// mstatus.MIE is 0.
Program sleep_until(std::uint32_t mie) {
  Program out = li(kT1, mie);
  out.push_back(csrrw(0, kMie, kT1));
  out.push_back(kWfi);
  return out;
}
class FirmwareHostTest : public ModelTest {
 protected:
  FirmwareHostTest() {
    bus.attach(ram.socket, DCC_RAM_BASE, kRamBytes, "ram");
    bus.attach(irq.socket, DCC_INTERRUPT_CONTROLLER_BASE, DCC_INTERRUPT_CONTROLLER_BYTES, "irq");
    config.output = [this](char c) { said += c; };
  }
  ~FirmwareHostTest() override { std::remove(config.elf.c_str()); }

  void write_program(const Program& program) {
    config.elf = ::testing::TempDir() + "firmware_host_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".elf";
    ASSERT_TRUE(write_elf(config.elf, program));
  }
  void build(const Program& program) {
    write_program(program);
    host = std::make_unique<FirmwareHost>("host", config, bus, ram, irq);
    host->cpu().set_end_handler([this] { ended.notify(SC_ZERO_TIME); });
  }
  /// Runs until the program ends, at most for the time `limit`.
  void run(const sc_core::sc_time& limit = sc_core::sc_time(1, sc_core::SC_MS)) {
    simulate([&] { sc_core::wait(limit, ended); });
  }

  Bus bus{"bus", SC_ZERO_TIME};
  Ram ram{"ram", kRamBytes, SC_ZERO_TIME};
  InterruptController irq{"irq", SC_ZERO_TIME};
  FirmwareHostConfig config;
  std::unique_ptr<FirmwareHost> host;
  sc_core::sc_event ended;
  std::string said;
};

TEST_F(FirmwareHostTest, LoadsRunsAndTellsASuccess) {
  build(sequence({li(kT2, 0), exit_with(kT2)}));
  run();
  EXPECT_TRUE(host->succeeded());
  EXPECT_EQ(host->outcome(), "host.cpu: exit code 0");
}

TEST_F(FirmwareHostTest, AnotherCodeIsAFailureAndTheHartHasItsNumber) {
  config.hart_id = 5;
  build(sequence({{csrrs(kT2, kMhartid, 0)}, exit_with(kT2)}));
  run();
  EXPECT_FALSE(host->succeeded());
  EXPECT_EQ(host->outcome().rfind("host.cpu: exit code 5; ", 0), 0u) << host->outcome();
}

TEST_F(FirmwareHostTest, AProgramThatGoesOnHasNotEnded) {
  build({addi(kT1, kT1, 1), enc_j(-4, 0)});
  run(sc_core::sc_time(20, SC_US));
  EXPECT_FALSE(host->succeeded());
  EXPECT_NE(host->outcome().find("has not ended"), std::string::npos) << host->outcome();
}

TEST_F(FirmwareHostTest, AProgramThatCannotGoOnIsDead) {
  build({enc_j(0, 0)});
  run();
  EXPECT_FALSE(host->succeeded());
  EXPECT_EQ(host->outcome().rfind("host.cpu: endless loop", 0), 0u) << host->outcome();
}

TEST_F(FirmwareHostTest, UartAndConsoleBothReachTheOutput) {
  build(sequence({store(DCC_UART_BASE, DCC_UART_DATA, 'H'),
                  store(DCC_SIM_CONTROL_BASE, DCC_SIM_CONTROL_PUTCHAR, 'i'), exit_with(0)}));
  run();
  EXPECT_TRUE(host->succeeded());
  EXPECT_EQ(said, "Hi");
}

TEST_F(FirmwareHostTest, TheTimerWakesTheHart) {
  build(sequence({store(DCC_CLINT_BASE + DCC_CLINT_MTIMECMP, 4, 0),
                  store(DCC_CLINT_BASE + DCC_CLINT_MTIMECMP, 0, 5000), sleep_until(1u << 7),
                  exit_with(0)}));
  run();
  EXPECT_TRUE(host->succeeded()) << host->outcome();
  EXPECT_GE(sc_core::sc_time_stamp(), sc_core::sc_time(5, SC_US));
  // The CPU executes three more instructions, and notices the interrupt line at the end of a
  // quantum.
  EXPECT_LE(sc_core::sc_time_stamp(), sc_core::sc_time(5, SC_US) + 2 * config.quantum);
}

TEST_F(FirmwareHostTest, ASoftwareInterruptWakesTheHart) {
  build(sequence({store(DCC_CLINT_BASE, DCC_CLINT_MSIP, 1), sleep_until(1u << 3), exit_with(0)}));
  run();
  EXPECT_TRUE(host->succeeded()) << host->outcome();
}

TEST_F(FirmwareHostTest, WhatTheUartReceivesInterruptsThroughTheController) {
  config.uart_input = "A";
  build(sequence({store(DCC_INTERRUPT_CONTROLLER_BASE, IRQ_ENABLE_OFFSET, 1u << IRQ_SOURCE_UART),
                  store(DCC_UART_BASE, DCC_UART_IRQ_ENABLE, 1),
                  sleep_until(1u << 11),
                  li(kT0, DCC_INTERRUPT_CONTROLLER_BASE),
                  {lw(kT2, kT0, IRQ_CLAIM_OFFSET)},
                  li(kT0, DCC_UART_BASE),
                  {lw(kT3, kT0, DCC_UART_DATA)},
                  // instruction slli t2: shifts the claim above the character
                  {enc_i(8, kT2, 1, kT2)},
                  {enc_r(0, kT3, kT2, 6, kT2)},
                  exit_with(kT2)}));
  run();
  EXPECT_EQ(host->cpu().exit_code(), IRQ_SOURCE_UART << 8 | 'A') << host->outcome();
}

TEST_F(FirmwareHostTest, AProgramLeavesTheReservedMemoryFree) {
  write_program(Program(5, kNop));
  config.reserved = {DCC_RAM_BASE + 16, 4};
  EXPECT_THROW(FirmwareHost("small", config, bus, ram, irq), riscv::ElfError);
  config.reserved = {DCC_RAM_BASE + 20, 4};
  build(sequence({{kNop}, {kNop}, exit_with(0)}));
  run();
  EXPECT_TRUE(host->succeeded()) << host->outcome();
}

TEST_F(FirmwareHostTest, RegistersHaveNamesAtTheirBusAddress) {
  build(exit_with(0));
  regs::MemoryDevice device(regs::dcc_map::kMap);
  const regs::RegisterBlock block(regs::dcc_map::kMap, device);
  host->name_registers("controller", 0x40000000, block);
  EXPECT_EQ(host->registry().address_of("dcc.factor[2]"),
            std::optional<std::uint32_t>(0x40000000u + *block.find("factor[2]")));
  EXPECT_EQ(host->registry().address_of("dcc.nothing"), std::nullopt);
  EXPECT_EQ(host->registry().address_of("factor[2]"), std::nullopt) << "without the block's name";
  run();
}

}  // namespace
}  // namespace dcc::model::firmware_host_test
