// Tenants' shares over sliding windows: not on the average of a run, but over any so long a time.
#pragma once

#include <optional>
#include <vector>

#include "config/platform_config.h"
#include "measure/results.h"

namespace dcc::vp {

/// For each tenant of the configuration the greatest |share / expected - 1| over all times of
/// length `measure.window` within the measured one, to the grid of the series. A time counts if no
/// flow started or ended in it or less than `measure.settle` before it; expected is the tenant's
/// weight over those of all tenants that had a flow. Empty: no such time, or no class series to
/// tell.
std::vector<std::optional<double>> share_errors_over_windows(const PlatformConfig& config,
                                                             const RunResults& results);

}  // namespace dcc::vp
