// The inputs that a configuration only names: read and checked without building the platform.
#pragma once

#include "config/yaml_reader.h"

namespace dcc::vp {

/// Expands the traffic (size distributions, traces) and reads the firmware files. Throws
/// ConfigError or TrafficError with a sentence.
void check_named_inputs(const LoadedConfig& loaded);

}  // namespace dcc::vp
