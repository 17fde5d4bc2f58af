// Writes a configuration in full: every effective value, as YAML that can be read back.
#pragma once

#include <string>

#include "config/platform_config.h"

namespace dcc::vp {

/// Selects whether a value that follows the network has a comment with its rule.
enum class RuleComments { kNone, kWritten };

/// Returns the configuration as YAML text with absolute file names. Reading the text gives the same
/// configuration.
std::string effective_yaml(const PlatformConfig& config,
                           RuleComments comments = RuleComments::kNone);

}  // namespace dcc::vp
