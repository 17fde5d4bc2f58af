// The platform of one run: network, hosts, traffic plan, and additional parts.
#pragma once

#include <functional>
#include <memory>
#include <systemc>
#include <utility>
#include <vector>

#include "build/cnp_profiles.h"
#include "build/host.h"
#include "build/network.h"
#include "build/platform_part.h"
#include "build/run.h"
#include "config/platform_config.h"
#include "disturb/platform_clock.h"
#include "fabric/flow_scheduler.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "parallel/partitions.h"
#include "sim/scheduler.h"
#include "simulation_kernel.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Builds the members that every run has, in the order of the public members, then each registered
/// part (PartKind) that the configuration requests. Parts access the public members.
class Platform final : public sc_core::sc_module {
 public:
  /// Builds the platform. `config` must outlive the platform. If hosts have several ports, `config`
  /// numbers ports instead of hosts (build/port_config.h). Throws run_platform()'s exceptions for
  /// errors in data files.
  Platform(const sc_core::sc_module_name& name, const PlatformConfig& config, RunSetup setup);
  ~Platform() override;

  const PlatformConfig& config;
  const RunSetup setup;
  Scheduler scheduler;  // scheduler of the platform's own events
  PlatformClock clock;
  Topology topology;
  Routing routing;
  FlowPlan plan;
  PartitionPlan partition_plan;
  Partitions partitions;
  model::SimulationKernel kernel;
  Network network;
  FlowLedger ledger;
  std::vector<std::unique_ptr<Host>> hosts;  // hosts by HostId; one for each port

  NicDevice& nic_of(HostId host) const { return hosts[host]->nic().device(); }
  /// True if the host is simulated in this process.
  bool is_here(HostId host) const { return partitions.is_here(topology.node_of(host)); }

  /// The part of this type; null if the platform has none.
  template <class Part>
  Part* part() const {
    for (const auto& one : parts_) {
      if (auto* const found = dynamic_cast<Part*>(one.get())) return found;
    }
    return nullptr;
  }

  /// Adds a part without a PartKind, after all other parts.
  void add(std::unique_ptr<PlatformPart> part) { parts_.push_back(std::move(part)); }

  /// Sets the function that is called at the beginning of the simulation, when all sockets are
  /// bound. That function brings up the hosts, then calls begin().
  void on_start(std::function<void()> start) { start_ = std::move(start); }
  /// Calls begin(), heartbeat() or finish() of all platform parts.
  void begin();
  void heartbeat();
  void finish(RunResults& results);

 private:
  void build_hosts();
  void start_of_simulation() override { start_(); }

  const CnpProfiles cnp_profiles_;
  const PeerNics peer_nics_;
  std::function<void()> start_;
  std::vector<std::unique_ptr<PlatformPart>> parts_;  // parts by their order
};

}  // namespace dcc::vp
