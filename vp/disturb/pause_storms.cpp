#include "disturb/pause_storms.h"

#include "build/platform.h"
#include "build/ranks.h"

namespace dcc::vp {

PauseStorms::Storm::Storm(const FaultParameters& parameters, Scheduler& clock, NicDevice& device)
    : fault(parameters),
      scheduler(clock),
      nic(device),
      event(Event::calling<&Storm::change>(*this, kMemoryFaultRank)) {}

void PauseStorms::Storm::change() {
  rages = !rages;
  nic.storm(rages ? fault.priorities : 0);
  if (rages && fault.stop) scheduler.schedule_at(event, *fault.stop);
}

PauseStorms::PauseStorms(Platform& p) {
  for (const FaultParameters& fault : p.config.faults) {
    if (fault.kind != FaultKind::kPauseStorm) continue;
    const HostPorts& ports = p.topology.host_ports();
    for (HostId i = 0; i < ports.ports_of(fault.host); ++i) {
      const HostId port = ports.first_port(fault.host) + i;
      storms_.emplace_back(fault, p.partitions.scheduler_of(p.topology.node_of(port)),
                           p.nic_of(port));
    }
  }
}

void PauseStorms::begin() {
  for (Storm& storm : storms_) storm.scheduler.schedule_at(storm.event, storm.fault.start);
}

namespace {
const PartKind kPauseStormsKind(PartKind::kMemoryFaults + 1,
                                [](Platform& p) { return std::make_unique<PauseStorms>(p); });
}  // namespace

}  // namespace dcc::vp
