// Whether a law of proportional shares governs any host of a configuration.
#pragma once

#include <algorithm>

#include "config/platform_config.h"
#include "controller/dcc.h"

namespace dcc::vp {

/// True if the flows of at least one host share by weight (algorithm: dcc, policy: proportional).
inline bool any_host_shares_by_weight(const PlatformConfig& config) {
  const auto all = config.congestion_controls();
  return std::any_of(all.begin(), all.end(), [](const AlgorithmChoice* choice) {
    const auto* const dcc = choice->chosen<DccParameters>();
    return dcc != nullptr && dcc->shares_by_weight();
  });
}

}  // namespace dcc::vp
