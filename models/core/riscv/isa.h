// The instruction set the hart executes, as decoded operations: RV32IMC, Zicsr, Zifencei.
// Source: The RISC-V Instruction Set Manual, volume I (20191213), volume II (1.12).
#pragma once

#include <cstdint>

namespace dcc::riscv {

/// What one decoded instruction does. The compressed forms decode to the operation they stand for.
enum class Op : std::uint8_t {
  // Not instructions: states of a decode-cache entry.
  kUndecoded,
  kPageEnd,
  kDebugBreak,
  kIllegal,
  // RV32I. "Near": the target lies in the same page, imm counts cache entries.
  kLui,
  kAuipc,  // imm holds the finished sum
  kJal,
  kJalNear,
  kSelfLoop,  // jal x0, 0
  kJalr,
  kBeq,
  kBne,
  kBlt,
  kBge,
  kBltu,
  kBgeu,
  kBeqNear,
  kBneNear,
  kBltNear,
  kBgeNear,
  kBltuNear,
  kBgeuNear,
  kLb,
  kLh,
  kLw,
  kLbu,
  kLhu,
  kSb,
  kSh,
  kSw,
  kSbStack,  // stores relative to sp: compared with the end of the stack
  kShStack,
  kSwStack,
  kAddi,
  kSlti,
  kSltiu,
  kXori,
  kOri,
  kAndi,
  kSlli,
  kSrli,
  kSrai,
  kAdd,
  kSub,
  kSll,
  kSlt,
  kSltu,
  kXor,
  kSrl,
  kSra,
  kOr,
  kAnd,
  kFence,
  kFenceI,
  kEcall,
  kEbreak,
  kMret,
  kWfi,
  // M
  kMul,
  kMulh,
  kMulhsu,
  kMulhu,
  kDiv,
  kDivu,
  kRem,
  kRemu,
  // Zicsr. imm is the CSR's number, rs1 the register or the 5-bit immediate.
  kCsrrw,
  kCsrrs,
  kCsrrc,
  kCsrrwi,
  kCsrrsi,
  kCsrrci,
};

/// x0 as a destination: decoded to this index, so that execution never has to ask.
inline constexpr std::uint8_t kSink = 32;

/// One entry of the decode cache.
struct DecodedOp {
  std::int32_t imm = 0;
  std::uint32_t raw = 0;  // the instruction's own bits (16 of them if compressed)
  Op op = Op::kUndecoded;
  std::uint8_t rd = kSink;
  std::uint8_t rs1 = 0;
  std::uint8_t rs2 = 0;
  std::uint8_t halfwords = 2;  // length: 1 compressed, 2 otherwise
};

/// Exception codes of mcause (volume II, table 3.6).
enum class Cause : std::uint32_t {
  kInstructionMisaligned = 0,
  kInstructionAccessFault = 1,
  kIllegalInstruction = 2,
  kBreakpoint = 3,
  kLoadMisaligned = 4,
  kLoadAccessFault = 5,
  kStoreMisaligned = 6,
  kStoreAccessFault = 7,
  kEcallFromMachine = 11,
  // Interrupts, with bit 31.
  kMachineSoftware = 0x80000003,
  kMachineTimer = 0x80000007,
  kMachineExternal = 0x8000000B,
};

/// The specification's words for a cause ("store access fault").
const char* cause_name(std::uint32_t mcause);

/// CSR numbers (volume II, table 2.5).
namespace csr {
inline constexpr std::uint32_t kCycle = 0xC00, kInstret = 0xC02, kCycleh = 0xC80, kInstreth = 0xC82;
inline constexpr std::uint32_t kMvendorid = 0xF11, kMarchid = 0xF12, kMimpid = 0xF13,
                               kMhartid = 0xF14, kMconfigptr = 0xF15;
inline constexpr std::uint32_t kMstatus = 0x300, kMisa = 0x301, kMie = 0x304, kMtvec = 0x305,
                               kMstatush = 0x310;
inline constexpr std::uint32_t kMcountinhibit = 0x320, kMhpmevent3 = 0x323, kMhpmevent31 = 0x33F;
inline constexpr std::uint32_t kMscratch = 0x340, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343,
                               kMip = 0x344;
inline constexpr std::uint32_t kMcycle = 0xB00, kMinstret = 0xB02, kMhpmcounter3 = 0xB03,
                               kMhpmcounter31 = 0xB1F;
inline constexpr std::uint32_t kMcycleh = 0xB80, kMinstreth = 0xB82, kMhpmcounter3h = 0xB83,
                               kMhpmcounter31h = 0xB9F;
}  // namespace csr

}  // namespace dcc::riscv
