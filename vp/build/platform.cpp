#include "build/platform.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "build/ranks.h"
#include "build/translate.h"
#include "debug/tracing.h"
#include "disturb/fault_plan.h"

namespace dcc::vp {

namespace {
// Devices are joined in one of two ways. Up to this number of hosts SystemC sockets join them:
// sockets are checked at elaboration, have names that tools find, and let an external module (a
// probe, a switch) take a device's place. At the start of the run direct access replaces the
// sockets, so sockets cost no time then. But one wire's sockets take some kilobytes, and SystemC
// takes long to build and destroy hundreds of thousands of them. Above this number of hosts direct
// access joins the devices from the beginning. Link, SwitchDevice and NicDevice do not depend on
// the choice; only Network::connect_host() and Network::bind_switches() do.
constexpr int kMaxHostsWithSockets = 2048;
// Number of hosts that are destroyed before all others: one more than the modules that follow the
// hosts in SystemC's list, such as the module that SystemC adds when a simulation starts.
constexpr std::size_t kFirstDestroyed = 4;

bool has_sockets(const Topology& topology, const RunSetup& setup) {
  return setup.sockets.value_or(topology.hosts() <= kMaxHostsWithSockets);
}

/// True if the plan holds all flows from the beginning. Some configurations need all flows, and so
/// do a prompt, a debugger, and several processes, each of which knows only its own packets.
bool must_hold(const PlatformConfig& config, const RunSetup& setup) {
  if (setup.hold_flows) return *setup.hold_flows;
  return holds_flows(config) || setup.interactive || setup.machine != nullptr ||
         setup.group != nullptr;
}

PartitionPlan partition_plan_of(const Platform& p) {
  if (p.setup.group != nullptr) {
    const bool watched = p.config.output.trace.any() || p.setup.interactive;
    return plan_for_processes(p.config, p.topology, p.routing, p.plan, p.setup.group->size(),
                              watched);
  }
  const bool watched = Tracing::needs_one_order(p.config) || p.setup.interactive;
  return plan_partitions(p.config, p.topology, p.routing, p.plan, p.setup.threads, watched,
                         p.setup.parts);
}
}  // namespace

Platform::Platform(const sc_core::sc_module_name& name, const PlatformConfig& configuration,
                   RunSetup run_setup)
    : sc_module(name),
      config(configuration),
      setup(std::move(run_setup)),
      clock(scheduler),
      topology(Topology::of(config.topology)),
      routing(topology),
      plan(plan_flows(config, topology, routing, must_hold(config, setup))),
      partition_plan(partition_plan_of(*this)),
      partitions(scheduler, partition_plan, setup.group),
      kernel("kernel", scheduler, config.duration, partitions.parallel()),
      network("network", config, topology, routing, partitions, has_sockets(topology, setup)),
      ledger(plan.count() + plan.links().size(), plan.is_held() && plan.rounds() == nullptr),
      cnp_profiles_(config),
      peer_nics_(config.peer_nics()) {
  for (const PlannedFlow& flow : plan.flows()) {
    ledger.open(flow.spec.id).target_bytes = flow.spec.bytes;
  }
  build_hosts();
  network.bind_switches();
  check_faults(config, topology, plan.count());
  install_faults(config, partitions, network);
  plan.connections().on_connected([this](HostId host, Qpn qpn) {
    if (is_here(host)) nic_of(host).connect_queue_pair(qpn);
  });
  plan.connections().on_broken([this](HostId host, Qpn qpn) {
    if (is_here(host)) nic_of(host).transmitter().give_up(qpn);
  });
  for (const PartKind& kind : PartKind::all()) {
    if (auto part = kind.make(*this)) parts_.push_back(std::move(part));
  }
}

Platform::~Platform() {
  partitions.drop_events();
  while (!parts_.empty()) parts_.pop_back();  // destroys parts from the last to the first
  // When a module is destroyed, SystemC 2.3.4 searches its list of modules from the front and moves
  // the list's last entry to the place of the destroyed module. Destroying the first hosts and then
  // the others from the last to the first makes each search short. Without the first step the
  // destruction takes a time that grows with the square of the number of hosts.
  for (std::size_t i = 0; i < std::min(kFirstDestroyed, hosts.size()); ++i) hosts[i].reset();
  while (!hosts.empty()) hosts.pop_back();
}

void Platform::build_hosts() {
  assert(network.ranks_used() <= kNicRank);
  assert(topology.hosts() <= static_cast<int>(kControllerRank - kNicRank));
  const PacketSizes sizes = packet_sizes(config);
  const PicoSeconds longest = routing.longest_base_rtt(sizes.full, sizes.ack);
  const bool parameters_change = !config.changes.empty() || setup.late_change;
  const bool weights_move = std::any_of(config.traffic.begin(), config.traffic.end(),
                                        [](const TrafficSpec& t) { return t.moves_weight(); });
  const bool keep_registers = network.has_sockets() || parameters_change || weights_move ||
                              setup.interactive || setup.machine != nullptr ||
                              config.output.trace.any();
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
                              static_cast<HostId>(topology.hosts()),
                              parameters_change,
                              setup.recordings,
                              setup.machine,
                              network.has_sockets(),
                              keep_registers};
    hosts.push_back(std::make_unique<Host>(("host" + std::to_string(id)).c_str(), context));
    if (hosts.back()->driver() != nullptr) ledger.open(plan.unplanned_flow(id));
    network.connect_host(id, hosts.back()->nic());
    if (peer_nics_.differ()) nic_of(id).set_peers(&peer_nics_);
    if (cnp_profiles_.empty()) continue;
    nic_of(id).receiver().set_cnp_profiles(
        [this](HostId sender) -> const CnpProfile& { return cnp_profiles_.with(sender); });
  }
}

void Platform::begin() {
  for (const auto& part : parts_) part->begin();
}

void Platform::heartbeat() {
  for (const auto& part : parts_) part->heartbeat();
}

void Platform::finish(RunResults& results) {
  for (const auto& part : parts_) part->finish(results);
}

}  // namespace dcc::vp
