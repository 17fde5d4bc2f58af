#include "config/platform_config.h"

#include <algorithm>

namespace dcc::vp {

bool TraceConfig::has_host(HostId id) const {
  return hosts.empty() || std::find(hosts.begin(), hosts.end(), id) != hosts.end();
}

bool TraceConfig::has_flow(std::uint32_t id) const {
  return flows.empty() || std::find(flows.begin(), flows.end(), id) != flows.end();
}

const OtherNics* PlatformConfig::other_nic(HostId id) const {
  for (const OtherNics& group : nics) {
    if (std::find(group.hosts.begin(), group.hosts.end(), id) != group.hosts.end()) return &group;
  }
  return nullptr;
}

std::string PlatformConfig::nic_path(HostId id) const {
  const OtherNics* const group = other_nic(id);
  return group == nullptr ? "nic" : "nics." + std::to_string(group - nics.data());
}

const AlgorithmChoice& PlatformConfig::congestion_control_of(HostId id) const {
  const OtherNics* const group = other_nic(id);
  return group == nullptr ? nic.congestion_control : group->congestion_control;
}

std::vector<const AlgorithmChoice*> PlatformConfig::congestion_controls() const {
  std::vector<const AlgorithmChoice*> all{&nic.congestion_control};
  for (const OtherNics& group : nics) all.push_back(&group.congestion_control);
  return all;
}

const DmaParameters& PlatformConfig::dma_of(HostId id) const {
  const OtherNics* const group = other_nic(id);
  return group == nullptr ? nic.dma : group->dma;
}

std::uint32_t PlatformConfig::mtu_of(HostId id) const {
  const OtherNics* const group = other_nic(id);
  return group == nullptr ? nic.mtu : group->mtu;
}

std::map<std::uint32_t, std::size_t> PlatformConfig::hosts_by_mtu() const {
  std::map<std::uint32_t, std::size_t> hosts_with;
  std::size_t named = 0;
  for (const OtherNics& group : nics) {
    if (!group.hosts.empty()) hosts_with[group.mtu] += group.hosts.size();
    named += group.hosts.size();
  }
  if (named < topology.port_count()) hosts_with[nic.mtu] += topology.port_count() - named;
  return hosts_with;
}

std::uint32_t PlatformConfig::largest_mtu() const {
  if (!mixes_mtus()) return nic.mtu;
  const std::map<std::uint32_t, std::size_t> hosts_with = hosts_by_mtu();
  // Both ends of a path have its MTU or a greater one.
  std::size_t ends = 0;
  for (auto kind = hosts_with.rbegin(); kind != hosts_with.rend(); ++kind) {
    ends += kind->second;
    if (ends >= 2) return kind->first;
  }
  return nic.mtu;
}

std::uint32_t PlatformConfig::smallest_mtu() const {
  return mixes_mtus() ? hosts_by_mtu().begin()->first : nic.mtu;
}

bool PlatformConfig::mixes_mtus() const {
  return std::any_of(nics.begin(), nics.end(),
                     [this](const OtherNics& group) { return group.mtu != nic.mtu; });
}

const RecoveryParameters& PlatformConfig::recovery_of(HostId id) const {
  const OtherNics* const group = other_nic(id);
  return group == nullptr ? nic.recovery : group->recovery;
}

PeerNics PlatformConfig::peer_nics() const {
  PeerNics peers;
  const auto any = [this](auto differs) { return std::any_of(nics.begin(), nics.end(), differs); };
  if (any([this](const OtherNics& group) {
        return group.recovery.is_selective() != nic.recovery.is_selective();
      })) {
    peers.going_back.assign(topology.port_count(), !nic.recovery.is_selective());
    for (const OtherNics& group : nics) {
      for (const HostId id : group.hosts) peers.going_back[id] = !group.recovery.is_selective();
    }
  }
  if (mixes_mtus()) {
    peers.mtu.assign(topology.port_count(), nic.mtu);
    for (const OtherNics& group : nics) {
      for (const HostId id : group.hosts) peers.mtu[id] = group.mtu;
    }
  }
  return peers;
}

bool PlatformConfig::has_unlike_ends() const {
  return mixes_transports() || mixes_mtus() ||
         std::any_of(nics.begin(), nics.end(), [this](const OtherNics& one) {
           return one.recovery.reorder_window != nic.recovery.reorder_window;
         });
}

const TransportChoice& PlatformConfig::transport_of(HostId id) const {
  const OtherNics* const group = other_nic(id);
  return group == nullptr ? nic.transport : group->transport;
}

std::vector<const TransportChoice*> PlatformConfig::transports() const {
  std::vector<const TransportChoice*> all{&nic.transport};
  for (const OtherNics& group : nics) all.push_back(&group.transport);
  return all;
}

bool PlatformConfig::mixes_transports() const {
  return std::any_of(nics.begin(), nics.end(), [this](const OtherNics& group) {
    return group.transport.name() != nic.transport.name();
  });
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
