#include "machine/firmware_host.h"

#include <cstdio>
#include <stdexcept>
#include <utility>

#include "app/boot_block.h"
#include "driver/memory_map.h"
#include "driver/memory_map_virt.h"
#include "sc_time.h"

namespace dcc::model {
namespace {

std::function<void(char)> output_of(const FirmwareHostConfig& config) {
  return config.output ? config.output : [](char c) { std::putchar(c); };
}

}  // namespace

/// Observer that reports the interrupts that one hart takes.
class FirmwareHost::TakenInterrupts final : public riscv::InterruptListener {
 public:
  TakenInterrupts(InterruptLatency& latency, unsigned hart, const RiscvCpu& cpu)
      : latency_(latency), hart_(hart), cpu_(cpu) {}
  void interrupt_taken(riscv::Cause cause) override {
    latency_.taken(hart_, cause, from_sc_time(cpu_.time_of(cpu_.hart().cycles())));
  }

 private:
  InterruptLatency& latency_;
  unsigned hart_;
  const RiscvCpu& cpu_;
};

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

  add_harts(config, bus, ram_bytes);
  for (const Bus::Range& at : bus.ranges()) registry_.add_module({at.name, "on the bus", {}});
  if (config.gdb_port >= 0) {
    cpu().debug().enable(static_cast<std::uint16_t>(config.gdb_port), config.gdb_wait);
    for (std::size_t i = 1; i < cpus_.size(); ++i) cpus_[i]->debug().join(cpu().debug());
  }

  if (config.race_check) {
    races_ = std::make_unique<riscv::RaceDetector>(config.harts, DCC_RAM_BASE, ram_bytes);
    for (unsigned i = 0; i < cpus_.size(); ++i) {
      cpus_[i]->set_access_observer(&races_->observer(i));
    }
  }

  connect_interrupts(config, interrupts);
  if (config.machine == MachineKind::kVirt) {
    add_virt_devices(config, bus, interrupts);
  } else {
    add_own_devices(config, bus, interrupts);
  }
}

void FirmwareHost::connect_interrupts(const FirmwareHostConfig& config,
                                      InterruptInputs& interrupts) {
  const auto sc_now = [] { return from_sc_time(sc_core::sc_time_stamp()); };
  latency_ = std::make_unique<InterruptLatency>(config.machine, config.harts,
                                                config.now ? config.now : sc_now);
  interrupts.set_request_observer(latency_.get());
  std::vector<Clint::Lines> lines;
  for (unsigned i = 0; i < cpus_.size(); ++i) {
    RiscvCpu* const hart = cpus_[i].get();
    taken_.push_back(std::make_unique<TakenInterrupts>(*latency_, i, *hart));
    hart->set_interrupt_listener(taken_.back().get());
    const auto line = [this, i, hart](riscv::Cause cause) {
      return [this, i, hart, cause](bool high) {
        latency_->line_changed(i, cause, high);
        hart->set_interrupt(cause, high);
      };
    };
    lines.push_back({line(riscv::Cause::kMachineTimer), line(riscv::Cause::kMachineSoftware)});
    interrupts.connect_hart(
        i, [hart](bool high) { hart->set_interrupt(riscv::Cause::kMachineExternal, high); });
  }
  clint_ = std::make_unique<Clint>("clint", std::move(lines), config.machine);
}

void FirmwareHost::add_harts(const FirmwareHostConfig& config, Bus& bus, std::uint32_t ram_bytes) {
  if (config.harts == 0 || config.harts > kMaxHarts) {
    throw std::runtime_error("a host has 1 to " + std::to_string(kMaxHarts) + " harts, not " +
                             std::to_string(config.harts));
  }
  RiscvCpuConfig cpu;
  cpu.clock_hz = config.clock_hz;
  cpu.cpi = config.cpi;
  cpu.quantum = config.quantum;
  cpu.misaligned = config.misaligned;
  cpu.ram_base = DCC_RAM_BASE;
  cpu.ram_bytes = ram_bytes & ~(riscv::kPageBytes - 1);
  if (config.rom != nullptr) {
    cpu.rom = {config.rom->data(), config.rom_base, static_cast<std::uint32_t>(config.rom->size())};
  }
  const bool several = config.harts > 1;
  if (several) cpu.group = &group_;
  for (unsigned i = 0; i < config.harts; ++i) {
    cpu.hart_id = several ? i : config.hart_id;
    const std::string name = several ? "cpu" + std::to_string(i) : "cpu";
    cpus_.push_back(std::make_unique<RiscvCpu>(name.c_str(), cpu));
    RiscvCpu& hart = *cpus_.back();
    hart.set_program(elf_.entry(), &elf_.symbols());
    hart.socket.bind(bus.in);
    hart.debug().set_registry(&registry_);
    hart.set_namer([&bus](std::uint64_t address) { return bus.describe(address); });
    hart.set_console(output_of(config));
  }
}

