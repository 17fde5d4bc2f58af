// A configuration written out in full: every value that was in effect, as YAML that reads back.
#pragma once

#include <string>

#include "config/platform_config.h"

namespace dcc::vp {

/// Files are named absolutely. Reading the text gives the same configuration.
std::string effective_yaml(const PlatformConfig& config);

}  // namespace dcc::vp
