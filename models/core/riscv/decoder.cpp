#include "riscv/decoder.h"

#include <utility>

namespace dcc::riscv {
namespace {

constexpr std::uint32_t bits(std::uint32_t v, int high, int low) {
  return (v >> low) & ((1u << (high - low + 1)) - 1);
}
constexpr std::int32_t sign_extend(std::uint32_t v, int width) {
  return static_cast<std::int32_t>(v << (32 - width)) >> (32 - width);
}

// Encoders of the 32-bit instructions that compressed instructions expand to.
constexpr std::uint32_t i_type(std::int32_t imm, std::uint32_t rs1, std::uint32_t funct3,
                               std::uint32_t rd, std::uint32_t opcode) {
  return (static_cast<std::uint32_t>(imm) & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 |
         opcode;
}
constexpr std::uint32_t s_type(std::uint32_t imm, std::uint32_t rs2, std::uint32_t rs1) {
  return bits(imm, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | 2u << 12 | bits(imm, 4, 0) << 7 | 0x23;
}
constexpr std::uint32_t r_type(std::uint32_t funct7, std::uint32_t rs2, std::uint32_t rs1,
                               std::uint32_t funct3, std::uint32_t rd) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33;
}
constexpr std::uint32_t jal(std::int32_t offset, std::uint32_t rd) {
  const auto o = static_cast<std::uint32_t>(offset);
  return bits(o, 20, 20) << 31 | bits(o, 10, 1) << 21 | bits(o, 11, 11) << 20 |
         bits(o, 19, 12) << 12 | rd << 7 | 0x6F;
}
constexpr std::uint32_t branch(std::int32_t offset, std::uint32_t rs1, std::uint32_t funct3) {
  const auto o = static_cast<std::uint32_t>(offset);
  return bits(o, 12, 12) << 31 | bits(o, 10, 5) << 25 | rs1 << 15 | funct3 << 12 |
         bits(o, 4, 1) << 8 | bits(o, 11, 11) << 7 | 0x63;
}

constexpr std::uint32_t kOpImm = 0x13, kOpLui = 0x37, kOpLoad = 0x03, kOpJalr = 0x67;
constexpr std::uint32_t kEbreakWord = 0x00100073;

std::int32_t cj_offset(std::uint32_t h) {
  return sign_extend(bits(h, 12, 12) << 11 | bits(h, 11, 11) << 4 | bits(h, 10, 9) << 8 |
                         bits(h, 8, 8) << 10 | bits(h, 7, 7) << 6 | bits(h, 6, 6) << 7 |
                         bits(h, 5, 3) << 1 | bits(h, 2, 2) << 5,
                     12);
}

std::uint32_t expand_quadrant0(std::uint32_t h) {
  const std::uint32_t rs1 = bits(h, 9, 7) + 8;
  const std::uint32_t r2 = bits(h, 4, 2) + 8;
  const std::uint32_t word = bits(h, 12, 10) << 3 | bits(h, 6, 6) << 2 | bits(h, 5, 5) << 6;
  switch (bits(h, 15, 13)) {
    case 0: {  // c.addi4spn
      const std::uint32_t imm =
          bits(h, 12, 11) << 4 | bits(h, 10, 7) << 6 | bits(h, 6, 6) << 2 | bits(h, 5, 5) << 3;
      return imm == 0 ? 0 : i_type(static_cast<std::int32_t>(imm), 2, 0, r2, kOpImm);
    }
    case 2:  // c.lw
      return i_type(static_cast<std::int32_t>(word), rs1, 2, r2, kOpLoad);
    case 6:  // c.sw
      return s_type(word, r2, rs1);
    default:
      return 0;
  }
}

std::uint32_t expand_arithmetic(std::uint32_t h, std::int32_t imm) {
  const std::uint32_t rd = bits(h, 9, 7) + 8;
  const std::uint32_t rs2 = bits(h, 4, 2) + 8;
  const bool wide_shift =
      bits(h, 12, 12) != 0;  // shift amounts of 32 and more are reserved on RV32
  switch (bits(h, 11, 10)) {
    case 0:  // c.srli
      return wide_shift ? 0 : i_type(imm & 31, rd, 5, rd, kOpImm);
    case 1:  // c.srai
      return wide_shift ? 0 : i_type(0x400 | (imm & 31), rd, 5, rd, kOpImm);
    case 2:  // c.andi
      return i_type(imm, rd, 7, rd, kOpImm);
    default:
      if (bits(h, 12, 12) != 0) return 0;
      switch (bits(h, 6, 5)) {
        case 0:
          return r_type(0x20, rs2, rd, 0, rd);  // c.sub
        case 1:
          return r_type(0, rs2, rd, 4, rd);  // c.xor
        case 2:
          return r_type(0, rs2, rd, 6, rd);  // c.or
        default:
          return r_type(0, rs2, rd, 7, rd);  // c.and
      }
  }
}

std::uint32_t expand_quadrant1(std::uint32_t h) {
  const std::uint32_t rd = bits(h, 11, 7);
  const std::int32_t imm = sign_extend(bits(h, 12, 12) << 5 | bits(h, 6, 2), 6);
  switch (bits(h, 15, 13)) {
    case 0:  // the encodings of c.addi and c.nop
      return i_type(imm, rd, 0, rd, kOpImm);
    case 1:  // c.jal
      return jal(cj_offset(h), 1);
    case 2:  // c.li
      return i_type(imm, 0, 0, rd, kOpImm);
    case 3:
      if (rd == 2) {  // c.addi16sp
        const std::int32_t sum =
            sign_extend(bits(h, 12, 12) << 9 | bits(h, 6, 6) << 4 | bits(h, 5, 5) << 6 |
                            bits(h, 4, 3) << 7 | bits(h, 2, 2) << 5,
                        10);
        return sum == 0 ? 0 : i_type(sum, 2, 0, 2, kOpImm);
      }
      return imm == 0 ? 0 : (static_cast<std::uint32_t>(imm) << 12 | rd << 7 | kOpLui);  // c.lui
    case 4:
      return expand_arithmetic(h, imm);
    case 5:  // c.j
      return jal(cj_offset(h), 0);
    default: {  // the encodings of c.beqz and c.bnez
      const std::int32_t offset =
          sign_extend(bits(h, 12, 12) << 8 | bits(h, 11, 10) << 3 | bits(h, 6, 5) << 6 |
                          bits(h, 4, 3) << 1 | bits(h, 2, 2) << 5,
                      9);
      return branch(offset, bits(h, 9, 7) + 8, bits(h, 13, 13));
    }
  }
}

std::uint32_t expand_quadrant2(std::uint32_t h) {
  const std::uint32_t rd = bits(h, 11, 7);
  const std::uint32_t rs2 = bits(h, 6, 2);
  switch (bits(h, 15, 13)) {
    case 0:  // c.slli
      return bits(h, 12, 12) != 0 ? 0 : i_type(static_cast<std::int32_t>(rs2), rd, 1, rd, kOpImm);
    case 2: {  // c.lwsp
      const std::uint32_t imm = bits(h, 12, 12) << 5 | bits(h, 6, 4) << 2 | bits(h, 3, 2) << 6;
      return rd == 0 ? 0 : i_type(static_cast<std::int32_t>(imm), 2, 2, rd, kOpLoad);
    }
    case 4:
      if (bits(h, 12, 12) == 0) {
        if (rs2 != 0) return r_type(0, rs2, 0, 0, rd);      // c.mv
        return rd == 0 ? 0 : i_type(0, rd, 0, 0, kOpJalr);  // c.jr
      }
      if (rs2 != 0) return r_type(0, rs2, rd, 0, rd);               // c.add
      return rd == 0 ? kEbreakWord : i_type(0, rd, 0, 1, kOpJalr);  // c.ebreak and c.jalr
    case 6:                                                         // c.swsp
      return s_type(bits(h, 12, 9) << 2 | bits(h, 8, 7) << 6, rs2, 2);
    default:
      return 0;
  }
}

constexpr Op kIllegalOp = Op::kIllegal;
// Operations by the field funct3 of the instruction.
constexpr Op kBranches[] = {Op::kBeq, Op::kBne, kIllegalOp, kIllegalOp,
                            Op::kBlt, Op::kBge, Op::kBltu,  Op::kBgeu};
constexpr Op kLoads[] = {Op::kLb,  Op::kLh,  Op::kLw,    kIllegalOp,
                         Op::kLbu, Op::kLhu, kIllegalOp, kIllegalOp};
constexpr Op kStores[] = {Op::kSb,    Op::kSh,    Op::kSw,    kIllegalOp,
                          kIllegalOp, kIllegalOp, kIllegalOp, kIllegalOp};
constexpr Op kStackStores[] = {Op::kSbStack, Op::kShStack, Op::kSwStack, kIllegalOp,
                               kIllegalOp,   kIllegalOp,   kIllegalOp,   kIllegalOp};
constexpr Op kImmediates[] = {Op::kAddi, Op::kSlli, Op::kSlti, Op::kSltiu,
                              Op::kXori, Op::kSrli, Op::kOri,  Op::kAndi};

Op immediate_op(std::uint32_t funct3, std::uint32_t funct7) {
  const bool shifts = funct3 == 1 || funct3 == 5;
  if (funct3 == 5 && funct7 == 0x20) return Op::kSrai;
  return shifts && funct7 != 0 ? Op::kIllegal : kImmediates[funct3];
}

Op register_op(std::uint32_t funct3, std::uint32_t funct7) {
  static constexpr Op kBase[] = {Op::kAdd, Op::kSll, Op::kSlt, Op::kSltu,
                                 Op::kXor, Op::kSrl, Op::kOr,  Op::kAnd};
  static constexpr Op kMulDiv[] = {Op::kMul, Op::kMulh, Op::kMulhsu, Op::kMulhu,
                                   Op::kDiv, Op::kDivu, Op::kRem,    Op::kRemu};
  if (funct7 == 0) return kBase[funct3];
  if (funct7 == 1) return kMulDiv[funct3];
  if (funct7 == 0x20 && funct3 == 0) return Op::kSub;
  if (funct7 == 0x20 && funct3 == 5) return Op::kSra;
  return Op::kIllegal;
}

Op atomic_op(std::uint32_t w) {
  constexpr std::pair<std::uint32_t, Op> kAtomics[] = {
      {0x00, Op::kAmoAddW}, {0x01, Op::kAmoSwapW}, {0x02, Op::kLrW},     {0x03, Op::kScW},
      {0x04, Op::kAmoXorW}, {0x08, Op::kAmoOrW},   {0x0C, Op::kAmoAndW}, {0x10, Op::kAmoMinW},
      {0x14, Op::kAmoMaxW}, {0x18, Op::kAmoMinuW}, {0x1C, Op::kAmoMaxuW}};
  if (bits(w, 14, 12) != 2) return Op::kIllegal;
  for (const auto& [funct5, op] : kAtomics) {
    if (funct5 != bits(w, 31, 27)) continue;
    return op == Op::kLrW && bits(w, 24, 20) != 0 ? Op::kIllegal : op;
  }
  return Op::kIllegal;
}

Op system_op(std::uint32_t w) {
  switch (bits(w, 14, 12)) {
    case 0:
      switch (w) {
        case 0x00000073:
          return Op::kEcall;
        case kEbreakWord:
          return Op::kEbreak;
        case 0x30200073:
          return Op::kMret;
        case 0x10500073:
          return Op::kWfi;
        default:
          return Op::kIllegal;
      }
    case 1:
      return Op::kCsrrw;
    case 2:
      return Op::kCsrrs;
    case 3:
      return Op::kCsrrc;
    case 5:
      return Op::kCsrrwi;
    case 6:
      return Op::kCsrrsi;
    case 7:
      return Op::kCsrrci;
    default:
      return Op::kIllegal;
  }
}

DecodedOp decode_word(std::uint32_t w, std::uint32_t pc) {
  DecodedOp d;
  const std::uint32_t funct3 = bits(w, 14, 12);
  const std::uint32_t funct7 = bits(w, 31, 25);
  const auto rd = static_cast<std::uint8_t>(bits(w, 11, 7));
  d.rd = rd == 0 ? kSink : rd;
  d.rs1 = static_cast<std::uint8_t>(bits(w, 19, 15));
  d.rs2 = static_cast<std::uint8_t>(bits(w, 24, 20));
  d.imm = sign_extend(bits(w, 31, 20), 12);
  switch (w & 0x7F) {
    case kOpLui:
      d.op = Op::kLui;
      d.imm = static_cast<std::int32_t>(w & 0xFFFFF000);
      break;
    case 0x17:
      d.op = Op::kAuipc;
      d.imm = static_cast<std::int32_t>(pc + (w & 0xFFFFF000));
      break;
    case 0x6F:
      d.op = Op::kJal;
      d.imm = sign_extend(bits(w, 31, 31) << 20 | bits(w, 19, 12) << 12 | bits(w, 20, 20) << 11 |
                              bits(w, 30, 21) << 1,
                          21);
      break;
    case kOpJalr:
      d.op = funct3 == 0 ? Op::kJalr : Op::kIllegal;
      break;
    case 0x63:
      d.op = kBranches[funct3];
      d.imm = sign_extend(
          bits(w, 31, 31) << 12 | bits(w, 7, 7) << 11 | bits(w, 30, 25) << 5 | bits(w, 11, 8) << 1,
          13);
      break;
    case kOpLoad:
      d.op = kLoads[funct3];
      break;
    case 0x23:
      d.op = d.rs1 == 2 ? kStackStores[funct3] : kStores[funct3];
      d.imm = sign_extend(bits(w, 31, 25) << 5 | bits(w, 11, 7), 12);
      break;
    case kOpImm:
      d.op = immediate_op(funct3, funct7);
      if (funct3 == 1 || funct3 == 5) d.imm = d.rs2;
      break;
    case 0x33:
      d.op = register_op(funct3, funct7);
      break;
    case 0x0F:
      d.op = funct3 == 0 ? Op::kFence : funct3 == 1 ? Op::kFenceI : Op::kIllegal;
      break;
    case 0x2F:
      d.op = atomic_op(w);
      d.imm = 0;
      break;
    case 0x73:
      d.op = system_op(w);
      d.imm = static_cast<std::int32_t>(bits(w, 31, 20));
      break;
    default:
      d.op = Op::kIllegal;
  }
  return d;
}

}  // namespace

std::uint32_t expand_compressed(std::uint32_t halfword) {
  switch (halfword & 3) {
    case 0:
      return expand_quadrant0(halfword);
    case 1:
      return expand_quadrant1(halfword);
    case 2:
      return expand_quadrant2(halfword);
    default:
      return 0;
  }
}

DecodedOp decode(std::uint32_t instruction, std::uint32_t pc) {
  const bool long_form = is_long(instruction);
  if (!long_form) instruction &= 0xFFFF;
  DecodedOp d = decode_word(long_form ? instruction : expand_compressed(instruction), pc);
  d.raw = instruction;
  d.halfwords = long_form ? 2 : 1;
  return d;
}

const char* cause_name(std::uint32_t mcause) {
  constexpr std::pair<Cause, const char*> kCauses[] = {
      {Cause::kInstructionMisaligned, "instruction address misaligned"},
      {Cause::kInstructionAccessFault, "instruction access fault"},
      {Cause::kIllegalInstruction, "illegal instruction"},
      {Cause::kBreakpoint, "breakpoint"},
      {Cause::kLoadMisaligned, "load address misaligned"},
      {Cause::kLoadAccessFault, "load access fault"},
      {Cause::kStoreMisaligned, "store address misaligned"},
      {Cause::kStoreAccessFault, "store access fault"},
      {Cause::kEcallFromUser, "environment call from user mode"},
      {Cause::kEcallFromMachine, "environment call"},
      {Cause::kMachineSoftware, "machine software interrupt"},
      {Cause::kMachineTimer, "machine timer interrupt"},
      {Cause::kMachineExternal, "machine external interrupt"},
  };
  for (const auto& [cause, name] : kCauses) {
    if (cause == static_cast<Cause>(mcause)) return name;
  }
  return "reserved cause";
}

}  // namespace dcc::riscv
