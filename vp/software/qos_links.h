// The closed loop's own queue pairs, planned like flows: who reports to the manager, whom it
// commands. docs/qos-manager.md.
#pragma once

#include <vector>

#include "config/platform_config.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

/// One link from every other host that receives traffic to the manager (reports of its meter), then
/// one from the manager to every other host that sends (commands to its agent), both in order of
/// hosts. Ids go on after those of `traffic`. They are neither marked nor governed: the loop that
/// steers congestion control does not depend on it. Empty without a manager or without traffic.
std::vector<FlowSpec> qos_links(const PlatformConfig& config, const std::vector<FlowSpec>& traffic);

}  // namespace dcc::vp
