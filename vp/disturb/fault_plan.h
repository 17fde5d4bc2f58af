// Puts the configuration's faults onto the wires.
#pragma once

#include <cstddef>

#include "build/network.h"
#include "config/platform_config.h"
#include "fabric/topology.h"
#include "parallel/partitions.h"

namespace dcc::vp {

/// Throws SettingError, with the names there are, for a link or a flow that does not exist. Flows
/// are numbered below `flows`.
void check_faults(const PlatformConfig& config, const Topology& topology, std::size_t flows);

/// Precondition: check_faults().
void install_faults(const PlatformConfig& config, Partitions& partitions, Network& network);

}  // namespace dcc::vp
