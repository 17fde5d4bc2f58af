// One host: its NIC, the algorithm that governs it, the controller's registers, and what drives it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "build/engines.h"
#include "bus_trace.h"
#include "config/platform_config.h"
#include "controller.h"
#include "controller/dcc.h"
#include "cpu/riscv_cpu.h"
#include "measure/results.h"
#include "nic_module.h"
#include "simulation_kernel.h"
#include "software/apb_programmer.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

struct HostContext {
  const PlatformConfig& config;
  model::SimulationKernel& kernel;
  Scheduler& scheduler;  // of the devices
  PacketPool& pool;
  FlowLedger& ledger;
  FlowPlan& plan;
  const LinkParameters& link;
  HostId id = 0;
  std::uint32_t nic_rank = 0;
  std::uint32_t controller_rank = 0;
  PicoSeconds longest_base_rtt{};
  bool parameters_change = false;  // while the run goes on
  RecordingFolder recordings{};
  model::TimeMachine* machine = nullptr;  // for the debugger
  bool sockets = true;                    // of the NIC, for packets
};

class HostDriver;

/// Tells several observers.
class SlotObservers final : public SlotObserver {
 public:
  void add(SlotObserver& observer) { observers_.push_back(&observer); }
  void slot_changed(SlotIndex slot, std::uint32_t flow, SlotChange change) override {
    for (SlotObserver* const observer : observers_) observer->slot_changed(slot, flow, change);
  }

 private:
  std::vector<SlotObserver*> observers_;
};

class Host final : public sc_core::sc_module {
 public:
  Host(const sc_core::sc_module_name& name, const HostContext& context);
  ~Host() override;

  HostId id() const { return id_; }
  /// The platform posts this host's traffic itself.
  bool is_direct() const { return driver_ == nullptr; }
  model::NicModule& nic() { return nic_; }
  const model::NicModule& nic() const { return nic_; }
  Algorithm* algorithm() { return algorithm_.get(); }
  const Algorithm* algorithm() const { return algorithm_.get(); }
  /// Null: RoCE.
  const Transport* transport() const { return transport_.get(); }
  /// The algorithm, when it is the controller.
  Dcc* dcc() { return dcc_; }
  const Dcc* dcc() const { return dcc_; }
  model::ApbController* controller() { return controller_.get(); }
  /// Null: the platform drives this host itself.
  HostDriver* driver() { return driver_.get(); }

  /// Null unless this host runs firmware.
  model::RiscvCpu* cpu();
  /// Every access of this host's software and DMA to its bus; without a driver, the platform's own
  /// accesses to the controller. Before the simulation starts; `sink` stays to its end.
  void trace_transactions(model::BusTrace::Sink sink);

  /// Changes of this host's interrupt lines: "controller", "nic", and "cpu" where both meet.
  void observe_lines(std::function<void(const char* line, bool high)> observer);
  /// Changes of the controller's slots; any number of observers. False: RTL alone computes them,
  /// and does not tell.
  bool observe_slots(SlotObserver& observer);

  /// Once elaboration is over: hosts without a driver get their controller programmed.
  void bring_up();

  /// The controller, if there is one, goes from what one configuration makes of it to what another
  /// does: at once, or over the bus of the host's software. From a device's event.
  void reconfigure(const PlatformConfig& from, const PlatformConfig& to);

  /// At the end of a run: checks that need it (lock-step's leftovers). Throws with a report.
  void finish();

  /// What software on this host reports; without any, all zero.
  struct SoftwareReport {
    std::uint64_t instructions = 0;
    std::uint64_t messages_verified = 0;
    std::uint64_t payload_errors = 0;
    std::uint64_t completions_lost = 0;
    std::string failure;  // one sentence; empty if all is well
  };
  SoftwareReport software_report() const;
  /// On the host of the closed loop's manager.
  QosResult qos_result() const;

 private:
  void trace_programmer(model::BusTrace::Sink sink);

  HostId id_;
  const PlatformConfig& config_;
  model::SimulationKernel& kernel_;
  LinkParameters link_;
  model::NicModule nic_;
  std::unique_ptr<Algorithm> algorithm_;  // null: none
  std::unique_ptr<Transport> transport_;  // null: RoCE
  Dcc* dcc_ = nullptr;
  SlotObservers slot_observers_;
  std::unique_ptr<model::ApbController> controller_;
  std::unique_ptr<ApbProgrammer> programmer_;
  std::unique_ptr<HostDriver> driver_;
};

}  // namespace dcc::vp
