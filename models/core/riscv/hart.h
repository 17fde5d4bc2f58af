// A RV32IMAC hart with machine and user mode: registers, traps, interrupts, and the loop that runs
// the hart.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "riscv/access_observer.h"
#include "riscv/csr_file.h"
#include "riscv/decode_cache.h"
#include "riscv/handler_time.h"
#include "riscv/instruction_observer.h"
#include "riscv/interrupt_listener.h"
#include "riscv/isa.h"
#include "riscv/memory_bus.h"

namespace dcc::riscv {

/// Why Hart::run() returned.
enum class Stop : std::uint8_t {
  kNone,
  kBudget,  // the hart has run all requested instructions
  // the hart executed wfi and no enabled interrupt line is high; pc is behind the wfi
  kWaitForInterrupt,
  kBreakpoint,   // pc is at a breakpoint, whose instruction has not run
  kWatchpoint,   // an access hit a watchpoint; the accessing instruction has run
  kMailbox,      // the program stored to the mailbox word
  kSemihosting,  // the program made a semihosting call; pc is behind its ebreak
  kRequested,    // request_stop() was called
  kDead,         // the program cannot continue; see death()
};

/// Why a program can never continue. Real hardware would hang; the model reports the reason.
enum class Death : std::uint8_t {
  kNone,
  kNoHandler,  // a trap occurred and the program never wrote mtvec
  kTrapLoop,   // the first instruction of the trap handler traps
  // the same trap occurred kMaxSameTraps times in a row, and no instruction retired in between
  kSameTrap,
  kEndlessLoop,    // the program jumps to the same address forever with interrupts disabled
  kEndlessSleep,   // the program executed wfi with no interrupt enabled
  kStackOverflow,  // the program stored relative to sp below the end of the stack
};

/// Record of a synchronous exception or of the death of a program, for messages.
struct TrapRecord {
  std::uint32_t cause = 0;
  std::uint32_t pc = 0;
  std::uint32_t value = 0;  // value of mtval: an address, or an instruction word
  std::uint32_t ra = 0;     // value of register x1 (ra): after a bad jump, the likely origin
  std::uint64_t step = 0;   // instructions since reset when the trap occurred
};

/// A trap handler counts as endless, and the hart stops, if it returns this many times in a row to
/// an instruction that traps again with the same cause, pc and value.
constexpr unsigned kMaxSameTraps = 1000;

/// Memory that the hart accesses through a host pointer. If `data` is null, the memory is reached
/// through the bus only, but is executable.
struct RamWindow {
  std::uint8_t* data = nullptr;
  std::uint32_t base = 0;
  std::uint32_t size = 0;  // size of the memory in bytes, a multiple of 4096
};

struct Watchpoint {
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
  bool loads = false;
  bool stores = true;
};

/// A RV32IMAC hart. The results are deterministic to the instruction and the same on every machine.
/// The hart samples its interrupt lines when run() starts, after every CSR write, mret and wfi, and
/// after every access outside directly mapped RAM. Instructions are fetched from RAM and ROM only,
/// and atomic operations work in RAM only. Memory protection costs no time while nothing is
/// restricted: RAM is then one window; otherwise the window is the span of equal permission that
/// was used last.
class Hart {
 public:
  /// Handling of loads and stores in RAM whose address is not a multiple of their size. Outside
  /// RAM, and for atomic operations, misaligned accesses always trap.
  enum class Misaligned : std::uint8_t { kTrap, kDone };

  /// Cycles per instruction (CPI) as a ratio, e.g. {5, 4} for a CPI of 1.25.
  struct Cpi {
    std::uint32_t numerator = 1;
    std::uint32_t denominator = 1;
    /// Converts a CPI in thousandths to a ratio: 1250 gives {5, 4}, in lowest terms, so that
    /// products with counts stay far from overflow.
    static constexpr Cpi from_thousandths(std::uint32_t n) {
      const std::uint32_t common = std::gcd(n, 1000u);
      return {n / common, 1000u / common};
    }
  };

