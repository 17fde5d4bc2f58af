// Resolves the entries of the configuration's section `switches` to ports of switches.
#pragma once

#include <vector>

#include "config/platform_config.h"
#include "fabric/topology.h"

namespace dcc::vp {

/// Returns the entries of `config.switches` that apply to each port, by node and port number, in
/// their order. Empty if the configuration has no entry. The pointers lead into `config`. Throws
/// SettingError for a name that matches no port of a switch, and for a rate that no port has.
///
/// A name is a switch (s0), the beginning of switches' names (leaf*), a host (h3: the port to it),
/// a wire (s0->h3: the port where it begins) or a cable (leaf0--spine1: its ports at switches).
using ExceptionsByPort = std::vector<std::vector<std::vector<const PortException*>>>;
ExceptionsByPort port_exceptions(const PlatformConfig& config, const Topology& topology);

/// The entries of `switches` that apply to one port; none if the configuration has no entry.
const std::vector<const PortException*>& exceptions_of(const ExceptionsByPort& all, NodeId node,
                                                       int port);

/// Checks all entries of `switches`. Throws SettingError as port_exceptions() does, and if the
/// ports of a switch reserve more bytes than their pool has.
void check_ports(const PlatformConfig& config, const Topology& topology);

}  // namespace dcc::vp
