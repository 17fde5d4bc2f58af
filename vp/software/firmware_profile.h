// Profiles a program with the names and lines of its ELF file: firmware of a hart, or a program on
// a NIC's cores.
#pragma once

#include <optional>
#include <string>

#include "cpu/riscv_cpu.h"
#include "nic/algorithm/debugged_program.h"
#include "riscv/elf_file.h"
#include "riscv/line_table.h"
#include "riscv/profile.h"

namespace dcc::vp {

/// Counts every instruction of a CPU from its construction on. Program file and CPU must outlive
/// the run. Throws std::runtime_error if the file cannot be read.
class FirmwareProfile final {
 public:
  /// Counts the instructions of a hart. `number`: number of the hart if the CPU has several harts.
  FirmwareProfile(const std::string& file, model::RiscvCpu& cpu,
                  std::optional<unsigned> number = std::nullopt)
      : elf_(riscv::ElfFile::read(file)),
        lines_(riscv::LineTable::read(file)),
        profile_(elf_, lines_, cpu.hart(), number) {
    cpu.trace().set_observer(&profile_);
  }
  /// Counts the instructions of all handlers that a NIC's cores run.
  FirmwareProfile(const std::string& file, DebuggedProcessor& cores)
      : elf_(riscv::ElfFile::read(file)),
        lines_(riscv::LineTable::read(file)),
        profile_(elf_, lines_, cores.hart()) {
    cores.set_observer(&profile_, [this] { profile_.finish(); });
  }
  FirmwareProfile(const FirmwareProfile&) = delete;
  FirmwareProfile& operator=(const FirmwareProfile&) = delete;

  riscv::Profile& profile() { return profile_; }
  const riscv::Profile& profile() const { return profile_; }
  const riscv::ElfFile& elf() const { return elf_; }

 private:
  riscv::ElfFile elf_;
  riscv::LineTable lines_;
  riscv::Profile profile_;
};

}  // namespace dcc::vp
