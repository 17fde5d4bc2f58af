// The hart's control and status registers: machine mode only, no PMP, no triggers.
#pragma once

#include <cstdint>

#include "riscv/isa.h"

namespace dcc::riscv {

/// What the counters stand at, in the hart's own terms; CSR writes only move an offset.
struct Counters {
  std::uint64_t cycles = 0;
  std::uint64_t retired = 0;
};

/// Reads and writes follow the WARL rules of volume II, chapter 3, for a hart that has M-mode
/// alone: mstatus holds MIE and MPIE, MPP reads 3; misa and mcountinhibit are constants.
class CsrFile {
 public:
  explicit CsrFile(std::uint32_t hart_id) : hart_id_(hart_id) {}

  /// False if there is no such register (the instruction is illegal).
  bool read(std::uint32_t number, const Counters& now, std::uint32_t& value) const;
  /// False if there is none or it is read-only. `after` is what the counters will stand at when
  /// the writing instruction has retired: a counter reads back exactly what was written.
  bool write(std::uint32_t number, std::uint32_t value, const Counters& after);

  /// Takes a trap: stacks MIE, notes cause, value and pc; returns where the handler starts.
  std::uint32_t enter_trap(std::uint32_t mcause, std::uint32_t mtval, std::uint32_t pc);
  /// mret: unstacks MIE; returns mepc.
  std::uint32_t leave_trap();

  /// One of the three machine interrupt lines (Cause::kMachine…), level-sensitive.
  void set_line(Cause line, bool level);
  bool line(Cause which) const { return (mip_ & bit_of(which)) != 0; }

  /// mcause of the interrupt to take now, or 0: external before software before timer.
  std::uint32_t interrupt_to_take() const {
    const std::uint32_t pending = mip_ & mie_;
    return pending == 0 || !interrupts_enabled() ? 0 : highest(pending);
  }
  /// What ends a wfi: an enabled line that is up, whatever mstatus.MIE says.
  bool wakes() const { return (mip_ & mie_) != 0; }
  bool any_interrupt_enabled() const { return mie_ != 0; }
  bool interrupts_enabled() const { return (mstatus_ & kMie) != 0; }
  /// True until a program has written mtvec.
  bool handler_never_set() const { return !mtvec_written_; }
  std::uint32_t handler_base() const { return mtvec_ & ~3u; }

 private:
  static constexpr std::uint32_t kMie = 1u << 3;
  static constexpr std::uint32_t kMpie = 1u << 7;
  static constexpr std::uint32_t kMpp = 3u << 11;
  static constexpr std::uint32_t kInterruptBits = 1u << 3 | 1u << 7 | 1u << 11;
  static std::uint32_t bit_of(Cause line) { return 1u << (static_cast<std::uint32_t>(line) & 31); }
  static std::uint32_t highest(std::uint32_t pending);

  std::uint32_t hart_id_;
  std::uint32_t mstatus_ = kMpp;
  std::uint32_t mie_ = 0;
  std::uint32_t mip_ = 0;
  std::uint32_t mtvec_ = 0;
  std::uint32_t mscratch_ = 0;
  std::uint32_t mepc_ = 0;
  std::uint32_t mcause_ = 0;
  std::uint32_t mtval_ = 0;
  std::uint64_t cycle_offset_ = 0;
  std::uint64_t instret_offset_ = 0;
  bool mtvec_written_ = false;
};

/// "mstatus" → 0x300; for tools. Returns false if the name is unknown.
bool csr_number(const char* name, std::uint32_t& number);
/// 0x300 → "mstatus"; nullptr if the hart has no such register.
const char* csr_name(std::uint32_t number);

}  // namespace dcc::riscv
