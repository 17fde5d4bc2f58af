// One host: its NIC, the algorithm that governs it, the controller's registers, and what drives it.
#pragma once

#include <memory>
#include <string>
#include <systemc>

#include "controller.h"
#include "nic_module.h"
#include "observe/results.h"
#include "platform/algorithms.h"
#include "platform/apb_programmer.h"
#include "platform/flow_plan.h"
#include "simulation_kernel.h"

namespace dcc::vp {

struct HostContext {
  const PlatformConfig& config;
  model::SimulationKernel& kernel;
  PacketPool& pool;
  FlowLedger& ledger;
  FlowPlan& plan;
  const LinkParameters& link;
  HostId id = 0;
  std::uint32_t nic_rank = 0;
  std::uint32_t controller_rank = 0;
  PicoSeconds longest_base_rtt{};
};

class HostDriver;

class Host final : public sc_core::sc_module {
 public:
  Host(const sc_core::sc_module_name& name, const HostContext& context);
  ~Host() override;

  HostId id() const { return id_; }
  /// The platform posts this host's traffic itself.
  bool is_direct() const { return driver_ == nullptr; }
  model::NicModule& nic() { return nic_; }
  const model::NicModule& nic() const { return nic_; }
  Algorithm* algorithm() { return governed_by_.algorithm.get(); }
  const Algorithm* algorithm() const { return governed_by_.algorithm.get(); }
  Dcc* dcc() { return governed_by_.dcc; }
  const Dcc* dcc() const { return governed_by_.dcc; }
  model::ApbController* controller() { return controller_.get(); }

  /// Once elaboration is over: hosts without a driver get their controller programmed.
  void bring_up();

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
  HostId id_;
  const PlatformConfig& config_;
  LinkParameters link_;
  model::NicModule nic_;
  GovernedBy governed_by_;
  std::unique_ptr<model::ApbController> controller_;
  std::unique_ptr<ApbProgrammer> programmer_;
  std::unique_ptr<HostDriver> driver_;
};

}  // namespace dcc::vp
