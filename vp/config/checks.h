// What no single parameter can tell: combinations that cannot be.
#pragma once

#include "config/yaml_reader.h"

namespace dcc::vp {

/// Throws ConfigError at the place of the parameter that is most likely wrong.
void check(const LoadedConfig& loaded);

}  // namespace dcc::vp
