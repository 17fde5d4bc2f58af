// Loads, stores and atomic operations of the hart outside its directly accessible window of RAM:
// permissions, routing and faults.
#include <algorithm>
#include <cstring>

#include "riscv/hart.h"

namespace dcc::riscv {
namespace {

/// Returns the value that an atomic operation stores.
std::uint32_t combine(Op op, std::uint32_t old, std::uint32_t operand) {
  const bool less = static_cast<std::int32_t>(old) < static_cast<std::int32_t>(operand);
  switch (op) {
    case Op::kAmoAddW:
      return old + operand;
    case Op::kAmoXorW:
      return old ^ operand;
    case Op::kAmoAndW:
      return old & operand;
    case Op::kAmoOrW:
      return old | operand;
    case Op::kAmoMinW:
      return less ? old : operand;
    case Op::kAmoMaxW:
      return less ? operand : old;
    case Op::kAmoMinuW:
      return std::min(old, operand);
    case Op::kAmoMaxuW:
      return std::max(old, operand);
    default:  // the operation amoswap
      return operand;
  }
}

}  // namespace

bool Hart::may_execute(std::uint32_t address) {
  Pmp& pmp = csr_.pmp();
  const Privilege mode = csr_.privilege();
  return pmp.unrestricted(mode) || (pmp.span(mode, address).permission & Pmp::kExecute) != 0;
}

// Checks the permission of an access. Returns false with the first forbidden byte in
// `fault_address`. A misaligned access may lie in two spans and needs the permission of both.
bool Hart::may_access(std::uint32_t address, std::uint32_t size, std::uint8_t permission,
                      std::uint32_t& fault_address) {
  fault_address = address;
  if (!windows_move_) return true;
  Pmp& pmp = csr_.pmp();
  const Privilege mode = csr_.data_privilege();
  const Pmp::Span& first = pmp.span(mode, address);
  if ((first.permission & permission) != permission) return false;
  const std::uint64_t end = std::uint64_t{address} + size;
  if (end > first.end) {
    fault_address = static_cast<std::uint32_t>(first.end);
    return (pmp.span(mode, fault_address).permission & permission) == permission;
  }
  place_window(first);
  return true;
}

// Returns true if a data trigger fires, which prevents the access.
bool Hart::triggered(std::uint32_t address, std::uint32_t size, bool store, std::uint32_t pc) {
  const Triggers& triggers = csr_.triggers();
  if (!triggers.watches_data()) return false;
  switch (triggers.on_access(csr_.privilege(), address, size, store)) {
    case Triggers::Action::kNone:
      return false;
    case Triggers::Action::kException:
      raise(Cause::kBreakpoint, address, pc);
      return true;
    case Triggers::Action::kStop:
      if (passing_breakpoint_) return false;
      --steps_;  // the instruction has not begun, so steps_ must not count it
      ask(Stop::kBreakpoint);
      return true;
  }
  return false;
}

// Makes the checks that precede every load or store. Returns false, with the exception raised, if
// the access must not happen.
bool Hart::begin_access(std::uint32_t address, std::uint32_t size, bool store, std::uint32_t pc) {
  pc_ = pc;
  if (triggered(address, size, store, pc)) return false;
  const bool inside = is_ram(address) && is_ram(address + size - 1);
  if ((address & (size - 1)) != 0 && (misaligned_ == Misaligned::kTrap || !inside)) {
    // If a misaligned access lies only partly in RAM, the fault is an access fault at the end of
    // RAM, not a misaligned address.
    const bool over_end = misaligned_ == Misaligned::kDone && is_ram(address);
    if (over_end || (misaligned_ == Misaligned::kDone && is_ram(address + size - 1))) {
      raise(store ? Cause::kStoreAccessFault : Cause::kLoadAccessFault,
            over_end ? ram_.base + ram_.size : address, pc);
      return false;
    }
    raise(store ? Cause::kStoreMisaligned : Cause::kLoadMisaligned, address, pc);
    return false;
  }
  std::uint32_t fault = address;
  if (!may_access(address, size, store ? Pmp::kWrite : Pmp::kRead, fault)) {
    raise(store ? Cause::kStoreAccessFault : Cause::kLoadAccessFault, fault, pc);
    return false;
  }
  return true;
}

bool Hart::read_memory(std::uint32_t address, std::uint32_t size, std::uint32_t& value) {
  value = 0;
  const std::uint32_t in_rom = address - rom_.base;
  if (in_rom < rom_.size && size <= rom_.size - in_rom) {
    std::memcpy(&value, rom_.data + in_rom, size);
    return true;
  }
  if (ram_.data == nullptr || !is_ram(address)) return bus_.load(address, size, value);
  std::memcpy(&value, ram_.data + (address - ram_.base), size);
  return true;
}

bool Hart::write_memory(std::uint32_t address, std::uint32_t size, std::uint32_t value) {
  if (ram_.data == nullptr || !is_ram(address)) {
    if (!bus_.store(address, size, value)) return false;
    if (!is_ram(address)) handlers_.stored_to_device(cycles());
  } else {
    std::memcpy(ram_.data + (address - ram_.base), &value, size);
  }
  cache_.invalidate(address, size);
  if (!guarded_.empty()) bus_.stored(address, size);
  if (mailbox_ != 0 && address == mailbox_) ask(Stop::kMailbox);
  return true;
}

bool Hart::slow_load(std::uint32_t address, std::uint32_t size, std::uint32_t pc,
                     std::uint32_t& value) {
  if (!begin_access(address, size, false, pc)) return false;
  if (!read_memory(address, size, value)) {
    raise(Cause::kLoadAccessFault, address, pc);
    return false;
  }
  observe(AccessObserver::Kind::kLoad, address, size, pc);
  if (!watchpoints_.empty()) check_watchpoints(address, size, false);
  return true;
}

bool Hart::slow_store(std::uint32_t address, std::uint32_t size, std::uint32_t pc,
                      std::uint32_t value) {
  if (!begin_access(address, size, true, pc)) return false;
  if (!write_memory(address, size, value)) {
    raise(Cause::kStoreAccessFault, address, pc);
    return false;
  }
  observe(AccessObserver::Kind::kStore, address, size, pc);
  if (!watchpoints_.empty()) check_watchpoints(address, size, true);
  return true;
}

// Checks an atomic operation. Returns true, with the exception raised, if the operation must not
// happen.
bool Hart::atomic_faults(std::uint32_t address, bool load, bool store, std::uint32_t pc) {
  pc_ = pc;
  if (load && triggered(address, 4, false, pc)) return true;
  if (store && triggered(address, 4, true, pc)) return true;
  if ((address & 3) != 0) {
    raise(store ? Cause::kStoreMisaligned : Cause::kLoadMisaligned, address, pc);
    return true;
  }
  const auto needs = static_cast<std::uint8_t>((load ? Pmp::kRead : 0) | (store ? Pmp::kWrite : 0));
  std::uint32_t fault = address;
  if (is_ram(address) && may_access(address, 4, needs, fault)) return false;
  raise(store ? Cause::kStoreAccessFault : Cause::kLoadAccessFault, address, pc);
  return true;
}

// Volume I, chapter 8. Harts take turns and execute in order, so the bits aq and rl need nothing
// more. The stores of other masters end the reservation by foreign_store(); a write that nobody
// reports, such as a debugger's, is found by its value.
bool Hart::atomic(const DecodedOp& op, std::uint32_t pc) {
  const std::uint32_t address = x_[op.rs1];
  const std::uint32_t operand = x_[op.rs2];
  const bool reserve = op.op == Op::kLrW;
  const bool conditional = op.op == Op::kScW;
  if (atomic_faults(address, !conditional, !reserve, pc)) return false;
  std::uint32_t old = 0;
  if (!read_memory(address, 4, old)) {
    raise(reserve ? Cause::kLoadAccessFault : Cause::kStoreAccessFault, address, pc);
    return false;
  }
  constexpr std::uint32_t kAcquire = 1u << 26, kRelease = 1u << 25;
  const AccessObserver::Ordering ordering{true, (op.raw & kAcquire) != 0, (op.raw & kRelease) != 0};
  if (!conditional) observe(AccessObserver::Kind::kLoad, address, 4, pc, ordering);
  if (reserve) {
    reservation_ = {true, address, old};
    x_[op.rd] = old;
    if (!watchpoints_.empty()) check_watchpoints(address, 4, false);
    return true;
  }
  if (conditional) {
    const bool kept =
        reservation_.held && reservation_.address == address && reservation_.value == old;
    reservation_.held = false;
    if (!kept) {
      x_[op.rd] = 1;
      return true;
    }
  }
  if (ram_.data == nullptr) bus_.complete_atomic();
  if (!write_memory(address, 4, conditional ? operand : combine(op.op, old, operand))) {
    raise(Cause::kStoreAccessFault, address, pc);
    return false;
  }
  observe(AccessObserver::Kind::kStore, address, 4, pc, ordering);
  x_[op.rd] = conditional ? 0 : old;
  if (!watchpoints_.empty() && !conditional) check_watchpoints(address, 4, false);
  if (!watchpoints_.empty()) check_watchpoints(address, 4, true);
  return true;
}

}  // namespace dcc::riscv
