#include "config/platform_config.h"

#include <algorithm>
#include <numeric>

namespace dcc::vp {

unsigned TopologyConfig::host_count() const {
  switch (kind) {
    case TopologyKind::kStar:
      return hosts;
    case TopologyKind::kParkingLot:
      return std::accumulate(hosts_per_switch.begin(), hosts_per_switch.end(), 0u);
    case TopologyKind::kFatTree:
      return pods * racks_per_pod * hosts_per_rack;
    case TopologyKind::kCustom:
      break;
  }
  return static_cast<unsigned>(std::count_if(
      nodes.begin(), nodes.end(), [](const NodeConfig& n) { return n.kind == NodeKind::kHost; }));
}

BitRate TopologyConfig::slowest_link() const {
  switch (kind) {
    case TopologyKind::kStar:
      return link.rate;
    case TopologyKind::kParkingLot:
      return std::min(link.rate, fabric_link.rate);
    case TopologyKind::kFatTree:
      return std::min(host_link.rate, fabric_link.rate);
    case TopologyKind::kCustom:
      break;
  }
  BitRate slowest = links.front().link.rate;  // a network of two hosts or more has a link
  for (const CableConfig& cable : links) slowest = std::min(slowest, cable.link.rate);
  return slowest;
}

bool TraceConfig::has_host(HostId id) const {
  return hosts.empty() || std::find(hosts.begin(), hosts.end(), id) != hosts.end();
}

bool TraceConfig::has_flow(std::uint32_t id) const {
  return flows.empty() || std::find(flows.begin(), flows.end(), id) != flows.end();
}

const HostConfig& PlatformConfig::host_of(HostId id) const {
  const auto known = hosts.find(id);
  return known == hosts.end() ? host : known->second;
}

const DscpConfig& PlatformConfig::dscp_of(unsigned number) const {
  static const DscpConfig kUnlisted;
  const auto known = dscp.find(number);
  return known == dscp.end() ? kUnlisted : known->second;
}

}  // namespace dcc::vp
