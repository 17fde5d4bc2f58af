// Puts the configuration's faults onto the wires.
#pragma once

#include "config/platform_config.h"
#include "platform/network.h"
#include "sim/scheduler.h"

namespace dcc::vp {

/// Throws SettingError, with the names there are, for a link that does not exist.
void install_faults(const PlatformConfig& config, const Scheduler& scheduler, Network& network);

}  // namespace dcc::vp
