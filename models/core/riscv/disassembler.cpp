#include "riscv/disassembler.h"

#include <cstdio>

#include "riscv/csr_file.h"

namespace dcc::riscv {
namespace {

const char* mnemonic(Op op) {
#define DCC_MNEMONIC(name, text) text,
  static const char* const kTexts[] = {DCC_RISCV_OPS(DCC_MNEMONIC)};
#undef DCC_MNEMONIC
  return kTexts[static_cast<unsigned>(op)];
}

bool between(Op op, Op first, Op last) { return op >= first && op <= last; }

std::string operands(const DecodedOp& d, std::uint32_t pc) {
  const std::string rd = register_name(d.rd == kSink ? 0 : d.rd);
  const std::string rs1 = register_name(d.rs1);
  const std::string rs2 = register_name(d.rs2);
  const auto imm = static_cast<std::uint32_t>(d.imm);
  if (d.op == Op::kLui) return rd + "," + hex(imm >> 12);
  if (d.op == Op::kAuipc) return rd + "," + hex((imm - pc) >> 12);
  if (d.op == Op::kJal) return rd + "," + hex(pc + imm);
  if (d.op == Op::kJalr || between(d.op, Op::kLb, Op::kLhu)) {
    return rd + "," + std::to_string(d.imm) + "(" + rs1 + ")";
  }
  if (between(d.op, Op::kSb, Op::kSwStack)) {
    return rs2 + "," + std::to_string(d.imm) + "(" + rs1 + ")";
  }
  if (between(d.op, Op::kBeq, Op::kBgeu)) return rs1 + "," + rs2 + "," + hex(pc + imm);
  if (between(d.op, Op::kAddi, Op::kSrai)) return rd + "," + rs1 + "," + std::to_string(d.imm);
  if (between(d.op, Op::kAdd, Op::kAnd) || between(d.op, Op::kMul, Op::kRemu)) {
    return rd + "," + rs1 + "," + rs2;
  }
  if (between(d.op, Op::kCsrrw, Op::kCsrrci)) {
    const char* name = csr_name(imm);
    return rd + "," + (name != nullptr ? name : hex(imm)) + "," +
           (d.op >= Op::kCsrrwi ? std::to_string(d.rs1) : rs1);
  }
  if (d.op == Op::kLrW) return rd + ",(" + rs1 + ")";
  if (between(d.op, Op::kScW, Op::kAmoMaxuW)) return rd + "," + rs2 + ",(" + rs1 + ")";
  if (d.op == Op::kIllegal) return hex(d.raw);
  return "";
}

}  // namespace

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

const char* register_name(unsigned index) {
  static const char* const kNames[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                       "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                       "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                       "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  return index < 32 ? kNames[index] : "?";
}

std::string disassemble(const DecodedOp& op, std::uint32_t pc) {
  const std::string rest = operands(op, pc);
  std::string text = mnemonic(op.op);
  if (between(op.op, Op::kLrW, Op::kAmoMaxuW)) {
    const unsigned order = op.raw >> 25 & 3;  // ordering bits aq and rl of an atomic operation
    text += order == 3 ? ".aqrl" : order == 2 ? ".aq" : order == 1 ? ".rl" : "";
  }
  return rest.empty() ? text : text + " " + rest;
}

}  // namespace dcc::riscv
