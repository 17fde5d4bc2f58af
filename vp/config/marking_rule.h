// The switches' marking where a rule sets it.
#pragma once

#include "config/longest_path.h"
#include "config/yaml_reader.h"

namespace dcc::vp {

/// Puts what `switch.ecn.rule` says in place of it. The proportional policy brings a rule of its
/// own where the user says nothing of thresholds. Throws ConfigError where rule and numbers are
/// given.
void follow_marking_rule(LoadedConfig& loaded, LongestPath& path);

}  // namespace dcc::vp
