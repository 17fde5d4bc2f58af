// A register device that is only a memory: a read of a window returns the word that was written.
#pragma once

#include <cstdint>
#include <vector>

#include "registers/register_block.h"

namespace dcc::regs {

class MemoryDevice final : public RegisterDevice {
 public:
  explicit MemoryDevice(const MapInfo& map) {
    for (const WindowInfo& window : map.windows) {
      windows.emplace_back(window.entries * window.stride / 4, 0);
    }
    registers.resize(map.registers.size());
    counters.resize(map.counters.size());
  }
  std::uint32_t read_register(std::uint16_t index) const override { return registers[index]; }
  void access(RegisterAccess& access) override {
    if (!access.write) return access.answer();
    if (access.window_written()) windows[access.index][access.word] = access.value;
    if (access.register_written) {
      last_index = access.index;
      last_value = access.stored;
    }
    if (access.window_written() || access.register_written) ++writes;
  }
  std::uint64_t read_counter(std::uint16_t index) const override { return counters[index]; }
  std::uint32_t read_window(std::uint16_t window, std::uint32_t word) const override {
    return windows[window][word];
  }

  std::vector<std::uint32_t> registers;  // live value of each register
  std::vector<std::uint64_t> counters;
  std::vector<std::vector<std::uint32_t>> windows;
  std::uint16_t last_index = kNoRegister;
  std::uint32_t last_value = 0;
  int writes = 0;
};

}  // namespace dcc::regs
