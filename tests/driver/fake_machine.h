// A fake host for drivers: a register file, RAM, a clock and an interrupt controller.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "driver/hal.h"

namespace dcc::test {

/// Simulated time advances by 10 ns with every register access, and jumps to the next event while
/// the program waits. Registers keep written values unless a hook changes them.
class FakeMachine {
 public:
  static constexpr std::uint64_t kRamBase = 0x8000'0000;

  explicit FakeMachine(std::uint64_t ram_bytes = 4 << 20);
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;

  const hal* machine() const { return &hal_; }

  std::uint32_t& reg(std::uint64_t address) { return registers_[address]; }
  struct Write {
    std::uint64_t address;
    std::uint32_t value;
  };
  const std::vector<Write>& writes() const { return writes_; }
  std::uint64_t reads() const { return reads_; }

  /// Hooks of register accesses. on_write is called after the register file stored the value,
  /// on_read with the value that the read would return.
  std::function<void(std::uint64_t address, std::uint32_t value)> on_write;
  std::function<std::uint32_t(std::uint64_t address, std::uint32_t value)> on_read;
  /// Returns the level of the interrupt sources as a bit mask. The machine calls it whenever it
  /// needs the level.
  std::function<std::uint32_t()> levels = [] { return 0u; };

  std::uint64_t now() const { return now_; }
  void at(std::uint64_t when_ns, std::function<void()> event) { events_.emplace(when_ns, event); }
  void after(std::uint64_t delay_ns, std::function<void()> event) {
    at(now_ + delay_ns, std::move(event));
  }
  std::uint64_t waits() const { return waits_; }

  std::uint64_t ram_bytes() const { return ram_.size(); }
  std::uint8_t* ram(std::uint64_t address);
  template <class T>
  T& in_ram(std::uint64_t address) {
    return *reinterpret_cast<T*>(ram(address));
  }

 private:
  std::uint32_t read(std::uint64_t address);
  void write(std::uint64_t address, std::uint32_t value);
  int wait_for_interrupt(std::uint64_t deadline_ns);
  void run_events();
  std::uint32_t claimable() const;

  hal hal_{};
  std::map<std::uint64_t, std::uint32_t> registers_;
  std::vector<Write> writes_;
  std::uint64_t reads_ = 0;
  std::uint64_t waits_ = 0;
  std::vector<std::uint8_t> ram_;
  std::uint64_t now_ = 0;
  std::multimap<std::uint64_t, std::function<void()>> events_;
  std::uint32_t enabled_ = 0;
  std::uint32_t in_service_ = 0;
};

}  // namespace dcc::test
