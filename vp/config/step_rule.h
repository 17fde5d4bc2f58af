// The proportional policy's steps where the user gives none.
#pragma once

#include "config/longest_path.h"
#include "config/yaml_reader.h"

namespace dcc::vp {

/// Puts r_ai and g by the rate of the slowest link, unless one of them or a reference rate is
/// given.
/// `beginning`: whose givens count, the same or, where `loaded` is what a change makes of it, the
/// configuration at the run's beginning: a change of one key moves no other.
void follow_step_rule(LoadedConfig& loaded, LongestPath& path, const LoadedConfig& beginning);

}  // namespace dcc::vp
