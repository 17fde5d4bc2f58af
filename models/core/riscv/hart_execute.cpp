// The inner loop of the hart: one switch over decoded operations.
#include <cstring>

#include "riscv/hart.h"

#define DCC_INLINE __attribute__((always_inline))

namespace dcc::riscv {
namespace {

using U32 = std::uint32_t;
using S32 = std::int32_t;
using U64 = std::uint64_t;
using S64 = std::int64_t;

constexpr S32 as_signed(U32 v) { return static_cast<S32>(v); }
constexpr U32 as_unsigned(S32 v) { return static_cast<U32>(v); }
constexpr S64 wide(U32 v) { return as_signed(v); }

// Division never traps (volume I, table 7.1): by zero gives all ones or the dividend, and the one
// quotient that does not fit gives the dividend back.
constexpr bool overflows(U32 a, U32 b) { return a == 0x80000000u && b == 0xFFFFFFFFu; }
constexpr U32 divide(U32 a, U32 b) {
  if (b == 0) return 0xFFFFFFFFu;
  return overflows(a, b) ? a : as_unsigned(as_signed(a) / as_signed(b));
}
constexpr U32 remainder(U32 a, U32 b) {
  if (b == 0) return a;
  return overflows(a, b) ? 0 : as_unsigned(as_signed(a) % as_signed(b));
}

}  // namespace

// Runs until `end` steps are done, a trap is taken or someone wants attention. pc_ and steps_ are
// right whenever anything outside this function runs.
void Hart::execute(std::uint64_t end) {
  attention_ = false;
  DecodedPage* page = cache_.page(pc_);
  if (page == nullptr) {
    ++steps_;
    raise(Cause::kInstructionAccessFault, pc_, pc_);
    return;
  }
  U32* const x = x_.data();
  std::uint8_t* const ram = ram_.data;
  const U32 ram_base = ram_.base;
  const U32 load_window = load_window_;
  const U32 store_window = store_window_;
  const std::uint8_t* const holds_code = cache_.holds_code();
  U64 left = end - steps_;
  DecodedOp* ip = &page->ops[(pc_ - page->base) / 2];

  const auto pc_of_ip = [&]() DCC_INLINE {
    return page->base + 2 * static_cast<U32>(ip - page->ops.data());
  };
  const auto next = [&]() DCC_INLINE { ip += ip->halfwords; };
  const auto write = [&](U32 value) DCC_INLINE {
    x[ip->rd] = value;
    ip += ip->halfwords;
  };
  // Returns false if the target is not executable: pc_ is set and the loop must be left.
  const auto go_to = [&](U32 target) DCC_INLINE {
    if ((target ^ page->base) >= kPageBytes) {
      page = cache_.page(target);
      if (page == nullptr) {
        pc_ = target;
        return false;
      }
    }
    ip = &page->ops[(target - page->base) / 2];
    return true;
  };
  const auto branch_near = [&](bool taken) DCC_INLINE {
    ip += taken ? static_cast<std::ptrdiff_t>(ip->imm) : ip->halfwords;
  };
  const auto branch = [&](bool taken) DCC_INLINE {
    if (taken) return go_to(pc_of_ip() + as_unsigned(ip->imm));
    next();
    return true;
  };
  // For what happens outside the loop: steps_ tells the truth, this instruction included.
  const auto publish = [&]() DCC_INLINE { steps_ = end - left; };
  // After work outside the loop: true to go on here. Else pc_ is set behind the instruction.
  const auto resume = [&]() DCC_INLINE {
    if (!attention_) {
      next();
      return true;
    }
    pc_ = pc_of_ip() + 2 * static_cast<U32>(ip->halfwords);
    return false;
  };
  const auto load = [&](U32 size, auto convert) DCC_INLINE {
    const U32 address = x[ip->rs1] + as_unsigned(ip->imm);
    const U32 offset = address - ram_base;
    U32 value = 0;
    if (offset < load_window && (address & (size - 1)) == 0) {
      std::memcpy(&value, ram + offset, size);
      write(convert(value));
      return true;
    }
    publish();
    if (!slow_load(address, size, pc_of_ip(), value)) return false;
    x[ip->rd] = convert(value);
    return resume();
  };
  const auto store = [&](U32 size) DCC_INLINE {
    const U32 address = x[ip->rs1] + as_unsigned(ip->imm);
    const U32 value = x[ip->rs2];
    const U32 offset = address - ram_base;
    if (offset < store_window && (address & (size - 1)) == 0 &&
        holds_code[offset / kPageBytes] == 0) {
      std::memcpy(ram + offset, &value, size);
      next();
      return true;
    }
    publish();
    if (!slow_store(address, size, pc_of_ip(), value)) return false;
    return resume();
  };
  const auto stack_overflow = [&]() DCC_INLINE {
    const U32 address = x[2] + as_unsigned(ip->imm);
    if (address >= stack_limit_) return false;
    publish();
    die(Death::kStackOverflow, pc_of_ip(), address, 0);
    return true;
  };
  const auto plain = [](U32 v) DCC_INLINE { return v; };
  const auto signed_byte = [](U32 v)
                               DCC_INLINE { return as_unsigned(static_cast<std::int8_t>(v)); };
  const auto signed_half = [](U32 v)
                               DCC_INLINE { return as_unsigned(static_cast<std::int16_t>(v)); };

  for (;;) {
    if (left == 0) break;
    --left;
    const U32 a = x[ip->rs1];
    const U32 b = x[ip->rs2];
    const U32 imm = as_unsigned(ip->imm);
    switch (ip->op) {
      case Op::kAddi:
        write(a + imm);
        continue;
      case Op::kLui:
      case Op::kAuipc:
        write(imm);
        continue;
      case Op::kSlti:
        write(as_signed(a) < ip->imm);
        continue;
      case Op::kSltiu:
        write(a < imm);
        continue;
      case Op::kXori:
        write(a ^ imm);
        continue;
      case Op::kOri:
        write(a | imm);
        continue;
      case Op::kAndi:
        write(a & imm);
        continue;
      case Op::kSlli:
        write(a << (imm & 31));
        continue;
      case Op::kSrli:
        write(a >> (imm & 31));
        continue;
      case Op::kSrai:
        write(as_unsigned(as_signed(a) >> (imm & 31)));
        continue;
      case Op::kAdd:
        write(a + b);
        continue;
      case Op::kSub:
        write(a - b);
        continue;
      case Op::kSll:
        write(a << (b & 31));
        continue;
      case Op::kSlt:
        write(as_signed(a) < as_signed(b));
        continue;
      case Op::kSltu:
        write(a < b);
        continue;
      case Op::kXor:
        write(a ^ b);
        continue;
      case Op::kSrl:
        write(a >> (b & 31));
        continue;
      case Op::kSra:
        write(as_unsigned(as_signed(a) >> (b & 31)));
        continue;
      case Op::kOr:
        write(a | b);
        continue;
      case Op::kAnd:
        write(a & b);
        continue;

      case Op::kMul:
        write(a * b);
        continue;
      case Op::kMulh:
        write(static_cast<U32>((wide(a) * wide(b)) >> 32));
        continue;
      case Op::kMulhsu:
        write(static_cast<U32>((wide(a) * static_cast<S64>(b)) >> 32));
        continue;
      case Op::kMulhu:
        write(static_cast<U32>((static_cast<U64>(a) * b) >> 32));
        continue;
      case Op::kDiv:
        write(divide(a, b));
        continue;
      case Op::kDivu:
        write(b == 0 ? 0xFFFFFFFFu : a / b);
        continue;
      case Op::kRem:
        write(remainder(a, b));
        continue;
      case Op::kRemu:
        write(b == 0 ? a : a % b);
        continue;

      case Op::kBeqNear:
        branch_near(a == b);
        continue;
      case Op::kBneNear:
        branch_near(a != b);
        continue;
      case Op::kBltNear:
        branch_near(as_signed(a) < as_signed(b));
        continue;
      case Op::kBgeNear:
        branch_near(as_signed(a) >= as_signed(b));
        continue;
      case Op::kBltuNear:
        branch_near(a < b);
        continue;
      case Op::kBgeuNear:
        branch_near(a >= b);
        continue;
      case Op::kBeq:
        if (branch(a == b))
          continue;
        else
          goto left_range;
      case Op::kBne:
        if (branch(a != b))
          continue;
        else
          goto left_range;
      case Op::kBlt:
        if (branch(as_signed(a) < as_signed(b)))
          continue;
        else
          goto left_range;
      case Op::kBge:
        if (branch(as_signed(a) >= as_signed(b)))
          continue;
        else
          goto left_range;
      case Op::kBltu:
        if (branch(a < b))
          continue;
        else
          goto left_range;
      case Op::kBgeu:
        if (branch(a >= b))
          continue;
        else
          goto left_range;

      case Op::kJalNear:
        x[ip->rd] = pc_of_ip() + 2 * static_cast<U32>(ip->halfwords);
        ip += ip->imm;
        continue;
      case Op::kJal: {
        const U32 pc = pc_of_ip();
        x[ip->rd] = pc + 2 * static_cast<U32>(ip->halfwords);
        if (go_to(pc + imm)) continue;
        goto left_range;
      }
      case Op::kJalr: {
        x[ip->rd] = pc_of_ip() + 2 * static_cast<U32>(ip->halfwords);
        if (go_to((a + imm) & ~1u)) continue;
        goto left_range;
      }
      case Op::kSelfLoop:
        if (!csr_.interrupts_enabled() || !csr_.any_interrupt_enabled()) {
          publish();
          die(Death::kEndlessLoop, pc_of_ip(), 0, 0);
          return;
        }
        left = 0;  // nothing can change before the budget is used up
        continue;

      case Op::kLb:
        if (load(1, signed_byte))
          continue;
        else
          return;
      case Op::kLh:
        if (load(2, signed_half))
          continue;
        else
          return;
      case Op::kLw:
        if (load(4, plain))
          continue;
        else
          return;
      case Op::kLbu:
        if (load(1, plain))
          continue;
        else
          return;
      case Op::kLhu:
        if (load(2, plain))
          continue;
        else
          return;
      case Op::kSbStack:
        if (stack_overflow()) return;
        [[fallthrough]];
      case Op::kSb:
        if (store(1))
          continue;
        else
          return;
      case Op::kShStack:
        if (stack_overflow()) return;
        [[fallthrough]];
      case Op::kSh:
        if (store(2))
          continue;
        else
          return;
      case Op::kSwStack:
        if (stack_overflow()) return;
        [[fallthrough]];
      case Op::kSw:
        if (store(4))
          continue;
        else
          return;

      case Op::kFence:
        next();
        continue;  // one hart, and its accesses happen in order
      case Op::kFenceI:
        publish();
        pc_ = pc_of_ip() + 2 * static_cast<U32>(ip->halfwords);
        forget_code();  // the pages are gone
        return;

      case Op::kCsrrw:
      case Op::kCsrrs:
      case Op::kCsrrc:
      case Op::kCsrrwi:
      case Op::kCsrrsi:
      case Op::kCsrrci: {
        publish();
        const U32 pc = pc_of_ip();
        if (access_csr(*ip, pc)) pc_ = pc + 4;
        return;
      }
      case Op::kEcall:
        publish();
        raise(Cause::kEcallFromMachine, 0, pc_of_ip());
        return;
      case Op::kEbreak:
        publish();
        raise(Cause::kBreakpoint, pc_of_ip(), pc_of_ip());
        return;
      case Op::kIllegal:
        publish();
        raise(Cause::kIllegalInstruction, ip->raw, pc_of_ip());
        return;
      case Op::kMret:
        publish();
        pc_ = csr_.leave_trap();
        return;
      case Op::kWfi:
        publish();
        wait_for_interrupt(pc_of_ip(), pc_of_ip() + 4);
        return;

      case Op::kUndecoded: {
        ++left;
        publish();
        pc_ = pc_of_ip();
        decode_into(*ip, pc_);
        if (attention_) return;
        continue;
      }
      case Op::kPageEnd:
        ++left;
        if (go_to(pc_of_ip())) continue;
        goto left_range;
      case Op::kDebugBreak:
        ++left;
        publish();
        pc_ = pc_of_ip();
        ask(Stop::kBreakpoint);
        return;
    }
  }
  pc_ = pc_of_ip();
left_range:
  publish();
}

}  // namespace dcc::riscv

#undef DCC_INLINE
