#include "software/qos_links.h"

#include <set>

namespace dcc::vp {

std::vector<FlowSpec> qos_links(const PlatformConfig& config,
                                const std::vector<FlowSpec>& traffic) {
  if (!config.qos.manager) return {};
  const HostId manager = *config.qos.manager;
  std::set<HostId> senders;
  std::set<HostId> receivers;
  for (const FlowSpec& flow : traffic) {
    senders.insert(flow.from);
    receivers.insert(flow.to);
  }
  std::vector<FlowSpec> links;
  const auto add = [&](HostId from, HostId to) {
    // no link is needed within a host, since its reports and commands need no wire
    if (from == to) return;
    FlowSpec link;
    link.id = static_cast<std::uint32_t>(traffic.size() + links.size());
    link.from = from;
    link.to = to;
    link.dscp = static_cast<std::uint8_t>(config.qos.dscp);
    link.priority = static_cast<std::uint8_t>(config.qos.priority);
    link.background = true;
    links.push_back(link);
  };
  for (const HostId host : receivers) add(host, manager);
  for (const HostId host : senders) add(manager, host);
  return links;
}

}  // namespace dcc::vp