  /// Costs of instructions by kind, in a unit that the caller chooses. run_costed() adds them up.
  struct Costs {
    // cost of each operation, indexed by Op; 0 for states of cache entries
    std::array<std::uint32_t, 256> of{};
    std::uint32_t taken = 0;  // additional cost of a conditional branch that is taken
  };

  Hart(MemoryBus& bus, std::uint32_t hart_id, Cpi cpi);
  explicit Hart(MemoryBus& bus) : Hart(bus, 0, Cpi{}) {}

  /// Resets the hart as at power-up; execution starts at `pc`. RAM, breakpoints and watchpoints
  /// stay.
  void reset(std::uint32_t pc);
  void set_ram(RamWindow window);
  /// Sets the memory that holds code and constants beside RAM. Its `data` must not be null. Stores
  /// to this memory go to the bus.
  void set_rom(RamWindow window);
  void set_misaligned(Misaligned what) { misaligned_ = what; }

  /// Runs up to `budget` instructions; instructions that trap count as well.
  Stop run(std::uint64_t budget);
  /// Runs like run() and adds the costs of the executed instructions to `sum`.
  Stop run_costed(std::uint64_t budget, const Costs& costs, std::uint64_t& sum);
  /// Runs like run(), but reports each instruction to `observer`, which is about twenty times as
  /// slow.
  Stop run_observed(std::uint64_t budget, InstructionObserver& observer);
  /// Enters the handler of the pending interrupt, if there is one. run() does this by itself.
  bool take_interrupt();
  /// Runs one instruction even if its address has a breakpoint.
  Stop step();
  /// Runs one instruction like step(), and adds the instruction's cost to `sum`.
  Stop step_costed(const Costs& costs, std::uint64_t& sum);

  std::uint32_t pc() const { return pc_; }
  void set_pc(std::uint32_t pc) { pc_ = pc & ~1u; }
  std::uint32_t reg(unsigned index) const { return x_[index]; }
  void set_reg(unsigned index, std::uint32_t value) {
    if (index != 0) x_[index] = value;
  }
  Privilege privilege() const { return csr_.privilege(); }
  /// CSR accesses of a debugger: independent of the privilege mode, and including the debugger's
  /// own triggers.
  bool read_csr(std::uint32_t number, std::uint32_t& value) const;
  bool write_csr(std::uint32_t number, std::uint32_t value);

  /// Number of instructions begun since reset: retired instructions and instructions that trapped.
  std::uint64_t steps() const { return steps_; }
  std::uint64_t retired() const { return steps_ - trapped_; }
  /// Number of cycles of `steps` instructions, rounded down.
  std::uint64_t cycles_of(std::uint64_t steps) const {
    return steps * cpi_.numerator / cpi_.denominator;
  }
  std::uint64_t cycles() const { return cycles_of(steps_) + stall_cycles_; }
  /// Adds cycles in which no instruction ran (sleep, waiting for a device); mcycle includes stall
  /// cycles.
  void add_stall_cycles(std::uint64_t cycles) { stall_cycles_ += cycles; }

  void set_interrupt_line(Cause line, bool level) {
    csr_.set_line(line, level);
    attention_ = true;
  }
  bool wakes() const { return csr_.wakes(); }
  /// Number of cycles up to now for which the hart has done almost nothing but handle traps
  /// (HandlerTime).
  std::uint64_t busy_in_handlers() const { return handlers_.busy(csr_.wakes(), cycles()); }
  /// Records that the hart has slept for `cycles_asleep` cycles, which cycles() counts.
  void slept(std::uint64_t cycles_asleep) { handlers_.slept(cycles_asleep, cycles()); }
  /// Reports every interrupt that the hart takes; null ends the reports.
  void set_interrupt_listener(InterruptListener* listener) { interrupts_ = listener; }

