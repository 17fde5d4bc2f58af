// Converts the configuration of a platform whose hosts have several ports.
#pragma once

#include "config/platform_config.h"

namespace dcc::vp {

/// Returns the configuration with ports in place of hosts, numbered like fabric/host_ports.h, in
/// `nics`, `hosts` and `output.trace.hosts`. All ports of a host have the settings of their host.
/// `traffic` and `faults` still name hosts. Precondition: at least one host has several ports.
PlatformConfig port_config(const PlatformConfig& config);

}  // namespace dcc::vp
