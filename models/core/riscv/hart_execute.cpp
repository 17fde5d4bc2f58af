// The inner loop of the hart: threaded code over decoded operations.
#include <cstring>

#include "riscv/hart.h"

// Labels as values, a compiler extension (gcc, clang): with one jump per operation the processor
// predicts the next operation from the present one, which is worth a factor of three over a switch
// on tight loops.
#pragma GCC diagnostic ignored "-Wpedantic"

#define DCC_INLINE __attribute__((always_inline))
// Generates the code of an operation twice: for instructions of four bytes and of two bytes. So the
// distance to the next decoded entry is a constant, and the processor finds the next entry without
// waiting for the contents of the present entry.
#define OP(name, ...)             \
  op_##name : {                   \
    constexpr int kHalfwords = 2; \
    __VA_ARGS__                   \
  }                               \
  short_##name : {                \
    constexpr int kHalfwords = 1; \
    __VA_ARGS__                   \
  }
// Generates code once, for operations that are rare or leave the loop.
#define RARE(name) op_##name : short_##name
#define NEXT()                                                                     \
  do {                                                                             \
    if (left == 0) goto used_up;                                                   \
    --left;                                                                        \
    if constexpr (kCosted) cost_ += costs_->of[static_cast<std::uint8_t>(ip->op)]; \
    goto* kLabels[ip->label];                                                      \
  } while (false)
#define TAKEN() \
  if constexpr (kCosted) cost_ += costs_->taken
#define NEXT_IF(done) \
  if (done) NEXT();   \
  return
#define RS1 x[ip->rs1]
#define RS2 x[ip->rs2]
#define IMM as_unsigned(ip->imm)
#define PC pc_of(page, ip)
#define NEXT_PC (PC + 2 * static_cast<U32>(ip->halfwords))
#define WRITE(value)   \
  x[ip->rd] = (value); \
  ip += kHalfwords;    \
  NEXT();
// Uses a branch instead of a conditional move, which would have to wait for both operands of the
// comparison.
#define BRANCH_NEAR(taken)   \
  if (taken) {               \
    TAKEN();                 \
    ip = moved(ip, ip->imm); \
    NEXT();                  \
  }                          \
  ip += kHalfwords;          \
  NEXT();
#define BRANCH(taken)         \
  if (taken) {                \
    TAKEN();                  \
    NEXT_IF(go_to(PC + IMM)); \
  }                           \
  ip += kHalfwords;           \
  NEXT();
// An access in the window of RAM is done directly, any other access by the general path. A store
// may overwrite the running instruction, whose decoded entry is then gone; so a copy of the entry
// says where the next instruction is.
#define LOAD(size, convert)                \
  if (load(size, convert)) {               \
    ip += kHalfwords;                      \
    NEXT();                                \
  }                                        \
  if (!load_slowly(size, convert)) return; \
  NEXT_IF(resume(*ip));
#define STORE(size)                                                                \
  if (store(size)) {                                                               \
    ip += kHalfwords;                                                              \
    NEXT();                                                                        \
  }                                                                                \
  {                                                                                \
    const DecodedOp op = *ip;                                                      \
    publish();                                                                     \
    if (!slow_store(x[op.rs1] + as_unsigned(op.imm), size, PC, x[op.rs2])) return; \
    NEXT_IF(resume(op));                                                           \
  }

