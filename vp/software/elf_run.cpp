#include "software/elf_run.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <systemc>
#include <utility>
#include <vector>

#include "bus.h"
#include "bus_trace.h"
#include "debug/process_snapshots.h"
#include "driver/dcc_regs.h"
#include "driver/memory_map.h"
#include "driver/nic_regs.h"
#include "machine/firmware_host.h"
#include "machine/interrupt_inputs.h"
#include "measure/trace/trace_event_file.h"
#include "ram.h"
#include "software/bus_latency.h"
#include "software/firmware_profile.h"
#include "software/processor_time.h"

namespace dcc::vp {
namespace {

constexpr std::uint32_t kMaxRamBytes = 1u << 30;

sc_core::sc_time to_time(PicoSeconds t) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t.count));
}

std::string whole_file(const std::string& path) {
  constexpr std::size_t kMaxBytes = 64u << 20;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": cannot be opened");
  std::string text;
  char block[4096];
  while (in.read(block, sizeof block), in.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxBytes) throw std::runtime_error(path + ": larger than 64 MiB");
  }
  if (in.bad() || !in.eof()) throw std::runtime_error(path + ": cannot be read");
  return text;
}

void check(const RunElfOptions& o) {
  if (o.max_time.count <= 0) throw std::runtime_error("--max-time must be more than zero");
  if (o.quantum.count <= 0) throw std::runtime_error("--quantum must be more than zero");
  if (o.clock_hz == 0 || o.clock_hz > 100'000'000'000) {
    throw std::runtime_error("--clock must lie between 1 Hz and 100 GHz");
  }
  if (o.harts == 0 || o.harts > model::kMaxHarts) {
    throw std::runtime_error("--harts must lie between 1 and " + std::to_string(model::kMaxHarts));
  }
  if (o.cpi_thousandths == 0) throw std::runtime_error("--cpi must be more than zero");
  if (o.ram_bytes == 0 || o.ram_bytes % riscv::kPageBytes != 0 || o.ram_bytes > kMaxRamBytes) {
    throw std::runtime_error("--ram must be a multiple of 4 KiB, up to 1 GiB");
  }
  if (o.rom_base % riscv::kPageBytes != 0 || o.rom_bytes % riscv::kPageBytes != 0 ||
      o.rom_bytes > kMaxRamBytes || o.rom_base + o.rom_bytes > std::uint64_t{1} << 32) {
    throw std::runtime_error(
        "--rom must begin and end at multiples of 4 KiB below 4 GiB, up to 1 GiB long");
  }
}

