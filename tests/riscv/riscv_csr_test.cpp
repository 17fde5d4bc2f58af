// Tests control and status registers: reset values, writable bits, counters. The rules are those of
// the RISC-V Privileged Architecture 1.12, chapters 2 and 3.1.
#include "hart_fixture.h"

namespace dcc::riscv::test::csr_tests {
namespace {

class RiscvCsr : public HartFixture {
 protected:
  std::uint32_t after_write(std::uint32_t number, std::uint32_t value) {
    EXPECT_TRUE(hart_.write_csr(number, value)) << number;
    return csr(number);
  }
};

TEST_F(RiscvCsr, ResetValues) {
  hart_.reset(kRam);
  EXPECT_EQ(csr(csr::kMstatus), 0x1800u);
  EXPECT_EQ(csr(csr::kMisa), 0x40101105u);
  for (const std::uint32_t zero : {csr::kMie, csr::kMip, csr::kMtvec, csr::kMepc, csr::kMcause,
                                   csr::kMtval, csr::kMhartid, csr::kMvendorid, csr::kMcycle}) {
    EXPECT_EQ(csr(zero), 0u) << zero;
  }
}

TEST_F(RiscvCsr, HartIdIsTheOneGiven) {
  Hart second(*this, 7, Hart::Cpi{});
  std::uint32_t id = 0;
  ASSERT_TRUE(second.read_csr(csr::kMhartid, id));
  EXPECT_EQ(id, 7u);
  second.reset(0);
  ASSERT_TRUE(second.read_csr(csr::kMhartid, id));
  EXPECT_EQ(id, 7u);
}

TEST_F(RiscvCsr, WritableBits) {
  // writable bits: TW, MPRV, MPP, MPIE and MIE
  EXPECT_EQ(after_write(csr::kMstatus, 0xFFFFFFFF), 0x221888u);
  EXPECT_EQ(after_write(csr::kMstatus, 0), 0u);
  EXPECT_EQ(after_write(csr::kMie, 0xFFFFFFFF), 0x888u);
  EXPECT_EQ(after_write(csr::kMip, 0xFFFFFFFF), 0u);
  EXPECT_EQ(after_write(csr::kMisa, 0), 0x40101105u);
  EXPECT_EQ(after_write(csr::kMscratch, 0xDEADBEEF), 0xDEADBEEFu);
  EXPECT_EQ(after_write(csr::kMepc, 0xFFFFFFFF), 0xFFFFFFFEu);
  EXPECT_EQ(after_write(csr::kMcause, 0x8000000B), 0x8000000Bu);
  EXPECT_EQ(after_write(csr::kMtval, 0x12345678), 0x12345678u);
  EXPECT_EQ(after_write(csr::kMcountinhibit, 0xFFFFFFFF), 5u);
  EXPECT_EQ(after_write(csr::kMcounteren, 0xFFFFFFFF), 5u);
  EXPECT_EQ(after_write(csr::kMenvcfg, 0xFFFFFFFF), 0u);
  EXPECT_EQ(after_write(csr::kMhpmcounter3, 5), 0u);
}

TEST_F(RiscvCsr, TvecKeepsItsValueOnReservedModes) {
  EXPECT_EQ(after_write(csr::kMtvec, 0x80002001), 0x80002001u);
  EXPECT_EQ(after_write(csr::kMtvec, 0x80004002), 0x80002001u);
  EXPECT_EQ(after_write(csr::kMtvec, 0x80004003), 0x80002001u);
  EXPECT_EQ(after_write(csr::kMtvec, 0x80004000), 0x80004000u);
}

TEST_F(RiscvCsr, ReadModifyWriteForms) {
  hart_.write_csr(csr::kMscratch, 0xF0);
  hart_.set_reg(5, 0x3C);
  put(kRam, {csrrs(6, csr::kMscratch, 5), csrrc(7, csr::kMscratch, 5), csrrw(8, csr::kMscratch, 5),
             csrrsi(9, csr::kMscratch, 3), csrrci(10, csr::kMscratch, 0x1F),
             csrrwi(11, csr::kMscratch, 0x15), csrrs(12, csr::kMscratch, 0)});
  run(7);
  EXPECT_EQ(hart_.reg(6), 0xF0u);
  EXPECT_EQ(hart_.reg(7), 0xFCu);
  EXPECT_EQ(hart_.reg(8), 0xC0u);
  EXPECT_EQ(hart_.reg(9), 0x3Cu);
  EXPECT_EQ(hart_.reg(10), 0x3Fu);
  EXPECT_EQ(hart_.reg(11), 0x20u);
  EXPECT_EQ(hart_.reg(12), 0x15u);
}

TEST_F(RiscvCsr, SwapWithItself) {
  hart_.write_csr(csr::kMscratch, 1);
  hart_.set_reg(5, 2);
  put(kRam, {csrrw(5, csr::kMscratch, 5)});
  run(1);
  EXPECT_EQ(hart_.reg(5), 1u);
  EXPECT_EQ(csr(csr::kMscratch), 2u);
}

TEST_F(RiscvCsr, X0StaysZero) {
  hart_.write_csr(csr::kMscratch, 9);
  put(kRam, {csrrs(0, csr::kMscratch, 0), lui(0, 5), addi(5, 0, 0)});
  hart_.set_reg(5, 1);
  run(3);
  EXPECT_EQ(hart_.reg(0), 0u);
  EXPECT_EQ(hart_.reg(5), 0u);
}

TEST_F(RiscvCsr, InstretCountsWhatRetiredBefore) {
  put(kRam, {kNop, kNop, csrrs(5, csr::kMinstret, 0), csrrs(6, csr::kInstret, 0),
             csrrs(7, csr::kCycle, 0)});
  run(5);
  EXPECT_EQ(hart_.reg(5), 2u);
  EXPECT_EQ(hart_.reg(6), 3u);
  EXPECT_EQ(hart_.reg(7), 4u);
}

TEST_F(RiscvCsr, CountersReadBackWhatWasWritten) {
  hart_.set_reg(5, 1000);
  hart_.set_reg(6, 0xFFFFFFFF);
  put(kRam, {csrrw(0, csr::kMinstret, 5), csrrs(7, csr::kMinstret, 0), csrrw(0, csr::kMcycle, 6),
             csrrs(8, csr::kMcycle, 0), csrrs(9, csr::kMcycleh, 0), csrrs(10, csr::kMcycle, 0),
             csrrw(0, csr::kMinstreth, 5), csrrs(11, csr::kMinstreth, 0)});
  run(8);
  EXPECT_EQ(hart_.reg(7), 1000u);
  EXPECT_EQ(hart_.reg(8), 0xFFFFFFFFu);
  EXPECT_EQ(hart_.reg(9), 1u) << "carried into the upper half";
  EXPECT_EQ(hart_.reg(10), 1u);
  EXPECT_EQ(hart_.reg(11), 1000u);
}

TEST_F(RiscvCsr, AWriteToEitherHalfOfACounterReplacesItsIncrement) {
  hart_.set_reg(5, 0xFFFFFFFF);
  put(kRam, {csrrw(0, csr::kMinstret, 5), csrrw(0, csr::kMinstreth, 5), kNop,
             csrrs(6, csr::kMinstret, 0), csrrs(7, csr::kMinstreth, 0)});
  run(5);
  EXPECT_EQ(hart_.reg(6), 0u) << "one nop after 2^64 - 1";
  EXPECT_EQ(hart_.reg(7), 0u);

  hart_.reset(kRam);
  hart_.set_reg(5, 0xFFFFFFFF);
  hart_.set_reg(6, 7);
  put(kRam, {csrrw(0, csr::kMcycle, 5), csrrw(0, csr::kMcycle, 6), csrrs(7, csr::kMcycle, 0),
             csrrs(8, csr::kMcycleh, 0)});
  run(4);
  EXPECT_EQ(hart_.reg(7), 7u);
  EXPECT_EQ(hart_.reg(8), 0u) << "the increment that the second write replaces carries nothing";
}

TEST_F(RiscvCsr, CountersCarryAndWrap) {
  hart_.set_reg(5, 0xFFFFFFFF);
  put(kRam, {csrrw(0, csr::kMinstreth, 5), csrrw(0, csr::kMinstret, 5), csrrs(6, csr::kMinstret, 0),
             csrrs(7, csr::kMinstret, 0), csrrs(8, csr::kMinstreth, 0)});
  run(5);
  EXPECT_EQ(hart_.reg(6), 0xFFFFFFFFu);
  EXPECT_EQ(hart_.reg(7), 0u);
  EXPECT_EQ(hart_.reg(8), 0u);
}

TEST_F(RiscvCsr, CountersStopWhileInhibited) {
  put(kRam,
      {csrrwi(0, csr::kMcountinhibit, 4), csrrs(5, csr::kMinstret, 0), kNop,
       csrrs(6, csr::kMinstret, 0), csrrs(7, csr::kMcycle, 0), csrrwi(0, csr::kMinstret, 20), kNop,
       csrrs(8, csr::kMinstret, 0), csrrwi(0, csr::kMcountinhibit, 1), csrrs(9, csr::kMinstret, 0),
       csrrs(10, csr::kMinstret, 0), csrrs(11, csr::kMcycle, 0), csrrs(12, csr::kMcycle, 0)});
  run(13);
  EXPECT_EQ(hart_.reg(5), 1u);
  EXPECT_EQ(hart_.reg(6), 1u);
  EXPECT_EQ(hart_.reg(7), 4u) << "the other one goes on";
  EXPECT_EQ(hart_.reg(8), 20u) << "written while it stands";
  EXPECT_EQ(hart_.reg(9), 20u) << "and goes on from there";
  EXPECT_EQ(hart_.reg(10), 21u);
  EXPECT_EQ(hart_.reg(11), 9u);
  EXPECT_EQ(hart_.reg(12), 9u);
}

TEST_F(RiscvCsr, CyclesFollowTheCpi) {
  Hart slow(*this, 0, Hart::Cpi{5, 4});
  slow.reset(kRam);
  slow.set_ram({memory_.data(), kRam, kRamBytes});
  put(kRam, {kNop, kNop, kNop, kNop, csrrs(5, csr::kMcycle, 0), csrrs(6, csr::kMcycle, 0)});
  slow.run(4);
  slow.add_stall_cycles(100);
  slow.run(2);
  EXPECT_EQ(slow.reg(5), 105u);
  EXPECT_EQ(slow.reg(6), 106u);  // five instructions take 5 · 5/4 = 6.25 cycles
  EXPECT_EQ(slow.cycles(), 107u);
}

}  // namespace
}  // namespace dcc::riscv::test::csr_tests