namespace dcc::riscv {
namespace {

using U32 = std::uint32_t;
using S32 = std::int32_t;
using U64 = std::uint64_t;
using S64 = std::int64_t;

constexpr S32 as_signed(U32 v) { return static_cast<S32>(v); }
constexpr U32 as_unsigned(S32 v) { return static_cast<U32>(v); }
constexpr S64 wide(U32 v) { return as_signed(v); }

// Division never traps (volume I, table 7.1): division by zero gives all ones or the dividend, and
// the only quotient that overflows gives the dividend.
constexpr bool overflows(U32 a, U32 b) { return a == 0x80000000u && b == 0xFFFFFFFFu; }
constexpr U32 divide(U32 a, U32 b) {
  if (b == 0) return 0xFFFFFFFFu;
  return overflows(a, b) ? a : as_unsigned(as_signed(a) / as_signed(b));
}
constexpr U32 remainder(U32 a, U32 b) {
  if (b == 0) return a;
  return overflows(a, b) ? 0 : as_unsigned(as_signed(a) % as_signed(b));
}

DecodedOp* moved(DecodedOp* ip, std::ptrdiff_t bytes_of_entries) {
  return reinterpret_cast<DecodedOp*>(reinterpret_cast<char*>(ip) + bytes_of_entries);
}
U32 pc_of(const DecodedPage* page, const DecodedOp* ip) {
  return page->base + 2 * static_cast<U32>(ip - page->ops.data());
}

}  // namespace

// Runs instructions until `end` steps are done, a trap is taken, or attention_ is set. pc_ and
// steps_ are valid whenever code outside this function runs. kCosted: also adds up the costs of
// instructions.
template <bool kCosted>
void Hart::execute(std::uint64_t end) {
  attention_ = false;
  DecodedPage* page = cache_.page(pc_);
  if (page == nullptr) {
    ++steps_;
    raise(Cause::kInstructionAccessFault, pc_, pc_);
    return;
  }
  U32* const x = x_.data();
  U32 window_base = window_base_;
  // host address of the directly accessible window of RAM
  std::uint8_t* window = ram_.data + (window_base_ - ram_.base);
  U32 load_window = load_window_;
  U32 store_window = store_window_;
  const std::uint8_t* const holds_code = cache_.holds_code();
  const U32 code_base = cache_.base();
  U64 left = end - steps_;
  DecodedOp* ip = &page->ops[(pc_ - page->base) / 2];

  // Brings steps_ up to date, the present instruction included. Called before code outside the loop
  // runs. Lambdas name variables of this function, never each other: through a chain of lambdas gcc
  // no longer sees that `ip` and `left` need no address, and keeps both in memory (measured: a
  // fifth of the speed).
  const auto publish = [&]() DCC_INLINE { steps_ = end - left; };
  // Jumps to `target`. Returns false if the target is not executable; pc_ and steps_ are up to date
  // then, and the loop must be left.
  const auto go_to = [&](U32 target) DCC_INLINE {
    if ((target ^ page->base) >= kPageBytes) {
      DecodedPage* const other = cache_.page(target);
      if (other == nullptr) {
        pc_ = target;
        steps_ = end - left;
        return false;
      }
      page = other;
    }
    ip = &page->ops[(target - page->base) / 2];
    return true;
  };
  // Resumes the loop after work outside it. Returns true if the loop may continue with `op`;
  // otherwise sets pc_ behind the instruction.
  const auto resume = [&](const DecodedOp& op) DCC_INLINE {
    if (attention_) {
      pc_ = PC + 2 * static_cast<U32>(op.halfwords);
      return false;
    }
    window_base = window_base_;
    window = ram_.data + (window_base_ - ram_.base);
    load_window = load_window_;
    store_window = store_window_;
    ip += op.halfwords;
    return true;
  };
  // Executes a load that hits the directly accessible window of RAM. Returns false otherwise.
  const auto load = [&](U32 size, auto convert) DCC_INLINE {
    const U32 address = x[ip->rs1] + as_unsigned(ip->imm);
    const U32 offset = address - window_base;
    if (offset >= load_window || (address & (size - 1)) != 0) return false;
    U32 value = 0;
    std::memcpy(&value, window + offset, size);
    x[ip->rd] = convert(value);
    return true;
  };
  const auto store = [&](U32 size) DCC_INLINE {
    const U32 address = x[ip->rs1] + as_unsigned(ip->imm);
    const U32 offset = address - window_base;
    if (offset >= store_window || (address & (size - 1)) != 0 ||
        holds_code[(address - code_base) / kPageBytes] != 0) {
      return false;
    }
    std::memcpy(window + offset, &x[ip->rs2], size);
    return true;
  };
  const auto load_slowly = [&](U32 size, auto convert) DCC_INLINE {
    steps_ = end - left;
    U32 value = 0;
    if (!slow_load(x[ip->rs1] + as_unsigned(ip->imm), size, PC, value)) return false;
    x[ip->rd] = convert(value);
    return true;
  };
  const auto stack_overflow = [&]() DCC_INLINE {
    const U32 address = x[ip->rs1] + as_unsigned(ip->imm);
    if (address >= stack_guard_) return false;
    steps_ = end - left;
    die(Death::kStackOverflow, PC, address, 0);
    return true;
  };
  const auto plain = [](U32 v) DCC_INLINE { return v; };
  const auto signed_byte = [](U32 v)
                               DCC_INLINE { return as_unsigned(static_cast<std::int8_t>(v)); };
  const auto signed_half = [](U32 v)
                               DCC_INLINE { return as_unsigned(static_cast<std::int16_t>(v)); };

#define DCC_LABEL(name, mnemonic) &&op_##name, &&short_##name,
  static const void* const kLabels[] = {DCC_RISCV_OPS(DCC_LABEL)};
#undef DCC_LABEL
  NEXT();

  // clang-format off
  OP(Addi, WRITE(RS1 + IMM))
  OP(Lui, WRITE(IMM))
  OP(Auipc, WRITE(IMM))
  OP(Slti, WRITE(as_signed(RS1) < ip->imm))
  OP(Sltiu, WRITE(RS1 < IMM))
  OP(Xori, WRITE(RS1 ^ IMM))
  OP(Ori, WRITE(RS1 | IMM))
  OP(Andi, WRITE(RS1 & IMM))
  OP(Slli, WRITE(RS1 << (IMM & 31)))
  OP(Srli, WRITE(RS1 >> (IMM & 31)))
  OP(Srai, WRITE(as_unsigned(as_signed(RS1) >> (IMM & 31))))
  OP(Add, WRITE(RS1 + RS2))
  OP(Sub, WRITE(RS1 - RS2))
  OP(Sll, WRITE(RS1 << (RS2 & 31)))
  OP(Slt, WRITE(as_signed(RS1) < as_signed(RS2)))
  OP(Sltu, WRITE(RS1 < RS2))
  OP(Xor, WRITE(RS1 ^ RS2))
  OP(Srl, WRITE(RS1 >> (RS2 & 31)))
  OP(Sra, WRITE(as_unsigned(as_signed(RS1) >> (RS2 & 31))))
  OP(Or, WRITE(RS1 | RS2))
  OP(And, WRITE(RS1 & RS2))

  OP(Mul, WRITE(RS1 * RS2))
  OP(Mulh, WRITE(static_cast<U32>((wide(RS1) * wide(RS2)) >> 32)))
  OP(Mulhsu, WRITE(static_cast<U32>((wide(RS1) * static_cast<S64>(RS2)) >> 32)))
  OP(Mulhu, WRITE(static_cast<U32>((static_cast<U64>(RS1) * RS2) >> 32)))
  OP(Div, WRITE(divide(RS1, RS2)))
  OP(Divu, WRITE(RS2 == 0 ? 0xFFFFFFFFu : RS1 / RS2))
  OP(Rem, WRITE(remainder(RS1, RS2)))
  OP(Remu, WRITE(RS2 == 0 ? RS1 : RS1 % RS2))

  OP(BeqNear, BRANCH_NEAR(RS1 == RS2))
  OP(BneNear, BRANCH_NEAR(RS1 != RS2))
  OP(BltNear, BRANCH_NEAR(as_signed(RS1) < as_signed(RS2)))
  OP(BgeNear, BRANCH_NEAR(as_signed(RS1) >= as_signed(RS2)))
  OP(BltuNear, BRANCH_NEAR(RS1 < RS2))
  OP(BgeuNear, BRANCH_NEAR(RS1 >= RS2))
  OP(Beq, BRANCH(RS1 == RS2))
  OP(Bne, BRANCH(RS1 != RS2))
  OP(Blt, BRANCH(as_signed(RS1) < as_signed(RS2)))
  OP(Bge, BRANCH(as_signed(RS1) >= as_signed(RS2)))
  OP(Bltu, BRANCH(RS1 < RS2))
  OP(Bgeu, BRANCH(RS1 >= RS2))

  RARE(JalNear):
    x[ip->rd] = NEXT_PC;
    ip = moved(ip, ip->imm);
    NEXT();
  RARE(Jal): {
    const U32 target = PC + IMM;
    x[ip->rd] = NEXT_PC;
    NEXT_IF(go_to(target));
  }
  RARE(Jalr): {
    // the target is computed before rd is written, since rd and rs1 may be the same register
    const U32 target = (RS1 + IMM) & ~1u;
    x[ip->rd] = NEXT_PC;
    NEXT_IF(go_to(target));
  }
  RARE(SelfLoop):
    if (!csr_.interrupts_enabled() || !csr_.any_interrupt_enabled()) {
      publish();
      die(Death::kEndlessLoop, PC, 0, 0);
      return;
    }
    left = 0; // the jump to itself uses up the budget, since no interrupt can change before its end
    NEXT();

  OP(Lb, LOAD(1, signed_byte))
  OP(Lh, LOAD(2, signed_half))
  OP(Lw, LOAD(4, plain))
  OP(Lbu, LOAD(1, plain))
  OP(Lhu, LOAD(2, plain))
  OP(SbStack, if (stack_overflow()) return; STORE(1))
  OP(Sb, STORE(1))
  OP(ShStack, if (stack_overflow()) return; STORE(2))
  OP(Sh, STORE(2))
  OP(SwStack, if (stack_overflow()) return; STORE(4))
  OP(Sw, STORE(4))

  RARE(Fence):  // A fence has no effect: a hart accesses memory in order.
    if (accesses_ != nullptr) accesses_->fenced(ip->raw >> 24 & 15, ip->raw >> 20 & 15);
    ip += 2;
    NEXT();
  RARE(FenceI):
    publish();
    pc_ = NEXT_PC;
    forget_code();  // pages of the decode cache that were freed must not be used again
    return;

  RARE(Csrrw):
  RARE(Csrrs):
  RARE(Csrrc):
  RARE(Csrrwi):
  RARE(Csrrsi):
  RARE(Csrrci): {
    publish();
    const U32 pc = PC;
    if (access_csr(*ip, pc)) pc_ = pc + 4;
    return;
  }
  RARE(LrW):
  RARE(ScW):
  RARE(AmoSwapW):
  RARE(AmoAddW):
  RARE(AmoXorW):
  RARE(AmoAndW):
  RARE(AmoOrW):
  RARE(AmoMinW):
  RARE(AmoMaxW):
  RARE(AmoMinuW):
  RARE(AmoMaxuW): {
    const DecodedOp op = *ip;
    publish();
    if (!atomic(op, PC)) return;
    NEXT_IF(resume(op));
  }

  RARE(Ecall): publish(); raise(environment_call(), 0, PC); return;
  RARE(Ebreak):
    publish();
    if (is_semihosting_call(PC)) {
      pc_ = PC + 4;
      ask(Stop::kSemihosting);
      return;
    }
    raise(Cause::kBreakpoint, PC, PC);
    return;
  RARE(Illegal): publish(); raise(Cause::kIllegalInstruction, ip->raw, PC); return;
  RARE(Mret): publish(); return_from_trap(*ip, PC); return;
  RARE(Wfi): publish(); wait_for_interrupt(*ip, PC); return;

  RARE(Undecoded):
    ++left;
    publish();
    pc_ = PC;
    decode_into(*ip, pc_);
    if (attention_) return;
    NEXT();
  RARE(PageEnd):
    ++left;
    NEXT_IF(go_to(PC));
  RARE(DebugBreak):
    ++left;
    publish();
    pc_ = PC;
    ask(Stop::kBreakpoint);
    return;
  RARE(Trigger):
    ++left;
    publish();
    meet_trigger(PC);
    return;
  // clang-format on

used_up:
  pc_ = PC;
  publish();
}

template void Hart::execute<false>(std::uint64_t end);
template void Hart::execute<true>(std::uint64_t end);

}  // namespace dcc::riscv

#undef STORE
#undef LOAD
#undef BRANCH
#undef BRANCH_NEAR
#undef WRITE
#undef NEXT_PC
#undef PC
#undef IMM
#undef RS2
#undef RS1
#undef NEXT_IF
#undef TAKEN
#undef NEXT
#undef RARE
#undef OP
#undef DCC_INLINE
