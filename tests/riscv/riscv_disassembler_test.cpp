// Tests the text of decoded instructions against the assembly syntax of the RISC-V manual.
#include <gtest/gtest.h>

#include <set>

#include "encode.h"
#include "riscv/decoder.h"
#include "riscv/disassembler.h"

namespace dcc::riscv {
namespace {

using namespace test;

constexpr std::uint32_t kPc = 0x80000100;

std::string text(Word bits) { return disassemble(decode(bits, kPc), kPc); }

TEST(Disassembler, FormatsOfTheManual) {
  EXPECT_EQ(text(enc_i(16, 2, 0, 10)), "addi a0,sp,16");
  EXPECT_EQ(text(enc_i(-8, 8, 2, 15, 0x03)), "lw a5,-8(s0)");
  EXPECT_EQ(text(enc_s(12, 10, 2, 2)), "sw a0,12(sp)");
  EXPECT_EQ(text(enc_s(-1, 31, 9, 0)), "sb t6,-1(s1)");
  EXPECT_EQ(text(enc_b(-16, 11, 10, 1)), "bne a0,a1,0x800000f0");
  EXPECT_EQ(text(enc_j(0x800, 1)), "jal ra,0x80000900");
  EXPECT_EQ(text(enc_i(4, 5, 0, 0, 0x67)), "jalr zero,4(t0)");
  EXPECT_EQ(text(enc_u(0x12345, 7, 0x37)), "lui t2,0x12345");
  EXPECT_EQ(text(enc_u(0x2, 3, 0x17)), "auipc gp,0x2");
  EXPECT_EQ(text(enc_r(0x20, 12, 11, 0, 10)), "sub a0,a1,a2");
  EXPECT_EQ(text(enc_r(1, 12, 11, 5, 10)), "divu a0,a1,a2");
  EXPECT_EQ(text(enc_i(0x400 | 3, 11, 5, 10)), "srai a0,a1,3");
  EXPECT_EQ(text(enc_i(0x300, 10, 1, 0, 0x73)), "csrrw zero,mstatus,a0");
  EXPECT_EQ(text(enc_i(0x304, 8, 6, 5, 0x73)), "csrrsi t0,mie,8");
  EXPECT_EQ(text(0x30200073), "mret");
  EXPECT_EQ(text(0x10500073), "wfi");
  EXPECT_EQ(text(0xFFFFFFFF), "illegal 0xffffffff");
}

TEST(Disassembler, CompressedOnesShowAsWhatTheyStandFor) {
  EXPECT_EQ(text(0x1141), "addi sp,sp,-16");   // encoding of c.addi
  EXPECT_EQ(text(0xC606), "sw ra,12(sp)");     // encoding of c.swsp
  EXPECT_EQ(text(0x8082), "jalr zero,0(ra)");  // encoding of c.jr ra
  EXPECT_EQ(text(0x9782), "jalr ra,0(a5)");    // encoding of c.jalr
  EXPECT_EQ(text(enc_cj(-4, true)), "jal ra,0x800000fc");
}

TEST(Disassembler, EveryRegisterHasItsOwnName) {
  std::set<std::string> names;
  for (unsigned i = 0; i < 32; ++i) names.insert(register_name(i));
  EXPECT_EQ(names.size(), 32u);
  EXPECT_STREQ(register_name(2), "sp");
  EXPECT_STREQ(register_name(8), "s0");
  EXPECT_STREQ(register_name(32), "?");
}

}  // namespace
}  // namespace dcc::riscv
