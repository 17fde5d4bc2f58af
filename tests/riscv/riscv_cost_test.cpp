// Tests the instruction costs that run_costed() adds up: each instruction counts once, jumps within
// a page and to another page cost the same, and branches cost more if taken. The costs change
// nothing else about the run.
#include "hart_fixture.h"

namespace dcc::riscv::test::cost_tests {
namespace {

class RiscvCost : public HartFixture {
 protected:
  RiscvCost() {
    costs_.of[static_cast<unsigned>(Op::kAddi)] = 1;
    for (const Op op : {Op::kBne, Op::kBneNear}) costs_.of[static_cast<unsigned>(op)] = 10;
    for (const Op op : {Op::kJal, Op::kJalNear, Op::kJalr}) {
      costs_.of[static_cast<unsigned>(op)] = 100;
    }
    costs_.of[static_cast<unsigned>(Op::kLw)] = 1000;
    costs_.taken = 10'000;
  }
  Hart::Costs costs_;
};

// A loop that begins on another page runs three times. Its first two branches back are taken.
TEST_F(RiscvCost, CountsEachInstructionOnce) {
  put(kRam, {addi(1, 0, 3), enc_j(0x2000, 5)});
  // lui, whose cost is zero, loads an address for the load
  put(kRam + 0x2004, {enc_u(kRam >> 12, 3, 0x37)});
  put(kRam + 0x2008, {lw(2, 3, 0), addi(1, 1, -1), enc_b(-8, 0, 1, 1), jalr(0, 5, 0)});
  std::uint64_t sum = 7;
  for (int turn = 0; turn < 2; ++turn) {  // in the second turn the code is already decoded
    hart_.set_pc(kRam);
    sum = 7;
    EXPECT_EQ(hart_.run_costed(2 + 1 + 3 * 3 + 1, costs_, sum), Stop::kBudget);
    EXPECT_EQ(hart_.pc(), kRam + 8);
    EXPECT_EQ(sum, 7u + 1 + 100 + 3 * (1000 + 1 + 10) + 2 * 10'000 + 100);
  }
}

TEST_F(RiscvCost, LeavesTheRunAsItIs) {
  put(kRam, {addi(1, 0, 3), addi(2, 1, 4), kEcall});
  std::uint64_t sum = 0;
  hart_.run_costed(3, costs_, sum);
  const std::uint64_t steps = hart_.steps();
  const std::uint32_t two = hart_.reg(2);
  hart_.reset(kRam);
  hart_.write_csr(csr::kMtvec, kHandler);
  run(3);
  EXPECT_EQ(hart_.steps(), steps);
  EXPECT_EQ(hart_.reg(2), two);
  EXPECT_EQ(sum, 2u) << "an instruction that traps counts with its own cost, here none";
}

}  // namespace
}  // namespace dcc::riscv::test::cost_tests