  // --- Several masters of one memory ------------------------------------------------------------
  // Address of the word that lr.w reserved; empty if the hart holds no reservation.
  std::optional<std::uint32_t> reservation() const {
    return reservation_.held ? std::optional(reservation_.address) : std::nullopt;
  }
  /// Ends the hart's reservation if another master's store of these bytes overlaps the reserved
  /// word.
  void foreign_store(std::uint32_t address, std::uint64_t bytes) {
    const std::uint64_t word = reservation_.address;
    if (word + 4 > address && word < address + bytes) reservation_.held = false;
  }
  /// Reports every memory access and fence of the hart to `observer`. Null ends the reports.
  void set_access_observer(AccessObserver* observer) {
    accesses_ = observer;
    update_windows();
  }
  /// From now on this hart reports its stores to the pages of these addresses by
  /// MemoryBus::stored(). An empty list ends the reports.
  void guard(std::vector<std::uint32_t> addresses);
  const CsrFile& csrs() const { return csr_; }

  /// Makes run() return after the present instruction.
  void request_stop() { ask(Stop::kRequested); }
  /// Sets the stack guard: a store relative to sp below `limit` in machine mode ends the run.
  /// Stacks of user mode are not checked, because memory protection guards them. 0 switches the
  /// guard off.
  void set_stack_limit(std::uint32_t limit) {
    stack_limit_ = limit;
    mode_changed();
  }
  /// Sets the address of the mailbox word (HTIF's tohost). A store to the mailbox word makes run()
  /// return Stop::kMailbox. Address 0: no mailbox.
  void set_mailbox(std::uint32_t address);

  void add_breakpoint(std::uint32_t address);
  void remove_breakpoint(std::uint32_t address);
  bool has_breakpoint(std::uint32_t address) const;
  void add_watchpoint(const Watchpoint& watch);
  void remove_watchpoint(const Watchpoint& watch);
  /// The watchpoint that caused the hart's last Stop::kWatchpoint.
  const Watchpoint& watch_hit() const { return watch_hit_; }

  /// Invalidates decoded code. Must be called by whoever changes code in RAM other than the hart,
  /// such as a debugger.
  void code_changed(std::uint32_t address, std::uint32_t bytes) {
    cache_.invalidate(address, bytes);
  }
  /// Decodes the instruction at `address`; returns false if no instruction can be fetched there.
  bool instruction_at(std::uint32_t address, DecodedOp& op);

  Death death() const { return death_; }
  const TrapRecord& death_record() const { return death_record_; }
  bool has_trapped() const { return trapped_ != 0; }
  const TrapRecord& last_trap() const { return last_trap_; }

 private:
  template <bool kCosted>
  Stop run_as(std::uint64_t budget);
  template <class Run>
  Stop step_by(const Run& run_one);
  template <bool kCosted>
  void execute(std::uint64_t end);
  void decode_into(DecodedOp& entry, std::uint32_t pc);
  bool fetch(std::uint32_t address, std::uint32_t& halfword);
  bool fetch_instruction(std::uint32_t pc, std::uint32_t& bits, std::uint32_t& fault_address);
  void raise(Cause cause, std::uint32_t value, std::uint32_t pc);
  void die(Death death, std::uint32_t pc, std::uint32_t value, std::uint32_t cause);
  void ask(Stop stop) {
    if (stop_ == Stop::kNone || stop == Stop::kDead) stop_ = stop;
    attention_ = true;
  }
  Cause environment_call() const {
    return csr_.privilege() == Privilege::kUser ? Cause::kEcallFromUser : Cause::kEcallFromMachine;
  }
  bool is_ram(std::uint32_t address) const { return address - ram_.base < ram_.size; }
  bool is_semihosting_call(std::uint32_t pc);
  /// True if an observer must see every memory access, so that the hart makes no access directly.
  bool watched() const {
    return !watchpoints_.empty() || csr_.triggers().watches_data() || accesses_ != nullptr;
  }
  void observe(AccessObserver::Kind kind, std::uint32_t address, std::uint32_t size,
               std::uint32_t pc, AccessObserver::Ordering ordering = {}) {
    if (accesses_ != nullptr) accesses_->accessed(kind, address, size, pc, ordering);
  }
  bool read_memory(std::uint32_t address, std::uint32_t size, std::uint32_t& value);
  bool write_memory(std::uint32_t address, std::uint32_t size, std::uint32_t value);
  bool may_access(std::uint32_t address, std::uint32_t size, std::uint8_t permission,
                  std::uint32_t& fault_address);
  bool may_execute(std::uint32_t address);
  bool triggered(std::uint32_t address, std::uint32_t size, bool store, std::uint32_t pc);
  bool begin_access(std::uint32_t address, std::uint32_t size, bool store, std::uint32_t pc);
  bool slow_load(std::uint32_t address, std::uint32_t size, std::uint32_t pc, std::uint32_t& value);
  bool slow_store(std::uint32_t address, std::uint32_t size, std::uint32_t pc, std::uint32_t value);
  bool atomic(const DecodedOp& op, std::uint32_t pc);
  bool atomic_faults(std::uint32_t address, bool load, bool store, std::uint32_t pc);
  bool write_csr_as(std::uint32_t number, std::uint32_t value, const Counters& before,
                    bool debugger);
  bool access_csr(const DecodedOp& op, std::uint32_t pc);
  void return_from_trap(const DecodedOp& op, std::uint32_t pc);
  void wait_for_interrupt(const DecodedOp& op, std::uint32_t pc);
  void meet_trigger(std::uint32_t pc);
  void check_watchpoints(std::uint32_t address, std::uint32_t size, bool store);
  void mode_changed();
  void update_windows();
  void place_window(const Pmp::Span& span);
  void forget_code();
  void mark_pages();

