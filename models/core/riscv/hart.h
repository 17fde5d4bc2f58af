// One RV32IMC hart, machine mode only: registers, traps, interrupts, and the loop that runs it.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "riscv/csr_file.h"
#include "riscv/decode_cache.h"
#include "riscv/isa.h"
#include "riscv/memory_bus.h"

namespace dcc::riscv {

/// Why run() came back.
enum class Stop : std::uint8_t {
  kNone,
  kBudget,            // all instructions asked for are done
  kWaitForInterrupt,  // wfi and no enabled line is up; pc is behind it
  kBreakpoint,        // pc is at a breakpoint; its instruction has not run
  kWatchpoint,        // an access hit a watchpoint; its instruction has run
  kMailbox,           // the mailbox word was stored
  kRequested,         // request_stop()
  kDead,              // nothing the program could still do: see death()
};

/// Ends that no instruction leads out of. Real hardware would hang; the model says so.
enum class Death : std::uint8_t {
  kNone,
  kNoHandler,      // a trap, and the program never wrote mtvec
  kTrapLoop,       // the trap handler's own first instruction traps
  kEndlessLoop,    // a jump to itself with interrupts off
  kEndlessSleep,   // wfi with no interrupt enabled
  kStackOverflow,  // a store relative to sp below the end of the stack
};

/// A synchronous exception or death, for messages.
struct TrapRecord {
  std::uint32_t cause = 0;
  std::uint32_t pc = 0;
  std::uint32_t value = 0;  // mtval: the address, or the instruction's bits
  std::uint32_t ra = 0;     // x1 then: after a jump to nowhere, where it came from
  std::uint64_t step = 0;   // when, in instructions since reset
};

/// Memory seen through a pointer. `data` null: reached through the bus only (still executable).
struct RamWindow {
  std::uint8_t* data = nullptr;
  std::uint32_t base = 0;
  std::uint32_t size = 0;  // multiple of 4096
};

struct Watchpoint {
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
  bool loads = false;
  bool stores = true;
};

/// Deterministic to the instruction: nothing here depends on the machine it runs on. Interrupt
/// lines are looked at when run() starts, after every CSR write, mret and wfi, and after every
/// access that left directly mapped RAM. Misaligned data accesses trap. Instructions are fetched
/// from RAM only.
class Hart {
 public:
  /// Cycles of an instruction as a ratio, e.g. {5, 4} for a CPI of 1.25.
  struct Cpi {
    std::uint32_t numerator = 1;
    std::uint32_t denominator = 1;
    /// 1250 is {5, 4}: in lowest terms, so that counts of cycles stay far from overflow.
    static constexpr Cpi from_thousandths(std::uint32_t n) {
      const std::uint32_t common = std::gcd(n, 1000u);
      return {n / common, 1000u / common};
    }
  };

  Hart(MemoryBus& bus, std::uint32_t hart_id, Cpi cpi);
  explicit Hart(MemoryBus& bus) : Hart(bus, 0, Cpi{}) {}

  /// Everything as after power-up, at `pc`; RAM, breakpoints and watchpoints stay.
  void reset(std::uint32_t pc);
  void set_ram(RamWindow window);

  /// Runs up to `budget` instructions (trapping ones included).
  Stop run(std::uint64_t budget);
  /// Enters the handler of the interrupt to take now, if any; run() does so by itself.
  bool take_interrupt();
  /// Runs one instruction even if a breakpoint sits on it.
  Stop step();

  std::uint32_t pc() const { return pc_; }
  void set_pc(std::uint32_t pc) { pc_ = pc & ~1u; }
  std::uint32_t reg(unsigned index) const { return x_[index]; }
  void set_reg(unsigned index, std::uint32_t value) {
    if (index != 0) x_[index] = value;
  }
  bool read_csr(std::uint32_t number, std::uint32_t& value) const;
  bool write_csr(std::uint32_t number, std::uint32_t value);

