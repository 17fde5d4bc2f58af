// Parameters of a NIC whose congestion control is a program on cores.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "describe/enum_names.h"
#include "nic/algorithm/algorithm_parameters.h"

namespace dcc {

/// Cycles per instruction of a program core, by class of instruction.
struct ProgramCpi {
  Ratio alu{1};
  Ratio mul{1};
  Ratio div{16};
  Ratio load{2};
  Ratio store{1};
  Ratio branch{1};
  Ratio taken{1};  // additional cycles of a branch that is taken
  Ratio jump{2};
  Ratio system{4};  // cycles of CSR accesses, fences and atomic operations
};

struct ProgramParameters final : AlgorithmParameters {
  enum class Merge { kFull, kAlways, kNever };

  std::string elf;
  unsigned cores = 4;
  Frequency clock{1'000'000'000};
  bool instant = false;
  unsigned queue = 64;
  Merge merge = Merge::kFull;
  unsigned dispatch = 20;  // cycles of a core from an event to the first instruction of its handler
  ProgramCpi cpi;
  Bytes context = 128;
  Bytes memory = 64_KiB;
  unsigned limit = 100'000;  // maximum number of instructions of one handler call
  unsigned trace = 1000;     // maximum number of trace lines of a program core
  std::vector<unsigned> values;
  // TCP port for a debugger on the loopback interface; empty: no debugger
  std::optional<unsigned> gdb;
  unsigned gdb_host = 0;  // host whose NIC the debugger attaches to

  void describe(ParameterVisitor& v) override;
  /// Throws ParameterError if the program's file is missing or is not a program for this NIC.
  void check(Bytes largest_packet) const override;
  std::optional<std::uint32_t> debugged_host() const override {
    return gdb ? std::optional<std::uint32_t>(gdb_host) : std::nullopt;
  }
};

DCC_ENUM_NAMES(ProgramParameters::Merge, {ProgramParameters::Merge::kFull, "full"},
               {ProgramParameters::Merge::kAlways, "always"},
               {ProgramParameters::Merge::kNever, "never"});

}  // namespace dcc
