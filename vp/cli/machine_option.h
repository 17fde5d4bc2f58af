// The option `--machine` of run-elf and dts.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "registers/machine_map.h"

namespace dcc::vp {

/// Adds `--machine NAME` with the names of the memory maps. `machine` must outlive the command
/// line.
inline CLI::Option* add_machine_option(CLI::App& command, MachineKind& machine,
                                       const std::string& description) {
  std::map<std::string, MachineKind> kinds;
  std::vector<std::string> names;
  for (const MachineKind kind : {MachineKind::kDcc, MachineKind::kVirt}) {
    names.push_back(machine_map(kind).name);
    kinds[names.back()] = kind;
  }
  return command
      .add_option_function<std::string>(
          "--machine", [&machine, kinds](const std::string& name) { machine = kinds.at(name); },
          description)
      ->check(CLI::IsMember(names))
      ->default_str(machine_map(machine).name);
}

}  // namespace dcc::vp
