// One host: NIC, congestion-control algorithm, controller registers, and driver or firmware.
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
  Scheduler& scheduler;  // scheduler of the host's devices
  PacketPool& pool;
  FlowLedger& ledger;
  FlowPlan& plan;
  const LinkParameters& link;
  HostId id = 0;
  std::uint32_t nic_rank = 0;
  std::uint32_t controller_rank = 0;
  PicoSeconds longest_base_rtt{};
  HostId hosts = 0;  // number of hosts in the network
  // true if an entry of `changes` in the configuration may alter parameters during the run
  bool parameters_change = false;
  RecordingFolder recordings{};
  // snapshots by which a debugger goes back in time; null: the debugger cannot go back
  model::SnapshotHistory* machine = nullptr;
  bool sockets = true;  // true if the NIC has packet sockets
  // False if only the bring-up accesses the controller's registers on a host without software.
  bool keep_registers = true;
};

class HostDriver;

/// Forwards slot changes to any number of observers.
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
  /// True if no driver runs on the host and the platform posts the host's traffic itself.
  bool is_direct() const { return driver_ == nullptr; }
  model::NicModule& nic() { return nic_; }
  const model::NicModule& nic() const { return nic_; }
  Algorithm* algorithm() { return algorithm_.get(); }
  const Algorithm* algorithm() const { return algorithm_.get(); }
  /// The transport of the host; null if the transport is RoCE.
  const Transport* transport() const { return transport_.get(); }
  /// The host's congestion-control algorithm if the algorithm is the DCC controller; else null.
  Dcc* dcc() { return dcc_; }
  const Dcc* dcc() const { return dcc_; }
  /// The controller's APB model; null without DCC, and where HostContext::keep_registers is false.
  model::ApbController* controller() { return controller_.get(); }
  /// The software of this host; null if the platform posts the host's traffic without software.
  HostDriver* driver() { return driver_.get(); }

  /// The CPU that runs firmware (hart 0 if the CPU has several harts); null without firmware.
  model::RiscvCpu* cpu();
  /// The harts that run firmware; empty if this host runs no firmware.
  std::vector<model::RiscvCpu*> harts();
  /// Reports every bus access of this host's software and DMA to `sink`. On a host without a
  /// driver, reports the platform's accesses to the controller. Call before the simulation starts.
  /// The host keeps `sink` until the end of the run.
  void trace_transactions(model::BusTrace::Sink sink);

  /// Reports changes of this host's interrupt lines: "controller", "nic", and "cpu" for the CPU's
  /// input line, which combines the other two.
  void observe_lines(std::function<void(const char* line, bool high)> observer);
  /// Adds an observer of the controller's slots (state per flow); does nothing on a host without
  /// the DCC controller. Returns false if RTL alone computes the slots, because RTL does not report
  /// changes.
  bool observe_slots(SlotObserver& observer);

  /// Programs the controller of a host without a driver. Call after SystemC's elaboration.
  void bring_up();

  /// Shares rate tables with `other`: keeps one copy of tables that are equal.
  void share_tables(const Host& other);

  /// Changes the controller's settings from one configuration to another: on a host without
  /// software at once, else over the bus of the host's software. Call from a device's event.
  void reconfigure(const PlatformConfig& from, const PlatformConfig& to);

  /// Sets the weight of a DSCP (1.0 = 256) at once, by the register write of the driver's
  /// dcc_set_weight. Precondition: the host has no software, runs the DCC controller, and has
  /// HostContext::keep_registers. Call from a device's event.
  void set_weight(unsigned dscp, std::uint32_t weight_q8_8);

  /// Runs the checks at the end of a run, such as the comparison of the last states in lock-step.
  /// Throws with a report if a check fails.
  void finish();

  /// Figures that the host's software reports; all zero without software.
  struct SoftwareReport {
    std::uint64_t instructions = 0;
    std::vector<std::uint64_t> instructions_of_harts;  // instructions by hart; empty with one hart
    std::uint64_t messages_verified = 0;
    std::uint64_t payload_errors = 0;
    std::uint64_t completions_lost = 0;
    // simulated time up to now in which the CPU did next to nothing but handle traps
    std::uint64_t busy_ns = 0;
    std::string failure;  // reason for the failure of the software in one sentence; empty: success
  };
  SoftwareReport software_report() const;
  /// The result of the QoS manager's closed loop. Precondition: this host runs the QoS manager.
  QosResult qos_result() const;

 private:
  void trace_programmer(model::BusTrace::Sink sink);

  HostId id_;
  const PlatformConfig& config_;
  model::SimulationKernel& kernel_;
  LinkParameters link_;
  std::unique_ptr<NotificationEngine> notification_;  // null: the receiver's model sends the CNPs
  std::unique_ptr<ParserEngine> parser_;              // null: the algorithm gets CNPs directly
  // null: the transmitter paces packets without a pacer block
  std::unique_ptr<PacerEngine> pacer_;
  model::NicModule nic_;
  std::unique_ptr<Algorithm> algorithm_;  // congestion control; null if the host runs no algorithm
  std::unique_ptr<Transport> transport_;  // transport of the host; null if the transport is RoCE
  Dcc* dcc_ = nullptr;
  SlotObservers slot_observers_;
  std::unique_ptr<model::ApbController> controller_;
  std::unique_ptr<ApbProgrammer> programmer_;
  std::unique_ptr<HostDriver> driver_;
};

}  // namespace dcc::vp
