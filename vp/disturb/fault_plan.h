// Installs the configuration's faults on the wires.
#pragma once

#include <cstddef>

#include "build/network.h"
#include "config/platform_config.h"
#include "fabric/topology.h"
#include "parallel/partitions.h"

namespace dcc::vp {

/// Checks the names in `faults`. Throws SettingError, which lists the existing names, for a link or
/// flow that does not exist. Flows are numbered from 0 to `flows` - 1.
void check_faults(const PlatformConfig& config, const Topology& topology, std::size_t flows);

/// Installs the faults' hooks on the wires. Precondition: check_faults() has passed.
void install_faults(const PlatformConfig& config, Partitions& partitions, Network& network);

}  // namespace dcc::vp
