// Tests physical memory protection: matching, priority, locks, and refused accesses. The rules are
// those of the RISC-V Privileged Architecture 1.12, section 3.7.
#include "hart_fixture.h"

namespace dcc::riscv::test::pmp_tests {
namespace {

constexpr std::uint32_t kCode = kRam + 0x2000;
constexpr std::uint32_t kData = kRam + 0x4000;
constexpr Word kR = 1, kW = 2, kX = 4, kTor = 1 << 3, kNa4 = 2 << 3, kNapot = 3 << 3, kLock = 0x80;
constexpr std::uint32_t kMprv = 1u << 17;

constexpr std::uint32_t napot(std::uint32_t base, std::uint32_t size) {
  return base >> 2 | (size / 8 - 1);
}

class RiscvPmp : public HartFixture {
 protected:
  void set(unsigned entry, Word config, std::uint32_t address) {
    hart_.write_csr(csr::kPmpaddr0 + entry, address);
    const std::uint32_t number = csr::kPmpcfg0 + entry / 4;
    const unsigned shift = 8 * (entry % 4);
    hart_.write_csr(number, (csr(number) & ~(0xFFu << shift)) | config << shift);
  }
  Word config(unsigned entry) const {
    return csr(csr::kPmpcfg0 + entry / 4) >> (8 * (entry % 4)) & 0xFF;
  }
  /// Lets user code at kCode run, by PMP entry 15, which has the lowest priority.
  void allow_code() { set(15, kNapot | kX, napot(kCode, 0x1000)); }
  /// Prepares an mret to `pc` in user mode as the next instruction.
  void enter_user(std::uint32_t pc) {
    put(kRam, {kMret});
    hart_.write_csr(csr::kMstatus, 0);
    hart_.write_csr(csr::kMepc, pc);
  }
  /// Runs `instructions` instructions from `instruction` on in user mode, with `address` in x10.
  /// Returns true unless one trapped.
  bool user_runs(Word instruction, std::uint32_t address, int instructions = 1) {
    leave_user();
    put(kCode, {instruction});
    hart_.code_changed(kCode, 4);
    hart_.set_pc(kRam);
    hart_.set_reg(10, address);
    enter_user(kCode);
    hart_.write_csr(csr::kMcause, 99);
    run(1 + instructions);
    return csr(csr::kMcause) == 99;
  }
  bool user_loads(std::uint32_t a) { return user_runs(lw(11, 10, 0), a); }
  bool user_stores(std::uint32_t a) { return user_runs(sw(11, 10, 0), a); }
  bool user_jumps(std::uint32_t a) { return user_runs(jalr(0, 10, 0), a, 2); }
  /// Runs one instruction in machine mode, with `address` in x10. Returns true unless it trapped.
  bool machine_runs(Word instruction, std::uint32_t address) {
    leave_user();
    put(kRam + 0x100, {instruction});
    hart_.code_changed(kRam + 0x100, 4);
    hart_.set_pc(kRam + 0x100);
    hart_.set_reg(10, address);
    hart_.write_csr(csr::kMcause, 99);
    run(1);
    return csr(csr::kMcause) == 99;
  }
  bool machine_loads(std::uint32_t a) { return machine_runs(lw(11, 10, 0), a); }
  bool machine_stores(std::uint32_t a) { return machine_runs(sw(11, 10, 0), a); }
};

TEST_F(RiscvPmp, WithoutEntriesTheMachineMayEverythingAndUsersNothing) {
  EXPECT_TRUE(machine_loads(kData));
  EXPECT_TRUE(machine_stores(kData));
  EXPECT_FALSE(user_loads(kData));
  expect_trap(Cause::kInstructionAccessFault, kCode, kCode);
  allow_code();
  EXPECT_FALSE(user_loads(kData));
  expect_trap(Cause::kLoadAccessFault, kCode, kData);
  EXPECT_FALSE(user_stores(kData));
  expect_trap(Cause::kStoreAccessFault, kCode, kData);
}

TEST_F(RiscvPmp, PermissionsOneByOne) {
  allow_code();
  for (const Word permission : {Word{0}, kR, kR | kW, kX, kR | kX, kR | kW | kX}) {
    set(0, kNapot | permission, napot(kData, 64));
    EXPECT_EQ(user_loads(kData + 8), (permission & kR) != 0) << permission;
    EXPECT_EQ(user_stores(kData + 8), (permission & kW) != 0) << permission;
    put(kData + 8, {kNop});
    hart_.code_changed(kData + 8, 4);
    EXPECT_EQ(user_jumps(kData + 8), (permission & kX) != 0) << permission;
  }
}

TEST_F(RiscvPmp, WritableWithoutReadableCannotBeWritten) {
  set(0, kNapot | kW | kX, 0);
  EXPECT_EQ(config(0), kNapot | kX);
  set(0, 0xFF & ~kLock, 0);
  EXPECT_EQ(config(0), kNapot | kR | kW | kX) << "bits 5 and 6 read zero";
}

TEST_F(RiscvPmp, NaturallyAlignedRanges) {
  allow_code();
  for (std::uint32_t size = 8; size <= 0x1000; size *= 2) {
    set(0, kNapot | kR, napot(kData, size));
    EXPECT_TRUE(user_loads(kData)) << size;
    EXPECT_TRUE(user_loads(kData + size - 4)) << size;
    EXPECT_FALSE(user_loads(kData + size)) << size;
    EXPECT_FALSE(user_loads(kData - 4)) << size;
  }
  set(0, kNapot | kR | kW | kX, 0xFFFFFFFF);
  EXPECT_TRUE(user_stores(kData));
  EXPECT_TRUE(user_loads(kDevice)) << "all ones is all of memory";
}

TEST_F(RiscvPmp, FourBytes) {
  allow_code();
  set(0, kNa4 | kR, (kData + 4) >> 2);
  EXPECT_FALSE(user_loads(kData));
  EXPECT_TRUE(user_loads(kData + 4));
  EXPECT_FALSE(user_loads(kData + 8));
  EXPECT_TRUE(user_runs(enc_i(3, 10, 4, 11, 0x03), kData + 4)) << "its last byte";
}

TEST_F(RiscvPmp, TopOfRange) {
  allow_code();
  set(0, kTor | kR, (kRam + 0x10) >> 2);  // the entry's range begins at address 0
  set(1, 0, kData >> 2);
  set(2, kTor | kR | kW, (kData + 0x20) >> 2);
  EXPECT_TRUE(user_loads(kRam + 0xC));
  EXPECT_FALSE(user_loads(kRam + 0x10));
  EXPECT_FALSE(user_loads(kData - 4));
  EXPECT_TRUE(user_stores(kData));
  EXPECT_TRUE(user_stores(kData + 0x1C));
  EXPECT_FALSE(user_stores(kData + 0x20));
  set(1, 0, (kData + 0x20) >> 2);  // the range of entry 0 begins at address 0
  EXPECT_FALSE(user_loads(kData));
  set(1, 0, (kData + 0x40) >> 2);  // the entry's range begins above its end
  EXPECT_FALSE(user_loads(kData + 0x24));
}

TEST_F(RiscvPmp, TheLowestEntryThatMatchesDecides) {
  allow_code();
  set(1, kNapot | kR | kW, napot(kData, 0x100));
  set(0, kNapot | kR, napot(kData + 0x40, 0x40));
  EXPECT_TRUE(user_stores(kData + 0x3C));
  EXPECT_FALSE(user_stores(kData + 0x40));
  EXPECT_TRUE(user_loads(kData + 0x40));
  EXPECT_TRUE(user_stores(kData + 0x80));
}

TEST_F(RiscvPmp, TheMachineIsBoundByLockedEntriesOnly) {
  set(0, kNapot | kR, napot(kData, 64));
  EXPECT_TRUE(machine_stores(kData));
  set(0, kNapot | kR | kLock, napot(kData, 64));
  EXPECT_TRUE(machine_loads(kData));
  EXPECT_FALSE(machine_stores(kData));
  expect_trap(Cause::kStoreAccessFault, kRam + 0x100, kData);
  EXPECT_TRUE(machine_stores(kData + 64));
  put(kData + 8, {kNop});
  hart_.set_pc(kData + 8);
  run(1);
  expect_trap(Cause::kInstructionAccessFault, kData + 8, kData + 8);
}

TEST_F(RiscvPmp, AnUnlockedEntryHidesALockedOneBehindIt) {
  set(1, kNapot | kLock, napot(kData, 64));
  EXPECT_FALSE(machine_loads(kData));
  set(0, kNapot, napot(kData, 32));
  EXPECT_TRUE(machine_loads(kData));
  EXPECT_FALSE(machine_loads(kData + 32));
}

TEST_F(RiscvPmp, LocksHoldUntilReset) {
  set(2, kTor | kR | kLock, 0x20001000);
  set(1, kNa4 | kR, 0x30);
  EXPECT_EQ(config(2), kTor | kR | kLock);
  set(2, 0, 0x5);
  EXPECT_EQ(config(2), kTor | kR | kLock);
  EXPECT_EQ(csr(csr::kPmpaddr0 + 2), 0x20001000u);
  EXPECT_EQ(csr(csr::kPmpaddr0 + 1), 0u) << "where a locked range begins is locked, too";
  EXPECT_EQ(config(1), kNa4 | kR) << "though not its configuration";
  set(3, kNa4 | kR, 0x40);
  EXPECT_EQ(csr(csr::kPmpaddr0 + 3), 0x40u);
  hart_.reset(kRam);
  EXPECT_EQ(config(2), 0u);
}

TEST_F(RiscvPmp, SixteenEntriesAndNoMore) {
  for (unsigned i = 0; i < 16; ++i) set(i, kNa4 | kR, 0x100 + i);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(csr(csr::kPmpaddr0 + i), 0x100u + i);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(csr(csr::kPmpcfg0 + i), 0x11111111u);
  std::uint32_t value = 0;
  EXPECT_FALSE(hart_.read_csr(csr::kPmpaddr15 + 1, value));
  EXPECT_FALSE(hart_.read_csr(csr::kPmpcfg3 + 1, value));
}

TEST_F(RiscvPmp, MprvLetsTheMachineAccessAsTheUserWouldHaveIt) {
  set(0, kNapot | kR, napot(kData, 64));
  hart_.write_csr(csr::kMstatus, kMprv);  // MPP = user mode, MPRV = 1
  EXPECT_TRUE(machine_loads(kData));
  EXPECT_FALSE(machine_loads(kData + 64));
  hart_.write_csr(csr::kMstatus, kMprv);
  EXPECT_FALSE(machine_stores(kData));
  hart_.write_csr(csr::kMstatus, kMprv | 3u << 11);
  EXPECT_TRUE(machine_stores(kData));
  hart_.write_csr(csr::kMstatus, kMprv);
  put(kRam + 0x200, {kNop});
  hart_.set_pc(kRam + 0x200);
  run(1);
  EXPECT_EQ(hart_.pc(), kRam + 0x204) << "fetches are the machine's own";
}

TEST_F(RiscvPmp, BothSidesOfABorderInTurn) {
  allow_code();
  set(0, kNapot | kR | kW, napot(kData, 64));
  set(1, kNapot | kR, napot(kData + 64, 64));
  set(2, kNapot | kR | kW, napot(kDevice, 16));
  put(kCode, {sw(10, 10, 60), lw(11, 10, 64), sw(11, 10, 0), lw(12, 10, 60), sw(10, 20, 0),
              sw(10, 10, 64)});
  put(kData + 64, {0x1234});
  hart_.set_reg(10, kData);
  hart_.set_reg(20, kDevice);
  enter_user(kCode);
  run(7);
  EXPECT_EQ(hart_.reg(12), kData);
  EXPECT_EQ(word(kData), 0x1234u);
  EXPECT_EQ(device_[3], 0x80);
  expect_trap(Cause::kStoreAccessFault, kCode + 20, kData + 64);
}

TEST_F(RiscvPmp, AnInstructionAcrossABorderNeedsBothSides) {
  set(0, kNapot | kX, napot(kCode, 8));
  put16(kCode + 6, {0x0013, 0x0000});  // a nop whose second half is outside the entry's range
  enter_user(kCode + 6);
  run(2);
  expect_trap(Cause::kInstructionAccessFault, kCode + 6, kCode + 8);
}

TEST_F(RiscvPmp, CodeThatTheMachineHasRunIsCheckedAnewForUsers) {
  put(kData, {kNop, kEcall});
  hart_.set_pc(kData);
  run(1);  // decodes the instruction in machine mode
  allow_code();
  EXPECT_FALSE(user_jumps(kData));
  expect_trap(Cause::kInstructionAccessFault, kData, kData);
  set(0, kNapot | kX, napot(kData, 64));
  EXPECT_TRUE(user_jumps(kData));
  set(0, 0, 0);
  EXPECT_FALSE(user_jumps(kData)) << "what users have run is forgotten when the right goes";
}

TEST_F(RiscvPmp, UserCodeThatChangesIsDecodedAnew) {
  set(0, kNapot | kR | kW | kX, 0xFFFFFFFF);
  put(kCode, {addi(13, 0, 1), sw(12, 10, 0), jalr(0, 10, 0)});
  hart_.set_reg(10, kCode);
  hart_.set_reg(12, addi(13, 0, 2));
  enter_user(kCode);
  run(5);
  EXPECT_EQ(hart_.reg(13), 2u);
}

TEST_F(RiscvPmp, MisalignedAccessesNeedBothSides) {
  hart_.set_misaligned(Hart::Misaligned::kDone);
  allow_code();
  set(0, kNapot | kR, napot(kData, 8));
  put(kData, {0x11223344, 0x55667788});
  EXPECT_TRUE(user_loads(kData + 2));
  EXPECT_EQ(hart_.reg(11), 0x77881122u);
  EXPECT_FALSE(user_loads(kData + 6));
  expect_trap(Cause::kLoadAccessFault, kCode, kData + 8);
  set(1, kNapot | kR, napot(kData + 8, 8));
  EXPECT_TRUE(user_loads(kData + 6));
}

TEST_F(RiscvPmp, AtomicsNeedWhatTheyDo) {
  allow_code();
  set(0, kNapot | kR, napot(kData, 64));
  EXPECT_TRUE(user_runs(lr(11, 10), kData));
  EXPECT_FALSE(user_runs(sc(11, 10, 12), kData));
  expect_trap(Cause::kStoreAccessFault, kCode, kData);
  EXPECT_FALSE(user_runs(amo(0, 11, 10, 12), kData));
  expect_trap(Cause::kStoreAccessFault, kCode, kData);
  set(0, kNapot | kR | kW, napot(kData, 64));
  EXPECT_TRUE(user_runs(amo(0, 11, 10, 12), kData));
}

}  // namespace
}  // namespace dcc::riscv::test::pmp_tests
