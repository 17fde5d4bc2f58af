// Semihosting: calls of a program to the simulator, for console and exit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace dcc::model {

/// Executes the calls of Arm's semihosting specification (version 3.0, 32 bit), which RISC-V
/// Semihosting 0.4 adopts: SYS_OPEN of the console (":tt") and of the list of features, SYS_WRITE0,
/// WRITEC, WRITE, READ, READC, CLOSE, ISERROR, ISTTY, SEEK, FLEN, CLOCK, TIME, ELAPSED, TICKFREQ,
/// ERRNO, GET_CMDLINE, HEAPINFO, EXIT and EXIT_EXTENDED. Any other call fails with -1: a program
/// cannot access files of the simulating machine. The console has no input, and all times are
/// simulated.
class Semihosting {
 public:
  struct Machine {
    /// Functions that access the program's memory; they return false if a byte is outside memory.
    std::function<bool(std::uint32_t, std::uint8_t*, std::size_t)> read;
    std::function<bool(std::uint32_t, const std::uint8_t*, std::size_t)> write;
    std::function<void(char)> console;
    std::uint64_t now_ns = 0;
  };
  struct Answer {
    std::uint32_t value = 0;  // return value of the call for the program's a0, or the exit code
    bool exit = false;
  };

  /// Executes a semihosting call; `operation` and `parameter` are the program's a0 and a1.
  Answer call(std::uint32_t operation, std::uint32_t parameter, const Machine& machine);

 private:
  std::uint32_t open(const std::array<std::uint32_t, 3>& block, const Machine& machine);
  std::uint32_t read(const std::array<std::uint32_t, 3>& block, const Machine& machine);
  std::uint32_t fail(std::uint32_t number);

  std::uint32_t errno_ = 0;
  std::uint32_t features_at_ = 0;  // read position in the list of semihosting features
};

}  // namespace dcc::model
