// Checks combinations of a configuration's parameters.
#pragma once

#include "config/yaml_reader.h"

namespace dcc::vp {

/// Checks the topology alone, before the values that follow the network are computed. Throws
/// ConfigError.
void check_topology(const LoadedConfig& loaded);

/// Checks all combinations of parameters. Throws ConfigError at the place of the parameter that is
/// most likely wrong.
void check(const LoadedConfig& loaded);

/// Checks whether a run can continue with the configuration `after`, which `change` made from
/// `before`: only parameters that may change during a run differ, and the platform has a device
/// that can apply the change.
void check_change(const LoadedConfig& before, const LoadedConfig& after,
                  const ChangeConfig& change);

}  // namespace dcc::vp
