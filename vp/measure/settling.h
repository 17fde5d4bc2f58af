// How long it takes after a change of traffic until classes have the shares that they keep.
#pragma once

#include <optional>
#include <vector>

#include "config/platform_config.h"
#include "measure/results.h"

namespace dcc::vp {

/// For each of these DSCPs the time from the last start or end of a flow within `measure` until its
/// class has, in every window of `measure.window` (without one 1 ms) to the end of `measure`,
/// within a tenth the share of the goodput that it has in the latter half of that time. Empty: no
/// class series to tell, less than four windows since the change, or too restless to the end.
/// Whether what it comes to is what it should be, other figures say.
std::vector<std::optional<PicoSeconds>> settling_times(const PlatformConfig& config,
                                                       const RunResults& results,
                                                       const std::vector<unsigned>& dscps);

}  // namespace dcc::vp
