// Computes the switches' marking thresholds from a rule.
#pragma once

#include "config/longest_path.h"
#include "config/yaml_reader.h"

namespace dcc::vp {

/// Sets the thresholds that `switch.ecn.rule` gives. The proportional policy has a rule of its own
/// if the user gives neither a rule nor thresholds. Throws ConfigError if both are given.
void follow_marking_rule(LoadedConfig& loaded, LongestPath& path);

}  // namespace dcc::vp
