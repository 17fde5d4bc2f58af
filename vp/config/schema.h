// The table of parameters: describes every YAML key with its member, range, meaning and source. To
// add a parameter, add a member with its default to platform_config.h (or to a module's parameters)
// and one line to the describe() function of its struct.
#pragma once

#include "config/config_enum_names.h"
#include "describe/visitor.h"

namespace dcc::vp {

/// Visits all parameters of a configuration.
void describe(ParameterVisitor& v, PlatformConfig& c);

// The functions below are parts of describe(), one in each file.
void describe_nic(ParameterVisitor& v, NicConfig& c);
void describe_host(ParameterVisitor& v, HostConfig& c);

}  // namespace dcc::vp
