#include "config/platform_config.h"

#include <algorithm>
#include <numeric>

namespace dcc::vp {

FatTreeParameters TopologyConfig::fat_tree() const {
  const auto number = [](unsigned n) { return static_cast<int>(n); };
  FatTreeParameters tree;
  if (k) {
    tree = FatTreeParameters::of_radix(number(*k), number(oversubscription));
  } else {
    tree.pods = number(pods);
    tree.racks_per_pod = number(racks_per_pod);
    tree.aggs_per_pod = number(aggs_per_pod);
    tree.hosts_per_rack = number(hosts_per_rack);
    tree.cores = number(cores);
  }
  tree.host_link = host_link;
  tree.fabric_link = fabric_link;
  return tree;
}

unsigned TopologyConfig::host_count() const {
  switch (kind) {
    case TopologyKind::kStar:
      return hosts;
    case TopologyKind::kParkingLot:
      return std::accumulate(hosts_per_switch.begin(), hosts_per_switch.end(), 0u);
    case TopologyKind::kFatTree: {
      const FatTreeParameters tree = fat_tree();
      return static_cast<unsigned>(tree.pods * tree.racks_per_pod * tree.hosts_per_rack);
    }
    case TopologyKind::kLeafSpine:
      return static_cast<unsigned>(leaf_spine.hosts());
    case TopologyKind::kRail:
      return static_cast<unsigned>(rail.hosts());
    case TopologyKind::kTorus:
      return static_cast<unsigned>(torus.hosts());
    case TopologyKind::kDragonfly:
      return static_cast<unsigned>(dragonfly.hosts());
    case TopologyKind::kCustom:
      break;
  }
  return static_cast<unsigned>(std::count_if(
      nodes.begin(), nodes.end(), [](const NodeConfig& n) { return n.kind == NodeKind::kHost; }));
}

std::uint64_t TopologyConfig::fabric_cables() const {
  switch (kind) {
    case TopologyKind::kLeafSpine:
      return leaf_spine.fabric_cables();
    case TopologyKind::kRail:
      return rail.fabric_cables();
    case TopologyKind::kTorus:
      return torus.fabric_cables();
    case TopologyKind::kDragonfly:
      return dragonfly.fabric_cables();
    case TopologyKind::kFatTree: {
      const FatTreeParameters tree = fat_tree();
      return static_cast<std::uint64_t>(tree.pods) *
             static_cast<std::uint64_t>(tree.racks_per_pod * tree.aggs_per_pod + tree.cores);
    }
    case TopologyKind::kStar:
    case TopologyKind::kParkingLot:
      return hosts_per_switch.size();
    case TopologyKind::kCustom:
      break;
  }
  return links.size();
}

/// Of its links, each kind once.
std::vector<BitRate> TopologyConfig::rates() const {
  switch (kind) {
    case TopologyKind::kStar:
      return {link.rate};
    case TopologyKind::kParkingLot:
      return {link.rate, fabric_link.rate};
    case TopologyKind::kFatTree:
      return {host_link.rate, fabric_link.rate};
    case TopologyKind::kLeafSpine:
      return {leaf_spine.host_link.rate, leaf_spine.fabric_link.rate};
    case TopologyKind::kRail:
      return {rail.host_link.rate, rail.fabric_link.rate};
    case TopologyKind::kTorus:
      return {torus.host_link.rate, torus.fabric_link.rate};
    case TopologyKind::kDragonfly:
      return {dragonfly.host_link.rate, dragonfly.local_link.rate, dragonfly.global_link.rate};
    case TopologyKind::kCustom:
      break;
  }
  std::vector<BitRate> rates;  // a network of two hosts or more has a link
  for (const CableConfig& cable : links) rates.push_back(cable.link.rate);
  return rates;
}

BitRate TopologyConfig::slowest_link() const {
  const std::vector<BitRate> all = rates();
  return *std::min_element(all.begin(), all.end());
}

BitRate TopologyConfig::fastest_link() const {
  const std::vector<BitRate> all = rates();
  return *std::max_element(all.begin(), all.end());
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
