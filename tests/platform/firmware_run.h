// A platform whose host 1 runs a program of a few instructions.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "small_platform.h"
#include "small_program.h"

namespace dcc::vp {

inline RunResults run_firmware(const riscv::test::Program& program) {
  const std::string elf =
      (std::filesystem::temp_directory_path() / ("program" + std::to_string(getpid()) + ".elf"))
          .string();
  EXPECT_TRUE(riscv::test::write_elf(elf, program));
  const RunResults results =
      run(star("hosts: {1: {driver: firmware, elf: " + elf +
               ", keeps_accounts: false}}\ntraffic: [{kind: flow, from: 2, to: 3}]\n"));
  std::filesystem::remove(elf);
  return results;
}

}  // namespace dcc::vp