  /// Instructions begun since reset: retired ones plus those that trapped.
  std::uint64_t steps() const { return steps_; }
  std::uint64_t retired() const { return steps_ - trapped_; }
  /// Cycles of `steps` instructions, rounded down.
  std::uint64_t cycles_of(std::uint64_t steps) const {
    return steps * cpi_.numerator / cpi_.denominator;
  }
  std::uint64_t cycles() const { return cycles_of(steps_) + stall_cycles_; }
  /// Time that passed without instructions (sleep, waiting for a device): mcycle counts on.
  void add_stall_cycles(std::uint64_t cycles) { stall_cycles_ += cycles; }

  void set_interrupt_line(Cause line, bool level) {
    csr_.set_line(line, level);
    attention_ = true;
  }
  bool wakes() const { return csr_.wakes(); }
  const CsrFile& csrs() const { return csr_; }

  /// Makes run() return after the instruction at hand.
  void request_stop() { ask(Stop::kRequested); }
  /// Stack guard: stores relative to sp below `limit` end the run. 0 switches it off.
  void set_stack_limit(std::uint32_t limit) { stack_limit_ = limit; }
  /// The word whose stores return Stop::kMailbox (HTIF's tohost). 0: none.
  void set_mailbox(std::uint32_t address);

  void add_breakpoint(std::uint32_t address);
  void remove_breakpoint(std::uint32_t address);
  bool has_breakpoint(std::uint32_t address) const;
  void add_watchpoint(const Watchpoint& watch);
  void remove_watchpoint(const Watchpoint& watch);
  /// What led to the last Stop::kWatchpoint.
  const Watchpoint& watch_hit() const { return watch_hit_; }
  bool watch_was_store() const { return watch_hit_store_; }

  /// Said by whoever changed code in RAM behind the hart's back (a debugger).
  void code_changed(std::uint32_t address, std::uint32_t bytes) {
    cache_.invalidate(address, bytes);
  }
  /// The instruction at `address`, decoded; false where nothing can be fetched.
  bool instruction_at(std::uint32_t address, DecodedOp& op);

  Death death() const { return death_; }
  const TrapRecord& death_record() const { return death_record_; }
  bool has_trapped() const { return trapped_ != 0; }
  const TrapRecord& last_trap() const { return last_trap_; }

 private:
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
  bool slow_load(std::uint32_t address, std::uint32_t size, std::uint32_t pc, std::uint32_t& value);
  bool slow_store(std::uint32_t address, std::uint32_t size, std::uint32_t pc, std::uint32_t value);
  bool access_csr(const DecodedOp& op, std::uint32_t pc);
  void wait_for_interrupt(std::uint32_t pc, std::uint32_t next);
  void check_watchpoints(std::uint32_t address, std::uint32_t size, bool store);
  void update_windows();
  void forget_code();

  MemoryBus& bus_;
  Cpi cpi_;
  std::array<std::uint32_t, 33> x_{};  // the last one swallows what goes to x0
  std::uint32_t pc_ = 0;
  CsrFile csr_;
  DecodeCache cache_;
  RamWindow ram_;
  std::uint32_t load_window_ = 0;   // bytes of RAM that loads may take directly
  std::uint32_t store_window_ = 0;  // the same for stores
  std::uint32_t stack_limit_ = 0;
  bool attention_ = false;  // the inner loop must come out: lines, windows or stop changed
  Stop stop_ = Stop::kNone;

  std::uint64_t steps_ = 0;
  std::uint64_t trapped_ = 0;
  std::uint64_t stall_cycles_ = 0;

  std::vector<std::uint32_t> breakpoints_;
  std::vector<Watchpoint> watchpoints_;
  bool passing_breakpoint_ = false;
  std::uint32_t mailbox_ = 0;
  Watchpoint watch_hit_;
  bool watch_hit_store_ = false;
  Death death_ = Death::kNone;
  TrapRecord death_record_;
  TrapRecord last_trap_;
};

/// "endless loop with interrupts off", …
const char* death_name(Death death);

}  // namespace dcc::riscv