/// The machine of run-elf: a CPU with RAM, timer, UART and interrupt controller.
class Machine {
 public:
  explicit Machine(const RunElfOptions& options)
      : file_(options.file),
        bus_("bus", kBusLatency),
        ram_("ram", options.ram_bytes, sc_core::SC_ZERO_TIME) {
    bus_.attach(ram_.socket, DCC_RAM_BASE, options.ram_bytes, "ram");
    interrupts_ = model::make_interrupt_controller(options.machine, bus_, sc_core::SC_ZERO_TIME,
                                                   options.harts);
    if (options.rom_bytes != 0) {
      rom_ = std::make_unique<model::Ram>("rom", options.rom_bytes, sc_core::SC_ZERO_TIME, true);
      bus_.attach(rom_->socket, options.rom_base, options.rom_bytes, "rom");
    }
    host_ =
        std::make_unique<model::FirmwareHost>("host", config(options), bus_, ram_, *interrupts_);
    std::vector<std::string> initiators;
    for (const auto& hart : host_->cpus()) {
      hart->set_end_handler([] { sc_core::sc_stop(); });
      hart->set_namer([this](std::uint64_t address) { return name_of(address); });
      initiators.emplace_back(hart->basename());
    }
    if (snapshots_) host_->cpu().debug().set_history(&*snapshots_);
    if (!options.bus_trace_file.empty()) {
      bus_trace_ = std::make_unique<model::BusTrace>(
          bus_, std::move(initiators),
          [&out = open(options.bus_trace_file)](const regs::AccessRecord& access) {
            out << to_text(access) << '\n';
          });
      bus_trace_->add_namer([this](std::uint64_t address) { return name_of(address); });
    }
    if (!options.trace_file.empty()) trace_lines(options.trace_file);
    const bool profiled = !options.coverage_file.empty() || !options.profile_file.empty();
    if (profiled || options.stack_use) profile(options);
  }
  /// A line for each hart on its greatest stack depth, or on missing stack limits of the program.
  std::string stack_text() const {
    std::string text;
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      const FirmwareProfile& program = *profiles_[i].program;
      if (profiles_.size() > 1) text += "hart " + std::to_string(i) + ": ";
      const std::optional<riscv::Profile::StackUse> use = program.profile().stack_use();
      if (use.has_value()) {
        text += "stack: " + std::to_string(use->bytes) + " of " + std::to_string(use->of) +
                " bytes, deepest at " + program.elf().symbols().with_address(use->pc) + "\n";
      } else {
        text += "stack: the program has no __stack_top and __stack_limit\n";
      }
    }
    return text;
  }
  /// Completes the output files. Throws std::runtime_error if a file could not be written.
  void close() {
    for (const auto& hart : host_->cpus()) hart->trace().finish();
    for (const Profiled& one : profiles_) {
      riscv::Profile& profile = one.program->profile();
      profile.finish();
      if (one.coverage != nullptr) profile.write_coverage(*one.coverage);
      if (one.callgrind != nullptr) profile.write_callgrind(*one.callgrind, file_);
    }
    for (const auto& file : files_) file->close();
  }
  model::FirmwareHost& host() { return *host_; }

 private:
  /// The profile of a hart, and the files for its counts; null: the option is not set.
  struct Profiled {
    std::unique_ptr<FirmwareProfile> program;
    std::ofstream* coverage = nullptr;
    std::ofstream* callgrind = nullptr;
  };

  /// Opens the file of a hart. If there are several harts, each hart has a file of its own: cpu.txt
  /// becomes cpu.hart0.txt, ….
  std::ofstream& open_for_hart(const std::string& file, std::size_t hart) {
    const bool several = host_->cpus().size() > 1;
    return open(several ? with_number(file, ".hart", hart).string() : file);
  }
  void trace_lines(const std::string& file) {
    for (std::size_t i = 0; i < host_->cpus().size(); ++i) {
      host_->cpus()[i]->trace().set_lines(&open_for_hart(file, i));
    }
  }
  void profile(const RunElfOptions& o) {
    const auto& cpus = host_->cpus();
    for (unsigned i = 0; i < cpus.size(); ++i) {
      const auto number = cpus.size() > 1 ? std::optional(i) : std::nullopt;
      Profiled one;
      one.program = std::make_unique<FirmwareProfile>(o.file, *cpus[i], number);
      if (!o.coverage_file.empty()) one.coverage = &open_for_hart(o.coverage_file, i);
      if (!o.profile_file.empty()) one.callgrind = &open_for_hart(o.profile_file, i);
      profiles_.push_back(std::move(one));
    }
  }

  model::FirmwareHostConfig config(const RunElfOptions& o) {
    model::FirmwareHostConfig c;
    c.elf = o.file;
    c.machine = o.machine;
    c.harts = o.harts;
    c.race_check = o.race_check;
    c.clock_hz = o.clock_hz;
    c.cpi = riscv::Hart::Cpi::from_thousandths(o.cpi_thousandths);
    c.quantum = to_time(o.quantum);
    if (o.misaligned_done) c.misaligned = riscv::Hart::Misaligned::kDone;
    c.rom = rom_.get();
    c.rom_base = static_cast<std::uint32_t>(o.rom_base);
    c.gdb_port = o.gdb_port;
    c.gdb_wait = o.gdb_wait;
    if (!o.uart_input_file.empty()) c.uart_input = whole_file(o.uart_input_file);
    if (!o.uart_output_file.empty()) {
      c.output = [&out = open(o.uart_output_file)](char character) { out.put(character); };
    } else if (o.gdb_port >= 0 && !writes_files(o) && o.harts == 1) {
      // The debugger may go back in time. Output that was printed before is not printed again
      // during a replay.
      snapshots_.emplace();
      c.output = [this](char character) {
        if (!snapshots_->replaying()) std::putchar(character);
      };
    }
    return c;
  }

  /// Name of the device or memory at a bus address, for messages.
  std::string name_of(std::uint64_t address) const {
    const std::string name = bus_.describe(address);
    const bool controller = address >= DCC_BASE && address - DCC_BASE < DCC_SIZE;
    const bool nic = address >= NIC_BASE && address - NIC_BASE < NIC_SIZE;
    if (!controller && !nic) return name;
    return name + "; the " + (controller ? "controller" : "NIC") +
           " belongs to a network: dccvp run CONFIG.yaml with host: {driver: firmware, elf: …}";
  }

  /// True if files are written during the run, which going back could not undo.
  static bool writes_files(const RunElfOptions& o) {
    return !o.bus_trace_file.empty() || !o.trace_file.empty() || !o.coverage_file.empty() ||
           !o.profile_file.empty();
  }

  std::ofstream& open(const std::string& file) {
    files_.push_back(std::make_unique<TraceFile>(file));
    return files_.back()->text();
  }

  std::string file_;
  std::optional<ProcessSnapshots> snapshots_;  // snapshots by which the debugger goes back
  std::vector<Profiled> profiles_;             // profiles by hart
  std::vector<std::unique_ptr<TraceFile>> files_;
  model::Bus bus_;
  model::Ram ram_;
  std::unique_ptr<model::Ram> rom_;  // ROM of the machine; null: none
  std::unique_ptr<model::InterruptInputs> interrupts_;
  std::unique_ptr<model::FirmwareHost> host_;
  std::unique_ptr<model::BusTrace> bus_trace_;
};

