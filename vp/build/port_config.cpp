#include "build/port_config.h"

#include <memory>

namespace dcc::vp {

namespace {

HostList ports_of(const HostList& hosts, const HostPorts& ports) {
  HostList list;
  for (const HostId host : hosts) {
    for (HostId i = 0; i < ports.ports_of(host); ++i) list.push_back(ports.first_port(host) + i);
  }
  return list;
}

void replace_hosts(PlatformConfig& config, const HostPorts& ports) {
  for (OtherNics& group : config.nics) group.hosts = ports_of(group.hosts, ports);
  std::map<HostId, HostConfig> hosts;
  for (const auto& [host, settings] : config.hosts) {
    for (const HostId port : ports_of({host}, ports)) hosts.emplace(port, settings);
  }
  config.hosts = std::move(hosts);
  config.output.trace.hosts = ports_of(config.output.trace.hosts, ports);
}

}  // namespace

PlatformConfig port_config(const PlatformConfig& config) {
  const HostPorts ports = config.topology.host_ports();
  PlatformConfig to = config;
  replace_hosts(to, ports);
  for (ChangeConfig& change : to.changes) {
    auto changed = std::make_shared<PlatformConfig>(*change.config);
    replace_hosts(*changed, ports);
    change.config = std::move(changed);
  }
  return to;
}

}  // namespace dcc::vp
