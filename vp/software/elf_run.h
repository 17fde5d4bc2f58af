// `dccvp run-elf`: one RISC-V program on one CPU of one or several harts, without a network.
#pragma once

#include <cstdint>
#include <string>

#include "registers/machine_map.h"
#include "units.h"

namespace dcc::vp {

struct RunElfOptions {
  std::string file;
  MachineKind machine = MachineKind::kDcc;
  // simulated time after which a running program counts as failed
  PicoSeconds max_time = kSecond * 10;
  std::uint32_t ram_bytes = 4u << 20;  // bytes of RAM, a multiple of 4096
  unsigned harts = 1;                  // number of harts of the CPU
  std::uint64_t rom_base = 0;          // address of the ROM, a multiple of 4096
  std::uint64_t rom_bytes = 0;         // size of ROM in bytes, a multiple of 4096; 0: no ROM
  std::uint64_t clock_hz = 1'000'000'000;
  // mean cycles per instruction in thousandths: 1250 means 1.25
  std::uint32_t cpi_thousandths = 1000;
  PicoSeconds quantum = kMicroSecond;
  std::string uart_input_file;   // file with the UART's input; empty: no input
  std::string uart_output_file;  // file for the UART's output; empty: standard output
  // TCP port of the debugger's server; -1: no debugger; 0: any free port, printed
  int gdb_port = -1;
  // true: the program waits for the debugger before its first instruction
  bool gdb_wait = true;
  std::string trace_file;      // file with one line per executed instruction; empty: none
  std::string bus_trace_file;  // file with one line per device access; empty: none
  // file with coverage of lines and branches in lcov's format; empty: none
  std::string coverage_file;
  std::string profile_file;      // file with cost by function in callgrind's format; empty: none
  bool stack_use = false;        // true: print the greatest depth of the stack
  bool irq_latency = false;      // true: print how long interrupts waited for a hart
  bool misaligned_done = false;  // true: misaligned accesses in RAM work instead of trapping
  // true: the run looks for races between harts, and fails if it finds one
  bool race_check = false;
  bool quiet = false;  // true: print only the program's own output and errors
};

/// Loads and runs the program; prints its output, exit code and speed. Returns 0 if it ended with
/// code 0; 1 if it failed, trapped, exceeded its time or raced; 2 if it cannot be loaded or an
/// option is invalid (one sentence on standard error). Call once in a process, because it
/// elaborates SystemC.
int run_elf(const RunElfOptions& options);

}  // namespace dcc::vp
