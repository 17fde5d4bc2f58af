#include "firmware_host.h"

#include <cstdio>
#include <stdexcept>

#include "app/boot_block.h"
#include "driver/irq_regs.h"
#include "driver/memory_map.h"
#include "driver/memory_map_virt.h"

namespace dcc::model {
namespace {

std::function<void(char)> output_of(const FirmwareHostConfig& config) {
  return config.output ? config.output : [](char c) { std::putchar(c); };
}

}  // namespace

FirmwareHost::FirmwareHost(const sc_core::sc_module_name& name, const FirmwareHostConfig& config,
                           Bus& bus, Ram& ram, InterruptInputs& interrupts)
    : sc_core::sc_module(name), elf_(riscv::ElfFile::read(config.elf)) {
  const auto ram_bytes = static_cast<std::uint32_t>(ram.size());
  const riscv::MemoryRange range{DCC_RAM_BASE, ram_bytes};
  riscv::MemoryRange rom;
  if (config.rom != nullptr) {
    rom = {config.rom_base, static_cast<std::uint32_t>(config.rom->size())};
  }
  elf_.check_fits(range, rom);
  elf_.check_leaves_free(config.reserved, config.reserved_for);
  elf_.load(range, ram.data());
  if (config.rom != nullptr) elf_.load(rom, config.rom->data());

  RiscvCpuConfig cpu;
  cpu.hart_id = config.hart_id;
  cpu.clock_hz = config.clock_hz;
  cpu.cpi = config.cpi;
  cpu.quantum = config.quantum;
  cpu.misaligned = config.misaligned;
  cpu.ram_base = DCC_RAM_BASE;
  cpu.ram_bytes = ram_bytes & ~(riscv::kPageBytes - 1);
  if (config.rom != nullptr) cpu.rom = {config.rom->data(), rom.base, rom.size};
  cpu_ = std::make_unique<RiscvCpu>("cpu", cpu);
  cpu_->set_program(elf_.entry(), &elf_.symbols());
  cpu_->socket.bind(bus.in);
  cpu_->debug().set_registry(&registry_);
  for (const Bus::Range& at : bus.ranges()) registry_.add_module({at.name, "on the bus", {}});
  cpu_->set_namer([&bus](std::uint64_t address) { return bus.describe(address); });
  if (config.gdb_port >= 0) {
    cpu_->debug().enable(static_cast<std::uint16_t>(config.gdb_port), config.gdb_wait);
  }

  RiscvCpu* const hart = cpu_.get();
  clint_ = std::make_unique<Clint>(
      "clint", [hart](bool high) { hart->set_interrupt(riscv::Cause::kMachineTimer, high); },
      [hart](bool high) { hart->set_interrupt(riscv::Cause::kMachineSoftware, high); },
      config.machine);
  if (config.machine == MachineKind::kVirt) {
    add_virt_devices(config, bus, interrupts);
  } else {
    add_own_devices(config, bus, interrupts);
  }
  interrupts.connect_output(
      [hart](bool high) { hart->set_interrupt(riscv::Cause::kMachineExternal, high); });
}

void FirmwareHost::add_own_devices(const FirmwareHostConfig& config, Bus& bus,
                                   InterruptInputs& interrupts) {
  const std::function<void(char)> output = output_of(config);
  cpu_->set_console(output);
  uart_ = std::make_unique<Uart>("uart", output);
  uart_->set_input(config.uart_input);
  uart_->connect_interrupt(
      [&interrupts](bool high) { interrupts.set_level(IRQ_SOURCE_UART, high); });
  sim_control_ = std::make_unique<SimControl>(
      "sim_control", [hart = cpu_.get()](std::uint32_t code) { hart->exit(code); }, output);
  bus.attach(clint_->socket, DCC_CLINT_BASE, DCC_CLINT_BYTES, "clint");
  bus.attach(uart_->socket, DCC_UART_BASE, DCC_UART_BYTES, "uart");
  bus.attach(sim_control_->socket, DCC_SIM_CONTROL_BASE, DCC_SIM_CONTROL_BYTES, "sim_control");
}

void FirmwareHost::add_virt_devices(const FirmwareHostConfig& config, Bus& bus,
                                    InterruptInputs& interrupts) {
  const std::function<void(char)> output = output_of(config);
  cpu_->set_console(output);
  const MachineDevice& port = machine_map(config.machine).device("UART");
  uart16550_ = std::make_unique<Uart16550>("uart", output, port.property("clock-frequency"));
  uart16550_->set_input(config.uart_input);
  uart16550_->connect_interrupt(
      [&interrupts](bool high) { interrupts.set_level(VIRT_IRQ_UART, high); });
  finisher_ = std::make_unique<TestFinisher>(
      "test", [hart = cpu_.get()](std::uint32_t code) { hart->exit(code); });
  bus.attach(clint_->socket, VIRT_CLINT_BASE, VIRT_CLINT_BYTES, "clint");
  bus.attach(uart16550_->socket, VIRT_UART_BASE, VIRT_UART_BYTES, "uart");
  bus.attach(finisher_->socket, VIRT_TEST_BASE, VIRT_TEST_BYTES, "test");
}

FirmwareHost::~FirmwareHost() = default;

void FirmwareHost::name_registers(const std::string& module, std::uint32_t base,
                                  const regs::RegisterBlock& block) {
  registry_.add_module(
      {module, std::string("registers ") + block.map().name + ".NAME, as in the register map", {}});
  const std::string prefix = std::string(block.map().name) + ".";
  registry_.add_names([base, prefix, &block](const std::string& name) {
    std::optional<std::uint32_t> address;
    if (name.compare(0, prefix.size(), prefix) == 0) address = block.find(name);
    if (address) *address += base;
    return address;
  });
}

std::string FirmwareHost::outcome() const {
  const std::string who = std::string(cpu_->name()) + ": ";
  switch (cpu_->state()) {
    case RiscvCpu::State::kExited: {
      std::string text = who + "exit code " + std::to_string(cpu_->exit_code());
      if (cpu_->exit_code() != 0) text += "; " + cpu_->whereabouts();
      return text;
    }
    case RiscvCpu::State::kDead:
      return cpu_->failure();
    case RiscvCpu::State::kKilled:
      return who + "ended by the debugger; " + cpu_->whereabouts();
    case RiscvCpu::State::kRunning:
      break;
  }
  return who + "has not ended; " + cpu_->whereabouts();
}

}  // namespace dcc::model
