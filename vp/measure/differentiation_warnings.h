// What a user should be told about a run whose figures do not mean what they seem to.
#pragma once

#include <string>
#include <vector>

#include "config/platform_config.h"
#include "measure/results.h"

namespace dcc::vp {

/// One sentence for each way in which differentiation has come to its end: flows without a slot,
/// PFC in place of congestion control, and a switch that marks nearly everything
/// (docs/differentiation.md, "Where it ends"). Empty when all is well.
std::vector<std::string> differentiation_warnings(const PlatformConfig& config,
                                                  const RunResults& results);

}  // namespace dcc::vp
