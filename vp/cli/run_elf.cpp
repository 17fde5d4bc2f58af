// dccvp run-elf: runs one RISC-V program on one CPU of one or several harts.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/machine_option.h"
#include "describe/quantity_text.h"
#include "software/elf_run.h"

namespace dcc::vp {
namespace {

/// Options of run-elf as typed; read_options() converts them.
struct RunElfArguments {
  RunElfOptions options;
  std::string max_time = "10s";
  std::string ram = "4MiB";
  std::string rom;
  std::string clock = "1GHz";
  std::string cpi = "1";
  std::string quantum = "1us";
};

template <class T>
T read(const char* option, const std::string& text) {
  try {
    return QuantityText<T>::parse(text);
  } catch (const QuantityError& error) {
    throw QuantityError(std::string(option) + ": " + error.what());
  }
}

/// Parses an argument BASE:SIZE, with the base in C syntax.
void read_rom(const std::string& text, RunElfOptions& o) {
  const std::size_t colon = text.find(':');
  char* end = nullptr;
  errno = 0;
  const unsigned long long base = std::strtoull(text.c_str(), &end, 0);
  if (colon == std::string::npos || colon == 0 || end != text.c_str() + colon || errno != 0) {
    throw QuantityError("--rom: '" + text + "' is not BASE:SIZE, as in 0x20000000:1MiB");
  }
  const Bytes size = read<Bytes>("--rom", text.substr(colon + 1));
  if (size <= 0) throw QuantityError("--rom: the size of '" + text + "' must be more than zero");
  o.rom_base = base;
  o.rom_bytes = static_cast<std::uint64_t>(size);
}

RunElfOptions read_options(const RunElfArguments& a) {
  RunElfOptions o = a.options;
  o.max_time = read<PicoSeconds>("--max-time", a.max_time);
  o.quantum = read<PicoSeconds>("--quantum", a.quantum);
  o.clock_hz = read<Frequency>("--clock", a.clock).hertz;
  const Bytes ram = read<Bytes>("--ram", a.ram);
  const bool ram_fits = ram >= 0 && ram <= std::numeric_limits<std::uint32_t>::max();
  o.ram_bytes = ram_fits ? static_cast<std::uint32_t>(ram) : 0;
  if (!a.rom.empty()) read_rom(a.rom, o);
  const Ratio cpi = read<Ratio>("--cpi", a.cpi);
  const bool cpi_fits = cpi.numerator / cpi.denominator < 1000;
  o.cpi_thousandths =
      cpi_fits ? static_cast<std::uint32_t>(cpi.numerator * 1000 / cpi.denominator) : 0;
  return o;
}

}  // namespace

void add_run_elf_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("run-elf", "run one RISC-V program, bare metal");
  const auto a = std::make_shared<RunElfArguments>();
  RunElfOptions& o = a->options;
  command->add_option("file", o.file, "program: ELF32, RV32IMAC")
      ->required()
      ->type_name("FILE.elf");
  add_machine_option(*command, o.machine,
                     "devices and addresses: this platform's own, or those of QEMU's virt");
  command->add_option("--max-time", a->max_time, "simulated time it may take")
      ->capture_default_str();
  command->add_option("--ram", a->ram, "memory at 0x80000000")->capture_default_str();
  command
      ->add_option("--rom", a->rom, "memory for code and constants beside it, e.g. 0x20000000:1MiB")
      ->type_name("BASE:SIZE");
  command->add_option("--harts", o.harts, "harts, which run the program in one memory, 1 to 4")
      ->capture_default_str();
  command->add_option("--clock", a->clock, "clock of the CPU")->capture_default_str();
  command->add_option("--cpi", a->cpi, "cycles of an instruction")->capture_default_str();
  command->add_option("--quantum", a->quantum, "how far the CPU may run ahead")
      ->capture_default_str();
  command->add_option("--uart-in", o.uart_input_file, "what the UART receives")->type_name("FILE");
  command->add_option("--uart-out", o.uart_output_file, "where its output goes")->type_name("FILE");
  command->add_option("--gdb", o.gdb_port, "wait for gdb on this port of 127.0.0.1; 0: any free")
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT");
  command->add_option("--trace-cpu", o.trace_file, "one line an instruction")->type_name("FILE");
  command->add_option("--trace-bus", o.bus_trace_file, "one line a device access")
      ->type_name("FILE");
  command->add_option("--coverage", o.coverage_file, "lines and branches that ran, for genhtml")
      ->type_name("FILE");
  command->add_option("--profile", o.profile_file, "cost by function, for callgrind_annotate")
      ->type_name("FILE");
  command->add_flag("--stack-use", o.stack_use, "print how deep the stack became");
  command->add_flag("--interrupt-latency", o.irq_latency,
                    "print how long interrupts waited for a hart, by source");
  command->add_flag("--race-check", o.race_check,
                    "tell and fail on accesses of harts that no fence or atomic operation orders");
  command->add_flag("--misaligned-done", o.misaligned_done,
                    "loads and stores in RAM at any address, instead of a trap");
  command->add_flag("--quiet", o.quiet, "nothing but the program's output and errors");
  command->footer(
      "Examples:\n"
      "  dccvp run-elf build/firmware/fault.elf\n"
      "  dccvp run-elf --gdb 4441 build/firmware/irq_storm.elf");
  command->callback([a, &status] {
    try {
      status = run_elf(read_options(*a));
    } catch (const QuantityError& error) {
      std::fprintf(stderr, "dccvp run-elf: %s\n", error.what());
      status = kExitBadInput;
    }
  });
}

}  // namespace dcc::vp
