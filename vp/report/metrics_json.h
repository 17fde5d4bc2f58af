// Writes metrics.json: one document with all figures of a run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/platform_config.h"
#include "measure/describe_metrics.h"
#include "measure/metrics.h"
#include "measure/results.h"

namespace dcc::vp {

/// Returns metrics.json with keys in a fixed order. The documents of two runs of one configuration
/// differ only in `wall_s` and `speed`.
nlohmann::ordered_json metrics_json(const RunResults& results, const Metrics& metrics);

/// Returns a sentence for every entry of `expect` that is not met or that names a missing figure.
std::vector<std::string> broken_expectations(const PlatformConfig& config,
                                             const nlohmann::ordered_json& metrics);

}  // namespace dcc::vp
