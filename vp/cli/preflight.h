// The inputs that a configuration only names: read and checked without building the platform.
#pragma once

#include "config/yaml_reader.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

/// Expands the traffic (size distributions, traces) and reads the firmware files. Throws
/// ConfigError or TrafficError with a sentence.
void check_named_inputs(const LoadedConfig& loaded);

/// Throws it as a ConfigError at the entry of `traffic:` that it names, or as it is when it names
/// the line of a file.
[[noreturn]] void refuse(const LoadedConfig& loaded, const TrafficError& error);

}  // namespace dcc::vp
