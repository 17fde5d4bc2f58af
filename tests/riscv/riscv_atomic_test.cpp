// Tests the A extension: reservations, read-modify-write operations, and their faults. The rules
// are those of the RISC-V Instruction Set Manual, volume I, chapter 8.
#include "hart_fixture.h"
#include "riscv/disassembler.h"

namespace dcc::riscv::test::atomic_tests {
namespace {

constexpr std::uint32_t kWord = kRam + 0x800;

class RiscvAtomic : public HartFixture {
 protected:
  RiscvAtomic() { hart_.set_reg(10, kWord); }
  void stored(std::uint32_t address, std::uint32_t /*size*/) override {
    stored_.push_back(address);
  }
  void set_word(std::uint32_t value) { put(kWord, {value}); }
  /// Executes an atomic operation on a word that holds `old`. Returns the new contents of the word.
  std::uint32_t result(Word funct5, std::uint32_t old, std::uint32_t operand) {
    hart_.reset(kRam);
    hart_.write_csr(csr::kMtvec, kHandler);
    hart_.set_reg(10, kWord);
    set_word(old);
    hart_.set_reg(11, operand);
    put(kRam, {amo(funct5, 12, 10, 11)});
    run(1);
    EXPECT_EQ(hart_.reg(12), old);
    EXPECT_EQ(hart_.pc(), kRam + 4);
    return word(kWord);
  }

