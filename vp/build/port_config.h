// The configuration of a platform whose hosts have several ports.
#pragma once

#include "config/platform_config.h"

namespace dcc::vp {

/// The same configuration with the ports of hosts in the place of hosts, as the platform numbers
/// them (fabric/host_ports.h), in `nics`, `hosts` and `output.trace.hosts`: all ports of a host
/// have the settings of the host. `traffic` and `faults` still name hosts. Precondition: some host
/// has several ports.
PlatformConfig port_config(const PlatformConfig& config);

}  // namespace dcc::vp
