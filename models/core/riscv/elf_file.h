// Statically linked RV32 programs as ELF files: checked, then copied into RAM.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "riscv/symbol_table.h"

namespace dcc::riscv {

/// An ELF file that cannot be used. what() is one sentence with the file's name and the reason.
class ElfError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A range of memory in which a program may lie, in bytes.
struct MemoryRange {
  std::uint32_t base = 0;
  std::uint32_t size = 0;
};

/// A parsed ELF file: ELF32, little-endian, EM_RISCV, ET_EXEC, soft-float ABI (System V ABI, RISC-V
/// psABI). The parser checks every field that can be wrong in a damaged or foreign file.
class ElfFile {
 public:
  struct Segment {
    std::uint32_t address = 0;  // physical address at which the segment is loaded
    // Size of the segment in memory. Bytes beyond `data` are zeroed. 0 if the segment's run address
    // differs from its load address: the program's start-up code then copies the data and clears
    // the rest.
    std::uint32_t memory_bytes = 0;
    std::vector<std::uint8_t> data;
  };

  /// Reads and checks an ELF file. Throws ElfError.
  static ElfFile read(const std::string& path);
  /// Parses an ELF file held in memory; `name` stands for the path in messages.
  static ElfFile parse(const std::vector<std::uint8_t>& bytes, const std::string& name);

  /// Throws ElfError unless every segment lies in `ram` or in `rom`, and the stack from
  /// __stack_limit to __stack_top, if the program has these symbols, in `ram`.
  void check_fits(MemoryRange ram, MemoryRange rom = {}) const;
  /// Throws ElfError if a segment overlaps `reserved`, which `what` names in the message. An empty
  /// range overlaps nothing.
  void check_leaves_free(MemoryRange reserved, const std::string& what) const;
  /// Copies the segments within `range` to memory; `memory` is the host's pointer to range.base.
  /// Precondition: check_fits() passed.
  void load(MemoryRange range, std::uint8_t* memory) const;

  std::uint32_t entry() const { return entry_; }
  const std::vector<Segment>& segments() const { return segments_; }
  const SymbolTable& symbols() const { return symbols_; }

 private:
  friend class ElfParser;
  std::string name_;
  std::uint32_t entry_ = 0;
  std::vector<Segment> segments_;
  SymbolTable symbols_;
};

}  // namespace dcc::riscv