  MemoryBus& bus_;
  Cpi cpi_;
  // registers; the additional x_[32] receives the results for x0
  std::array<std::uint32_t, 33> x_{};
  std::uint32_t pc_ = 0;
  CsrFile csr_;
  HandlerTime handlers_;
  DecodeCache cache_;
  RamWindow ram_;
  RamWindow rom_;
  std::uint32_t window_base_ = 0;   // first byte of the part of RAM that is accessed directly
  std::uint32_t load_window_ = 0;   // number of bytes from window_base_ that loads access directly
  std::uint32_t store_window_ = 0;  // number of bytes from window_base_ that stores access directly
  // true if memory protection restricts the privilege mode of data accesses
  bool windows_move_ = false;
  // Pmp::execute_version that the pages of user and machine mode were decoded under
  std::uint32_t decoded_under_[2] = {};
  Misaligned misaligned_ = Misaligned::kTrap;
  struct {
    bool held = false;
    std::uint32_t address = 0;
    std::uint32_t value = 0;
  } reservation_;  // reservation of lr.w; a trap, mret, or a store by another master ends it
  std::uint32_t stack_limit_ = 0;
  std::uint32_t stack_guard_ = 0;  // stack limit in force: stack_limit_ in machine mode, else 0
  // makes the inner loop return because interrupt lines, windows or a stop request changed
  bool attention_ = false;
  Stop stop_ = Stop::kNone;

  std::uint64_t steps_ = 0;
  std::uint64_t trapped_ = 0;
  std::uint64_t stall_cycles_ = 0;
  const Costs* costs_ = nullptr;  // instruction costs in use while run_costed() runs
  std::uint64_t cost_ = 0;

  AccessObserver* accesses_ = nullptr;
  InterruptListener* interrupts_ = nullptr;
  std::vector<std::uint32_t> guarded_;  // addresses that guard() named
  std::vector<std::uint32_t> breakpoints_;
  std::vector<Watchpoint> watchpoints_;
  bool passing_breakpoint_ = false;
  std::uint32_t mailbox_ = 0;
  Watchpoint watch_hit_;
  Death death_ = Death::kNone;
  TrapRecord death_record_;
  TrapRecord last_trap_;
  std::uint64_t returned_at_ = 0;  // value of steps_ at the last mret
  unsigned same_traps_ = 0;        // number of repetitions of last_trap_
};

/// Text of a Death for messages, such as "endless loop with interrupts off".
const char* death_name(Death death);

}  // namespace dcc::riscv
