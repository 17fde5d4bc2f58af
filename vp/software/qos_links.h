// Plans the queue pairs of the QoS manager's closed loop like flows: from meters to the manager and
// from the manager to agents (docs/qos-manager.md).
#pragma once

#include <vector>

#include "config/platform_config.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

/// Returns one link from every other host that receives traffic to the manager (reports of its
/// meter), then one from the manager to every other host that sends (commands to its agent), both
/// in the order of hosts. Ids continue after those of `traffic`. Links are neither marked nor
/// governed, so the closed loop does not depend on the congestion control that it steers. Empty
/// without a manager or without traffic.
std::vector<FlowSpec> qos_links(const PlatformConfig& config, const std::vector<FlowSpec>& traffic);

}  // namespace dcc::vp
