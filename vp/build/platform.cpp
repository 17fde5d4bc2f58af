#include "build/platform.h"

#include <algorithm>
#include <cassert>
#include <iostream>
#include <string>

#include "build/ranks.h"
#include "build/translate.h"
#include "config/yaml_reader.h"
#include "disturb/fault_plan.h"
#include "software/host_driver.h"

namespace dcc::vp {

namespace {
// Why there are two ways to join devices: sockets are what a SystemC model is put together from.
// They are checked at elaboration, have names that tools find, and let a module of somebody else's
// (a probe, a switch) take a device's place. Once a run begins they give way to what direct access
// joins, so they cost no time then; but a wire's are some kilobytes, and SystemC takes long to
// build and to take apart hundreds of thousands of them. Beyond this many hosts nobody looks at
// single wires, and the same end is joined from the beginning. Whatever the way, Link, SwitchDevice
// and NicDevice know of none: it is `Network::connect_host` and `bind_switches` that have it twice.
constexpr int kMaxWithSockets = 2048;

bool has_sockets(const Topology& topology, const RunSetup& setup) {
  return setup.sockets.value_or(topology.hosts() <= kMaxWithSockets);
}

/// Besides what the configuration says: somebody may look on, and processes know of their own
/// packets only.
bool must_hold(const PlatformConfig& config, const RunSetup& setup) {
  if (setup.hold_flows) return *setup.hold_flows;
  return holds_flows(config) || setup.interactive || setup.machine != nullptr || setup.state_at ||
         setup.group != nullptr;
}
}  // namespace

Platform::Platform(const sc_core::sc_module_name& name, const PlatformConfig& configuration,
                   const RunSetup& setup)
    : sc_module(name),
      config(configuration),
      clock(scheduler),
      topology(Topology::of(config.topology)),
      routing(topology),
      cnp_agreements(config),
      plan(plan_flows(config, topology, routing, must_hold(config, setup))),
      partition_plan(plan_of(*this, setup)),
      partitions(scheduler, partition_plan, setup.group),
      kernel("kernel", scheduler, config.duration, partitions.parallel()),
      network("network", config, topology, routing, partitions, has_sockets(topology, setup)),
      ledger(plan.count() + plan.links().size(), plan.is_held()) {
  const bool parameters_change = !config.changes.empty() || setup.late_change;
  for (const PlannedFlow& flow : plan.flows()) ledger[flow.spec.id].target_bytes = flow.spec.bytes;
  assert(network.ranks_used() <= kNicRank);
  assert(topology.hosts() <= static_cast<int>(kControllerRank - kNicRank));
  build_hosts(setup, parameters_change);
  if (!cnp_agreements.empty()) {
    for (const auto& host : hosts) {
      host->nic().device().receiver().set_cnp_profiles(
          [this](HostId sender) -> const CnpProfile& { return cnp_agreements.with(sender); });
    }
  }
  network.bind_switches();
  check_faults(config, topology, plan.count());
  install_faults(config, partitions, network);
  link_faults = std::make_unique<LinkFaults>(
      config, scheduler, network, partitions,
      [this](HostId host) -> NicDevice& { return hosts[host]->nic().device(); }, kLinkFaultRank);
  dcbx = std::make_unique<DcbxLinks>(
      config, scheduler, network,
      [this](HostId host) -> NicDevice& { return hosts[host]->nic().device(); }, kDcbxRank);
  build_flow_scheduler();
  build_transport_agent();
  changes = std::make_unique<Changes>(config, scheduler, network, hosts, kChangeRank);
  if (setup.late_change) changes->ask_at(setup.late_change->at, setup.late_change->ask);
  capture = std::make_unique<PacketCapture>(config, partitions, network, plan.count(),
                                            setup.traces.folder);
  const auto is_here = [this](HostId host) { return partitions.is_here(topology.node_of(host)); };
  plan.on_connected([this, is_here](HostId host, Qpn qpn) {
    if (is_here(host)) hosts[host]->nic().device().connect_queue_pair(qpn);
  });
  traffic = std::make_unique<DirectTraffic>(
      clock, plan, ledger, partitions, topology,
      [this](HostId host) -> NicDevice& { return hosts[host]->nic().device(); },
      [this](HostId host) { return hosts[host]->is_direct(); }, is_here, kTrafficRank,
      // Links that come up do so before flows start; time is skipped for the platform's own events.
      config.dcbx.enabled || config.fast_forward.enabled);
  gates = std::make_unique<FlowGates>(
      plan, ledger,
      [this](HostId host) -> FlowGates::Place {
        return {partitions.scheduler_of(topology.node_of(host)), hosts[host]->nic().device(),
                kNicRank + host};
      },
      is_here);
  measurement = std::make_unique<Measurement>(config, scheduler, clock, network, hosts, plan,
                                              ledger, partitions, kMeasurementRank);
  tracing = std::make_unique<Tracing>(
      Tracing::Context{config, scheduler, network, hosts, plan, kTraceRank}, setup.traces);
  memory_faults = std::make_unique<MemoryFaults>(config, scheduler, hosts, kMemoryFaultRank);
  const auto sampler = [&](const DigestConfig& when, const DigestSampler::Sink& sink) {
    if (setup.group != nullptr) {
      throw SettingError("output.digest",
                         "of several processes none holds the whole state; one "
                         "process can, on any number of threads");
    }
    return std::make_unique<DigestSampler>(
        DigestSampler::Context{when, config.duration, scheduler, network, flow_scheduler.get(),
                               transport_agent.get(), hosts, partitions, kDigestRank},
        sink);
  };
  if (config.output.digest.every) digests = sampler(config.output.digest, setup.digests);
  if (setup.state_at) {
    const PicoSeconds at = setup.state_at->at;
    state_look = sampler({PicoSeconds(1), at, at}, setup.state_at->look);
  }
  if (config.fast_forward.enabled) build_fast_forward(setup);
  // Only where somebody may ask: a large network has many names.
  const bool software = std::any_of(hosts.begin(), hosts.end(),
                                    [](const auto& host) { return host->driver() != nullptr; });
  if (software || setup.interactive) {
    states =
        std::make_unique<StateDigests>(network, flow_scheduler.get(), transport_agent.get(), hosts);
  }
  for (const auto& host : hosts) {
    if (host->driver() != nullptr) host->driver()->name_digest(*states);
  }
  if (setup.interactive) {
    console = std::make_unique<Console>(
        Console::Context{kernel, hosts, network, plan, *states, kConsoleRank, setup.machine,
                         setup.no_way_back, setup.first_pause},
        std::cin, std::cout, setup.prompt);
  }
}

PartitionPlan Platform::plan_of(const Platform& p, const RunSetup& setup) {
  if (setup.group != nullptr) {
    const bool watched = p.config.output.trace.any() || setup.interactive;
    return plan_for_processes(p.config, p.topology, p.routing, p.plan, setup.group->size(),
                              watched);
  }
  const bool watched = Tracing::needs_one_order(p.config) || setup.interactive;
  return plan_partitions(p.config, p.topology, p.routing, p.plan, setup.threads, watched,
                         setup.parts);
}

void Platform::build_flow_scheduler() {
  if (!config.switch_.routing.is_central()) return;
  flow_scheduler = config.switch_.routing.chosen()->make_scheduler(
      {scheduler, network.fabric(), config.seed, kFlowSchedulerRank});
  for (NodeId node = 0; node < static_cast<NodeId>(topology.nodes().size()); ++node) {
    if (model::SwitchModule* const module = network.switch_of(node)) {
      flow_scheduler->add_switch(node, *module->device().flow_entries());
    }
  }
}

void Platform::build_transport_agent() {
  const TransportParameters* const transport = config.nic.transport.chosen();
  if (transport == nullptr || !transport->has_agent()) return;
  transport_agent = transport->make_agent(scheduler, kTransportAgentRank);
  for (const auto& host : hosts) {
    NicDevice& nic = host->nic().device();
    transport_agent->add_host(nic.transmitter(), nic.parameters().line_rate);
  }
}

void Platform::build_fast_forward(const RunSetup& setup) {
  const auto refuse = [](const std::string& why) {
    throw SettingError("fast_forward.enabled", why);
  };
  if (setup.group != nullptr) refuse("one process at a time skips, on any number of threads");
  if (setup.interactive || setup.machine != nullptr) refuse("somebody looks at single events");
  if (setup.state_at || setup.late_change) {
    refuse("a state is to be found again at a moment, which may be skipped");
  }
  fast_forward = std::make_unique<FastForward>(FastForward::Context{
      config, scheduler, clock, network, hosts, plan, ledger, *measurement, kFastForwardRank});
}

void Platform::build_hosts(const RunSetup& setup, bool parameters_change) {
  const PacketSizes sizes = packet_sizes(config);
  const PicoSeconds longest = routing.longest_base_rtt(sizes.full, sizes.ack);
  for (HostId id = 0; id < static_cast<HostId>(topology.hosts()); ++id) {
    const NodeId node = topology.node_of(id);
    const HostContext context{config,
                              kernel,
                              partitions.scheduler_of(node),
                              partitions.pool_of(node),
                              ledger,
                              plan,
                              network.host_link(id),
                              id,
                              kNicRank + id,
                              kControllerRank + id,
                              longest,
                              parameters_change,
                              setup.recordings,
                              setup.machine,
                              network.has_sockets()};
    hosts.push_back(std::make_unique<Host>(("host" + std::to_string(id)).c_str(), context));
    network.connect_host(id, hosts.back()->nic());
  }
}

}  // namespace dcc::vp
