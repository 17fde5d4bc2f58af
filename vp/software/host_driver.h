// What drives a host: bus, RAM, interrupt controller, and a processor (the native stub or RISC-V).
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
#include "firmware_host.h"
#include "host_stub.h"
#include "interrupt_controller.h"
#include "nic_module.h"
#include "ram.h"
#include "simulation_kernel.h"

namespace dcc::vp {

class HostDriver final : public sc_core::sc_module {
 public:
  HostDriver(const sc_core::sc_module_name& name, const HostContext& context, model::NicModule& nic,
             model::ApbController* controller);

  /// The controller goes from one programme to another; only where `changes` says that one will.
  void retune(const dcc_config& from, const dcc_config& to) { retuner_->retune(from, to); }
  /// After the run: what software has printed without ending its line.
  void finish();
  Host::SoftwareReport report() const;
  QosResult qos_result() const;
  model::Bus& bus() { return bus_; }
  model::Ram& ram() { return ram_; }
  const model::InterruptController& interrupts() const { return interrupts_; }
  /// For the debugger, if there is one; `states` must outlive this.
  void name_digest(const StateDigests& states);
  /// Bytes of memory have changed behind the software's back.
  void memory_changed(std::uint32_t address, std::uint32_t bytes);
  /// Null unless firmware runs here.
  model::RiscvCpu* cpu() { return firmware_ == nullptr ? nullptr : &firmware_->cpu(); }
  void observe_lines(std::function<void(const char* line, bool high)> observer) {
    on_line_ = std::move(observer);
  }
  /// `host`: what paths begin with.
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
  model::InterruptController interrupts_;
  traffic_app application_{};
  const HostConfig& host_;
  void tell(const char* line, bool high) const {
    if (on_line_) on_line_(line, high);
  }

  model::TimeMachine* machine_;
  std::string console_line_;
  std::function<void(const char*, bool)> on_line_;
  std::unique_ptr<model::BusTrace> bus_trace_;
  std::unique_ptr<model::HostStub> stub_;          // driver: native
  std::unique_ptr<model::FirmwareHost> firmware_;  // driver: firmware
  std::unique_ptr<Retuner> retuner_;               // null: nothing changes, or no controller
};

}  // namespace dcc::vp