void FirmwareHost::exit(std::uint32_t code) {
  for (const auto& hart : cpus_) {
    if (cpus_.size() == 1 || hart->is_current()) hart->exit(code);
  }
}

std::vector<std::string> FirmwareHost::race_sentences() const {
  std::vector<std::string> all;
  if (races_ == nullptr || races_->count() == 0) return all;
  const auto name = [this](std::uint32_t address) { return elf_.symbols().with_address(address); };
  for (const riscv::RaceDetector::Race& race : races_->races()) {
    all.push_back(riscv::race_sentence(race, races_->dma(), name));
  }
  all.push_back(std::to_string(races_->count()) + " accesses race, by " +
                std::to_string(races_->different()) + " pairs of instructions");
  return all;
}

std::uint64_t FirmwareHost::instructions() const {
  std::uint64_t sum = 0;
  for (const auto& hart : cpus_) sum += hart->instructions();
  return sum;
}

void FirmwareHost::add_own_devices(const FirmwareHostConfig& config, Bus& bus,
                                   InterruptInputs& interrupts) {
  const std::function<void(char)> output = output_of(config);
  uart_ = std::make_unique<Uart>("uart", output);
  uart_->set_input(config.uart_input);
  uart_->connect_interrupt(
      [&interrupts](bool high) { interrupts.set_level(IRQ_SOURCE_UART, high); });
  sim_control_ = std::make_unique<SimControl>(
      "sim_control", [this](std::uint32_t code) { exit(code); }, output);
  bus.attach(clint_->socket, DCC_CLINT_BASE, DCC_CLINT_BYTES, "clint");
  bus.attach(uart_->socket, DCC_UART_BASE, DCC_UART_BYTES, "uart");
  bus.attach(sim_control_->socket, DCC_SIM_CONTROL_BASE, DCC_SIM_CONTROL_BYTES, "sim_control");
}

void FirmwareHost::add_virt_devices(const FirmwareHostConfig& config, Bus& bus,
                                    InterruptInputs& interrupts) {
  const std::function<void(char)> output = output_of(config);
  const MachineDevice& port = machine_map(config.machine).device("UART");
  uart16550_ = std::make_unique<Uart16550>("uart", output, port.property("clock-frequency"));
  uart16550_->set_input(config.uart_input);
  uart16550_->connect_interrupt(
      [&interrupts](bool high) { interrupts.set_level(VIRT_IRQ_UART, high); });
  finisher_ = std::make_unique<TestFinisher>("test", [this](std::uint32_t code) { exit(code); });
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
  const RiscvCpu& one = *cpus_[group_.ended_by()];
  const std::string who = std::string(one.name()) + ": ";
  switch (one.state()) {
    case RiscvCpu::State::kExited: {
      std::string text = who + "exit code " + std::to_string(one.exit_code());
      if (one.exit_code() != 0) text += "; " + one.whereabouts();
      return text;
    }
    case RiscvCpu::State::kDead:
      return one.failure();
    case RiscvCpu::State::kKilled:
      return who + "ended by the debugger; " + one.whereabouts();
    case RiscvCpu::State::kParked:
    case RiscvCpu::State::kRunning:
      break;
  }
  std::string text = "has not ended";
  for (const auto& hart : cpus_) {
    const bool parked = hart->state() == RiscvCpu::State::kParked;
    text += "; " + (cpus_.size() == 1 ? "" : std::string(hart->basename()) + ": ") +
            (parked ? "waits for ever, " : "") + hart->whereabouts();
  }
  return who + text;
}

}  // namespace dcc::model
