#include "disturb/pause_storms.h"

#include "build/platform.h"
#include "build/ranks.h"

namespace dcc::vp {

PauseStorms::Storm::Storm(const FaultParameters& parameters, Scheduler& clock, NicDevice& device,
                          std::uint32_t rank)
    : fault(parameters),
      scheduler(clock),
      nic(device),
      event(Event::calling<&Storm::change>(*this, rank)) {}

void PauseStorms::Storm::change() {
  rages = !rages;
  nic.storm(rages ? fault.priorities : 0);
  if (rages && fault.stop) scheduler.schedule_at(event, *fault.stop);
}

PauseStorms::PauseStorms(const PlatformConfig& config, const Topology& topology,
                         Partitions& partitions, std::vector<std::unique_ptr<Host>>& hosts,
                         std::uint32_t rank) {
  for (const FaultParameters& fault : config.faults) {
    if (fault.kind != FaultKind::kPauseStorm) continue;
    const HostPorts& ports = topology.host_ports();
    for (HostId i = 0; i < ports.ports_of(fault.host); ++i) {
      const HostId port = ports.first_port(fault.host) + i;
      storms_.emplace_back(fault, partitions.scheduler_of(topology.node_of(port)),
                           hosts[port]->nic().device(), rank);
    }
  }
}

void PauseStorms::begin() {
  for (Storm& storm : storms_) storm.scheduler.schedule_at(storm.event, storm.fault.start);
}

namespace {
const PartKind kPauseStormsKind(PartKind::kMemoryFaults + 1, [](Platform& p) {
  return std::make_unique<PauseStorms>(p.config, p.network.topology(), p.partitions, p.hosts,
                                       kMemoryFaultRank);
});
}  // namespace

}  // namespace dcc::vp
