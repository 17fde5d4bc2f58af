// Completion times of small flows, which metrics.json has as slowdowns only.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace dcc::vp {

/// Adds small_flows {flows, fct_us_p50, fct_us_p99} to `metrics` from a run's flows.csv: completed
/// flows of at most 10 000 bytes, post to last ACK. Adds nothing when there are none.
void add_small_flows(nlohmann::json& metrics, const std::filesystem::path& run);

}  // namespace dcc::vp
