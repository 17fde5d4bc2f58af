// Tests debug triggers: legal settings, firing, and ownership. The rules are those of RISC-V
// External Debug Support 0.13.2, chapter 5.
#include "hart_fixture.h"

namespace dcc::riscv::test::trigger_tests {
namespace {

constexpr Word kLoad = 1, kStore = 2, kExecute = 4, kInUser = 1 << 3, kInMachine = 1 << 6;
constexpr Word kStopAction = 1 << 12, kDmode = 1u << 27, kType = 2u << 28;
constexpr std::uint32_t kWord = kRam + 0x800;

class RiscvTrigger : public HartFixture {
 protected:
  RiscvTrigger() { hart_.set_reg(10, kWord); }
  void arm(unsigned index, Word control, std::uint32_t address) {
    hart_.write_csr(csr::kTselect, index);
    hart_.write_csr(csr::kTdata2, address);
    hart_.write_csr(csr::kTdata1, control);
  }
};

TEST_F(RiscvTrigger, TwoOfThem) {
  for (const unsigned i : {0u, 1u}) {
    hart_.write_csr(csr::kTselect, i);
    EXPECT_EQ(csr(csr::kTselect), i);
    EXPECT_EQ(csr(csr::kTdata1), kType);
    EXPECT_EQ(csr(csr::kTinfo), 4u);
    hart_.write_csr(csr::kTdata2, 0x100 + i);
  }
  hart_.write_csr(csr::kTselect, 2);
  EXPECT_EQ(csr(csr::kTselect), 1u) << "how a program counts them";
  EXPECT_EQ(csr(csr::kTdata2), 0x101u);
  hart_.write_csr(csr::kTselect, 0);
  EXPECT_EQ(csr(csr::kTdata2), 0x100u);
}

TEST_F(RiscvTrigger, FieldsThatCanBeWritten) {
  hart_.set_reg(5, 0xFFFFFFFF);
  put(kRam, {csrrw(0, csr::kTdata1, 5)});
  run(1);
  EXPECT_EQ(csr(csr::kTdata1), kType | kInMachine | kInUser | kLoad | kStore | kExecute)
      << "a program can neither stop the hart nor own what is the debugger's";
  hart_.write_csr(csr::kTdata1, 0xFFFFFFFF);
  EXPECT_EQ(csr(csr::kTdata1),
            kType | kDmode | kStopAction | kInMachine | kInUser | kLoad | kStore | kExecute);
  hart_.write_csr(csr::kTdata1, kStopAction | kInMachine);
  EXPECT_EQ(csr(csr::kTdata1), kType | kInMachine);
}

TEST_F(RiscvTrigger, BeforeAnInstruction) {
  put(kRam, {addi(5, 0, 1), addi(5, 0, 2), addi(5, 0, 3)});
  run(3);  // decodes the instruction before the trigger is set
  hart_.set_pc(kRam);
  arm(0, kInMachine | kExecute, kRam + 4);
  const std::uint64_t retired = hart_.retired();
  run(2);
  expect_trap(Cause::kBreakpoint, kRam + 4, kRam + 4);
  EXPECT_EQ(hart_.reg(5), 1u);
  EXPECT_EQ(hart_.retired() - retired, 1u);
  arm(0, 0, kRam + 4);
  hart_.set_pc(kRam);
  run(3);
  EXPECT_EQ(hart_.reg(5), 3u) << "disarmed";
}

TEST_F(RiscvTrigger, BeforeALoad) {
  put(kWord, {7});
  put(kRam, {lw(5, 10, 4), lw(5, 10, 0), kNop});
  arm(1, kInMachine | kLoad, kWord);
  run(2);
  expect_trap(Cause::kBreakpoint, kRam + 4, kWord);
  EXPECT_EQ(hart_.reg(5), 0u);
}

TEST_F(RiscvTrigger, BeforeAStoreOfAnyByteOfIt) {
  arm(0, kInMachine | kStore, kWord + 2);
  put(kRam, {lw(5, 10, 0), enc_s(1, 5, 10, 0), sw(10, 10, 0)});
  run(3);
  expect_trap(Cause::kBreakpoint, kRam + 8, kWord);
  EXPECT_EQ(word(kWord), 0u);
}

TEST_F(RiscvTrigger, BeforeAnAtomicOperation) {
  put(kRam, {amo(0x01, 5, 10, 10)});
  arm(0, kInMachine | kLoad, kWord);
  run(1);
  expect_trap(Cause::kBreakpoint, kRam, kWord);
  hart_.set_pc(kRam);
  arm(0, kInMachine | kStore, kWord);
  run(1);
  expect_trap(Cause::kBreakpoint, kRam, kWord);
  EXPECT_EQ(word(kWord), 0u);
}

TEST_F(RiscvTrigger, BeforeADeviceHearsOfIt) {
  hart_.set_reg(10, kDevice);
  put(kRam, {lw(5, 10, 0)});
  arm(0, kInMachine | kLoad, kDevice);
  run(1);
  expect_trap(Cause::kBreakpoint, kRam, kDevice);
  EXPECT_EQ(device_loads_, 0);
}

TEST_F(RiscvTrigger, OnlyInItsModes) {
  constexpr std::uint32_t kUser = kRam + 0x2000;
  hart_.write_csr(csr::kPmpaddr0, 0xFFFFFFFF);
  hart_.write_csr(csr::kPmpcfg0, 0x1F);
  put(kUser, {kNop, lw(5, 10, 0), kEcall});
  put(kRam, {kMret});
  put(kHandler, {kNop, kNop, kNop});
  const auto run_user = [&] {
    leave_user();
    hart_.set_pc(kRam);
    hart_.write_csr(csr::kMstatus, 0);
    hart_.write_csr(csr::kMepc, kUser);
    run(4);
    return csr(csr::kMepc);
  };
  arm(0, kInMachine | kExecute, kUser);
  EXPECT_EQ(run_user(), kUser + 8);
  arm(0, kInUser | kExecute, kUser);
  EXPECT_EQ(run_user(), kUser);
  arm(0, kInMachine | kLoad, kWord);
  EXPECT_EQ(run_user(), kUser + 8);
  arm(0, kInUser | kLoad, kWord);
  EXPECT_EQ(run_user(), kUser + 4);
  arm(0, kInUser | kExecute, kRam + 0x40);
  hart_.set_pc(kRam + 0x40);
  put(kRam + 0x40, {addi(6, 0, 6)});
  run(1);
  EXPECT_EQ(hart_.reg(6), 6u);
}

TEST_F(RiscvTrigger, TheDebuggersStopsTheHart) {
  put(kRam, {addi(5, 0, 1), lw(6, 10, 0), addi(5, 0, 2)});
  put(kWord, {9});
  arm(0, kDmode | kStopAction | kInMachine | kExecute, kRam);
  arm(1, kDmode | kStopAction | kInMachine | kLoad, kWord);
  EXPECT_EQ(run(3), Stop::kBreakpoint);
  EXPECT_EQ(hart_.pc(), kRam);
  EXPECT_EQ(hart_.steps(), 0u);
  EXPECT_EQ(hart_.step(), Stop::kBudget);
  EXPECT_EQ(hart_.reg(5), 1u);
  EXPECT_EQ(run(3), Stop::kBreakpoint);
  EXPECT_EQ(hart_.pc(), kRam + 4);
  EXPECT_EQ(hart_.steps(), 1u);
  EXPECT_EQ(hart_.reg(6), 0u);
  EXPECT_EQ(hart_.step(), Stop::kBudget);
  EXPECT_EQ(hart_.reg(6), 9u);
  run(1);
  EXPECT_EQ(hart_.reg(5), 2u);
  EXPECT_EQ(hart_.retired(), 3u);
}

TEST_F(RiscvTrigger, TheDebuggersCannotBeWrittenByTheProgram) {
  arm(0, kDmode | kStopAction | kInMachine | kExecute, 0x1234);
  put(kRam, {csrrw(0, csr::kTdata1, 0), csrrw(0, csr::kTdata2, 0)});
  run(2);
  EXPECT_EQ(hart_.pc(), kRam + 8) << "ignored, not refused";
  EXPECT_EQ(csr(csr::kTdata1), kType | kDmode | kStopAction | kInMachine | kExecute);
  EXPECT_EQ(csr(csr::kTdata2), 0x1234u);
}

}  // namespace
}  // namespace dcc::riscv::test::trigger_tests
