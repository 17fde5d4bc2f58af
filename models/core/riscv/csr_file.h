// The hart's control and status registers: machine and user mode, memory protection, triggers.
#pragma once

#include <cstdint>
#include <optional>

#include "riscv/isa.h"
#include "riscv/pmp.h"
#include "riscv/triggers.h"

namespace dcc::riscv {

/// Counts of cycles and retired instructions, which only the hart advances. A write to a counter
/// CSR changes only the offset between counter and count.
struct Counters {
  std::uint64_t cycles = 0;
  std::uint64_t retired = 0;
};

/// The CSRs of a hart with machine and user mode. Reads and writes follow the WARL rules of volume
/// II, chapter 3: MPP reads 3 or 0; misa is a constant; traps cannot be delegated.
class CsrFile {
 public:
  explicit CsrFile(std::uint32_t hart_id) : hart_id_(hart_id) {}

  /// True if the present privilege mode may access the CSR `number`.
  bool permits(std::uint32_t number) const;
  /// Reads a CSR. Returns nothing if the register does not exist, so that the instruction is
  /// illegal.
  std::optional<std::uint32_t> read(std::uint32_t number, const Counters& now) const;
  /// Writes a CSR. Returns false if the register does not exist or is read-only. `before` and
  /// `after` are the counters before and after the writing instruction: a write to either half of a
  /// counter replaces the increment (Privileged Architecture 1.12, section 2.3: the explicit write
  /// is done instead of the side effect). A debugger executes no instruction (`before` is `after`)
  /// and may also write the debugger's triggers.
  bool write(std::uint32_t number, std::uint32_t value, const Counters& before,
             const Counters& after, bool from_debugger = false);
  /// True for CSRs whose write may change memory protection or triggers.
  static bool concerns_memory(std::uint32_t number);

  /// Takes a trap: saves MIE and the privilege mode, stores cause, value and pc. Returns the
  /// address of the handler.
  std::uint32_t enter_trap(std::uint32_t mcause, std::uint32_t mtval, std::uint32_t pc);
  /// Executes mret: restores MIE and the privilege mode. Returns mepc.
  std::uint32_t leave_trap();

  Privilege privilege() const { return privilege_; }
  /// The privilege mode that loads and stores are checked for: MPP while mstatus.MPRV is set, else
  /// the present mode.
  Privilege data_privilege() const { return (mstatus_ & kMprv) != 0 ? previous() : privilege_; }
  /// True if mstatus.TW is set, which makes wfi illegal in user mode.
  bool traps_wait() const { return (mstatus_ & kTw) != 0; }
  Pmp& pmp() { return pmp_; }
  const Triggers& triggers() const { return triggers_; }

  /// Sets the level of one of the three machine interrupt lines (Cause::kMachine…).
  void set_line(Cause line, bool level);
  bool line(Cause which) const { return (mip_ & bit_of(which)) != 0; }

  /// mcause of the interrupt to take now, or 0 for none. Priority: external, software, timer.
  std::uint32_t interrupt_to_take() const {
    const std::uint32_t pending = mip_ & mie_;
    return pending == 0 || !interrupts_enabled() ? 0 : highest(pending);
  }
  /// True if an interrupt that is enabled in mie is pending, whatever mstatus.MIE says. Such an
  /// interrupt ends a wfi.
  bool wakes() const { return (mip_ & mie_) != 0; }
  bool any_interrupt_enabled() const { return mie_ != 0; }
  /// True if machine interrupts are enabled, which is always so in user mode.
  bool interrupts_enabled() const {
    return (mstatus_ & kMie) != 0 || privilege_ == Privilege::kUser;
  }
  /// True until the program writes mtvec.
  bool handler_never_set() const { return !mtvec_written_; }
  std::uint32_t handler_base() const { return mtvec_ & ~3u; }

 private:
  static constexpr std::uint32_t kMie = 1u << 3;
  static constexpr std::uint32_t kMpie = 1u << 7;
  static constexpr std::uint32_t kMpp = 3u << 11;
  static constexpr std::uint32_t kMprv = 1u << 17;
  static constexpr std::uint32_t kTw = 1u << 21;
  static constexpr std::uint32_t kInterruptBits = 1u << 3 | 1u << 7 | 1u << 11;
  static std::uint32_t bit_of(Cause line) { return 1u << (static_cast<std::uint32_t>(line) & 31); }
  static std::uint32_t highest(std::uint32_t pending);
  Privilege previous() const {
    return (mstatus_ & kMpp) != 0 ? Privilege::kMachine : Privilege::kUser;
  }

  /// A counter that software can set and stop, derived from a count that only grows.
  struct Counter {
    std::uint64_t offset = 0;
    std::uint64_t held = 0;  // value of the counter while the counter is stopped
    bool stopped = false;
    std::uint64_t at(std::uint64_t now) const { return stopped ? held : now + offset; }
    void set(std::uint64_t value, std::uint64_t now) {
      held = value;
      offset = value - now;
    }
    void stop(bool stop, std::uint64_t now) {
      set(at(now), now);
      stopped = stop;
    }
  };

  std::uint32_t hart_id_;
  Privilege privilege_ = Privilege::kMachine;
  std::uint32_t mstatus_ = kMpp;
  std::uint32_t mie_ = 0;
  std::uint32_t mip_ = 0;
  std::uint32_t mtvec_ = 0;
  std::uint32_t mscratch_ = 0;
  std::uint32_t mepc_ = 0;
  std::uint32_t mcause_ = 0;
  std::uint32_t mtval_ = 0;
  std::uint32_t mcounteren_ = 0;
  Counter cycle_;
  Counter instret_;
  bool mtvec_written_ = false;
  Pmp pmp_;
  Triggers triggers_;
};

/// Name of a CSR by its number (0x300: "mstatus"); nullptr if the hart has no such register.
const char* csr_name(std::uint32_t number);

}  // namespace dcc::riscv
