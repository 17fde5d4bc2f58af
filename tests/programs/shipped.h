// Makes the shipped programs on a NIC for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/schemes/program/program_maker.h"

namespace dcc::program_tests {

/// The program firmware/programs/NAME.c with the configuration values `values`, on infinitely fast
/// cores.
inline std::unique_ptr<Program> shipped(const char* name, Nic& nic, std::vector<unsigned> values) {
  ProgramParameters parameters;
  parameters.elf = std::string(DCC_NIC_PROGRAMS) + "/" + name + ".elf";
  parameters.instant = true;
  parameters.context = DCC_MAX_CONTEXT_BYTES;
  parameters.values = std::move(values);
  parameters.check(1100);
  auto program = std::make_unique<Program>(
      AlgorithmContext{nic.scheduler(), nic, 1000, kMicroSecond, 7}, parameters);
  nic.bind(*program);
  return program;
}

/// Difference of two rates relative to the second rate.
inline double apart(Rate a, Rate b) {
  return std::fabs(static_cast<double>(a.raw) - static_cast<double>(b.raw)) /
         std::max<double>(b.raw, 1);
}

}  // namespace dcc::program_tests
