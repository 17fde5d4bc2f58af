// The hosts of a configuration whose flows a congestion controller governs.
#pragma once

#include <algorithm>
#include <vector>

#include "config/platform_config.h"
#include "controller/dcc.h"

namespace dcc::vp {

/// The parameters of `algorithm: dcc` in `nic` and in each entry of `nics`; empty if no host has a
/// congestion controller.
inline std::vector<const DccParameters*> controllers(const PlatformConfig& config) {
  std::vector<const DccParameters*> found;
  for (const AlgorithmChoice* const choice : config.congestion_controls()) {
    const auto* const dcc = choice->chosen<DccParameters>();
    if (dcc != nullptr) found.push_back(dcc);
  }
  return found;
}

/// True if the flows of at least one host share by weight (algorithm: dcc, policy: proportional).
inline bool any_host_shares_by_weight(const PlatformConfig& config) {
  const auto all = controllers(config);
  return std::any_of(all.begin(), all.end(),
                     [](const DccParameters* dcc) { return dcc->shares_by_weight(); });
}

}  // namespace dcc::vp
