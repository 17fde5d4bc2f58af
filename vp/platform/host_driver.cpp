#include "platform/host_driver.h"

#include <fmt/format.h>

#include "driver/irq_regs.h"
#include "platform/boot_image.h"

namespace dcc::vp {

namespace {
// A posted write over a memory bus, an APB transfer behind a bridge: the order of magnitude of a
// real machine, so that bring-up takes visible time.
const sc_core::sc_time kBusLatency(10, sc_core::SC_NS);
const sc_core::sc_time kRamLatency(20, sc_core::SC_NS);
constexpr std::uint64_t kInterruptControllerBase = 0x0C000000;
constexpr std::uint64_t kInterruptControllerBytes = 0x1000;
constexpr std::uint64_t kControllerBytes = 0x100000;
constexpr std::uint64_t kNicBytes = 0x10000;
}  // namespace

HostDriver::HostDriver(const sc_core::sc_module_name& name, const HostContext& context,
                       model::NicModule& nic, model::ApbController* controller)
    : sc_module(name),
      config_(context.config),
      kernel_(context.kernel),
      nic_(nic),
      controller_(controller),
      bus_("bus", kBusLatency),
      ram_("ram", static_cast<std::uint64_t>(config_.host_of(context.id).ram), kRamLatency),
      interrupts_("interrupts", kBusLatency) {
  bus_.attach(ram_.socket, BOOT_RAM_BASE, ram_.size(), "ram");
  bus_.attach(nic.apb()->apb, NIC_BASE, kNicBytes, "nic");
  bus_.attach(interrupts_.socket, kInterruptControllerBase, kInterruptControllerBytes,
              "interrupt controller");
  if (controller != nullptr) bus_.attach(controller->apb, DCC_BASE, kControllerBytes, "controller");
  nic.dma()->socket.bind(bus_.in);

  const auto synchronise = [this] { kernel_.synchronise(); };
  nic.apb()->set_synchronise(synchronise);
  interrupts_.set_synchronise(synchronise);
  nic.host()->registers().set_interrupt_listener(
      [this](bool high) { interrupts_.set_level(IRQ_SOURCE_NIC, high); });
  if (controller != nullptr) {
    controller->set_synchronise(synchronise);
    controller->set_interrupt_listener(
        [this](bool high) { interrupts_.set_level(IRQ_SOURCE_CONTROLLER, high); });
  }

  write_boot_block(config_, context.plan, context.id, context.link.rate, ram_.data(), ram_.size());
  stub_ = std::make_unique<model::HostStub>(
      "cpu",
      [this](const hal& machine) {
        return static_cast<int>(traffic_app_run(&application_, &machine, BOOT_BLOCK_ADDRESS));
      },
      model::to_sc_time(config_.host_of(context.id).quantum));
  stub_->socket.bind(bus_.in);
  stub_->set_namer([this](std::uint64_t address) { return name_of(address); });
  stub_->set_notifier([this](sc_core::sc_event& event) { kernel_.notify(event); });
  stub_->set_fatal_handler([this](const std::string&) { kernel_.stop(); });
  interrupts_.connect_output([this](bool high) { stub_->set_interrupt(high); });
}

std::string HostDriver::name_of(std::uint64_t address) const {
  if (address >= NIC_BASE && address < NIC_BASE + kNicBytes) {
    return nic_.host()->registers().name_of(static_cast<std::uint32_t>(address - NIC_BASE));
  }
  if (controller_ != nullptr && address >= DCC_BASE && address < DCC_BASE + kControllerBytes) {
    return controller_->block().name_of(static_cast<std::uint32_t>(address - DCC_BASE));
  }
  return bus_.describe(address);
}

Host::SoftwareReport HostDriver::report() const {
  Host::SoftwareReport report;
  const boot_result result = read_boot_outcome(ram_.data()).result;
  report.payload_errors = result.messages_corrupt;
  report.completions_lost = result.sequence_errors;
  if (stub_->failed()) {
    report.failure = stub_->failure();
  } else if (result.error != 0) {
    report.failure = fmt::format("{}: {}", name(), result.text);
  }
  return report;
}

}  // namespace dcc::vp