// The run's speed is measured by processor time, so that other load on the machine does not change
// the speed. After a debugger went back, no process has used the whole processor time, so no speed
// is printed.
void print_summary(const model::FirmwareHost& host, const std::optional<double>& cpu_seconds) {
  const model::RiscvCpu& cpu = host.cpu();
  const std::uint64_t instructions = host.instructions();
  if (cpu.state() == model::RiscvCpu::State::kExited) {
    std::printf("exit code %" PRIu32 "; ", cpu.exit_code());
  }
  std::printf("%" PRIu64 " instructions, %.9g s simulated", instructions,
              sc_core::sc_time_stamp().to_seconds());
  if (cpu_seconds) {
    const double mips =
        *cpu_seconds > 0 ? static_cast<double>(instructions) / *cpu_seconds / 1e6 : 0.0;
    std::printf(", %.3g s, %.1f MIPS", *cpu_seconds, mips);
  }
  std::printf("\n");
  for (std::size_t i = 0; host.cpus().size() > 1 && i < host.cpus().size(); ++i) {
    std::printf("hart %zu: %" PRIu64 " instructions\n", i, host.cpus()[i]->instructions());
  }
}

/// Prints a line for each interrupt source that had a request.
void print_interrupt_latency(const model::InterruptLatency& latency) {
  for (const model::InterruptLatency::Source& source : latency.sources()) {
    const LogHistogram& ns = source.ns;
    if (ns.count() + source.withdrawn + source.waiting == 0) continue;
    std::printf("interrupts, %s: %" PRIu64 " taken, %" PRIu64 " withdrawn, %" PRIu64 " waiting",
                source.name.c_str(), ns.count(), source.withdrawn, source.waiting);
    if (ns.count() != 0) {
      std::printf("; latency in ns: least %" PRIu64 ", p50 %" PRIu64 ", p99 %" PRIu64
                  ", greatest %" PRIu64,
                  ns.min(), ns.quantile(500), ns.quantile(990), ns.max());
    }
    std::printf("\n");
  }
}

int run(const RunElfOptions& options) {
  check(options);
  Machine machine(options);
  model::RiscvCpu& cpu = machine.host().cpu();
  if (cpu.debug().port() != 0) {
    std::printf("gdb: listening on 127.0.0.1:%u%s\n", cpu.debug().port(),
                options.gdb_wait ? ", waiting" : "");
    std::fflush(stdout);
  }
  const ProcessorTime time;
  sc_core::sc_start(to_time(options.max_time));
  const std::optional<double> seconds = time.seconds();
  std::fflush(stdout);

  const bool still_running = cpu.state() == model::RiscvCpu::State::kRunning;
  if (!machine.host().succeeded()) {
    std::fprintf(
        stderr, "dccvp run-elf: %s%s\n", machine.host().outcome().c_str(),
        still_running
            ? (" (ran past its time, " + to_time(options.max_time).to_string() + ")").c_str()
            : "");
  }
  const std::vector<std::string> races = machine.host().race_sentences();
  for (const std::string& sentence : races) {
    std::fprintf(stderr, "dccvp run-elf: %s\n", sentence.c_str());
  }
  if (!options.quiet) {
    print_summary(machine.host(),
                  options.gdb_port >= 0 ? std::nullopt : std::optional<double>(seconds));
  }
  if (options.irq_latency) print_interrupt_latency(machine.host().interrupt_latency());
  if (options.stack_use) std::printf("%s", machine.stack_text().c_str());
  machine.close();
  return machine.host().succeeded() && races.empty() ? 0 : 1;
}

}  // namespace

int run_elf(const RunElfOptions& options) {
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dccvp run-elf: %s\n", error.what());
    return 2;
  }
}

}  // namespace dcc::vp
