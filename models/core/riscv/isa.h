// The instruction set that the hart executes, as decoded operations: RV32IMAC, Zicsr, Zifencei.
// Source: The RISC-V Instruction Set Manual, volume I (20191213), volume II (1.12).
#pragma once

#include <cstdint>

namespace dcc::riscv {

// clang-format off
/// Every decoded operation, in the order of enum Op: X(name, mnemonic). The first five are states
/// of a decode-cache entry rather than instructions. "Near" forms jump within their page: imm
/// counts bytes of cache entries. "Stack" forms store relative to sp and are compared with the end
/// of the stack. Compressed instructions decode to the operation that they stand for.
#define DCC_RISCV_OPS(X)                                                                       \
  X(Undecoded, "?") X(PageEnd, "?") X(DebugBreak, "?") X(Trigger, "?")                         \
  X(Illegal, "illegal")                                                                        \
  X(Lui, "lui") X(Auipc, "auipc") /* imm holds the finished sum */                             \
  X(Jal, "jal") X(JalNear, "jal") X(SelfLoop, "jal") X(Jalr, "jalr")                           \
  X(Beq, "beq") X(Bne, "bne") X(Blt, "blt") X(Bge, "bge") X(Bltu, "bltu") X(Bgeu, "bgeu")      \
  X(BeqNear, "beq") X(BneNear, "bne") X(BltNear, "blt") X(BgeNear, "bge")                      \
  X(BltuNear, "bltu") X(BgeuNear, "bgeu")                                                      \
  X(Lb, "lb") X(Lh, "lh") X(Lw, "lw") X(Lbu, "lbu") X(Lhu, "lhu")                              \
  X(Sb, "sb") X(Sh, "sh") X(Sw, "sw")                                                          \
  X(SbStack, "sb") X(ShStack, "sh") X(SwStack, "sw")                                           \
  X(Addi, "addi") X(Slti, "slti") X(Sltiu, "sltiu") X(Xori, "xori") X(Ori, "ori")              \
  X(Andi, "andi") X(Slli, "slli") X(Srli, "srli") X(Srai, "srai")                              \
  X(Add, "add") X(Sub, "sub") X(Sll, "sll") X(Slt, "slt") X(Sltu, "sltu") X(Xor, "xor")        \
  X(Srl, "srl") X(Sra, "sra") X(Or, "or") X(And, "and")                                        \
  X(Fence, "fence") X(FenceI, "fence.i")                                                       \
  X(Ecall, "ecall") X(Ebreak, "ebreak") X(Mret, "mret") X(Wfi, "wfi")                          \
  X(Mul, "mul") X(Mulh, "mulh") X(Mulhsu, "mulhsu") X(Mulhu, "mulhu")                          \
  X(Div, "div") X(Divu, "divu") X(Rem, "rem") X(Remu, "remu")                                  \
  X(LrW, "lr.w") X(ScW, "sc.w") X(AmoSwapW, "amoswap.w") X(AmoAddW, "amoadd.w")                \
  X(AmoXorW, "amoxor.w") X(AmoAndW, "amoand.w") X(AmoOrW, "amoor.w")                           \
  X(AmoMinW, "amomin.w") X(AmoMaxW, "amomax.w")                                                \
  X(AmoMinuW, "amominu.w") X(AmoMaxuW, "amomaxu.w")                                            \
  /* imm is the CSR's number, rs1 the register or the 5-bit immediate */                       \
  X(Csrrw, "csrrw") X(Csrrs, "csrrs") X(Csrrc, "csrrc")                                        \
  X(Csrrwi, "csrrwi") X(Csrrsi, "csrrsi") X(Csrrci, "csrrci")

// clang-format on

enum class Op : std::uint8_t {
#define DCC_RISCV_ENUMERATOR(name, mnemonic) k##name,
  DCC_RISCV_OPS(DCC_RISCV_ENUMERATOR)
#undef DCC_RISCV_ENUMERATOR
};
#define DCC_RISCV_ONE(name, mnemonic) +1
static_assert(2 * (0 DCC_RISCV_OPS(DCC_RISCV_ONE)) <= 256, "a label of the inner loop is a byte");
#undef DCC_RISCV_ONE

/// Register index that stands for x0 as a destination, so that execution need not test for x0.
inline constexpr std::uint8_t kSink = 32;

/// One entry of the decode cache: an instruction with its fields taken apart.
struct DecodedOp {
  std::int32_t imm = 0;
  std::uint32_t raw = 0;  // the instruction word as fetched (16 bits if compressed)
  Op op = Op::kUndecoded;
  std::uint8_t rd = kSink;
  std::uint8_t rs1 = 0;
  std::uint8_t rs2 = 0;
  std::uint8_t halfwords = 2;  // length in halfwords: 1 if compressed, 2 otherwise
  std::uint8_t label = 0;      // index of the operation's jump label in the inner loop: see mark()

  /// Sets the operation that the inner loop executes at this entry: the instruction's operation, or
  /// a state of the entry.
  void mark(Op what) {
    op = what;
    label = static_cast<std::uint8_t>(2 * static_cast<unsigned>(what) + (halfwords == 1 ? 1 : 0));
  }
};
static_assert(sizeof(DecodedOp) == 16, "an entry's place is found by shifting");

/// Privilege modes of the hart, by their numbers in mstatus.MPP.
enum class Privilege : std::uint8_t { kUser = 0, kMachine = 3 };

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
  kEcallFromUser = 8,
  kEcallFromMachine = 11,
  // Interrupt causes of mcause; bit 31 is set.
  kMachineSoftware = 0x80000003,
  kMachineTimer = 0x80000007,
  kMachineExternal = 0x8000000B,
};

/// The specification's name of a trap cause ("store access fault").
const char* cause_name(std::uint32_t mcause);

/// CSR numbers (volume II, table 2.5).
namespace csr {
inline constexpr std::uint32_t kCycle = 0xC00, kInstret = 0xC02, kCycleh = 0xC80, kInstreth = 0xC82;
inline constexpr std::uint32_t kMvendorid = 0xF11, kMarchid = 0xF12, kMimpid = 0xF13,
                               kMhartid = 0xF14, kMconfigptr = 0xF15;
inline constexpr std::uint32_t kMstatus = 0x300, kMisa = 0x301, kMie = 0x304, kMtvec = 0x305,
                               kMstatush = 0x310;
inline constexpr std::uint32_t kMcounteren = 0x306, kMenvcfg = 0x30A, kMenvcfgh = 0x31A;
inline constexpr std::uint32_t kMcountinhibit = 0x320, kMhpmevent3 = 0x323, kMhpmevent31 = 0x33F;
inline constexpr std::uint32_t kMscratch = 0x340, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343,
                               kMip = 0x344;
inline constexpr std::uint32_t kPmpcfg0 = 0x3A0, kPmpcfg3 = 0x3A3, kPmpaddr0 = 0x3B0,
                               kPmpaddr15 = 0x3BF;
inline constexpr std::uint32_t kTselect = 0x7A0, kTdata1 = 0x7A1, kTdata2 = 0x7A2, kTdata3 = 0x7A3,
                               kTinfo = 0x7A4;
inline constexpr std::uint32_t kMcycle = 0xB00, kMinstret = 0xB02, kMhpmcounter3 = 0xB03,
                               kMhpmcounter31 = 0xB1F;
inline constexpr std::uint32_t kMcycleh = 0xB80, kMinstreth = 0xB82, kMhpmcounter3h = 0xB83,
                               kMhpmcounter31h = 0xB9F;
}  // namespace csr

}  // namespace dcc::riscv
