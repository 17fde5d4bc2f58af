#include "disturb/fault_plan.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/boot_block.h"
#include "build/wire_selection.h"
#include "config/yaml_reader.h"
#include "fabric/faults.h"

namespace dcc::vp {

namespace {
bool has_wire(const Topology& topology, const std::string& name) {
  for (const Cable& cable : topology.cables()) {
    for (const CableEnd& end : cable.end) {
      if (topology.wire_name(end.node, end.port) == name) return true;
    }
  }
  return false;
}

void check_memory_flip(const PlatformConfig& config, const Topology& topology,
                       const FaultParameters& fault, const std::string& path) {
  if (fault.host >= static_cast<HostId>(topology.user_hosts())) {
    throw SettingError(path + ".host", fmt::format("there is no host {}: they are numbered from 0 "
                                                   "to {}",
                                                   fault.host, topology.user_hosts() - 1));
  }
  const HostConfig& host = config.host_of(fault.host);
  if (host.driver == DriverKind::kNone) {
    throw SettingError(path + ".host",
                       fmt::format("host {} has no memory: driver: none", fault.host));
  }
  const std::uint64_t end = BOOT_RAM_BASE + static_cast<std::uint64_t>(host.ram);
  if (fault.address.value < BOOT_RAM_BASE || fault.address.value >= end) {
    throw SettingError(
        path + ".address",
        fmt::format("no memory lies at {:#x}: that of host {} goes from {:#x} to "
                    "{:#x}",
                    fault.address.value, fault.host, std::uint32_t{BOOT_RAM_BASE}, end - 1));
  }
}
}  // namespace

void check_faults(const PlatformConfig& config, const Topology& topology, std::size_t flows) {
  for (std::size_t f = 0; f < config.faults.size(); ++f) {
    const FaultParameters& fault = config.faults[f];
    if (fault.kind == FaultKind::kCnpLoss) {
      require_flow(fault.flow, flows, fmt::format("faults.{}.flow", f));
    }
    if (fault.kind == FaultKind::kMemoryFlip) {
      check_memory_flip(config, topology, fault, fmt::format("faults.{}", f));
      continue;
    }
    if (fault.kind == FaultKind::kPauseStorm) {
      if (fault.host >= static_cast<HostId>(topology.user_hosts())) {
        throw SettingError(fmt::format("faults.{}.host", f),
                           fmt::format("there is no host {}: they are numbered from 0 to {}",
                                       fault.host, topology.user_hosts() - 1));
      }
      continue;
    }
    if (fault.is_noticed()) {
      select_wires(topology, {fault.link}, fmt::format("faults.{}.link", f));
      continue;
    }
    if (fault.everywhere() || has_wire(topology, fault.link)) continue;
    const CableEnd& first = topology.cables().front().end[0];
    throw SettingError(fmt::format("faults.{}.link", f),
                       fmt::format("there is no link '{}'; they are named as '{}'", fault.link,
                                   topology.wire_name(first.node, first.port)));
  }
}

void install_faults(const PlatformConfig& config, Partitions& partitions, Network& network) {
  std::vector<std::vector<Link::LossHook>> hooks(network.wires().size());
  for (const FaultParameters& fault : config.faults) {
    // other kinds of faults are in link_faults.h, memory_faults.h, pause_storms.h
    if (!fault.is_on_wires()) continue;
    for (std::size_t i = 0; i < hooks.size(); ++i) {
      const Wire& wire = network.wires()[i];
      if (!fault.everywhere() && network.name_of(wire) != fault.link) continue;
      // The fault hook runs in the partition of the wire's sender.
      hooks[i].push_back(fault_hook(fault, partitions.scheduler_of(wire.from), config.seed, i));
    }
  }
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (!hooks[i].empty()) {
      network.wires()[i].link().set_loss_hook(combine(std::move(hooks[i])));
    }
  }
}

}  // namespace dcc::vp
