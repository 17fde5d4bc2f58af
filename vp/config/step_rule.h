// The proportional policy's steps where the user gives none.
#pragma once

#include "config/yaml_reader.h"

namespace dcc::vp {

/// Puts r_ai and g by the rate of the slowest link, unless one of them or a reference rate is
/// given.
void follow_step_rule(LoadedConfig& loaded);

}  // namespace dcc::vp
