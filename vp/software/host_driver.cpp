#include "software/host_driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/memory_map.h"
#include "driver/memory_map_virt.h"
#include "software/boot_image.h"
#include "software/boot_qos.h"
#include "software/bus_latency.h"

namespace dcc::vp {

// Asserts that NIC and controller have the same interrupt sources on both machine types.
static_assert(IRQ_SOURCE_NIC == VIRT_IRQ_NIC && IRQ_SOURCE_CONTROLLER == VIRT_IRQ_CONTROLLER);

namespace {
// Latency of RAM: a realistic order of magnitude for a memory behind the host's bus.
const sc_core::sc_time kRamLatency(20, sc_core::SC_NS);

// maximum number of characters of a console line; longer lines are cut
constexpr std::size_t kMaxLineLength = 4096;
}  // namespace

HostDriver::HostDriver(const sc_core::sc_module_name& name, const HostContext& context,
                       model::NicModule& nic, model::ApbController* controller)
    : sc_module(name),
      id_(context.id),
      config_(context.config),
      kernel_(context.kernel),
      nic_(nic),
      controller_(controller),
      bus_("bus", kBusLatency),
      ram_("ram", static_cast<std::uint64_t>(config_.host_of(context.id).ram), kRamLatency),
      host_(config_.host_of(context.id)),
      machine_(context.machine) {
  bus_.attach(ram_.socket, BOOT_RAM_BASE, ram_.size(), "ram");
  bus_.attach(nic.apb()->apb, NIC_BASE, NIC_SIZE, "nic");
  // The native driver is written for this platform's own interrupt controller, so it needs machine
  // dcc.
  const MachineKind machine =
      host_.driver == DriverKind::kFirmware ? host_.machine : MachineKind::kDcc;
  const unsigned harts = host_.driver == DriverKind::kFirmware ? host_.harts : 1;
  interrupts_ = model::make_interrupt_controller(machine, bus_, kBusLatency, harts);
  if (controller != nullptr) bus_.attach(controller->apb, DCC_BASE, DCC_SIZE, "controller");
  nic.dma()->socket.bind(bus_.in);
  nic.dma()->add_memory(BOOT_RAM_BASE, ram_.size());

  const auto synchronise = [this] { kernel_.synchronise(); };
  nic.apb()->set_synchronise(synchronise);
  interrupts_->set_synchronise(synchronise);
  nic.host()->registers().set_interrupt_listener([this](bool high) {
    tell("nic", high);
    interrupts_->set_level(IRQ_SOURCE_NIC, high);
  });
  if (controller != nullptr) {
    controller->set_interrupt_listener([this](bool high) {
      tell("controller", high);
      interrupts_->set_level(IRQ_SOURCE_CONTROLLER, high);
    });
  }

  const std::uint64_t end = write_boot_block(config_, context.plan, context.id, context.link.rate,
                                             ram_.data(), ram_.size());
  if (host_.driver == DriverKind::kFirmware) {
    run_firmware(context, end);
  } else {
    run_natively();
  }
  if (controller != nullptr && context.parameters_change) {
    reconfigurer_ = std::make_unique<Reconfigurer>(
        "reconfigurer", std::uint64_t{DCC_BASE},
        [this](sc_core::sc_event& event) { kernel_.notify(event); }, [this] { kernel_.stop(); });
    reconfigurer_->programmer.apb.bind(bus_.in);
  }
}

void HostDriver::run_natively() {
  stub_ = std::make_unique<model::HostStub>(
      "cpu",
      [this](const hal& machine) {
        return static_cast<int>(traffic_app_run(&application_, &machine, BOOT_BLOCK_ADDRESS));
      },
      model::to_sc_time(host_.quantum));
  stub_->socket.bind(bus_.in);
  stub_->set_namer([this](std::uint64_t address) { return name_of(address); });
  stub_->set_notifier([this](sc_core::sc_event& event) { kernel_.notify(event); });
  stub_->set_fatal_handler([this](const std::string&) { kernel_.stop(); });
  interrupts_->connect_output([this](bool high) {
    tell("cpu", high);
    stub_->set_interrupt(high);
  });
}

void HostDriver::run_firmware(const HostContext& context, std::uint64_t buffers_end) {
  model::FirmwareHostConfig config;
  config.machine = host_.machine;
  config.elf = host_.elf;
  if (host_.rom.size != 0) {
    const auto bytes = static_cast<std::uint64_t>(host_.rom.size);
    rom_ = std::make_unique<model::Ram>("rom", bytes, kRamLatency, true);
    bus_.attach(rom_->socket, host_.rom.base, bytes, "rom");
    nic_.dma()->add_memory(host_.rom.base, bytes, false);
    config.rom = rom_.get();
    config.rom_base = host_.rom.base;
  }
  config.harts = host_.harts;
  config.race_check = host_.race_check;
  // Kernels find their words of PLIC and CLINT by the hart's number, and the only hart of machine
  // virt is hart 0.
  config.hart_id = host_.machine == MachineKind::kVirt ? 0 : context.id;
  config.clock_hz = host_.clock.hertz;
  config.cpi = {static_cast<std::uint32_t>(host_.cpi.numerator),
                static_cast<std::uint32_t>(host_.cpi.denominator)};
  config.quantum = model::to_sc_time(host_.quantum);
  if (host_.misaligned_done) config.misaligned = riscv::Hart::Misaligned::kDone;
  // The boot block is needed unless the firmware has no flows and keeps no accounts.
  const bool needs_block = host_.keeps_accounts || !context.plan.sent_by(context.id).empty() ||
                           !context.plan.received_by(context.id).empty();
  if (needs_block) {
    config.reserved = {static_cast<std::uint32_t>(BOOT_BLOCK_ADDRESS),
                       static_cast<std::uint32_t>(buffers_end - BOOT_BLOCK_ADDRESS)};
    config.reserved_for = kBootBlockName;
  }
  config.gdb_port = host_.gdb.has_value() ? static_cast<int>(*host_.gdb) : -1;
  // Prints whole lines of the firmware's output, each with its host's number, since hosts print at
  // the same time.
  config.output = [this](char c) {
    if (c != '\n') console_line_ += c;
    if (c == '\n' || console_line_.size() == kMaxLineLength) print_console_line();
  };
  // Device events run ahead of SystemC's time, and SystemC processes ahead of the last device
  // event.
  config.now = [this] {
    return std::max(kernel_.now(), model::from_sc_time(sc_core::sc_time_stamp()));
  };
  firmware_ = std::make_unique<model::FirmwareHost>("firmware", config, bus_, ram_, *interrupts_);
  model::RiscvCpu& cpu = firmware_->cpu();
  if (host_.race_check) {
    nic_.dma()->set_read_observer([this](std::uint64_t address, std::size_t bytes) {
      firmware_->races()->dma_read(address, bytes);
    });
  }
  nic_.dma()->set_write_observer([this](std::uint64_t address, std::size_t bytes) {
    firmware_->memory_written(static_cast<std::uint32_t>(address), bytes);
  });
  firmware_->name_registers("nic", NIC_BASE, nic_.host()->registers());
  if (controller_ != nullptr) {
    firmware_->name_registers("controller", DCC_BASE, controller_->block());
  }
  if (cpu.debug().port() != 0) {
    fmt::print(stderr, "host {}: gdb: listening on 127.0.0.1:{}, waiting\n", context.id,
               cpu.debug().port());
  }
  interrupts_->connect_output([this, &cpu](bool high) {
    tell("cpu", high);
    cpu.set_interrupt(riscv::Cause::kMachineExternal, high);
  });
  if (cpu.debug().port() != 0) {
    // Moments of the history are numbers of instructions, so that only one hart can go back.
    if (host_.harts == 1) cpu.debug().set_history(machine_);
    for (const auto& hart : firmware_->cpus()) {
      model::CpuDebug& debug = hart->debug();
      kernel_.add_event_hook([this, &debug] {
        if (debug.compare_watched(model::to_sc_time(kernel_.now()))) kernel_.call_hook_after(1);
      });
      debug.set_watch_starter([this] { kernel_.call_hook_after(1); });
    }
  }
  for (const auto& hart : firmware_->cpus()) {
    hart->set_namer([this](std::uint64_t address) { return name_of(address); });
    hart->set_notifier([this](sc_core::sc_event& event) { kernel_.notify(event); });
    // One host's program may end before the others do; a fatal trap ends the run.
    hart->set_end_handler([this] {
      if (!firmware_->succeeded()) kernel_.stop();
    });
  }
}

void HostDriver::name_digest(const StateDigests& states) {
  if (firmware_ != nullptr) firmware_->registry().add_value(digest_value(states));
}

void HostDriver::memory_changed(std::uint32_t address, std::uint32_t bytes) {
  if (firmware_ == nullptr) return;
  for (const auto& hart : firmware_->cpus()) hart->memory_changed(address, bytes);
}

void HostDriver::print_console_line() {
  // output during a replay was already printed the first time
  const bool known = machine_ != nullptr && machine_->replaying();
  if (!known) fmt::print(stderr, "host {}: {}\n", id_, console_line_);
  console_line_.clear();
}

void HostDriver::finish() {
  if (!console_line_.empty()) print_console_line();
  if (firmware_ == nullptr) return;
  for (const std::string& sentence : firmware_->race_sentences()) {
    fmt::print(stderr, "host {}: {}\n", id_, sentence);
  }
}

void HostDriver::trace_bus(const std::string& host, model::BusTrace::Sink sink) {
  // Names of the bus initiators in the order of binding: the NIC's DMA engine is bound in the
  // constructor, the processor afterwards.
  const std::string dma = host + ".dma";
  nic_.dma()->allow_dmi(false);
  std::vector<std::string> initiators{dma};
  const std::size_t harts = firmware_ == nullptr ? 1 : firmware_->cpus().size();
  for (std::size_t i = 0; i < harts; ++i) {
    initiators.push_back(host + ".cpu" + (harts == 1 ? "" : std::to_string(i)));
  }
  initiators.push_back(host + ".platform");
  bus_trace_ = std::make_unique<model::BusTrace>(
      bus_, std::move(initiators),
      [this, dma, sink = std::move(sink)](const regs::AccessRecord& access) {
        if (access.path != dma) return sink(access);
        // an access by DMA is recorded at the devices' time; its duration is kept
        regs::AccessRecord moved = access;
        moved.end = kernel_.now() + (access.end - access.begin);
        moved.begin = kernel_.now();
        sink(moved);
      });
  bus_trace_->add_namer([this](std::uint64_t address) { return name_of(address); });
}

std::string HostDriver::name_of(std::uint64_t address) const {
  if (address >= NIC_BASE && address < NIC_BASE + NIC_SIZE) {
    return nic_.host()->registers().name_of(static_cast<std::uint32_t>(address - NIC_BASE));
  }
  if (controller_ != nullptr && address >= DCC_BASE && address < DCC_BASE + DCC_SIZE) {
    return controller_->block().name_of(static_cast<std::uint32_t>(address - DCC_BASE));
  }
  return bus_.describe(address);
}

QosResult HostDriver::qos_result() const { return read_qos_result(config_, ram_.data()); }

Host::SoftwareReport HostDriver::report() const {
  Host::SoftwareReport report;
  const bool accounts = firmware_ == nullptr || host_.keeps_accounts;
  const boot_result result = accounts ? read_boot_result(ram_.data()) : boot_result{};
  report.messages_verified = result.messages_verified;
  report.payload_errors = result.messages_corrupt;
  // Every completion that the NIC wrote must be counted by the software, held by it, or still in
  // the ring; otherwise it is lost.
  const std::uint64_t written = nic_.host()->completions_written();
  const std::uint64_t accounted = result.messages_completed + result.messages_failed +
                                  result.messages_received + result.completions_held +
                                  nic_.host()->completions_unread();
  if (accounts) {
    report.completions_lost =
        result.sequence_errors + (written > accounted ? written - accounted : 0);
  }
  if (firmware_ != nullptr) {
    report.instructions = firmware_->instructions();
    for (const auto& hart : firmware_->cpus()) {
      if (host_.harts > 1) report.instructions_of_harts.push_back(hart->instructions());
    }
  }
  const bool running =
      firmware_ != nullptr && firmware_->cpu().state() == model::RiscvCpu::State::kRunning;
  if (running) {
    for (const auto& hart : firmware_->cpus()) {
      if (hart->state() != model::RiscvCpu::State::kRunning) continue;
      const auto busy = static_cast<std::uint64_t>(hart->busy_in_handlers() /
                                                   sc_core::sc_time(1, sc_core::SC_NS));
      report.busy_ns = std::max(report.busy_ns, busy);
    }
  }
  if (stub_ != nullptr && stub_->failed()) {
    report.failure = stub_->failure();
  } else if (firmware_ != nullptr &&
             (running ? accounts && result.state == BOOT_STATE_WAITING : !firmware_->succeeded())) {
    // The program ended with an error, or the run ended before its application began.
    report.failure = fmt::format("{}: {}", name(), firmware_->outcome());
  } else if (reconfigurer_ != nullptr && !reconfigurer_->failure().empty()) {
    report.failure = fmt::format("{}: {}", name(), reconfigurer_->failure());
  } else if (result.error != 0) {
    report.failure = fmt::format("{}: {}", name(), result.text);
  }
  return report;
}

}  // namespace dcc::vp
