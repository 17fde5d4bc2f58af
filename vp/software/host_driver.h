// The software side of a host: bus, RAM, interrupt controller, and a processor (native stub or
// RISC-V).
#pragma once

#include <memory>
#include <string>
#include <systemc>

#include "app/traffic_app.h"
#include "build/host.h"
#include "bus.h"
#include "bus_trace.h"
#include "controller.h"
#include "debug/state_digests.h"
#include "disturb/reconfigurer.h"
#include "host_stub.h"
#include "machine/firmware_host.h"
#include "machine/interrupt_inputs.h"
#include "nic_module.h"
#include "ram.h"
#include "simulation_kernel.h"

namespace dcc::vp {

class HostDriver final : public sc_core::sc_module {
 public:
  HostDriver(const sc_core::sc_module_name& name, const HostContext& context, model::NicModule& nic,
             model::ApbController* controller);

  /// Changes the controller from one configuration to another. Precondition: the configuration's
  /// `changes` announced the change.
  void reconfigure(const dcc_config& from, const dcc_config& to) {
    reconfigurer_->reconfigure(from, to);
  }
  /// Prints output of the software that did not end with a line break. Call after the run.
  void finish();
  Host::SoftwareReport report() const;
  QosResult qos_result() const;
  model::Bus& bus() { return bus_; }
  model::Ram& ram() { return ram_; }
  const model::InterruptInputs& interrupts() const { return *interrupts_; }
  /// Makes the digest of all device states readable for the debugger, if there is one. `states`
  /// must outlive this object.
  void name_digest(const StateDigests& states);
  /// Tells the processor that another bus master changed memory.
  void memory_changed(std::uint32_t address, std::uint32_t bytes);
  /// The CPU that runs firmware (hart 0 if the CPU has several harts); null without firmware.
  model::RiscvCpu* cpu() { return firmware_ == nullptr ? nullptr : &firmware_->cpu(); }
  /// The processor that runs firmware; null without firmware.
  const model::FirmwareHost* firmware() const { return firmware_.get(); }
  void observe_lines(std::function<void(const char* line, bool high)> observer) {
    on_line_ = std::move(observer);
  }
  /// Reports every access on the host's bus to `sink`. `host`: first part of the initiators' paths.
  void trace_bus(const std::string& host, model::BusTrace::Sink sink);

 private:
  void run_natively();
  void run_firmware(const HostContext& context, std::uint64_t buffers_end);
  std::string name_of(std::uint64_t address) const;
  void print_console_line();

  HostId id_;
  const PlatformConfig& config_;
  model::SimulationKernel& kernel_;
  model::NicModule& nic_;
  model::ApbController* controller_;
  model::Bus bus_;
  model::Ram ram_;
  std::unique_ptr<model::Ram> rom_;  // ROM of the host; null: the host has no ROM
  std::unique_ptr<model::InterruptInputs> interrupts_;
  traffic_app application_{};
  const HostConfig& host_;
  void tell(const char* line, bool high) const {
    if (on_line_) on_line_(line, high);
  }

  model::SnapshotHistory* machine_;
  std::string console_line_;
  std::function<void(const char*, bool)> on_line_;
  std::unique_ptr<model::BusTrace> bus_trace_;
  // processor that runs the native driver, for `driver: native`
  std::unique_ptr<model::HostStub> stub_;
  // RISC-V core and its devices, for `driver: firmware`
  std::unique_ptr<model::FirmwareHost> firmware_;
  // object that changes parameters during the run; null if there are no changes
  std::unique_ptr<Reconfigurer> reconfigurer_;
};

}  // namespace dcc::vp
