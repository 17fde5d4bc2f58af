#include "disturb/link_faults.h"

#include <algorithm>
#include <set>

#include "build/platform.h"
#include "build/ranks.h"
#include "build/wire_selection.h"

namespace dcc::vp {

LinkFaults::Fault::Fault(const FaultParameters& config, const Network& network,
                         Scheduler& scheduler, Partitions& partitions, LiveFabric& fabric,
                         std::uint32_t rank)
    : config_(config),
      topology_(network.topology()),
      scheduler_(scheduler),
      partitions_(partitions),
      fabric_(fabric),
      wires_(select_wires(topology_, {config.link}, "")),
      change_(Event::calling<&Fault::change>(*this, rank)) {}

void LinkFaults::Fault::begin() { scheduler_.schedule_at(change_, config_.start); }

void LinkFaults::Fault::change() {
  const PicoSeconds now = scheduler_.now();
  const PicoSeconds stop = config_.stop.value_or(PicoSeconds::max());
  if (!there_ && now >= stop) return;
  there_ = !there_;
  if (partitions_.parallel() != nullptr) partitions_.parallel()->settle();
  apply();
  PicoSeconds next = stop;
  if (config_.kind == FaultKind::kLinkFlap) {
    next = now + (there_ ? config_.down : config_.up);
    if (there_) next = std::min(next, stop);
  }
  if (next != PicoSeconds::max() && (there_ || next < stop)) scheduler_.schedule_at(change_, next);
}

void LinkFaults::Fault::apply() {
  int last = -1;
  for (const std::size_t wire : wires_) {
    const int cable = static_cast<int>(wire / 2);
    if (config_.kind == FaultKind::kLinkSlow) {
      const BitRate rate = there_ ? config_.rate : topology_.cables()[wire / 2].link.rate;
      fabric_.set_rate(cable, static_cast<int>(wire % 2), rate, config_.convergence);
    } else if (cable != last) {  // a cable fails in both directions at once
      there_ ? fabric_.fail(cable, config_.convergence)
             : fabric_.repair(cable, config_.convergence);
    }
    last = cable;
  }
}

LinkFaults::LinkFaults(Platform& p) : network_(p.network) {
  Network& network = p.network;
  for (const FaultParameters& fault : p.config.faults) {
    if (!fault.is_noticed()) continue;
    if (fabric_ == nullptr) {
      fabric_ = std::make_unique<LiveFabric>(p.scheduler, network.topology(), network.routing(),
                                             network.fabric(), kLinkFaultRank);
    }
    faults_.emplace_back(fault, network, p.scheduler, p.partitions, *fabric_, kLinkFaultRank);
  }
  if (fabric_ == nullptr) return;
  const Topology& topology = network.topology();
  for (std::size_t wire = 0; wire < network.wires().size(); ++wire) {
    fabric_->set_link(static_cast<int>(wire / 2), static_cast<int>(wire % 2),
                      network.wires()[wire].link());
  }
  for (NodeId node = 0; node < static_cast<NodeId>(topology.nodes().size()); ++node) {
    if (model::SwitchModule* const module = network.switch_of(node)) {
      fabric_->set_switch(node, module->device());
    }
  }
  for (HostId host = 0; host < static_cast<HostId>(topology.hosts()); ++host) {
    NicDevice& nic = p.nic_of(host);
    fabric_->set_host(host, [&nic](bool up) { nic.set_carrier(up); });
  }
}

void LinkFaults::begin() {
  for (Fault& fault : faults_) fault.begin();
}

void LinkFaults::finish(RunResults& results) { results.split = split(); }

std::optional<NetworkSplit> LinkFaults::split() const {
  if (fabric_ == nullptr || !fabric_->parted()) return std::nullopt;
  const LiveFabric::Parting& parting = *fabric_->parted();
  const Topology& topology = network_.topology();
  // A host is cut off with all its ports.
  std::set<HostId> hosts;
  for (const HostId port : parting.hosts) hosts.insert(topology.host_ports().host_of(port));
  return NetworkSplit{parting.when, hosts.size(),
                      topology.node(topology.node_of(parting.hosts.front())).name};
}

namespace {
const PartKind kLinkFaultsKind(PartKind::kLinkFaults,
                               [](Platform& p) { return std::make_unique<LinkFaults>(p); });
}  // namespace

}  // namespace dcc::vp
