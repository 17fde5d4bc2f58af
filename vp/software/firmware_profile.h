// The profile of a firmware program, with the names and lines of its ELF file.
#pragma once

#include <string>

#include "cpu/riscv_cpu.h"
#include "riscv/elf_file.h"
#include "riscv/line_table.h"
#include "riscv/profile.h"

namespace dcc::vp {

/// Counts every instruction of a CPU from its construction on. Program file and CPU must outlive
/// the run. Throws std::runtime_error if the file cannot be read.
class FirmwareProfile final {
 public:
  FirmwareProfile(const std::string& file, model::RiscvCpu& cpu)
      : elf_(riscv::ElfFile::read(file)),
        lines_(riscv::LineTable::read(file)),
        profile_(elf_, lines_, cpu.hart()) {
    cpu.trace().set_observer(&profile_);
  }
  FirmwareProfile(const FirmwareProfile&) = delete;
  FirmwareProfile& operator=(const FirmwareProfile&) = delete;

  riscv::Profile& profile() { return profile_; }
  const riscv::ElfFile& elf() const { return elf_; }

 private:
  riscv::ElfFile elf_;
  riscv::LineTable lines_;
  riscv::Profile profile_;
};

}  // namespace dcc::vp
