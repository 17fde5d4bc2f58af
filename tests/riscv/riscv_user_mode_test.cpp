// Tests user mode: entry and exit, forbidden operations, effect of interrupts. The rules are those
// of the RISC-V Privileged Architecture 1.12, chapters 2 and 3.
#include "hart_fixture.h"

namespace dcc::riscv::test::user_mode_tests {
namespace {

constexpr std::uint32_t kUser = kRam + 0x2000;
constexpr std::uint32_t kMppMachine = 3u << 11;
constexpr std::uint32_t kMie = 1u << 3, kMpie = 1u << 7, kMprv = 1u << 17, kTw = 1u << 21;

class RiscvUserMode : public HartFixture {
 protected:
  RiscvUserMode() { open_all(); }
  /// Sets one PMP entry that permits all accesses in user mode.
  void open_all() {
    hart_.write_csr(csr::kPmpaddr0, 0xFFFFFFFF);
    hart_.write_csr(csr::kPmpcfg0, 0x1F);
  }
  /// Enters user mode at `pc` by mret.
  void enter_user(std::uint32_t pc = kUser) {
    leave_user();
    put(kRam, {kMret});
    hart_.set_pc(kRam);
    hart_.write_csr(csr::kMstatus, csr(csr::kMstatus) & ~kMppMachine);
    hart_.write_csr(csr::kMepc, pc);
    run(1);
    ASSERT_EQ(hart_.privilege(), Privilege::kUser);
    ASSERT_EQ(hart_.pc(), pc);
  }
  void expect_illegal_in_user(Word instruction) {
    put(kUser, {instruction});
    hart_.code_changed(kUser, 4);
    enter_user();
    run(1);
    expect_trap(Cause::kIllegalInstruction, kUser, instruction);
    EXPECT_EQ(hart_.privilege(), Privilege::kMachine);
  }
};

TEST_F(RiscvUserMode, MretGoesToTheModeOfMpp) {
  hart_.write_csr(csr::kMstatus, kMpie | kTw);
  put(kRam, {kMret});
  hart_.write_csr(csr::kMepc, kUser);
  run(1);
  EXPECT_EQ(hart_.privilege(), Privilege::kUser);
  EXPECT_EQ(hart_.pc(), kUser);
  EXPECT_EQ(csr(csr::kMstatus), kMie | kMpie | kTw);

  hart_.reset(kRam);
  put(kRam, {kMret});
  hart_.write_csr(csr::kMstatus, kMppMachine | kMprv);
  hart_.write_csr(csr::kMepc, kRam + 0x40);
  run(1);
  EXPECT_EQ(hart_.privilege(), Privilege::kMachine);
  EXPECT_EQ(csr(csr::kMstatus), kMpie | kMprv) << "MPRV stays on the way to machine mode";
}

TEST_F(RiscvUserMode, MretToUserModeClearsMprv) {
  hart_.write_csr(csr::kMstatus, kMprv);
  enter_user();
  EXPECT_EQ(csr(csr::kMstatus) & kMprv, 0u);
}

TEST_F(RiscvUserMode, MppHoldsMachineOrUser) {
  hart_.write_csr(csr::kMstatus, 1u << 11);
  EXPECT_EQ(csr(csr::kMstatus) & kMppMachine, kMppMachine) << "there is no supervisor";
  hart_.write_csr(csr::kMstatus, 0);
  EXPECT_EQ(csr(csr::kMstatus) & kMppMachine, 0u);
  hart_.write_csr(csr::kMstatus, 2u << 11);
  EXPECT_EQ(csr(csr::kMstatus) & kMppMachine, 0u);
}

TEST_F(RiscvUserMode, EnvironmentCallTellsWhereItCameFrom) {
  put(kUser, {kEcall});
  enter_user();
  run(1);
  expect_trap(Cause::kEcallFromUser, kUser, 0);
  EXPECT_EQ(csr(csr::kMstatus) & kMppMachine, 0u);
  EXPECT_EQ(hart_.privilege(), Privilege::kMachine);
  put(kHandler, {kEcall});
  hart_.set_pc(kRam + 0x100);
  put(kRam + 0x100, {kEcall});
  run(1);
  expect_trap(Cause::kEcallFromMachine, kRam + 0x100, 0);
  EXPECT_EQ(csr(csr::kMstatus) & kMppMachine, kMppMachine);
}

TEST_F(RiscvUserMode, MachineInstructionsAreIllegal) {
  expect_illegal_in_user(kMret);
  expect_illegal_in_user(csrrs(5, csr::kMstatus, 0));
  expect_illegal_in_user(csrrw(0, csr::kMscratch, 5));
  expect_illegal_in_user(csrrs(5, csr::kMhartid, 0));
  expect_illegal_in_user(csrrs(5, csr::kPmpcfg0, 0));
  expect_illegal_in_user(csrrs(5, csr::kTselect, 0));
}

TEST_F(RiscvUserMode, CountersAsMcounterenAllows) {
  expect_illegal_in_user(csrrs(5, csr::kCycle, 0));
  hart_.write_csr(csr::kMcounteren, 1);
  put(kUser, {csrrs(5, csr::kCycle, 0), csrrs(6, csr::kCycleh, 0), csrrs(7, csr::kInstret, 0)});
  hart_.code_changed(kUser, 12);
  enter_user();
  run(3);
  expect_trap(Cause::kIllegalInstruction, kUser + 8, csrrs(7, csr::kInstret, 0));
  EXPECT_NE(hart_.reg(5), 0u);
  hart_.write_csr(csr::kMcounteren, 4);
  enter_user(kUser + 8);
  run(1);
  EXPECT_EQ(hart_.pc(), kUser + 12);
  EXPECT_NE(hart_.reg(7), 0u);
  expect_illegal_in_user(csrrs(5, csr::kCycleh, 0));
  hart_.write_csr(csr::kMcounteren, 0xFFFFFFFF);
  EXPECT_EQ(csr(csr::kMcounteren), 5u) << "there is no time register";
}

TEST_F(RiscvUserMode, WaitForInterruptIsTheMachinesWhileTwIsSet) {
  hart_.write_csr(csr::kMie, 1u << 7);
  put(kUser, {kWfi});
  enter_user();
  EXPECT_EQ(run(1), Stop::kWaitForInterrupt);
  EXPECT_EQ(hart_.pc(), kUser + 4);
  hart_.write_csr(csr::kMstatus, kTw);
  hart_.reset(kRam);
  hart_.write_csr(csr::kMtvec, kHandler);
  open_all();
  hart_.write_csr(csr::kMstatus, kTw);
  expect_illegal_in_user(kWfi);
  hart_.write_csr(csr::kMie, 1u << 7);
  hart_.set_pc(kUser);
  EXPECT_EQ(run(1), Stop::kWaitForInterrupt) << "in machine mode it is not concerned";
}

TEST_F(RiscvUserMode, InterruptsAreTakenWhateverMieSays) {
  put(kUser, {kNop, kNop});
  enter_user();
  hart_.write_csr(csr::kMie, 1u << 7);
  hart_.write_csr(csr::kMstatus, csr(csr::kMstatus) & ~kMie);
  run(1);
  hart_.set_interrupt_line(Cause::kMachineTimer, true);
  put(kHandler, {kNop});
  run(1);
  EXPECT_EQ(csr(csr::kMcause), static_cast<std::uint32_t>(Cause::kMachineTimer));
  EXPECT_EQ(csr(csr::kMepc), kUser + 4);
  EXPECT_EQ(csr(csr::kMstatus) & (kMppMachine | kMpie), 0u);
  EXPECT_EQ(hart_.privilege(), Privilege::kMachine);
}

TEST_F(RiscvUserMode, ALoopOnItselfEndsOnlyByInterrupt) {
  put(kUser, {enc_j(0, 0)});
  enter_user();
  hart_.write_csr(csr::kMie, 1u << 7);
  EXPECT_EQ(run(1000), Stop::kBudget);
  hart_.write_csr(csr::kMie, 0);
  EXPECT_EQ(run(1000), Stop::kDead);
  EXPECT_EQ(hart_.death(), Death::kEndlessLoop);
}

TEST_F(RiscvUserMode, AFetchFaultOfUserModeAtTheHandlerIsNoTrapLoop) {
  hart_.write_csr(csr::kPmpcfg0, 0);
  put(kHandler, {kNop});
  enter_user(kHandler);
  run(1);
  expect_trap(Cause::kInstructionAccessFault, kHandler, kHandler);
  EXPECT_EQ(hart_.death(), Death::kNone);
  EXPECT_EQ(run(1), Stop::kBudget);
}

TEST_F(RiscvUserMode, TheStackGuardIsTheMachines) {
  hart_.set_stack_limit(kRam + 0x9000);
  hart_.set_reg(2, kRam + 0x8000);
  put(kUser, {sw(5, 2, 0), kEcall});
  enter_user();
  run(2);
  EXPECT_EQ(hart_.death(), Death::kNone);
  EXPECT_EQ(csr(csr::kMcause), static_cast<std::uint32_t>(Cause::kEcallFromUser));
  put(kHandler, {sw(5, 2, 0)});
  run(1);
  EXPECT_EQ(hart_.death(), Death::kStackOverflow);
}

TEST_F(RiscvUserMode, MisaNamesTheExtensions) {
  EXPECT_EQ(csr(csr::kMisa), 0x40101105u);  // extensions I, M, A, C and U
  for (const std::uint32_t absent : {0x302u, 0x303u, 0x100u, 0x744u}) {
    std::uint32_t value = 0;
    EXPECT_FALSE(hart_.read_csr(absent, value)) << "medeleg, mideleg, sstatus, mnstatus";
  }
}

}  // namespace
}  // namespace dcc::riscv::test::user_mode_tests
