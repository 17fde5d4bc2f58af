// What no single parameter can tell: combinations that cannot be.
#pragma once

#include "config/yaml_reader.h"

namespace dcc::vp {

/// Throws ConfigError at the place of the parameter that is most likely wrong.
void check(const LoadedConfig& loaded);

/// Whether a run can go on from one configuration with another, which `change` made of it: only
/// what may change while a run goes on differs, and something is there that the change acts on.
void check_change(const LoadedConfig& before, const LoadedConfig& after,
                  const ChangeConfig& change);

}  // namespace dcc::vp
