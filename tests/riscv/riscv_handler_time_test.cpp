// Tests busy_in_handlers(), the time for which a hart has done nothing but execute trap handlers.
#include "hart_fixture.h"

namespace dcc::riscv::test::handler_time_tests {
namespace {

constexpr std::uint32_t kMti = 1u << 7;
constexpr Word kEnable = csrrsi(0, csr::kMstatus, 8), kDisable = csrrci(0, csr::kMstatus, 8);

class RiscvHandlerTime : public HartFixture {
 protected:
  RiscvHandlerTime() {
    for (std::uint32_t at = kRam; at < kRam + kRamBytes; at += 4) put(at, {kNop});
    hart_.write_csr(csr::kMie, kMti);
  }
  void interrupt(bool level) { hart_.set_interrupt_line(Cause::kMachineTimer, level); }
  /// Runs `between` instructions of the main program, and then a handler of `instructions`
  /// instructions, including its mret.
  void serve(std::uint32_t instructions, std::uint64_t between) {
    for (std::uint32_t i = 0; i + 1 < instructions; ++i) put(kHandler + 4 * i, {kNop});
    put(kHandler + 4 * (instructions - 1), {kMret});
    hart_.code_changed(kHandler, 4 * instructions);
    run(between);
    interrupt(true);
    run(1);
    interrupt(false);
    run(instructions - 1);
  }
};

TEST_F(RiscvHandlerTime, AMainProgramIsNotBusy) {
  hart_.write_csr(csr::kMstatus, 8);
  run(1000);
  EXPECT_EQ(hart_.busy_in_handlers(), 0u);
}

TEST_F(RiscvHandlerTime, AHandlerThatDoesNotReturn) {
  hart_.write_csr(csr::kMstatus, 8);
  run(100);
  interrupt(true);
  run(5000);
  EXPECT_EQ(hart_.busy_in_handlers(), 5000u);
}

TEST_F(RiscvHandlerTime, SleepInAHandlerIsRest) {
  hart_.write_csr(csr::kMstatus, 8);
  run(100);
  interrupt(true);
  run(1);
  hart_.add_stall_cycles(1000);
  hart_.slept(1000);
  run(50);
  EXPECT_EQ(hart_.busy_in_handlers(), 50u);
}

TEST_F(RiscvHandlerTime, InterruptsWithoutEndAreBusyAndAPollingLoopIsNot) {
  hart_.write_csr(csr::kMstatus, 8);
  run(100);
  const std::uint64_t before = hart_.cycles();
  // The main program executes two instructions between handlers of 24 instructions.
  for (int i = 0; i < 50; ++i) serve(24, 2);
  EXPECT_NEAR(static_cast<double>(hart_.busy_in_handlers()),
              static_cast<double>(hart_.cycles() - before), 25);
  // Handlers of 14 instructions leave two instructions, an eighth of the time, to the main program.
  // The run ends within a handler.
  for (int i = 0; i < 200; ++i) serve(14, 2);
  run(2);
  interrupt(true);
  run(5);
  EXPECT_LT(hart_.busy_in_handlers(), 100u);
}

TEST_F(RiscvHandlerTime, AnExceptionWhileInterruptsAreOffEndsAtItsMret) {
  put(kRam, {kEcall});
  put(kHandler, {csrrs(5, csr::kMepc, 0), addi(5, 5, 4), csrrw(0, csr::kMepc, 5), kMret});
  run(5);
  EXPECT_EQ(hart_.pc(), kRam + 4);
  run(500);
  EXPECT_EQ(hart_.busy_in_handlers(), 0u);
}

TEST_F(RiscvHandlerTime, AHandlerThatEnablesInterrupts) {
  hart_.write_csr(csr::kMstatus, 8);
  run(100);
  put(kHandler, {kEnable});
  interrupt(true);
  run(1);
  interrupt(false);
  run(3000);
  EXPECT_EQ(hart_.busy_in_handlers(), 3000u);
  // A task that a kernel started from its handler stores to a device, which counts as activity.
  put(hart_.pc(), {sw(0, 6, 0)});
  hart_.set_reg(6, kDevice);
  run(1);
  run(40);
  EXPECT_EQ(hart_.busy_in_handlers(), 40u);
  // The trap handler returns.
  put(hart_.pc(), {kMret});
  run(1);
  EXPECT_EQ(hart_.busy_in_handlers(), 0u);
}

TEST_F(RiscvHandlerTime, DisabledInterruptsCountWhileOnePends) {
  hart_.write_csr(csr::kMstatus, 8);
  run(100);
  put(hart_.pc(), {kDisable});
  run(1);
  run(2000);
  EXPECT_EQ(hart_.busy_in_handlers(), 0u);
  interrupt(true);
  EXPECT_EQ(hart_.busy_in_handlers(), 2000u);
  put(hart_.pc(), {sw(0, 6, 0)});
  hart_.set_reg(6, kDevice);
  run(11);
  EXPECT_EQ(hart_.busy_in_handlers(), 10u);
}

TEST_F(RiscvHandlerTime, APollingLoopThatNeverEnablesInterrupts) {
  interrupt(true);
  run(2000);
  EXPECT_EQ(hart_.busy_in_handlers(), 0u);
}

}  // namespace
}  // namespace dcc::riscv::test::handler_time_tests
