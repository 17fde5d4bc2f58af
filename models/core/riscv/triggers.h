// Debug triggers: two address matches that firmware or a debugger can set.
#pragma once

#include <array>
#include <cstdint>

#include "riscv/isa.h"

namespace dcc::riscv {

/// Address match triggers of type 2, mcontrol (RISC-V External Debug Support 0.13.2, chapter 5):
/// equal match on execution, loads and stores, before the instruction, in machine and user mode.
/// The action is a breakpoint exception, or, for a trigger that the debugger owns (dmode), a stop.
/// Triggers fire in machine mode whatever mstatus.MIE says: a trigger must not match an address in
/// its own handler.
class Triggers {
 public:
  static constexpr unsigned kCount = 2;
  enum class Action : std::uint8_t { kNone, kException, kStop };

  std::uint32_t selected() const { return selected_; }
  void select(std::uint32_t index) {
    if (index < kCount) selected_ = index;
  }
  std::uint32_t control() const;
  std::uint32_t address() const { return triggers_[selected_].address; }
  /// Writes the control register of the selected trigger. A write by the program to a trigger that
  /// the debugger owns is ignored.
  void write_control(std::uint32_t value, bool from_debugger);
  void write_address(std::uint32_t value, bool from_debugger);

  /// True if any trigger compares the addresses of loads or stores.
  bool watches_data() const { return watches_data_; }
  Action on_execute(Privilege mode, std::uint32_t pc) const {
    return match(mode, kExecuteBit, pc, 1);
  }
  Action on_access(Privilege mode, std::uint32_t address, std::uint32_t size, bool store) const {
    return match(mode, store ? kStoreBit : kLoadBit, address, size);
  }

 private:
  static constexpr std::uint32_t kLoadBit = 1, kStoreBit = 2, kExecuteBit = 4;
  struct Trigger {
    // control register with the fields dmode, action, m, u, execute, store and load
    std::uint32_t control = 0;
    std::uint32_t address = 0;
  };
  bool writable(bool from_debugger) const;
  Action match(Privilege mode, std::uint32_t kind, std::uint32_t address, std::uint32_t size) const;

  std::array<Trigger, kCount> triggers_{};
  std::uint32_t selected_ = 0;
  bool watches_data_ = false;
};

}  // namespace dcc::riscv
