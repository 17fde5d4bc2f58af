// The parts that let a host run firmware: CPU, timer, UART and simulation control on its bus.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <systemc>

#include "bus.h"
#include "clint.h"
#include "cpu/riscv_cpu.h"
#include "interrupt_inputs.h"
#include "ram.h"
#include "registers/machine_map.h"
#include "registers/register_block.h"
#include "riscv/elf_file.h"
#include "sim_control.h"
#include "test_finisher.h"
#include "uart.h"
#include "uart16550.h"

namespace dcc::model {

struct FirmwareHostConfig {
  std::string elf;
  MachineKind machine = MachineKind::kDcc;
  std::uint32_t hart_id = 0;
  std::uint64_t clock_hz = 1'000'000'000;
  riscv::Hart::Cpi cpi{};
  sc_core::sc_time quantum{1, sc_core::SC_US};
  riscv::Hart::Misaligned misaligned = riscv::Hart::Misaligned::kTrap;
  /// The part of RAM that the program must leave free, and its name for messages; empty: none.
  riscv::MemoryRange reserved;
  std::string reserved_for;
  /// Memory for code and constants beside RAM, attached to the bus at rom_base; null: none.
  Ram* rom = nullptr;
  std::uint32_t rom_base = 0;
  /// Destination of UART and console characters; standard output if empty.
  std::function<void(char)> output;
  std::string uart_input;
  /// TCP port for gdb; -1: no debugger, 0: any free port.
  int gdb_port = -1;
  bool gdb_wait = true;
};

/// The constructor loads the ELF file into `ram` and puts the machine's timer, serial port and exit
/// device on `bus`. The caller has attached `ram` at DCC_RAM_BASE and `interrupts`, of the same
/// machine. Throws riscv::ElfError (the file cannot be loaded) and std::runtime_error (port).
class FirmwareHost final : public sc_core::sc_module {
 public:
  FirmwareHost(const sc_core::sc_module_name& name, const FirmwareHostConfig& config, Bus& bus,
               Ram& ram, InterruptInputs& interrupts);
  ~FirmwareHost() override;

  /// Tells the debugger of a device: its registers become values by their names
  /// ("dcc.slots[3].RATE"), read at bus address `base` + offset. `block` must outlive this.
  void name_registers(const std::string& module, std::uint32_t base,
                      const regs::RegisterBlock& block);
  /// Registry for values that are not registers.
  DebugRegistry& registry() { return registry_; }

  RiscvCpu& cpu() { return *cpu_; }
  const RiscvCpu& cpu() const { return *cpu_; }
  const riscv::SymbolTable& symbols() const { return elf_.symbols(); }
  /// True if the program exited with code 0.
  bool succeeded() const {
    return cpu_->state() == RiscvCpu::State::kExited && cpu_->exit_code() == 0;
  }
  /// One sentence on the end of the program, or on its present position.
  std::string outcome() const;

 private:
  void add_own_devices(const FirmwareHostConfig& config, Bus& bus, InterruptInputs& interrupts);
  void add_virt_devices(const FirmwareHostConfig& config, Bus& bus, InterruptInputs& interrupts);

  riscv::ElfFile elf_;
  DebugRegistry registry_;
  std::unique_ptr<RiscvCpu> cpu_;
  std::unique_ptr<Clint> clint_;
  std::unique_ptr<Uart> uart_;
  std::unique_ptr<SimControl> sim_control_;
  // Devices of machine virt, which replace the two devices above.
  std::unique_ptr<Uart16550> uart16550_;
  std::unique_ptr<TestFinisher> finisher_;
};

}  // namespace dcc::model
