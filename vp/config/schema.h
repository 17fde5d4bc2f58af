// The one table of parameters: every key of the YAML, its member, range, meaning and source. To add
// a parameter: a member with its default in platform_config.h (or its neighbours), and one line in
// the describe() function of its struct.
#pragma once

#include "config/config_enum_names.h"
#include "describe/visitor.h"

namespace dcc::vp {

/// Walks all of a configuration.
void describe(ParameterVisitor& v, PlatformConfig& c);

// The parts of it, one a file.
void describe_nic(ParameterVisitor& v, NicConfig& c);
void describe_host(ParameterVisitor& v, HostConfig& c);

}  // namespace dcc::vp
