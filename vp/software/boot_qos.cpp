#include "software/boot_qos.h"

#include <algorithm>
#include <cstring>

namespace dcc::vp {

namespace {

/// Hosts that receive traffic, in order; meters are numbered in this order.
std::vector<HostId> metering_hosts(const FlowPlan& plan) {
  std::vector<HostId> hosts;
  for (const PlannedFlow& flow : plan.flows()) hosts.push_back(flow.spec.to);
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return hosts;
}

std::uint32_t meter_number(const std::vector<HostId>& meters, HostId host) {
  const auto at = std::lower_bound(meters.begin(), meters.end(), host);
  return at != meters.end() && *at == host ? static_cast<std::uint32_t>(at - meters.begin())
                                           : UINT32_MAX;
}

/// The DSCP of each tenant in the configuration's order. The checks ensure that each tenant has
/// one.
std::vector<unsigned> dscps_of_tenants(const PlatformConfig& config) {
  std::vector<unsigned> dscps;
  for (const TenantConfig& tenant : config.tenants) {
    for (const auto& [dscp, entry] : config.dscp) {
      if (entry.tenant == tenant.name) dscps.push_back(dscp);
    }
  }
  return dscps;
}

}  // namespace

void fill_qos_header(const PlatformConfig& config, const FlowPlan& plan, HostId host,
                     boot_block& block) {
  if (plan.links().empty()) return;
  boot_qos& qos = block.qos;
  const std::vector<HostId> meters = metering_hosts(plan);
  const std::uint32_t number = meter_number(meters, host);
  const bool manages = host == *config.qos.manager;
  if (manages) qos.roles |= BOOT_QOS_MANAGER;
  if (number != UINT32_MAX) qos.roles |= BOOT_QOS_METER;
  if (!plan.sent_by(host).empty()) qos.roles |= BOOT_QOS_AGENT;
  qos.local_meter = manages ? number : UINT32_MAX;
  qos.meter_count = static_cast<std::uint32_t>(meters.size());
  qos.report_ns = static_cast<std::uint32_t>(config.qos.report_interval / kNanoSecond);
  qos.update_ns = static_cast<std::uint32_t>(config.qos.update_interval / kNanoSecond);
  qos.peer_count = static_cast<std::uint32_t>(plan.links_of(host).size());
  for (const unsigned dscp : dscps_of_tenants(config)) {
    const Ratio& weight = config.tenants[qos.tenant_count].weight;
    qos.tenants[qos.tenant_count++] = {dscp, static_cast<std::uint32_t>(weight.to_fixed(8))};
  }
}

std::vector<boot_qos_peer> qos_peers(const PlatformConfig& config, const FlowPlan& plan,
                                     HostId host,
                                     const std::function<boot_block(HostId)>& block_of) {
  std::vector<boot_qos_peer> peers;
  for (const std::uint32_t id : plan.links_of(host)) {
    const PlannedFlow& link = plan.flow(id);
    const bool outgoing = link.spec.from == host;
    boot_qos_peer peer{};
    peer.dscp = link.spec.dscp;
    peer.priority = link.spec.priority;
    peer.qpn = outgoing ? link.from_qpn : link.to_qpn;
    peer.remote_host = outgoing ? link.spec.to : link.spec.from;
    peer.remote_qpn = outgoing ? link.to_qpn : link.from_qpn;
    peer.use = BOOT_QOS_PASSIVE;
    if (outgoing) {
      const boot_block remote = block_of(link.spec.to);
      if (host == *config.qos.manager) {
        peer.use = BOOT_QOS_SEND_COMMANDS;
        peer.address = boot_qos_command_address(&remote);
      } else {
        peer.use = BOOT_QOS_SEND_REPORTS;
        peer.address = boot_qos_report_address(&remote, meter_number(metering_hosts(plan), host));
      }
    }
    peers.push_back(peer);
  }
  return peers;
}

QosResult read_qos_result(const PlatformConfig& config, const std::uint8_t* ram) {
  const std::uint8_t* const at = ram + (BOOT_BLOCK_ADDRESS - BOOT_RAM_BASE);
  boot_block block{};
  std::memcpy(&block, at, sizeof block);
  boot_qos_area area{};
  std::memcpy(&area, at + block.qos.area_offset, sizeof area);
  QosResult result;
  result.manager = block.host_id;
  result.updates = area.manager.updates;
  result.commands = area.manager.commands;
  for (std::size_t i = 0; i < config.tenants.size(); ++i) {
    const qos_tenant_state& state = area.manager.states[i];
    QosTenantResult tenant;
    tenant.name = config.tenants[i].name;
    tenant.dscp = area.manager.tenants[i].dscp;
    tenant.flows = state.flows;
    tenant.factor = state.weight_q8_8 / 256.0;
    tenant.correction = state.integral_q16 / 65536.0;
    result.tenants.push_back(tenant);
  }
  return result;
}

}  // namespace dcc::vp
