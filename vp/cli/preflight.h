// Checks the files that a configuration names and the network's rules, without building the
// platform.
#pragma once

#include "config/yaml_reader.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

/// Expands the traffic (size distributions, traces) and reads the firmware files. Throws
/// ConfigError or TrafficError with one sentence.
void check_named_inputs(const LoadedConfig& loaded);

/// Throws ConfigError if the driver refuses to program a controller of this network with the
/// settings of the beginning, or with those of one of `changes`.
void check_controllers(const LoadedConfig& loaded);

/// Throws a traffic error as a ConfigError at the entry of `traffic:` that the error names. Throws
/// the error unchanged if its place is a line of a file.
[[noreturn]] void refuse(const LoadedConfig& loaded, const TrafficError& error);

}  // namespace dcc::vp
