// Encoders of RV32 instructions, written from the manual's format figures and independent of the
// decoder under test.
#pragma once

#include <cstdint>

namespace dcc::riscv::test {

using Word = std::uint32_t;

constexpr Word field(Word value, int high, int low) {
  return (value >> low) & ((Word{1} << (high - low + 1)) - 1);
}
constexpr Word enc_r(Word funct7, Word rs2, Word rs1, Word funct3, Word rd, Word opcode = 0x33) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr Word enc_i(std::int32_t imm, Word rs1, Word funct3, Word rd, Word opcode = 0x13) {
  return static_cast<Word>(imm) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr Word enc_s(std::int32_t imm, Word rs2, Word rs1, Word funct3) {
  const auto u = static_cast<Word>(imm);
  return field(u, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | field(u, 4, 0) << 7 | 0x23;
}
constexpr Word enc_b(std::int32_t imm, Word rs2, Word rs1, Word funct3) {
  const auto u = static_cast<Word>(imm);
  return field(u, 12, 12) << 31 | field(u, 10, 5) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
         field(u, 4, 1) << 8 | field(u, 11, 11) << 7 | 0x63;
}
constexpr Word enc_u(Word upper20, Word rd, Word opcode) {
  return upper20 << 12 | rd << 7 | opcode;
}
constexpr Word enc_j(std::int32_t imm, Word rd) {
  const auto u = static_cast<Word>(imm);
  return field(u, 20, 20) << 31 | field(u, 10, 1) << 21 | field(u, 11, 11) << 20 |
         field(u, 19, 12) << 12 | rd << 7 | 0x6F;
}
constexpr Word enc_cj(std::int32_t imm, bool link) {
  const auto u = static_cast<Word>(imm);
  return (link ? 0x2001u : 0xA001u) | field(u, 11, 11) << 12 | field(u, 4, 4) << 11 |
         field(u, 9, 8) << 9 | field(u, 10, 10) << 8 | field(u, 6, 6) << 7 | field(u, 7, 7) << 6 |
         field(u, 3, 1) << 3 | field(u, 5, 5) << 2;
}
constexpr Word enc_cb(std::int32_t imm, Word rs1_prime, bool not_equal) {
  const auto u = static_cast<Word>(imm);
  return (not_equal ? 0xE001u : 0xC001u) | field(u, 8, 8) << 12 | field(u, 4, 3) << 10 |
         rs1_prime << 7 | field(u, 7, 6) << 5 | field(u, 2, 1) << 3 | field(u, 5, 5) << 2;
}

// Short names of instructions, for directed tests.
constexpr Word lui(Word rd, Word upper20) { return enc_u(upper20 & 0xFFFFF, rd, 0x37); }
constexpr Word addi(Word rd, Word rs1, std::int32_t imm) { return enc_i(imm, rs1, 0, rd); }
constexpr Word lw(Word rd, Word rs1, std::int32_t imm) { return enc_i(imm, rs1, 2, rd, 0x03); }
constexpr Word sw(Word rs2, Word rs1, std::int32_t imm) { return enc_s(imm, rs2, rs1, 2); }
constexpr Word jalr(Word rd, Word rs1, std::int32_t imm) { return enc_i(imm, rs1, 0, rd, 0x67); }
constexpr Word csrrw(Word rd, Word csr, Word rs1) {
  return csr << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x73;
}
constexpr Word csrrs(Word rd, Word csr, Word rs1) {
  return csr << 20 | rs1 << 15 | 2 << 12 | rd << 7 | 0x73;
}
constexpr Word csrrc(Word rd, Word csr, Word rs1) {
  return csr << 20 | rs1 << 15 | 3 << 12 | rd << 7 | 0x73;
}
constexpr Word csrrwi(Word rd, Word csr, Word uimm) {
  return csr << 20 | uimm << 15 | 5 << 12 | rd << 7 | 0x73;
}
constexpr Word csrrsi(Word rd, Word csr, Word uimm) {
  return csr << 20 | uimm << 15 | 6 << 12 | rd << 7 | 0x73;
}
constexpr Word csrrci(Word rd, Word csr, Word uimm) {
  return csr << 20 | uimm << 15 | 7 << 12 | rd << 7 | 0x73;
}
/// An atomic operation of the A extension on the word at rs1; `funct5` is defined in the manual's
/// table 24.2.
constexpr Word amo(Word funct5, Word rd, Word rs1, Word rs2) {
  return enc_r(funct5 << 2, rs2, rs1, 2, rd, 0x2F);
}
constexpr Word lr(Word rd, Word rs1) { return amo(2, rd, rs1, 0); }
constexpr Word sc(Word rd, Word rs1, Word rs2) { return amo(3, rd, rs1, rs2); }
constexpr Word kNop = addi(0, 0, 0);
constexpr Word kEcall = 0x00000073, kEbreak = 0x00100073, kMret = 0x30200073, kWfi = 0x10500073,
               kFence = 0x0FF0000F, kFenceI = 0x0000100F, kCEbreak = 0x9002;

}  // namespace dcc::riscv::test
