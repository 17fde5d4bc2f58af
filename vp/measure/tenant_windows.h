// Computes tenants' shares over sliding windows, not only as an average of the run.
#pragma once

#include <optional>
#include <vector>

#include "config/platform_config.h"
#include "measure/results.h"

namespace dcc::vp {

/// For each tenant of the configuration, returns the greatest |share / expected - 1| over all
/// windows of length `measure.window` within the measured time, on the grid of the series. A window
/// counts if no flow started or ended in it or less than `measure.settle` before it. The expected
/// share is the tenant's weight divided by the sum of the weights of all tenants that had a flow.
/// Empty if no window counts or there is no class series.
std::vector<std::optional<double>> share_errors_over_windows(const PlatformConfig& config,
                                                             const RunResults& results);

}  // namespace dcc::vp
