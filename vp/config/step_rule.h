// Computes the proportional policy's steps if the user gives none.
#pragma once

#include "config/longest_path.h"
#include "config/yaml_reader.h"

namespace dcc::vp {

/// Sets r_ai and g by the rate of the slowest link, unless the user gave one of them or a reference
/// rate. `beginning`: the configuration whose given keys count. `beginning` is `loaded` itself, or,
/// if a change made `loaded`, the configuration at the beginning of the run: a change of one key
/// must not move another.
void follow_step_rule(LoadedConfig& loaded, LongestPath& path, const LoadedConfig& beginning);

}  // namespace dcc::vp
