// The components by which a host runs firmware: CPU, timer, UART and simulation control on its bus.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <systemc>
#include <vector>

#include "bus.h"
#include "cpu/riscv_cpu.h"
#include "machine/clint.h"
#include "machine/interrupt_inputs.h"
#include "machine/interrupt_latency.h"
#include "machine/sim_control.h"
#include "machine/test_finisher.h"
#include "machine/uart.h"
#include "machine/uart16550.h"
#include "ram.h"
#include "registers/machine_map.h"
#include "registers/register_block.h"
#include "riscv/elf_file.h"
#include "riscv/race_detector.h"

namespace dcc::model {

/// Greatest number of harts of a host.
inline constexpr unsigned kMaxHarts = 4;

struct FirmwareHostConfig {
  std::string elf;
  MachineKind machine = MachineKind::kDcc;
  /// Number of harts of the host, 1 to kMaxHarts. Several harts have the numbers 0, 1, …
  unsigned harts = 1;
  bool race_check = false;    // true: accesses are checked for races between harts and DMA
  std::uint32_t hart_id = 0;  // number of the hart if the host has only one
  std::uint64_t clock_hz = 1'000'000'000;
  riscv::Hart::Cpi cpi{};
  sc_core::sc_time quantum{1, sc_core::SC_US};
  riscv::Hart::Misaligned misaligned = riscv::Hart::Misaligned::kTrap;
  /// Part of RAM that the program must leave free, and its name in messages; empty: none.
  riscv::MemoryRange reserved;
  std::string reserved_for;
  /// ROM for code and constants besides RAM, attached to the bus at rom_base; null: no ROM.
  Ram* rom = nullptr;
  std::uint32_t rom_base = 0;
  /// Function that receives UART and console characters; standard output if empty.
  std::function<void(char)> output;
  /// Function that returns the time of the device's event or SystemC process that calls it;
  /// sc_time_stamp() if empty.
  std::function<PicoSeconds()> now;
  std::string uart_input;
  /// TCP port of the server for gdb; -1: no debugger, 0: any free port.
  int gdb_port = -1;
  bool gdb_wait = true;
};

/// Loads the ELF file into `ram` and puts the machine's timer, serial port and exit device on
/// `bus`. The caller has attached to the bus `ram` at DCC_RAM_BASE and `interrupts`, of the same
/// machine. Throws riscv::ElfError if the file cannot be loaded, and std::runtime_error if the
/// debugger's port is in use.
class FirmwareHost final : public sc_core::sc_module {
 public:
  FirmwareHost(const sc_core::sc_module_name& name, const FirmwareHostConfig& config, Bus& bus,
               Ram& ram, InterruptInputs& interrupts);
  ~FirmwareHost() override;

  /// Makes a device's registers known to the debugger: they become values with their names
  /// ("dcc.slots[3].RATE"), read at bus address `base` + offset. `block` must outlive the host.
  void name_registers(const std::string& module, std::uint32_t base,
                      const regs::RegisterBlock& block);
  /// Debugger's registry, to which the caller can add values that are not registers.
  DebugRegistry& registry() { return registry_; }

  /// Hart 0 of the host.
  RiscvCpu& cpu() { return *cpus_[0]; }
  const RiscvCpu& cpu() const { return *cpus_[0]; }
  /// All harts of the host, in order of their numbers.
  const std::vector<std::unique_ptr<RiscvCpu>>& cpus() const { return cpus_; }
  /// Number of instructions that all harts of the host executed together.
  std::uint64_t instructions() const;
  /// Must be called by every master other than the harts that wrote RAM: ends reservations of lr.w.
  void memory_written(std::uint32_t address, std::uint64_t bytes) {
    for (const auto& cpu : cpus_) cpu->foreign_store(address, bytes);
    if (races_ != nullptr) races_->dma_wrote(address, bytes);
  }
  /// Detector of races between harts and DMA; null unless race checks are enabled.
  riscv::RaceDetector* races() const { return races_.get(); }
  /// Times for which interrupts waited for a hart, by source.
  const InterruptLatency& interrupt_latency() const { return *latency_; }
  /// Sentences about the races found so far: one on each kind, and one on their number; empty
  /// without races.
  std::vector<std::string> race_sentences() const;
  const riscv::SymbolTable& symbols() const { return elf_.symbols(); }
  /// True if the firmware program exited with code 0.
  bool succeeded() const {
    return cpu().state() == RiscvCpu::State::kExited && cpu().exit_code() == 0;
  }
  /// One sentence on the end of the firmware program, or on its present position.
  std::string outcome() const;

 private:
  void add_harts(const FirmwareHostConfig& config, Bus& bus, std::uint32_t ram_bytes);
  /// Ends the firmware program; called by a device within an access of a hart.
  void exit(std::uint32_t code);
  /// Connects the harts' interrupt lines, and measures the latency of their interrupts.
  void connect_interrupts(const FirmwareHostConfig& config, InterruptInputs& interrupts);
  void add_own_devices(const FirmwareHostConfig& config, Bus& bus, InterruptInputs& interrupts);
  void add_virt_devices(const FirmwareHostConfig& config, Bus& bus, InterruptInputs& interrupts);

  riscv::ElfFile elf_;
  DebugRegistry registry_;
  std::unique_ptr<riscv::RaceDetector> races_;
  HartGroup group_;  // group of the host's harts, used only with several harts
  std::vector<std::unique_ptr<RiscvCpu>> cpus_;
  class TakenInterrupts;
  std::unique_ptr<InterruptLatency> latency_;
  std::vector<std::unique_ptr<TakenInterrupts>> taken_;  // reporters of taken interrupts, by hart
  std::unique_ptr<Clint> clint_;
  std::unique_ptr<Uart> uart_;
  std::unique_ptr<SimControl> sim_control_;
  // Devices of machine virt, which replace the UART (uart_) and the exit device (sim_control_).
  std::unique_ptr<Uart16550> uart16550_;
  std::unique_ptr<TestFinisher> finisher_;
};

}  // namespace dcc::model
