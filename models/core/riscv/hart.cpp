#include "riscv/hart.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "riscv/decoder.h"

namespace dcc::riscv {
Hart::Hart(MemoryBus& bus, std::uint32_t hart_id, Cpi cpi) : bus_(bus), cpi_(cpi), csr_(hart_id) {}

void Hart::reset(std::uint32_t pc) {
  csr_ = CsrFile(*csr_.read(csr::kMhartid, Counters{}));
  handlers_ = HandlerTime{};
  decoded_under_[0] = decoded_under_[1] = 0;
  reservation_.held = false;
  x_.fill(0);
  pc_ = pc & ~1u;
  steps_ = trapped_ = stall_cycles_ = 0;
  stop_ = Stop::kNone;
  death_ = Death::kNone;
  last_trap_ = TrapRecord{};
  returned_at_ = 0;
  same_traps_ = 0;
  forget_code();
  mode_changed();
}

void Hart::forget_code() {
  cache_.clear();
  mark_pages();
}

// Marks the guarded pages, to which stores must take the general path.
void Hart::mark_pages() {
  if (mailbox_ != 0) cache_.mark_reached(mailbox_);
  for (const std::uint32_t address : guarded_) cache_.guard(address, true);
}

void Hart::guard(std::vector<std::uint32_t> addresses) {
  for (const std::uint32_t address : guarded_) cache_.guard(address, false);
  guarded_ = std::move(addresses);
  mark_pages();
}

void Hart::set_ram(RamWindow window) {
  const bool moved = window.base != ram_.base || window.size != ram_.size;
  ram_ = window;
  if (moved) cache_.cover(window.base, window.size);
  mark_pages();
  update_windows();
}

// Updates state that depends on the privilege mode. Must be called after every change of the
// privilege mode or of its access rights.
void Hart::mode_changed() {
  const Privilege mode = csr_.privilege();
  std::uint32_t& version = decoded_under_[mode == Privilege::kMachine ? 1 : 0];
  const std::uint32_t present = csr_.pmp().execute_version(mode);
  if (version != present) cache_.forget_mode(mode);
  version = present;
  cache_.select(mode);
  stack_guard_ = mode == Privilege::kMachine ? stack_limit_ : 0;
  update_windows();
}

void Hart::update_windows() {
  const bool direct = ram_.data != nullptr;
  windows_move_ = !csr_.pmp().unrestricted(csr_.data_privilege());
  window_base_ = ram_.base;
  load_window_ = store_window_ = direct && !watched() && !windows_move_ ? ram_.size : 0;
  attention_ = true;
}

// Gives a restricted privilege mode direct access to the part of the last used protection span that
// lies in RAM.
void Hart::place_window(const Pmp::Span& span) {
  if (ram_.data == nullptr || watched()) return;
  const std::uint64_t begin = std::max<std::uint64_t>(span.begin, ram_.base);
  const std::uint64_t end = std::min<std::uint64_t>(span.end, std::uint64_t{ram_.base} + ram_.size);
  if (begin >= end) return;
  window_base_ = static_cast<std::uint32_t>(begin);
  const auto bytes = static_cast<std::uint32_t>(end - begin);
  load_window_ = (span.permission & Pmp::kRead) != 0 ? bytes : 0;
  store_window_ = (span.permission & Pmp::kWrite) != 0 ? bytes : 0;
}

void Hart::set_mailbox(std::uint32_t address) {
  mailbox_ = address;
  if (address != 0) cache_.mark_reached(address);
}

template <bool kCosted>
Stop Hart::run_as(std::uint64_t budget) {
  const std::uint64_t end = steps_ + budget;
  for (;;) {
    if (stop_ != Stop::kNone) {
      const Stop reason = stop_;
      if (reason != Stop::kDead) stop_ = Stop::kNone;
      return reason;
    }
    if (steps_ >= end) return Stop::kBudget;
    take_interrupt();
    execute<kCosted>(end);
  }
}

Stop Hart::run(std::uint64_t budget) { return run_as<false>(budget); }

Stop Hart::run_costed(std::uint64_t budget, const Costs& costs, std::uint64_t& sum) {
  costs_ = &costs;
  cost_ = 0;
  const Stop stop = run_as<true>(budget);
  sum += cost_;
  costs_ = nullptr;
  return stop;
}

Stop Hart::run_observed(std::uint64_t budget, InstructionObserver& observer) {
  const std::uint64_t end = steps_ + budget;
  Stop stop = Stop::kBudget;
  while (steps_ < end && stop == Stop::kBudget) {
    const std::uint32_t before = pc_;
    if (stop_ == Stop::kNone && take_interrupt()) observer.interrupted(before, pc_);
    const std::uint32_t pc = pc_;
    const std::uint64_t step = steps_;
    const std::uint64_t trapped = trapped_;
    DecodedOp op;
    // decodes the instruction at pc; if it cannot be fetched, the trap gives the reason
    instruction_at(pc, op);
    stop = run(1);
    if (steps_ != step) observer.executed(op, pc, pc_, trapped_ != trapped);
  }
  return stop;
}

bool Hart::take_interrupt() {
  const std::uint32_t cause = csr_.interrupt_to_take();
  if (cause == 0) return false;
  pc_ = csr_.enter_trap(cause, 0, pc_);
  reservation_.held = false;
  handlers_.trapped(cycles());
  mode_changed();
  if (accesses_ != nullptr) accesses_->interrupted();
  if (interrupts_ != nullptr) interrupts_->interrupt_taken(static_cast<Cause>(cause));
  return true;
}

template <class Run>
Stop Hart::step_by(const Run& run_one) {
  passing_breakpoint_ = true;
  cache_.forget(pc_);
  const std::uint32_t at = pc_;
  const Stop reason = run_one();
  passing_breakpoint_ = false;
  cache_.forget(at);
  return reason;
}

Stop Hart::step() {
  return step_by([this] { return run(1); });
}

Stop Hart::step_costed(const Costs& costs, std::uint64_t& sum) {
  return step_by([&] { return run_costed(1, costs, sum); });
}

bool Hart::read_csr(std::uint32_t number, std::uint32_t& value) const {
  const std::optional<std::uint32_t> read = csr_.read(number, Counters{cycles(), retired()});
  value = read.value_or(0);
  return read.has_value();
}

bool Hart::write_csr(std::uint32_t number, std::uint32_t value) {
  attention_ = true;
  return write_csr_as(number, value, Counters{cycles(), retired()}, true);
}

// Writes a CSR and updates all state of the hart that depends on it.
bool Hart::write_csr_as(std::uint32_t number, std::uint32_t value, const Counters& before,
                        bool debugger) {
  const Counters after{cycles(), retired()};
  const bool trigger = number == csr::kTdata1 || number == csr::kTdata2;
  if (trigger) cache_.forget(csr_.triggers().address());
  const bool enabled = csr_.interrupts_enabled();
  if (!csr_.write(number, value, before, after, debugger)) return false;
  handlers_.status_written(enabled, csr_.interrupts_enabled(), cycles());
  if (trigger) cache_.forget(csr_.triggers().address());
  if (CsrFile::concerns_memory(number)) mode_changed();
  return true;
}

bool Hart::fetch(std::uint32_t address, std::uint32_t& halfword) {
  const std::uint32_t in_rom = address - rom_.base;
  const std::uint32_t offset = address - ram_.base;
  if ((offset >= ram_.size && in_rom >= rom_.size) || !may_execute(address)) return false;
  if (in_rom < rom_.size) {
    std::uint16_t half = 0;
    std::memcpy(&half, rom_.data + in_rom, sizeof half);
    halfword = half;
    return true;
  }
  if (ram_.data == nullptr) return bus_.fetch(address, halfword);
  std::uint16_t half = 0;
  std::memcpy(&half, ram_.data + offset, sizeof half);
  halfword = half;
  return true;
}

void Hart::set_rom(RamWindow window) {
  rom_ = window;
  cache_.cover_rom(window.base, window.size);
  mark_pages();
}

// A semihosting call is an ebreak between two instructions without effect, none of them compressed:
// slli x0, x0, 0x1f and srai x0, x0, 7 (RISC-V Semihosting, version 0.4, chapter 2).
bool Hart::is_semihosting_call(std::uint32_t pc) {
  constexpr std::uint32_t kBefore = 0x01F01013, kEbreak = 0x00100073, kBehind = 0x40705013;
  std::uint32_t bits = 0;
  std::uint32_t fault = 0;
  const auto is = [&](std::uint32_t at, std::uint32_t word) {
    return fetch_instruction(at, bits, fault) && bits == word;
  };
  return is(pc, kEbreak) && is(pc - 4, kBefore) && is(pc + 4, kBehind);
}

bool Hart::fetch_instruction(std::uint32_t pc, std::uint32_t& bits, std::uint32_t& fault_address) {
  fault_address = pc;
  if (!fetch(pc, bits)) return false;
  if (!is_long(bits)) return true;
  fault_address = pc + 2;
  std::uint32_t upper = 0;
  if (!fetch(pc + 2, upper)) return false;
  bits |= upper << 16;
  return true;
}

bool Hart::instruction_at(std::uint32_t address, DecodedOp& op) {
  std::uint32_t bits = 0;
  std::uint32_t fault = 0;
  if (!fetch_instruction(address, bits, fault)) return false;
  op = decode(bits, address);
  return true;
}

// Fills an entry of the decode cache. If the instruction cannot be fetched as a whole, the entry
// stays undecoded and the fault is raised here.
void Hart::decode_into(DecodedOp& entry, std::uint32_t pc) {
  if (!passing_breakpoint_ && has_breakpoint(pc)) {
    entry.mark(Op::kDebugBreak);
    return;
  }
  const Triggers::Action action = csr_.triggers().on_execute(csr_.privilege(), pc);
  if (action != Triggers::Action::kNone &&
      !(passing_breakpoint_ && action == Triggers::Action::kStop)) {
    entry.mark(Op::kTrigger);
    return;
  }
  std::uint32_t bits = 0;
  std::uint32_t fault = 0;
  if (!fetch_instruction(pc, bits, fault)) {
    ++steps_;
    raise(Cause::kInstructionAccessFault, fault, pc);
    return;
  }
  DecodedOp op = decode(bits, pc);
  if (op.halfwords == 2) cache_.mark_reached(pc + 2);
  if (op.op == Op::kJal && op.rd == kSink && op.imm == 0) op.op = Op::kSelfLoop;
  const std::uint32_t target = pc + static_cast<std::uint32_t>(op.imm);
  if ((target ^ pc) < kPageBytes) {
    const auto nearer = [&op](Op from, Op to) {
      if (op.op == from) {
        op.op = to;
        op.imm = op.imm / 2 * static_cast<std::int32_t>(sizeof(DecodedOp));
        return true;
      }
      return false;
    };
    (void)(nearer(Op::kJal, Op::kJalNear) || nearer(Op::kBeq, Op::kBeqNear) ||
           nearer(Op::kBne, Op::kBneNear) || nearer(Op::kBlt, Op::kBltNear) ||
           nearer(Op::kBge, Op::kBgeNear) || nearer(Op::kBltu, Op::kBltuNear) ||
           nearer(Op::kBgeu, Op::kBgeuNear));
  }
  op.mark(op.op);
  entry = op;
}

void Hart::raise(Cause cause, std::uint32_t value, std::uint32_t pc) {
  ++trapped_;
  const auto number = static_cast<std::uint32_t>(cause);
  const bool same = last_trap_.cause == number && last_trap_.pc == pc &&
                    last_trap_.value == value && returned_at_ != 0 && returned_at_ + 1 == steps_;
  same_traps_ = same ? same_traps_ + 1 : 0;
  last_trap_ = TrapRecord{number, pc, value, x_[1], steps_};
  if (csr_.handler_never_set()) {
    die(Death::kNoHandler, pc, value, number);
    return;
  }
  const bool from_machine = csr_.privilege() == Privilege::kMachine;
  pc_ = csr_.enter_trap(number, value, pc);
  reservation_.held = false;
  handlers_.trapped(cycles());
  mode_changed();
  if (pc_ == pc && from_machine) die(Death::kTrapLoop, pc, value, number);
  if (same_traps_ == kMaxSameTraps) die(Death::kSameTrap, pc, value, number);
  attention_ = true;
}

void Hart::die(Death death, std::uint32_t pc, std::uint32_t value, std::uint32_t cause) {
  death_ = death;
  death_record_ = TrapRecord{cause, pc, value, x_[1], steps_};
  pc_ = pc;
  ask(Stop::kDead);
}

bool Hart::access_csr(const DecodedOp& op, std::uint32_t pc) {
  const auto number = static_cast<std::uint32_t>(op.imm);
  const bool immediate = op.op >= Op::kCsrrwi;
  const std::uint32_t operand = immediate ? op.rs1 : x_[op.rs1];
  const bool replace = op.op == Op::kCsrrw || op.op == Op::kCsrrwi;
  const bool set = op.op == Op::kCsrrs || op.op == Op::kCsrrsi;
  const Counters before{cycles_of(steps_ - 1) + stall_cycles_, retired() - 1};
  const std::uint8_t rd = op.rd;
  const std::uint32_t raw = op.raw;
  std::optional<std::uint32_t> old;
  if (csr_.permits(number)) old = csr_.read(number, before);
  bool legal = old.has_value();
  if (legal && (replace || op.rs1 != 0)) {
    const std::uint32_t value = replace ? operand : set ? *old | operand : *old & ~operand;
    legal = write_csr_as(number, value, before, false);
    // After this point `op` may point into a page of the decode cache that no longer exists.
  }
  if (!legal) {
    raise(Cause::kIllegalInstruction, raw, pc);
    return false;
  }
  x_[rd] = *old;
  return true;
}

void Hart::return_from_trap(const DecodedOp& op, std::uint32_t pc) {
  if (csr_.privilege() != Privilege::kMachine) {
    raise(Cause::kIllegalInstruction, op.raw, pc);
    return;
  }
  pc_ = csr_.leave_trap();
  returned_at_ = steps_;
  reservation_.held = false;
  handlers_.returned(csr_.interrupts_enabled(), cycles());
  mode_changed();
}

void Hart::wait_for_interrupt(const DecodedOp& op, std::uint32_t pc) {
  if (csr_.privilege() == Privilege::kUser && csr_.traps_wait()) {
    raise(Cause::kIllegalInstruction, op.raw, pc);
    return;
  }
  pc_ = pc + 4;
  if (csr_.wakes()) return;
  if (csr_.any_interrupt_enabled()) {
    ask(Stop::kWaitForInterrupt);
  } else {
    die(Death::kEndlessSleep, pc, 0, 0);
  }
}

// Handles an instruction that matches a trigger. The instruction has not been executed.
void Hart::meet_trigger(std::uint32_t pc) {
  pc_ = pc;
  if (csr_.triggers().on_execute(csr_.privilege(), pc) == Triggers::Action::kStop) {
    ask(Stop::kBreakpoint);
    return;
  }
  ++steps_;
  raise(Cause::kBreakpoint, pc, pc);
}

void Hart::add_breakpoint(std::uint32_t address) {
  const auto at = std::lower_bound(breakpoints_.begin(), breakpoints_.end(), address);
  if (at == breakpoints_.end() || *at != address) breakpoints_.insert(at, address);
  cache_.forget(address);
}

bool Hart::has_breakpoint(std::uint32_t address) const {
  return std::binary_search(breakpoints_.begin(), breakpoints_.end(), address);
}

void Hart::remove_breakpoint(std::uint32_t address) {
  const auto at = std::lower_bound(breakpoints_.begin(), breakpoints_.end(), address);
  if (at != breakpoints_.end() && *at == address) breakpoints_.erase(at);
  cache_.forget(address);
}

void Hart::add_watchpoint(const Watchpoint& watch) {
  watchpoints_.push_back(watch);
  update_windows();
}

void Hart::remove_watchpoint(const Watchpoint& watch) {
  const auto same = [&watch](const Watchpoint& w) {
    return w.address == watch.address && w.bytes == watch.bytes && w.loads == watch.loads &&
           w.stores == watch.stores;
  };
  const auto at = std::find_if(watchpoints_.begin(), watchpoints_.end(), same);
  if (at != watchpoints_.end()) watchpoints_.erase(at);
  update_windows();
}

void Hart::check_watchpoints(std::uint32_t address, std::uint32_t size, bool store) {
  for (const Watchpoint& w : watchpoints_) {
    const bool overlaps = address - w.address < w.bytes || w.address - address < size;
    if (overlaps && (store ? w.stores : w.loads)) {
      watch_hit_ = w;
      ask(Stop::kWatchpoint);
      return;
    }
  }
}

const char* death_name(Death death) {
  switch (death) {
    case Death::kNone:
      return "alive";
    case Death::kNoHandler:
      return "trap without a handler (mtvec was never written)";
    case Death::kTrapLoop:
      return "the trap handler's first instruction traps";
    case Death::kSameTrap:
      return "the same trap 1000 times in a row, its handler returns to the instruction that traps";
    case Death::kEndlessLoop:
      return "endless loop with interrupts off";
    case Death::kEndlessSleep:
      return "wfi with no interrupt enabled";
    case Death::kStackOverflow:
      return "stack overflow";
  }
  return "unknown";
}

}  // namespace dcc::riscv
