// Warnings about runs in which differentiation by weight cannot work.
#pragma once

#include <string>
#include <vector>

#include "config/platform_config.h"
#include "measure/results.h"

namespace dcc::vp {

/// Returns one sentence for each limit that the run has reached: flows without a slot, PFC instead
/// of congestion control, a switch that marks nearly every packet (docs/differentiation.md). Empty
/// if none is reached.
std::vector<std::string> differentiation_warnings(const PlatformConfig& config,
                                                  const RunResults& results);

}  // namespace dcc::vp
