// Tests interrupts: when they are taken, their order, and the effect of wfi. The rules are those of
// the RISC-V Privileged Architecture 1.12, sections 3.1.6, 3.1.9 and 3.3.3.
#include "hart_fixture.h"

namespace dcc::riscv::test::interrupt_tests {
namespace {

constexpr std::uint32_t kMsi = 1u << 3, kMti = 1u << 7, kMei = 1u << 11;

class RiscvInterrupt : public HartFixture {
 protected:
  RiscvInterrupt() {
    for (std::uint32_t at = kRam; at < kHandler + 0x1000; at += 4) put(at, {kNop});
  }
  void enable(std::uint32_t lines) {
    hart_.write_csr(csr::kMie, lines);
    hart_.write_csr(csr::kMstatus, 8);
  }
  void raise_all() {
    for (const Cause c : {Cause::kMachineTimer, Cause::kMachineSoftware, Cause::kMachineExternal}) {
      hart_.set_interrupt_line(c, true);
    }
  }
};

TEST_F(RiscvInterrupt, MipShowsTheLines) {
  EXPECT_EQ(csr(csr::kMip), 0u);
  hart_.set_interrupt_line(Cause::kMachineTimer, true);
  EXPECT_EQ(csr(csr::kMip), kMti);
  raise_all();
  EXPECT_EQ(csr(csr::kMip), kMti | kMsi | kMei);
  hart_.set_interrupt_line(Cause::kMachineTimer, false);
  EXPECT_EQ(csr(csr::kMip), kMsi | kMei);
}

TEST_F(RiscvInterrupt, NeedsBothEnables) {
  raise_all();
  run(3);
  EXPECT_EQ(hart_.pc(), kRam + 12);
  hart_.write_csr(csr::kMie, kMti);
  run(1);
  EXPECT_EQ(hart_.pc(), kRam + 16);
  hart_.write_csr(csr::kMie, 0);
  hart_.write_csr(csr::kMstatus, 8);
  run(1);
  EXPECT_EQ(hart_.pc(), kRam + 20);
  hart_.write_csr(csr::kMie, kMti);
  run(1);
  EXPECT_EQ(hart_.pc(), kHandler + 4);
  EXPECT_EQ(csr(csr::kMepc), kRam + 20);
  EXPECT_EQ(csr(csr::kMcause), 0x80000007u);
  EXPECT_EQ(csr(csr::kMtval), 0u);
  EXPECT_EQ(csr(csr::kMstatus), 0x1880u);
}

TEST_F(RiscvInterrupt, ExternalBeforeSoftwareBeforeTimer) {
  raise_all();
  enable(kMsi | kMti | kMei);
  run(1);
  EXPECT_EQ(csr(csr::kMcause), 0x8000000Bu);
  hart_.set_interrupt_line(Cause::kMachineExternal, false);
  hart_.write_csr(csr::kMstatus, 8);
  run(1);
  EXPECT_EQ(csr(csr::kMcause), 0x80000003u);
  hart_.set_interrupt_line(Cause::kMachineSoftware, false);
  hart_.write_csr(csr::kMstatus, 8);
  run(1);
  EXPECT_EQ(csr(csr::kMcause), 0x80000007u);
}

TEST_F(RiscvInterrupt, VectoredEntries) {
  hart_.write_csr(csr::kMtvec, kHandler | 1);
  enable(kMsi | kMti | kMei);
  raise_all();
  run(1);
  EXPECT_EQ(hart_.pc(), kHandler + 4 * 11 + 4);
  hart_.set_interrupt_line(Cause::kMachineExternal, false);
  hart_.write_csr(csr::kMstatus, 8);
  run(1);
  EXPECT_EQ(hart_.pc(), kHandler + 4 * 3 + 4);
  hart_.set_interrupt_line(Cause::kMachineSoftware, false);
  hart_.write_csr(csr::kMstatus, 8);
  run(1);
  EXPECT_EQ(hart_.pc(), kHandler + 4 * 7 + 4);
}

TEST_F(RiscvInterrupt, TakenRightAfterTheInstructionThatEnables) {
  hart_.set_interrupt_line(Cause::kMachineTimer, true);
  hart_.write_csr(csr::kMie, kMti);
  put(kRam, {csrrsi(0, csr::kMstatus, 8), addi(5, 0, 1)});
  run(2);
  EXPECT_EQ(csr(csr::kMepc), kRam + 4);
  EXPECT_EQ(hart_.reg(5), 0u);
}

TEST_F(RiscvInterrupt, TakenRightAfterMret) {
  hart_.set_interrupt_line(Cause::kMachineTimer, true);
  hart_.write_csr(csr::kMie, kMti);
  hart_.write_csr(csr::kMstatus, 0x80);
  hart_.write_csr(csr::kMepc, kRam + 0x100);
  put(kRam, {kMret});
  run(2);
  EXPECT_EQ(csr(csr::kMepc), kRam + 0x100);
  EXPECT_EQ(csr(csr::kMcause), 0x80000007u);
}

TEST_F(RiscvInterrupt, TakenRightAfterTheAccessThatRaisesIt) {
  enable(kMei);
  hart_.set_reg(5, kDevice);
  on_access_ = [this] { hart_.set_interrupt_line(Cause::kMachineExternal, true); };
  put(kRam, {kNop, sw(0, 5, 0), addi(6, 0, 1)});
  run(3);
  EXPECT_EQ(csr(csr::kMepc), kRam + 8);
  EXPECT_EQ(hart_.reg(6), 0u);
}

TEST_F(RiscvInterrupt, LevelThatFallsIsForgotten) {
  enable(kMei);
  hart_.set_reg(5, kDevice);
  hart_.set_interrupt_line(Cause::kMachineExternal, true);
  hart_.set_interrupt_line(Cause::kMachineExternal, false);
  run(3);
  EXPECT_EQ(hart_.pc(), kRam + 12);
}

TEST_F(RiscvInterrupt, WfiSleepsUntilALineIsUp) {
  hart_.write_csr(csr::kMie, kMti);  // MIE is 0, so the hart wakes up without a trap
  put(kRam, {kWfi});
  EXPECT_EQ(run(10), Stop::kWaitForInterrupt);
  EXPECT_EQ(hart_.pc(), kRam + 4);
  EXPECT_FALSE(hart_.wakes());
  hart_.set_interrupt_line(Cause::kMachineSoftware, true);
  EXPECT_FALSE(hart_.wakes()) << "not enabled";
  hart_.set_interrupt_line(Cause::kMachineTimer, true);
  EXPECT_TRUE(hart_.wakes());
  EXPECT_EQ(run(2), Stop::kBudget);
  EXPECT_EQ(hart_.pc(), kRam + 12);
}

TEST_F(RiscvInterrupt, WfiWithALineUpDoesNotSleep) {
  hart_.write_csr(csr::kMie, kMti);
  hart_.set_interrupt_line(Cause::kMachineTimer, true);
  put(kRam, {kWfi});
  EXPECT_EQ(run(2), Stop::kBudget);
  EXPECT_EQ(hart_.pc(), kRam + 8);
}

TEST_F(RiscvInterrupt, InterruptAfterWfiReturnsBehindIt) {
  enable(kMti);
  put(kRam, {kWfi});
  EXPECT_EQ(run(10), Stop::kWaitForInterrupt);
  hart_.set_interrupt_line(Cause::kMachineTimer, true);
  run(1);
  EXPECT_EQ(csr(csr::kMepc), kRam + 4);
}

TEST_F(RiscvInterrupt, WfiThatNothingCanEndIsDeath) {
  put(kRam, {kWfi});
  EXPECT_EQ(run(10), Stop::kDead);
  EXPECT_EQ(hart_.death(), Death::kEndlessSleep);
}

}  // namespace
}  // namespace dcc::riscv::test::interrupt_tests
