// Physical memory protection: which addresses each privilege mode may read, write and execute.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "riscv/isa.h"

namespace dcc::riscv {

/// Physical memory protection with sixteen entries and a granularity of four bytes: OFF, TOR, NA4
/// and NAPOT, with locks (volume II, section 3.7). Only machine mode may make an access that no
/// entry matches. A write of the reserved combination W = 1, R = 0 clears both bits.
class Pmp {
 public:
  static constexpr unsigned kEntries = 16;
  static constexpr std::uint8_t kRead = 1, kWrite = 2, kExecute = 4, kAll = 7;

  /// A range [begin, end) in which one privilege mode has the same permission everywhere. Spans are
  /// as long as possible.
  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = std::uint64_t{1} << 32;
    std::uint8_t permission = kAll;
  };

  Pmp();

  /// Value of one of the registers pmpcfg0 to pmpcfg3, by index; each register configures four
  /// entries.
  std::uint32_t config(unsigned index) const;
  void write_config(unsigned index, std::uint32_t value);
  std::uint32_t address(unsigned index) const { return address_[index]; }
  void write_address(unsigned index, std::uint32_t value);

  /// True if the privilege mode has all permissions at every address.
  bool unrestricted(Privilege mode) { return view(mode).open; }
  /// The span that contains an address, with the permission of the privilege mode there.
  const Span& span(Privilege mode, std::uint32_t address);
  /// A number that changes whenever the set of addresses that the privilege mode may execute
  /// changes.
  std::uint32_t execute_version(Privilege mode) { return view(mode).version; }

 private:
  struct View {
    bool stale = false;
    bool open = true;
    std::uint32_t version = 0;
    std::vector<Span> spans;  // all spans of one privilege mode by address, without gaps
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
  /// The address range that entry `i` covers; begin == end if the entry covers nothing.
  Span range(unsigned i) const;

  std::array<std::uint8_t, kEntries> config_{};
  std::array<std::uint32_t, kEntries> address_{};  // bits 33:2 of each entry's address register
  bool any_locked_ = false;
  View views_[2];  // views of user mode and machine mode
};

}  // namespace dcc::riscv
