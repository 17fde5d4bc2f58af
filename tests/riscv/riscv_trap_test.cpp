// Tests every synchronous exception: cause, mepc, mtval, and the suppressed effects of the
// instruction. The rules are those of the RISC-V Privileged Architecture 1.12, sections 3.1.15 to
// 3.1.17 and 3.3.
#include "hart_fixture.h"

namespace dcc::riscv::test::trap_tests {
namespace {

class RiscvTrap : public HartFixture {
 protected:
  /// Checks that one instruction at the start of RAM is illegal and that mtval then holds
  /// `reported`.
  void expect_illegal(Word instruction, Word reported) {
    hart_.reset(kRam);
    hart_.write_csr(csr::kMtvec, kHandler);
    put(kRam, {instruction});
    EXPECT_EQ(run(1), Stop::kBudget);
    SCOPED_TRACE(instruction);
    expect_trap(Cause::kIllegalInstruction, kRam, reported);
  }
};

TEST_F(RiscvTrap, EcallReportsMachineMode) {
  put(kRam, {kNop, kEcall});
  run(2);
  expect_trap(Cause::kEcallFromMachine, kRam + 4, 0);
}

TEST_F(RiscvTrap, EbreakReportsItsAddress) {
  put(kRam, {kEbreak});
  run(1);
  expect_trap(Cause::kBreakpoint, kRam, kRam);
}

TEST_F(RiscvTrap, CompressedEbreak) {
  put16(kRam, {0x0001, kCEbreak});
  run(2);
  expect_trap(Cause::kBreakpoint, kRam + 2, kRam + 2);
}

TEST_F(RiscvTrap, IllegalWordsReportTheirBits) {
  for (const Word w :
       {0xFFFFFFFFu, 0x0000007Fu, enc_r(2, 1, 1, 0, 1), enc_r(0x20, 1, 1, 1, 1),
        enc_i(0x400 | 3, 1, 1, 1), enc_i(0x200 | 3, 1, 5, 1), enc_i(0, 1, 3, 1, 0x03),
        enc_i(0, 1, 6, 1, 0x03), enc_s(0, 1, 1, 3), enc_b(8, 1, 1, 2), enc_b(8, 1, 1, 3),
        enc_i(0, 1, 1, 1, 0x67), 0x10200073u /* sret */, 0x00200073u /* uret */,
        0x12000073u /* sfence */, 0x0000400Fu /* funct3 of MISC-MEM */, 0x00004073u,
        0x2810A12Fu /* reserved AMO code */, 0x00012087u /* flw */}) {
    expect_illegal(w, w);
  }
}

TEST_F(RiscvTrap, IllegalHalfwordsReportSixteenBits) {
  for (const Word h : {0x0000u /* all zero */, 0x2000u /* c.fld */, 0x8000u, 0xA000u, 0x6000u,
                       0x6101u /* c.addi16sp 0 */, 0x6081u /* c.lui 0 */, 0x9001u | 4u << 7,
                       0x9C01u /* c.subw */, 0x9C21u /* c.addw */, 0x1002u /* c.slli 32+ */,
                       0x4002u /* c.lwsp x0 */, 0x8002u /* c.jr x0 */, 0x2002u, 0xA002u, 0x6002u}) {
    expect_illegal(h | 0xABCD0000u, h);
  }
}

TEST_F(RiscvTrap, UnknownCsrIsIllegal) {
  for (const Word number : {0x7C0u, 0x180u /* satp */, 0x302u /* medeleg */, 0x3C0u /* pmpaddr16 */,
                            0x7A5u /* tcontrol */, 0xC01u /* time */, 0x100u}) {
    expect_illegal(csrrs(5, number, 0), csrrs(5, number, 0));
  }
}

TEST_F(RiscvTrap, WritingAReadOnlyCsrIsIllegal) {
  for (const Word number : {csr::kMhartid, csr::kMvendorid, csr::kCycle, csr::kInstreth}) {
    expect_illegal(csrrw(0, number, 5), csrrw(0, number, 5));
    expect_illegal(csrrs(0, number, 5), csrrs(0, number, 5));
    expect_illegal(csrrci(0, number, 1), csrrci(0, number, 1));
  }
}

TEST_F(RiscvTrap, ReadingAReadOnlyCsrIsLegal) {
  put(kRam, {csrrs(5, csr::kMhartid, 0), csrrci(6, csr::kInstret, 0)});
  run(2);
  EXPECT_EQ(hart_.pc(), kRam + 8);
  EXPECT_EQ(hart_.reg(6), 1u);
}

TEST_F(RiscvTrap, MisalignedLoadsAndStores) {
  struct Case {
    Word instruction;
    bool store;
  };
  const Case cases[] = {{enc_i(1, 5, 1, 6, 0x03), false}, {enc_i(3, 5, 5, 6, 0x03), false},
                        {enc_i(2, 5, 2, 6, 0x03), false}, {enc_i(1, 5, 2, 6, 0x03), false},
                        {enc_s(1, 6, 5, 1), true},        {enc_s(2, 6, 5, 2), true},
                        {enc_s(3, 6, 5, 2), true}};
  for (const Word base : {kRam + 0x2000, kDevice}) {
    for (const Case& c : cases) {
      hart_.reset(kRam);
      hart_.write_csr(csr::kMtvec, kHandler);
      hart_.set_reg(5, base);
      hart_.set_reg(6, 0x12345678);
      put(kRam, {c.instruction});
      run(1);
      const Word offset = c.store ? field(c.instruction, 11, 7) : field(c.instruction, 31, 20);
      expect_trap(c.store ? Cause::kStoreMisaligned : Cause::kLoadMisaligned, kRam, base + offset);
      EXPECT_EQ(hart_.reg(6), 0x12345678u);
      EXPECT_EQ(word(kRam + 0x2000), 0u);
      EXPECT_EQ(hart_.retired(), 0u);
    }
  }
  EXPECT_EQ(device_loads_, 0);
}

TEST_F(RiscvTrap, AHandlerThatReturnsToWhatTrapsIsEnded) {
  hart_.set_reg(5, 0x20000000);
  put(kRam, {enc_i(0, 5, 2, 6, 0x03)});
  put(kHandler, {kNop, kMret});
  EXPECT_EQ(hart_.run(1'000'000), Stop::kDead);
  EXPECT_EQ(hart_.death(), Death::kSameTrap);
  EXPECT_EQ(hart_.death_record().pc, kRam);
  EXPECT_EQ(hart_.death_record().value, 0x20000000u);
  EXPECT_EQ(hart_.steps(), 3u * kMaxSameTraps + 1);
}

TEST_F(RiscvTrap, TrapsWithProgressInBetweenAreNotEnded) {
  // The handler returns to the instruction after the ecall. A loop executes the ecall without end.
  put(kRam, {kEcall, enc_j(-4, 0)});
  put(kHandler, {csrrs(6, csr::kMepc, 0), enc_i(4, 6, 0, 6, 0x13), csrrw(0, csr::kMepc, 6), kMret});
  EXPECT_EQ(hart_.run(100'000), Stop::kBudget);
  EXPECT_EQ(hart_.death(), Death::kNone);
}

TEST_F(RiscvTrap, MisalignedAcrossAnEndOfRamIsOutOfRange) {
  hart_.set_misaligned(Hart::Misaligned::kDone);
  struct Case {
    Word instruction;
    Word base;
    Cause cause;
    Word value;
  };
  const Word end = kRam + kRamBytes;
  const Case cases[] = {{enc_s(0, 6, 5, 2), end - 2, Cause::kStoreAccessFault, end},
                        {enc_s(0, 6, 5, 1), end - 1, Cause::kStoreAccessFault, end},
                        {enc_i(0, 5, 2, 6, 0x03), end - 1, Cause::kLoadAccessFault, end},
                        {enc_s(0, 6, 5, 2), kRam - 2, Cause::kStoreAccessFault, kRam - 2},
                        {enc_s(0, 6, 5, 2), kDevice + 2, Cause::kStoreMisaligned, kDevice + 2}};
  for (const Case& c : cases) {
    hart_.reset(kRam);
    hart_.write_csr(csr::kMtvec, kHandler);
    hart_.set_reg(5, c.base);
    put(kRam, {c.instruction});
    run(1);
    expect_trap(c.cause, kRam, c.value);
  }
}

TEST_F(RiscvTrap, AccessFaultsLeaveTheRegisterAlone) {
  hart_.set_reg(5, 0x20000000);
  hart_.set_reg(6, 77);
  put(kRam, {lw(6, 5, 8)});
  run(1);
  expect_trap(Cause::kLoadAccessFault, kRam, 0x20000008);
  EXPECT_EQ(hart_.reg(6), 77u);
  put(kHandler, {sw(6, 5, -4)});
  hart_.set_pc(kHandler);
  hart_.write_csr(csr::kMtvec, kRam + 0x3000);
  run(1);
  EXPECT_EQ(csr(csr::kMcause), 7u);
  EXPECT_EQ(csr(csr::kMtval), 0x1FFFFFFCu);
}

TEST_F(RiscvTrap, AccessOverTheEndOfRam) {
  hart_.set_reg(5, kRam + kRamBytes);
  put(kRam, {lw(6, 5, -4), lw(6, 5, 0)});
  run(2);
  expect_trap(Cause::kLoadAccessFault, kRam + 4, kRam + kRamBytes);
}

TEST_F(RiscvTrap, JumpToNowhereFaultsAtTheTarget) {
  hart_.set_reg(5, 0x30000001);
  put(kRam, {jalr(1, 5, 4)});
  run(1);
  EXPECT_EQ(hart_.pc(), 0x30000004u);  // the jump itself is executed, and its target traps
  EXPECT_EQ(hart_.reg(1), kRam + 4);
  run(1);
  expect_trap(Cause::kInstructionAccessFault, 0x30000004, 0x30000004);
}

TEST_F(RiscvTrap, RunningOverTheEndOfRam) {
  put(kRam + kRamBytes - 4, {kNop});
  hart_.set_pc(kRam + kRamBytes - 4);
  run(2);
  expect_trap(Cause::kInstructionAccessFault, kRam + kRamBytes, kRam + kRamBytes);
}

TEST_F(RiscvTrap, InstructionHalfBeyondRamReportsTheMissingHalf) {
  put16(kRam + kRamBytes - 2, {0x0013});
  hart_.set_pc(kRam + kRamBytes - 2);
  run(1);
  expect_trap(Cause::kInstructionAccessFault, kRam + kRamBytes - 2, kRam + kRamBytes);
}

TEST_F(RiscvTrap, BranchesReachEveryEvenAddress) {
  put16(kRam, {0x0001});  // a c.nop, so that the next instruction is not aligned to 4 bytes
  const Word beq = enc_b(6, 0, 0, 0);
  put16(kRam + 2, {beq & 0xFFFF, beq >> 16});
  run(2);
  EXPECT_EQ(hart_.pc(), kRam + 8);
  EXPECT_FALSE(hart_.has_trapped());
}

TEST_F(RiscvTrap, TrapStacksInterruptEnableAndMretUnstacks) {
  hart_.write_csr(csr::kMstatus, 0x8);
  put(kRam, {kEcall, kNop});
  put(kHandler, {csrrs(5, csr::kMepc, 0), addi(5, 5, 4), csrrw(0, csr::kMepc, 5), kMret});
  run(1);
  EXPECT_EQ(csr(csr::kMstatus), 0x1880u);  // MPP = machine mode, MPIE = 1, MIE = 0
  run(4);
  EXPECT_EQ(csr(csr::kMstatus), 0x0088u);  // mret sets MPP to user mode, the least privileged mode
  EXPECT_EQ(hart_.pc(), kRam + 4);
  hart_.write_csr(csr::kMstatus, 0);
  hart_.set_pc(kRam);
  run(1);
  EXPECT_EQ(csr(csr::kMstatus), 0x1800u);
}

TEST_F(RiscvTrap, TrappingInstructionsTakeTimeButDoNotRetire) {
  put(kRam, {kNop, kEcall});
  put(kHandler, {csrrs(5, csr::kMinstret, 0), csrrs(6, csr::kMcycle, 0)});
  run(4);
  EXPECT_EQ(hart_.reg(5), 1u);
  EXPECT_EQ(hart_.reg(6), 3u);
  EXPECT_EQ(hart_.steps(), 4u);
  EXPECT_EQ(hart_.retired(), 3u);
}

TEST_F(RiscvTrap, ExceptionsIgnoreVectoring) {
  hart_.write_csr(csr::kMtvec, kHandler | 1);
  put(kRam, {kEcall});
  run(1);
  EXPECT_EQ(hart_.pc(), kHandler);
}

TEST_F(RiscvTrap, DeathWithoutHandler) {
  hart_.reset(kRam);
  put(kRam, {kEcall});
  EXPECT_EQ(run(5), Stop::kDead);
  EXPECT_EQ(hart_.death(), Death::kNoHandler);
  EXPECT_EQ(hart_.death_record().pc, kRam);
  EXPECT_EQ(hart_.death_record().cause, 11u);
  EXPECT_EQ(run(5), Stop::kDead) << "the dead stay dead";
}

TEST_F(RiscvTrap, DeathWhenTheHandlerTraps) {
  hart_.write_csr(csr::kMtvec, 0x40000000);
  put(kRam, {kEcall});
  EXPECT_EQ(run(100), Stop::kDead);
  EXPECT_EQ(hart_.death(), Death::kTrapLoop);
  EXPECT_EQ(hart_.death_record().cause, 1u);
  EXPECT_EQ(hart_.death_record().value, 0x40000000u);
}

TEST_F(RiscvTrap, DeathInEndlessLoop) {
  hart_.write_csr(csr::kMstatus, 0x8);
  put(kRam, {enc_j(0, 0)});
  EXPECT_EQ(run(10), Stop::kDead);
  EXPECT_EQ(hart_.death(), Death::kEndlessLoop);
  // If an interrupt is possible, an endless loop is a legal way to wait.
  hart_.reset(kRam);
  hart_.write_csr(csr::kMtvec, kHandler);
  hart_.write_csr(csr::kMie, 0x80);
  hart_.write_csr(csr::kMstatus, 0x8);
  EXPECT_EQ(run(10), Stop::kBudget);
  EXPECT_EQ(hart_.retired(), 10u);
  hart_.set_interrupt_line(Cause::kMachineTimer, true);
  put(kHandler, {kNop});
  run(1);
  EXPECT_EQ(csr(csr::kMepc), kRam);
}

TEST_F(RiscvTrap, StackOverflowIsCaughtAtTheStore) {
  hart_.set_stack_limit(kRam + 0x8000);
  hart_.set_reg(2, kRam + 0x8004);
  put(kRam, {addi(2, 2, -4), sw(1, 2, 0), sw(1, 5, 0), addi(2, 2, -4), sw(1, 2, 0)});
  hart_.set_reg(5, kRam + 0x4000);
  EXPECT_EQ(run(10), Stop::kDead);
  EXPECT_EQ(hart_.death(), Death::kStackOverflow);
  EXPECT_EQ(hart_.death_record().pc, kRam + 16);
  EXPECT_EQ(hart_.death_record().value, kRam + 0x7FFC);
}

}  // namespace
}  // namespace dcc::riscv::test::trap_tests
