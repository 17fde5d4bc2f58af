// Finds the source line of an address from a program's debug information.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dcc::riscv {

/// The line table of an ELF file (DWARF 5, chapter 6.2, 32-bit form; versions 2 to 4 too).
class LineTable {
 public:
  struct Row {
    std::uint32_t address = 0;
    std::uint32_t file = 0;  // index of the row's file in files()
    std::uint32_t line = 0;
    bool ends = false;  // true for the first address after a sequence, which belongs to no line
  };

  /// Reads the line table of a file; empty if the file has none. Throws ElfError if the table is
  /// damaged.
  static LineTable read(const std::string& path);
  /// Parses the line table of a file held in memory; `name` stands for the path in messages.
  static LineTable parse(const std::vector<std::uint8_t>& bytes, const std::string& name);

  /// The row of the line table that covers the address; null if there is none.
  const Row* find(std::uint32_t address) const;
  /// All rows of the line table, sorted by address. Where two sequences meet, the end of the first
  /// comes before the begin of the second.
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<std::string>& files() const { return files_; }

 private:
  friend class LineProgram;
  std::vector<Row> rows_;
  std::vector<std::string> files_;
};

}  // namespace dcc::riscv
