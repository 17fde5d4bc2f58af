// Fills in the QoS manager's part of a host's boot block, and reads the manager's results.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "app/boot_block.h"
#include "config/platform_config.h"
#include "measure/results.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Fills in the QoS manager's roles, tenants, periods and number of peers of `host` for
/// boot_layout.
void fill_qos_header(const PlatformConfig& config, const FlowPlan& plan, HostId host,
                     boot_block& block);

/// Fills in the QoS manager's peers of `host`. `block_of` returns the laid-out block of any host,
/// because hosts write reports and commands to addresses in the block of another host.
std::vector<boot_qos_peer> qos_peers(const PlatformConfig& config, const FlowPlan& plan,
                                     HostId host,
                                     const std::function<boot_block(HostId)>& block_of);

/// Reads the QoS manager's present results. `ram` is the memory of the manager's host from
/// BOOT_RAM_BASE on. Messages and bytes of the loop stay 0, because the manager does not know them.
QosResult read_qos_result(const PlatformConfig& config, const std::uint8_t* ram);

}  // namespace dcc::vp
