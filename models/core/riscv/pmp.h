// Physical memory protection: which addresses each privilege mode may read, write and execute.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "riscv/isa.h"

namespace dcc::riscv {

/// Sixteen entries with a grain of four bytes: OFF, TOR, NA4 and NAPOT, locks (volume II, section
/// 3.7). An access that no entry matches is machine mode's alone. The reserved combination of W
/// without R is written as neither.
class Pmp {
 public:
  static constexpr unsigned kEntries = 16;
  static constexpr std::uint8_t kRead = 1, kWrite = 2, kExecute = 4, kAll = 7;

  /// Addresses from `begin` to before `end` that one mode may access alike; as long as can be.
  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = std::uint64_t{1} << 32;
    std::uint8_t permission = kAll;
  };

  Pmp();

  /// pmpcfg0 to pmpcfg3, by index; four entries each.
  std::uint32_t config(unsigned index) const;
  void write_config(unsigned index, std::uint32_t value);
  std::uint32_t address(unsigned index) const { return address_[index]; }
  void write_address(unsigned index, std::uint32_t value);

  /// True if the mode may do everything everywhere.
  bool unrestricted(Privilege mode) { return view(mode).open; }
  /// What holds around an address.
  const Span& span(Privilege mode, std::uint32_t address);
  /// Another number whenever the mode may execute other addresses than before.
  std::uint32_t execute_version(Privilege mode) { return view(mode).version; }

 private:
  struct View {
    bool stale = false;
    bool open = true;
    std::uint32_t version = 0;
    std::vector<Span> spans;  // by address, without gaps
  };
  View& view(Privilege mode) {
    View& v = views_[mode == Privilege::kMachine ? 1 : 0];
    if (v.stale) rebuild(v, mode);
    return v;
  }
  bool locked(unsigned entry) const { return (config_[entry] & 0x80) != 0; }
  void changed();
  void rebuild(View& view, Privilege mode);
  std::uint8_t permission_at(std::uint64_t address, Privilege mode) const;
  /// The bytes entry `i` covers; begin == end: none.
  Span range(unsigned i) const;

  std::array<std::uint8_t, kEntries> config_{};
  std::array<std::uint32_t, kEntries> address_{};  // bits 33:2
  bool any_locked_ = false;
  View views_[2];  // user, machine
};

}  // namespace dcc::riscv
