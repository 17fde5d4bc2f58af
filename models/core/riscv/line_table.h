// Source lines of addresses, from a program's debug information.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dcc::riscv {

/// The line number program of an ELF file (DWARF 5, chapter 6.2, 32-bit form; versions 2 to 4 too).
class LineTable {
 public:
  struct Row {
    std::uint32_t address = 0;
    std::uint32_t file = 0;  // index into files()
    std::uint32_t line = 0;
    bool ends = false;  // the first address behind a sequence: belongs to no line
  };

  /// Empty if the file has no line table. Throws ElfError if it has one that is damaged.
  static LineTable read(const std::string& path);
  /// The same for bytes in memory; `name` stands for the path in messages.
  static LineTable parse(const std::vector<std::uint8_t>& bytes, const std::string& name);

  /// The row that covers the address; null if none does.
  const Row* find(std::uint32_t address) const;
  /// By address; where sequences meet, the end of one before the beginning of the next.
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<std::string>& files() const { return files_; }

 private:
  friend class LineProgram;
  std::vector<Row> rows_;
  std::vector<std::string> files_;
};

}  // namespace dcc::riscv
