// A congestion-control program as its cores have it in memory when a NIC starts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "describe/quantities.h"
#include "program/dcc_program.h"
#include "riscv/symbol_table.h"

namespace dcc {

/// The memory image of a program. The image never changes after reading, so the NICs of a run share
/// one image.
class ProgramImage {
 public:
  /// Reads an ELF file for cores with `memory` bytes of data memory. Throws riscv::ElfError, whose
  /// message names the file, the reason and a remedy.
  ProgramImage(const std::string& path, Bytes memory);
  /// Returns the image of a file; callers share one image as long as any caller keeps it.
  static std::shared_ptr<const ProgramImage> share(const std::string& path, Bytes memory);

  const std::string& path() const { return path_; }
  const dcc_program& program() const { return program_; }
  /// Address to which handlers return at their end.
  std::uint32_t return_address() const { return return_address_; }
  /// Code and constants of the program in whole pages, to be placed at DCC_CODE_BASE.
  const std::vector<std::uint8_t>& code() const { return code_; }
  /// Initial contents of the data memory after the reserved part, without trailing zeros.
  const std::vector<std::uint8_t>& data() const { return data_; }
  const riscv::SymbolTable& symbols() const { return symbols_; }

 private:
  std::string path_;
  dcc_program program_{};
  std::uint32_t return_address_ = 0;
  std::vector<std::uint8_t> code_;
  std::vector<std::uint8_t> data_;
  riscv::SymbolTable symbols_;
};

}  // namespace dcc
