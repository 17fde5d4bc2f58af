// The platform, built: every part of it, nothing run yet.
#pragma once

#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "build/cnp_profiles.h"
#include "build/host.h"
#include "build/network.h"
#include "build/run.h"
#include "config/platform_config.h"
#include "debug/console.h"
#include "debug/packet_capture.h"
#include "debug/state_digests.h"
#include "debug/tracing.h"
#include "disturb/changes.h"
#include "disturb/dcbx_links.h"
#include "disturb/fast_forward.h"
#include "disturb/link_faults.h"
#include "disturb/memory_faults.h"
#include "disturb/platform_clock.h"
#include "fabric/flow_scheduler.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "measure/measurement.h"
#include "nic/transport_agent.h"
#include "parallel/partitions.h"
#include "sim/scheduler.h"
#include "simulation_kernel.h"
#include "stats/flow_ledger.h"
#include "traffic/direct_traffic.h"
#include "traffic/flow_gates.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Builds all parts from a configuration, in the order of the members, and owns them. They are
/// open: the run loop (run_loop.h) drives them, the collector (collector.h) reads them.
class Platform final : public sc_core::sc_module {
 public:
  /// `config` must outlive it. Throws as run_platform() does for what only the data shows.
  Platform(const sc_core::sc_module_name& name, const PlatformConfig& config,
           const RunSetup& setup);
  ~Platform() override { partitions.drop_events(); }

  /// Called at the beginning of the simulation, when every socket is bound.
  void on_start(std::function<void()> start) { start_ = std::move(start); }

  const PlatformConfig& config;
  Scheduler scheduler;  // the platform's own
  PlatformClock clock;
  Topology topology;
  Routing routing;
  const CnpAgreements cnp_agreements;
  FlowPlan plan;
  PartitionPlan partition_plan;
  Partitions partitions;
  model::SimulationKernel kernel;
  Network network;
  FlowLedger ledger;
  std::vector<std::unique_ptr<Host>> hosts;
  std::unique_ptr<LinkFaults> link_faults;
  std::unique_ptr<DcbxLinks> dcbx;
  std::unique_ptr<FlowScheduler> flow_scheduler;    // null: switches choose by themselves
  std::unique_ptr<TransportAgent> transport_agent;  // null: thresholds stay
  std::unique_ptr<Changes> changes;
  std::unique_ptr<DirectTraffic> traffic;
  std::unique_ptr<FlowGates> gates;
  std::unique_ptr<Measurement> measurement;
  std::unique_ptr<PacketCapture> capture;
  std::unique_ptr<Tracing> tracing;
  std::unique_ptr<MemoryFaults> memory_faults;
  std::unique_ptr<DigestSampler> digests;     // null: nobody wants any
  std::unique_ptr<DigestSampler> state_look;  // one look, of a checkpoint; null: none
  std::unique_ptr<StateDigests> states;       // for whoever looks on; null: nobody can
  std::unique_ptr<FastForward> fast_forward;  // null: every packet is run
  std::unique_ptr<Console> console;           // null: not interactive

 private:
  static PartitionPlan plan_of(const Platform& platform, const RunSetup& setup);
  void build_flow_scheduler();
  void build_transport_agent();
  void build_fast_forward(const RunSetup& setup);
  void build_hosts(const RunSetup& setup, bool parameters_change);
  void start_of_simulation() override { start_(); }

  std::function<void()> start_;
};

}  // namespace dcc::vp
