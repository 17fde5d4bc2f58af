// metrics.json: one document with everything a script may want to know of a run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/platform_config.h"
#include "measure/describe_metrics.h"
#include "measure/metrics.h"
#include "measure/results.h"

namespace dcc::vp {

/// Keys in a fixed order; only `wall_s` and `speed` differ between two runs of one configuration.
nlohmann::ordered_json metrics_json(const RunResults& results, const Metrics& metrics);

/// A sentence for every expectation that is not met or names nothing.
std::vector<std::string> broken_expectations(const PlatformConfig& config,
                                             const nlohmann::ordered_json& metrics);

}  // namespace dcc::vp
