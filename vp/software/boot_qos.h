// The closed loop's part of a host's boot block, and what the manager left there.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "app/boot_block.h"
#include "config/platform_config.h"
#include "measure/results.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Fills in roles, tenants, periods and number of peers of `host`: all that boot_layout needs.
void fill_qos_header(const PlatformConfig& config, const FlowPlan& plan, HostId host,
                     boot_block& block);

/// The peers of `host`. `block_of` gives the laid-out block of any host: reports and commands are
/// written to addresses in it.
std::vector<boot_qos_peer> qos_peers(const PlatformConfig& config, const FlowPlan& plan,
                                     HostId host,
                                     const std::function<boot_block(HostId)>& block_of);

/// What the manager has done until now; its memory is `ram`, from BOOT_RAM_BASE on. Messages and
/// bytes of the loop are not its knowledge and stay 0.
QosResult read_qos_result(const PlatformConfig& config, const std::uint8_t* ram);

}  // namespace dcc::vp