  std::vector<std::uint32_t> stored_;  // addresses of the stores that the hart reported
};

TEST_F(RiscvAtomic, OperationsLeaveTheirResultAndGiveTheOldValue) {
  constexpr std::uint32_t kMinus = 0xFFFFFFFE;
  EXPECT_EQ(result(0x01, 5, 7), 7u);       // operation amoswap
  EXPECT_EQ(result(0x00, 5, kMinus), 3u);  // operation amoadd
  EXPECT_EQ(result(0x04, 0xFF00FF00, 0x0FF00FF0), 0xF0F0F0F0u);
  EXPECT_EQ(result(0x0C, 0xFF00FF00, 0x0FF00FF0), 0x0F000F00u);
  EXPECT_EQ(result(0x08, 0xFF00FF00, 0x0FF00FF0), 0xFFF0FFF0u);
  EXPECT_EQ(result(0x10, 5, kMinus), kMinus);  // operation amomin
  EXPECT_EQ(result(0x10, kMinus, 5), kMinus);
  EXPECT_EQ(result(0x14, 5, kMinus), 5u);  // operation amomax
  EXPECT_EQ(result(0x14, kMinus, 5), 5u);
  EXPECT_EQ(result(0x18, 5, kMinus), 5u);      // operation amominu
  EXPECT_EQ(result(0x1C, 5, kMinus), kMinus);  // operation amomaxu
}

TEST_F(RiscvAtomic, DestinationMayBeSourceOrZero) {
  set_word(40);
  hart_.set_reg(11, 2);
  put(kRam, {amo(0, 11, 10, 11), amo(0, 0, 10, 11), amo(0x01, 10, 10, 11)});
  run(3);
  EXPECT_EQ(hart_.reg(11), 40u);
  EXPECT_EQ(hart_.reg(0), 0u);
  EXPECT_EQ(hart_.reg(10), 82u);
  EXPECT_EQ(word(kWord), 40u);
}

TEST_F(RiscvAtomic, AReservationIsUsedUpByOneStore) {
  set_word(1);
  hart_.set_reg(11, 2);
  put(kRam, {lr(12, 10), sc(13, 10, 11), sc(14, 10, 0)});
  run(3);
  EXPECT_EQ(hart_.reg(12), 1u);
  EXPECT_EQ(hart_.reg(13), 0u) << "stored";
  EXPECT_NE(hart_.reg(14), 0u) << "no reservation any more";
  EXPECT_EQ(word(kWord), 2u);
}

TEST_F(RiscvAtomic, AnyAlignedWordIsReserved) {
  for (const std::uint32_t offset : {4u, 8u, 12u}) {
    hart_.set_pc(kRam);
    hart_.set_reg(10, kWord + offset);
    put(kRam, {lr(12, 10), sc(13, 10, 11)});
    run(1);
    EXPECT_EQ(hart_.reservation(), kWord + offset);
    run(1);
    EXPECT_EQ(hart_.reg(13), 0u) << offset;
  }
}

TEST_F(RiscvAtomic, AStoreOfAnotherMasterEndsTheReservation) {
  const struct {
    std::uint32_t address, bytes;
    bool kept;
  } kStores[] = {{kWord, 4, false},       {kWord + 3, 1, false}, {kWord - 3, 4, false},
                 {kWord - 64, 65, false}, {kWord + 4, 4, true},  {kWord - 4, 4, true}};
  for (const auto& one : kStores) {
    hart_.set_pc(kRam);
    set_word(1);
    put(kRam, {lr(12, 10), sc(13, 10, 11)});
    run(1);
    EXPECT_EQ(hart_.reservation(), kWord);
    hart_.foreign_store(one.address, one.bytes);
    EXPECT_EQ(hart_.reservation().has_value(), one.kept);
    run(1);
    EXPECT_EQ(hart_.reg(13) == 0, one.kept) << one.address - kWord;
  }
}

TEST_F(RiscvAtomic, StoresToAGuardedPageAreReported) {
  set_word(1);
  put(kRam, {sw(11, 10, 4), sw(11, 10, 4), sw(11, 10, 4)});
  run(1);
  EXPECT_TRUE(stored_.empty());
  hart_.guard({kWord});
  run(1);
  EXPECT_EQ(stored_, std::vector<std::uint32_t>{kWord + 4});
  hart_.guard({});
  run(1);
  EXPECT_EQ(stored_.size(), 1u);
}

TEST_F(RiscvAtomic, AReservationIsForOneWord) {
  hart_.set_reg(11, kWord + 4);
  put(kRam, {lr(12, 10), sc(13, 11, 10), sc(14, 10, 11)});
  run(3);
  EXPECT_NE(hart_.reg(13), 0u);
  EXPECT_NE(hart_.reg(14), 0u) << "a store that fails ends the reservation, too";
  EXPECT_EQ(word(kWord + 4), 0u);
}

TEST_F(RiscvAtomic, AWriteByAnotherMasterIsSeen) {
  hart_.set_reg(11, 9);
  put(kRam, {lr(12, 10), sc(13, 10, 11)});
  run(1);
  set_word(5);  // a device changes the word by direct access
  run(1);
  EXPECT_NE(hart_.reg(13), 0u);
  EXPECT_EQ(word(kWord), 5u);
}

TEST_F(RiscvAtomic, ATrapEndsTheReservation) {
  put(kHandler, {csrrw(0, csr::kMepc, 15), kMret});
  hart_.set_reg(15, kRam + 8);
  put(kRam, {lr(12, 10), kEcall, sc(13, 10, 11)});
  run(5);
  EXPECT_EQ(hart_.pc(), kRam + 12);
  EXPECT_NE(hart_.reg(13), 0u);
}

TEST_F(RiscvAtomic, AnExceptionEndsTheReservationBeforeItsHandler) {
  put(kHandler, {sc(13, 10, 11)});
  put(kRam, {lr(12, 10), kEcall});
  run(3);
  EXPECT_EQ(hart_.pc(), kHandler + 4);
  EXPECT_NE(hart_.reg(13), 0u);
}

TEST_F(RiscvAtomic, TheReturnFromATrapEndsAReservationOfTheHandler) {
  put(kHandler, {csrrw(0, csr::kMepc, 15), lr(12, 10), kMret});
  hart_.set_reg(15, kRam + 4);
  put(kRam, {kEcall, sc(13, 10, 11)});
  run(5);
  EXPECT_EQ(hart_.pc(), kRam + 8);
  EXPECT_NE(hart_.reg(13), 0u);
}

TEST_F(RiscvAtomic, AnInterruptEndsTheReservation) {
  hart_.write_csr(csr::kMie, 1u << 7);
  hart_.write_csr(csr::kMstatus, 1u << 3);
  put(kHandler, {csrrw(0, csr::kMie, 0), sc(13, 10, 11)});
  put(kRam, {lr(12, 10)});
  run(1);
  hart_.set_interrupt_line(Cause::kMachineTimer, true);
  run(2);
  EXPECT_EQ(hart_.pc(), kHandler + 8);
  EXPECT_NE(hart_.reg(13), 0u);
}

TEST_F(RiscvAtomic, MisalignedAlwaysTraps) {
  hart_.set_misaligned(Hart::Misaligned::kDone);
  hart_.set_reg(10, kWord + 2);
  put(kRam, {lr(12, 10)});
  run(1);
  expect_trap(Cause::kLoadMisaligned, kRam, kWord + 2);
  hart_.set_pc(kRam + 0x10);
  put(kRam + 0x10, {sc(12, 10, 11)});
  run(1);
  expect_trap(Cause::kStoreMisaligned, kRam + 0x10, kWord + 2);
  hart_.set_pc(kRam + 0x20);
  put(kRam + 0x20, {amo(0, 12, 10, 11)});
  run(1);
  expect_trap(Cause::kStoreMisaligned, kRam + 0x20, kWord + 2);
}

TEST_F(RiscvAtomic, DevicesHaveNone) {
  hart_.set_reg(10, kDevice);
  put(kRam, {lr(12, 10)});
  run(1);
  expect_trap(Cause::kLoadAccessFault, kRam, kDevice);
  hart_.set_pc(kRam + 0x10);
  put(kRam + 0x10, {amo(0x01, 12, 10, 11)});
  run(1);
  expect_trap(Cause::kStoreAccessFault, kRam + 0x10, kDevice);
  EXPECT_EQ(device_loads_, 0) << "nothing may reach it";
}

TEST_F(RiscvAtomic, ChangedCodeIsDecodedAnew) {
  put(kRam, {amo(0x01, 12, 10, 11), jalr(0, 10, 0)});
  put(kWord, {addi(13, 0, 1), kEbreak});
  hart_.set_reg(11, addi(13, 0, 2));
  hart_.set_reg(5, kRam);
  put(kHandler, {jalr(0, 5, 0)});
  hart_.set_pc(kWord);  // brings the word into the decode cache first
  run(4);
  EXPECT_EQ(hart_.reg(13), 1u);
  run(2);
  EXPECT_EQ(hart_.reg(13), 2u);
}

TEST_F(RiscvAtomic, WatchpointsSeeBothHalves) {
  hart_.add_watchpoint(Watchpoint{kWord, 4, true, false});
  put(kRam, {amo(0, 12, 10, 11), kNop});
  EXPECT_EQ(run(2), Stop::kWatchpoint);
  EXPECT_EQ(hart_.pc(), kRam + 4);
  hart_.remove_watchpoint(Watchpoint{kWord, 4, true, false});
  hart_.add_watchpoint(Watchpoint{kWord, 4, false, true});
  hart_.set_pc(kRam);
  EXPECT_EQ(run(2), Stop::kWatchpoint);
}

TEST_F(RiscvAtomic, ReservedEncodingsAreIllegal) {
  for (const Word w : {enc_r(2 << 2, 1, 10, 2, 12, 0x2F),         // lr.w with rs2 other than x0
                       enc_r(0, 11, 10, 3, 12, 0x2F),             // the 64-bit instruction amoadd.d
                       enc_r(0x05 << 2, 11, 10, 2, 12, 0x2F)}) {  // an AMO with an unknown funct5
    hart_.set_pc(kRam + 0x40);
    put(kRam + 0x40, {w});
    hart_.code_changed(kRam + 0x40, 4);
    run(1);
    expect_trap(Cause::kIllegalInstruction, kRam + 0x40, w);
  }
}

TEST_F(RiscvAtomic, Disassembly) {
  const auto text = [this](Word w) {
    put(kRam + 0x80, {w});
    DecodedOp op;
    EXPECT_TRUE(hart_.instruction_at(kRam + 0x80, op));
    return disassemble(op, kRam + 0x80);
  };
  EXPECT_EQ(text(lr(12, 10)), "lr.w a2,(a0)");
  EXPECT_EQ(text(sc(12, 10, 11) | 1u << 25), "sc.w.rl a2,a1,(a0)");
  EXPECT_EQ(text(amo(0x1C, 12, 10, 11) | 3u << 25), "amomaxu.w.aqrl a2,a1,(a0)");
}

}  // namespace
}  // namespace dcc::riscv::test::atomic_tests
