// Computes how long traffic classes take to settle to their final shares after a change of traffic.
#pragma once

#include <optional>
#include <vector>

#include "config/platform_config.h"
#include "measure/results.h"

namespace dcc::vp {

/// For each of the DSCPs, returns the time from the last start or end of a flow within `measure`
/// until the class stays within a tenth of its final share, in every window of `measure.window`
/// (default 1 ms) up to the end of `measure`. The final share is the class's share of goodput in
/// the latter half of that time. Empty if there is no class series, if fewer than four windows
/// follow the change, or if the share does not settle. Other figures tell whether the final share
/// is the expected one.
std::vector<std::optional<PicoSeconds>> settling_times(const PlatformConfig& config,
                                                       const RunResults& results,
                                                       const std::vector<unsigned>& dscps);

}  // namespace dcc::vp
